package log

import (
	"fmt"
	"iter"

	"helix/internal/kb/entry"
)

// Fold is what the records of a log come to: which entries, edges and vectors are
// alive, and which changes apply to each entry. It holds ids and offsets, not
// texts.
//
// The rules: a later entry record replaces the earlier one of the same id and
// starts its changes anew; a delete of an entry ends it, its changes, its vectors
// and all edges at it that were written before; a delete of an edge ends the
// edge; a later edge or vector replaces the same one; a change or vector of an
// entry that is not there does nothing.
type Fold struct {
	slots   []slot         // every entry record, in order
	ids     map[string]int // id of a live entry to its slot
	edges   map[string]edgeSlot
	order   []string         // ids of edges as they first appeared
	deleted map[string]int64 // id of a deleted entry to the offset of its delete
	vectors map[string][]vectorSlot
	total   int64 // bytes of all records passed
}

type slot struct {
	live   Live
	size   int64
	isLive bool
}

type edgeSlot struct {
	edge   entry.Edge
	offset int64
	size   int64
}

type vectorSlot struct {
	model  string
	offset int64
	size   int64
}

// Live is an entry that is alive in a Fold.
type Live struct {
	ID     string
	Offset int64         // of its entry record
	Change *entry.Change // everything that was changed after that record, nil for nothing
}

// NewFold returns the fold of no records.
func NewFold() *Fold {
	return &Fold{
		ids:     map[string]int{},
		edges:   map[string]edgeSlot{},
		deleted: map[string]int64{},
		vectors: map[string][]vectorSlot{},
	}
}

// Apply adds the next record of the log. A record that cannot be decoded changes
// nothing and gives an error.
func (f *Fold) Apply(rec *Record) error {
	f.total += rec.Size
	switch rec.Type {
	case TypeEntry:
		return f.applyEntry(rec)
	case TypeDelete:
		return f.applyDelete(rec)
	case TypeEdge:
		return f.applyEdge(rec)
	case TypeChange:
		return f.applyChange(rec)
	case TypeVector:
		return f.applyVector(rec)
	}
	return nil
}

func (f *Fold) applyEntry(rec *Record) error {
	id, err := rec.ID()
	if err != nil {
		return err
	}
	if old, ok := f.ids[id]; ok {
		f.slots[old].isLive = false
	}
	f.ids[id] = len(f.slots)
	f.slots = append(f.slots, slot{Live{ID: id, Offset: rec.Offset}, rec.Size, true})
	return nil
}

func (f *Fold) applyDelete(rec *Record) error {
	id, err := rec.ID()
	if err != nil {
		return err
	}
	if _, ok := f.edges[id]; ok {
		delete(f.edges, id)
		return nil
	}
	if i, ok := f.ids[id]; ok {
		f.slots[i].isLive = false
		delete(f.ids, id)
	}
	delete(f.vectors, id)
	f.deleted[id] = rec.Offset
	return nil
}

func (f *Fold) applyEdge(rec *Record) error {
	e, err := rec.Edge()
	if err != nil {
		return err
	}
	id := e.ID()
	if _, ok := f.edges[id]; !ok {
		f.order = append(f.order, id)
	}
	f.edges[id] = edgeSlot{e, rec.Offset, rec.Size}
	return nil
}

func (f *Fold) applyChange(rec *Record) error {
	c, err := rec.Change()
	if err != nil {
		return err
	}
	i, ok := f.ids[c.ID]
	if !ok {
		return nil // written while another process deleted the entry
	}
	live := &f.slots[i].live
	if live.Change == nil {
		live.Change = &entry.Change{ID: c.ID}
	}
	live.Change.Then(&c)
	return nil
}

func (f *Fold) applyVector(rec *Record) error {
	id, model, err := entry.PeekVector(string(rec.body))
	if err != nil {
		return rec.wrap(err)
	}
	if _, ok := f.ids[id]; !ok {
		return nil // as for a change
	}
	s := vectorSlot{model, rec.Offset, rec.Size}
	for i, old := range f.vectors[id] {
		if old.model == model {
			f.vectors[id][i] = s
			return nil
		}
	}
	f.vectors[id] = append(f.vectors[id], s)
	return nil
}

// Len is the number of live entries.
func (f *Fold) Len() int { return len(f.ids) }

// Get finds a live entry.
func (f *Fold) Get(id string) (Live, bool) {
	i, ok := f.ids[id]
	if !ok {
		return Live{}, false
	}
	return f.slots[i].live, true
}

