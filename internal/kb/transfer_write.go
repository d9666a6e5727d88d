package kb

import (
	"context"
	"errors"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// importer writes the entries of an import in chunks.
type importer struct {
	m       *Memory
	replace bool
	used    map[string]bool // ids that were chosen
	ids     []string        // that were written
	out     *Imported

	total    int
	progress func(done, total int64) // nil when nobody asks
	index    *alongside
}

// step is what becomes of one entry.
type step int

const (
	add step = iota
	replaceOld
	leave
)

func (i *importer) entries(ctx context.Context, list []*parcelEntry) error {
	i.total, i.progress = len(list), progressOf(ctx)
	i.index = indexAlongside(ctx, i.m.dir)
	defer i.index.end()
	for len(list) > 0 {
		done, err := i.pass(ctx, list)
		list = list[done:]
		if err != nil && !errors.Is(err, errMoved) {
			return err
		}
	}
	return nil
}

// pass writes chunk after chunk, until all are written or another writer gets in
// the way; done says how many it is through with.
func (i *importer) pass(ctx context.Context, list []*parcelEntry) (done int, err error) {
	seen, err := i.m.end()
	if err != nil {
		return 0, err
	}
	v, err := i.m.View()
	if err != nil {
		return 0, err
	}
	defer v.Close()
	steps, err := i.decide(v, list)
	if err != nil {
		return 0, err
	}
	fresh := map[string]bool{}
	for done < len(list) {
		n := chunkOf(list[done:])
		if seen, err = i.chunk(ctx, v, seen, fresh, list[done:done+n], steps[done:done+n]); err != nil {
			return done, err
		}
		clear(list[done : done+n]) // written: nothing has to hold them any longer
		done += n
		i.index.written(n)
		if i.progress != nil {
			i.progress(int64(i.total-len(list)+done), int64(i.total))
		}
	}
	return done, nil
}

func chunkOf(list []*parcelEntry) int {
	n, bytes := 0, 0
	for n < min(importChunk, len(list)) && bytes < importBytes {
		bytes += len(list[n].entry.Text)
		n++
	}
	return n
}

// decide refuses an entry whose id another one has.
func (i *importer) decide(v *view.View, list []*parcelEntry) (steps []step, err error) {
	steps = make([]step, len(list))
	for k := range list {
		e := &list[k].entry
		if e.ID == "" {
			if !v.Empty() {
				if steps[k], err = again(v, *e); err != nil {
					return nil, err
				}
			}
			continue
		}
		old, err := v.Get(e.ID)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return nil, err
		case sameEntry(&old, e):
			steps[k] = leave
		case i.replace:
			steps[k] = replaceOld
		default:
			return nil, at(lineNo(list[k].line), refuse("the entry %s is there with other content: replace it, or leave it out", e.ID))
		}
	}
	return steps, nil
}

// again leaves an entry that came without an id and is there just so, from the same
// import done before or broken off: ids come from the topic, time and text.
func again(v *view.View, e entry.Entry) (step, error) {
	what, failed := add, error(nil)
	entry.NewID(&e, func(id string) (taken bool) {
		old, err := v.Get(id)
		if err != nil {
			if !errors.Is(err, ErrNotFound) {
				failed = err
			}
			return false
		}
		same := e
		if same.ID = id; sameEntry(&old, &same) {
			what = leave
			return false
		}
		return true
	})
	return what, failed
}

// chunk writes some entries unless another writer wrote one of them since seen,
// and gives the end of the log after it.
func (i *importer) chunk(ctx context.Context, v *view.View, seen log.Pos, fresh map[string]bool, list []*parcelEntry, steps []step) (log.Pos, error) {
	p := plan{ids: map[string]bool{}}
	var ids []string
	var counted Imported
	p.ops = func(taken func(string) bool) []log.Op {
		ops := make([]log.Op, 0, len(list))
		for k := range list {
			e := &list[k].entry
			switch steps[k] {
			case leave:
				counted.Same++
				continue
			case replaceOld:
				counted.Replaced++
			}
			if e.ID == "" {
				e.ID = entry.NewID(e, func(id string) bool { return i.used[id] || taken(id) })
				i.used[e.ID] = true
			}
			ids, ops = append(ids, e.ID), append(ops, log.PutOf(e))
		}
		return ops
	}
	for k := range list {
		p.ids[list[k].entry.ID] = true
	}
	commit, err := i.m.log.Update(ctx, func(r *log.Reader) ([]log.Op, error) {
		since, err := p.stillHolds(r, seen)
		if err != nil {
			return nil, err
		}
		for id := range since {
			fresh[id] = true
		}
		return p.decide(v, fresh)
	})
	if err != nil {
		return seen, err
	}
	i.ids = append(i.ids, ids...)
	i.out.Entries += len(ids)
	i.out.Replaced += counted.Replaced
	i.out.Same += counted.Same
	if commit.End == (log.Pos{}) { // nothing was written
		return seen, nil
	}
	return commit.End, nil
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
