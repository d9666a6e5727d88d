package view

import (
	"runtime"
	"sync"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
	"helix/internal/kb/log"
)

// Tail is what was written behind the watermark of an index: the entries that are
// new or different, and which others are gone. It serves a view, and the update of
// the index.
type Tail struct {
	docs  map[string]*tailDoc
	order []string            // ids in the order of the log; those not in docs any more are skipped
	gone  map[uint64]struct{} // ids that were there before and are replaced or deleted
	bytes int
	End   log.Pos // where the next update goes on
	More  bool    // the limit was reached before the end of the log
}

type tailDoc struct {
	entry  entry.Entry
	offset int64
	change *entry.Change
}

// ReadTail reads the log from from on. full is asked after every record whether it
// is enough; nil reads to the end. base is asked for the index up to from by the first
// change of an entry that the tail itself does not have.
// It must run under index.Guard.
func ReadTail(r *log.Reader, base func() (*index.Snapshot, error), from log.Pos, full func(*Tail) bool) (*Tail, error) {
	t := &Tail{docs: map[string]*tailDoc{}, gone: map[uint64]struct{}{}}
	scanned, err := r.Scan(from, func(rec *log.Record) error {
		// A record that cannot be decoded is damage that kb verify names; the rest
		// still serves.
		switch rec.Type {
		case log.TypeEntry:
			if e, err := rec.Entry(); err == nil {
				t.put(&e, rec.Offset)
				t.bytes += int(rec.Size)
			}
		case log.TypeDelete:
			if id, err := rec.ID(); err == nil {
				delete(t.docs, id)
				t.gone[index.HashID(id)] = struct{}{}
			}
		case log.TypeChange:
			if c, err := rec.Change(); err == nil {
				if err := t.change(r, base, &c); err != nil {
					return err
				}
			}
		}
		if full != nil && full(t) {
			t.More = true
			return log.Stop
		}
		return nil
	})
	t.End = scanned.End
	return t, err
}

func (t *Tail) put(e *entry.Entry, offset int64) {
	t.docs[e.ID] = &tailDoc{entry: *e, offset: offset}
	t.order = append(t.order, e.ID)
	t.gone[index.HashID(e.ID)] = struct{}{}
}

func (t *Tail) change(r *log.Reader, base func() (*index.Snapshot, error), c *entry.Change) error {
	d := t.docs[c.ID]
	if d == nil {
		base, err := base()
		if err != nil {
			return err
		}
		ref, ok := base.Find(c.ID)
		if _, gone := t.gone[index.HashID(c.ID)]; !ok || gone {
			return nil // the entry was deleted meanwhile
		}
		p := base.Place(ref)
		e, err := loadAt(r, p)
		if err != nil {
			return err
		}
		t.put(&e, p.Offset)
		d = t.docs[c.ID]
		if p.Change != "" {
			before, err := entry.DecodeChange(p.Change)
			if err != nil {
				return err
			}
			d.change = &before
		}
	}
	c.Apply(&d.entry)
	if d.change == nil {
		d.change = &entry.Change{ID: c.ID}
	}
	d.change.Then(c)
	return nil
}

// Len is how many entries are new or different.
func (t *Tail) Len() int { return len(t.docs) }

// Bytes is about how much text they have.
func (t *Tail) Bytes() int { return t.bytes }

// Gone are the entries of the index that no longer count.
func (t *Tail) Gone() map[uint64]struct{} { return t.gone }

// buildTogether is how many entries are worth a processor of their own.
const buildTogether = 4096

// Builders are what Segments builds with. One who goes through a log tail by tail keeps
// them: what they know of words need not be found out again. The zero value is ready
// for use by one call at a time.
type Builders struct{ all []*index.Builder }

// Segments builds the index of the tail, in several pieces at once when it is
// large: none when the tail has no entries.
func (t *Tail) Segments(with *Builders) [][]byte {
	docs := t.live()
	if len(docs) == 0 {
		return nil
	}
	pieces := max(1, min(len(docs)/buildTogether, runtime.GOMAXPROCS(0), 4))
	for len(with.all) < pieces {
		with.all = append(with.all, index.NewBuilder())
	}
	out := make([][]byte, pieces)
	var wg sync.WaitGroup
	for i := range out {
		from, to := i*len(docs)/pieces, (i+1)*len(docs)/pieces
		wg.Go(func() { out[i] = segment(with.all[i], docs[from:to]) })
	}
	wg.Wait()
	return out
}

// live gives the entries that count, in the order of the log.
func (t *Tail) live() []*tailDoc {
	last := make(map[string]int, len(t.order))
	for i, id := range t.order {
		last[id] = i
	}
	docs := make([]*tailDoc, 0, len(t.docs))
	for i, id := range t.order {
		if d := t.docs[id]; d != nil && last[id] == i {
			docs = append(docs, d)
		}
	}
	return docs
}

func segment(b *index.Builder, docs []*tailDoc) []byte {
	b.Reset()
	size := 0
	for _, d := range docs {
		size += len(d.entry.Text)
	}
	b.Grow(size)
	for _, d := range docs {
		doc := index.Doc{Entry: &d.entry, Offset: d.offset}
		if d.change != nil {
			doc.Change = entry.EncodeChange(d.change)
		}
		b.Add(doc)
	}
	return b.Segment()
}

// Over gives base with the tail.
func (t *Tail) Over(base *index.Snapshot) (*index.Snapshot, error) {
	s := base.With(nil, t.gone)
	for _, data := range t.Segments(&Builders{}) {
		seg, err := index.Load(data)
		if err != nil {
			return nil, err
		}
		s = s.With(seg, nil)
	}
	return s, nil
}
