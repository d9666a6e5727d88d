package kb

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// importer writes the entries of an import in chunks.
type importer struct {
	m       *Memory
	replace bool
	used    map[uint64]struct{} // hashes of the ids that were chosen
	given   map[uint64]int64    // by the hashes of the ids that entries came with
	out     *Imported

	spool    *spool
	at       int64 // in the spool: what comes before is written
	done     int   // entries before it
	total    int
	progress func(done, total int64) // nil when nobody asks
	index    *alongside
}

// step is what becomes of one entry.
type step uint8

const (
	add     step = iota
	addFree      // as add; if it came without an id, nothing had the shortest that it may get
	replaceOld
	leave
)

func (i *importer) entries(ctx context.Context, s *shipment) error {
	i.spool, i.total, i.progress = &s.spool, s.entries, progressOf(ctx)
	i.index = indexAlongside(ctx, i.m.dir)
	defer i.index.end()
	for i.done < i.total {
		if err := i.pass(ctx); err != nil && !errors.Is(err, errMoved) {
			return err
		}
	}
	return nil
}

// pass writes chunk after chunk, until all are written or another writer gets in
// the way.
func (i *importer) pass(ctx context.Context) error {
	seen, err := i.m.end()
	if err != nil {
		return err
	}
	v, err := i.m.View()
	if err != nil {
		return err
	}
	defer v.Close()
	steps, err := i.decide(v)
	if err != nil {
		return err
	}
	fresh := map[string]bool{}
	r := i.spool.reader(i.at, spoolTogether)
	for i.done < i.total {
		list, err := r.chunk(i.total - i.done)
		if err != nil {
			return err
		}
		if seen, err = i.chunk(ctx, v, seen, fresh, list, steps[:len(list)]); err != nil {
			return err
		}
		steps = steps[len(list):]
		i.at, i.done = r.at, i.done+len(list)
		i.index.written(len(list))
		if i.progress != nil {
			i.progress(int64(i.done), int64(i.total))
		}
	}
	return nil
}

// chunk reads entries that are written together, of so many that are left.
func (r *spoolReader) chunk(left int) ([]spooled, error) {
	list, bytes := make([]spooled, 0, min(importChunk, left)), 0
	for len(list) < cap(list) && bytes < importBytes {
		e, err := r.next()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		bytes += len(e.body)
	}
	return list, nil
}

// decide says what becomes of the entries that are left, and refuses one whose id
// another has.
func (i *importer) decide(v *view.View) ([]step, error) {
	steps := make([]step, i.total-i.done)
	if v.Empty() {
		for k := range steps {
			steps[k] = addFree
		}
		return steps, nil
	}
	r := i.spool.reader(i.at, spoolTogether)
	for done := 0; done < len(steps); {
		list, err := r.chunk(len(steps) - done)
		if err != nil {
			return nil, err
		}
		if err := i.decideAll(v, list, steps[done:]); err != nil {
			return nil, err
		}
		done += len(list)
	}
	return steps, nil
}

// decideAll decides about a part of the entries on each processor.
func (i *importer) decideAll(v *view.View, list []spooled, steps []step) error {
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for part := range errs {
		from, to := part*len(list)/len(errs), (part+1)*len(list)/len(errs)
		wg.Go(func() {
			for k := from; k < to && errs[part] == nil; k++ {
				steps[k], errs[part] = i.decideOne(v, &list[k])
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...) // of the first line, since the parts are in order
}

func (i *importer) decideOne(v *view.View, e *spooled) (step, error) {
	if e.named {
		return again(v, e)
	}
	old, err := v.Get(e.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return add, nil
	case err != nil:
		return add, err
	case e.same(&old):
		return leave, nil
	case i.replace:
		return replaceOld, nil
	}
	return add, at(lineNo(e.line), refuse("the entry %s is there with other content: replace it, or leave it out", e.id))
}

// again leaves an entry that came without an id and is there just so, from the same
// import done before or broken off: ids come from the topic, time and text.
func again(v *view.View, e *spooled) (step, error) {
	what, failed := addFree, error(nil)
	_, err := e.newID(func(id string) (taken bool) {
		old, err := v.Get(id)
		if err != nil {
			if !errors.Is(err, ErrNotFound) {
				failed = err
			}
			return false
		}
		if e.same(&old) {
			what = leave
			return false
		}
		what = add
		return true
	})
	return what, errors.Join(failed, err)
}

// chunk writes some entries unless another writer wrote one of them since seen,
// and gives the end of the log after it.
func (i *importer) chunk(ctx context.Context, v *view.View, seen log.Pos, fresh map[string]bool, list []spooled, steps []step) (log.Pos, error) {
	p := plan{ids: map[string]bool{}}
	var ids []string
	var counted Imported
	var failed error
	p.ops = func(taken func(string) bool) []log.Op {
		ops := make([]log.Op, 0, len(list))
		for k := range list {
			e := &list[k]
			switch steps[k] {
			case leave:
				counted.Same++
				continue
			case replaceOld:
				counted.Replaced++
			}
			known := ""
			if e.named && steps[k] == addFree && !fresh[entry.ShortID(e.id)] {
				known = entry.ShortID(e.id)
			}
			id, op, err := i.op(e, func(id string) bool { return id != known && taken(id) })
			failed = errors.Join(failed, err)
			ids, ops = append(ids, id), append(ops, op)
		}
		return ops
	}
	for k := range list {
		if !list[k].named {
			p.ids[list[k].id] = true
		}
	}
	commit, err := i.m.log.Update(ctx, func(r *log.Reader) ([]log.Op, error) {
		since, err := p.stillHolds(r, seen)
		if err != nil {
			return nil, err
		}
		for id := range since {
			fresh[id] = true
		}
		ops, err := p.decide(v, fresh)
		return ops, errors.Join(err, failed)
	})
	if err != nil {
		return seen, err
	}
	i.m.session.add(ids)
	i.out.Entries += len(ids)
	i.out.Replaced += counted.Replaced
	i.out.Same += counted.Same
	if commit.End == (log.Pos{}) { // nothing was written
		return seen, nil
	}
	return commit.End, nil
}

// op writes an entry, with an id if it came without.
func (i *importer) op(e *spooled, taken func(string) bool) (id string, op log.Op, err error) {
	id = e.id
	if e.named {
		id, err = e.newID(func(id string) bool {
			hash := index.HashID(id)
			_, used := i.used[hash]
			_, given := i.given[hash]
			return used || given || taken(id)
		})
		if err != nil {
			return "", log.Op{}, err
		}
		i.used[index.HashID(id)] = struct{}{}
	}
	body, err := e.bodyWith(id)
	return id, log.PutEncoded(e.topic, body, e.when()), err
}

func (i *importer) edges(ctx context.Context, list []parcelEdge) error {
	for len(list) > 0 {
		n := min(importChunk, len(list))
		ops := make([]log.Op, n)
		for k := range ops {
			ops[k] = log.Relate(list[k].edge)
		}
		if _, err := i.m.log.Append(ctx, ops...); err != nil {
			return err
		}
		i.out.Edges += n
		list = list[n:]
	}
	return nil
}