// All gives the live entries in the order of the log.
func (f *Fold) All() iter.Seq[Live] {
	return func(yield func(Live) bool) {
		for i := range f.slots {
			if f.slots[i].isLive && !yield(f.slots[i].live) {
				return
			}
		}
	}
}

// Edges gives the live edges in the order in which they first appeared.
func (f *Fold) Edges() iter.Seq[entry.Edge] {
	return func(yield func(entry.Edge) bool) {
		seen := make(map[string]bool, len(f.edges))
		for _, id := range f.order {
			e, ok := f.edges[id]
			if !ok || seen[id] || !f.connected(e) {
				continue
			}
			seen[id] = true
			if !yield(e.edge) {
				return
			}
		}
	}
}

// connected reports whether neither end was deleted after the edge was written.
func (f *Fold) connected(e edgeSlot) bool {
	return f.deleted[e.edge.From] < e.offset && f.deleted[e.edge.To] < e.offset
}

// Vectors gives, for each live entry that has vectors, its id and the offsets of
// their records, in no particular order. A vector whose TextHash is not that of
// the entry's text is out of date.
func (f *Fold) Vectors() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for id, slots := range f.vectors {
			for _, s := range slots {
				if !yield(id, s.offset) {
					return
				}
			}
		}
	}
}

// Alive reports whether a record that was applied still counts: a compaction
// keeps exactly these. Changes are not among them, because it writes them into
// their entries.
func (f *Fold) Alive(rec *Record) bool {
	switch rec.Type {
	case TypeEntry:
		id, err := rec.ID()
		i, ok := f.ids[id]
		return err == nil && ok && f.slots[i].live.Offset == rec.Offset
	case TypeEdge:
		id, err := rec.ID()
		e, ok := f.edges[id]
		return err == nil && ok && e.offset == rec.Offset && f.connected(e)
	case TypeVector:
		return f.aliveVector(rec)
	case TypeDelete, TypeChange, typeCommit:
		return false
	}
	return true // of a newer helix
}

func (f *Fold) aliveVector(rec *Record) bool {
	id, err := rec.ID()
	if err != nil {
		return false
	}
	for _, s := range f.vectors[id] {
		if s.offset == rec.Offset {
			return true
		}
	}
	return false
}

// Dead is about how many bytes a compaction would free.
func (f *Fold) Dead() int64 {
	dead := f.total
	for i := range f.slots {
		if f.slots[i].isLive {
			dead -= f.slots[i].size
		}
	}
	for _, e := range f.edges {
		if f.connected(e) {
			dead -= e.size
		}
	}
	for _, slots := range f.vectors {
		for _, s := range slots {
			dead -= s.size
		}
	}
	return dead
}

// Fold reads the whole log. A record that cannot be decoded is named among the
// damage.
func (r *Reader) Fold() (*Fold, Scanned, error) {
	f := NewFold()
	var broken []Damage
	scanned, err := r.Scan(Pos{}, func(rec *Record) error {
		if err := f.Apply(rec); err != nil {
			broken = append(broken, Damage{rec.Offset, rec.Offset + rec.Size, err.Error()})
		}
		return nil
	})
	scanned.Damage = append(scanned.Damage, broken...)
	return f, scanned, err
}

// Load reads a live entry, with its changes applied.
func (r *Reader) Load(l Live) (entry.Entry, error) {
	rec, err := r.At(l.Offset)
	if err != nil {
		return entry.Entry{}, err
	}
	e, err := rec.Entry()
	if err != nil {
		return entry.Entry{}, err
	}
	if e.ID != l.ID {
		return entry.Entry{}, fmt.Errorf("kb/log: the record at offset %d is of %s, not %s: %w", l.Offset, e.ID, l.ID, ErrStale)
	}
	if l.Change != nil {
		l.Change.Apply(&e)
	}
	return e, nil
}

// Entries shows fn every live entry with its changes applied, in the order of the
// log, and the offset of its record. fn ends it with Stop or an error.
func (r *Reader) Entries(fn func(e entry.Entry, offset int64) error) (Scanned, error) {
	f, scanned, err := r.Fold()
	if err != nil {
		return scanned, err
	}
	_, err = r.Scan(Pos{}, func(rec *Record) error {
		if rec.Type != TypeEntry || !f.Alive(rec) {
			return nil
		}
		e, err := rec.Entry()
		if err != nil {
			return nil // named among the damage by Fold
		}
		if live, _ := f.Get(e.ID); live.Change != nil {
			live.Change.Apply(&e)
		}
		return fn(e, rec.Offset)
	})
	return scanned, err
}
