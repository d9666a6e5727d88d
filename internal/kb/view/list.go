package view

import (
	"iter"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
)

// Topics sums up the topics of active entries, by name.
func (v *View) Topics() (out []Topic, err error) {
	err = v.guard(func() error {
		out = nil
		for _, t := range v.snap.Topics(v.opts.now()) {
			out = append(out, Topic{t.Name, t.Docs, t.First, t.Last})
		}
		return nil
	})
	return out, err
}

// TopTopics gives the n topics with the most active entries, the most first, and how
// many topics have any.
func (v *View) TopTopics(n int) (top []Count, all int, err error) {
	err = v.guard(func() error {
		top = nil
		var found []index.Count
		found, all = v.snap.TopTopics(n, v.opts.now())
		for _, t := range found {
			top = append(top, Count{t.Name, t.Docs})
		}
		return nil
	})
	return top, all, err
}

// Tags counts the tags of active entries, by name.
func (v *View) Tags() ([]Count, error) { return v.counts((*index.Snapshot).Tags) }

// Sources counts the source paths of active entries, by path. A path comes without
// its leading slash.
func (v *View) Sources() ([]Count, error) { return v.counts((*index.Snapshot).Sources) }

// Projects counts the projects of active entries, by path.
func (v *View) Projects() ([]Count, error) {
	all, err := v.counts((*index.Snapshot).Projects)
	for i := range all {
		all[i].Name = "/" + all[i].Name
	}
	return all, err
}

// Entries gives the entries that pass f in the order of the log. A record that is
// damaged is left out.
func (v *View) Entries(f Filter) iter.Seq2[entry.Entry, error] {
	return v.entries(func() (index.Filter, bool) { return v.filter(f) })
}

// Sourced is Entries of those that have a source. The others are not read.
func (v *View) Sourced() iter.Seq2[entry.Entry, error] {
	return v.entries(func() (index.Filter, bool) {
		q, ok := v.filter(Filter{})
		q.Require = append(q.Require, v.snap.Keys(index.SourceKey("/")))
		return q, ok
	})
}

func (v *View) entries(filter func() (index.Filter, bool)) iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		var places []index.Place
		err := v.guard(func() error {
			places = nil
			q, ok := filter()
			if !ok {
				return nil
			}
			for ref := range v.snap.InOrder(&q) {
				places = append(places, v.snap.Place(ref))
			}
			return nil
		})
		if err != nil {
			yield(entry.Entry{}, err)
			return
		}
		for _, p := range places {
			e, err := loadAt(v.log, p)
			if damaged(err) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Newest gives up to n entries that pass f, the newest first.
func (v *View) Newest(n int, f Filter) (out []entry.Entry, err error) {
	err = v.guard(func() error {
		out = nil
		refs := v.newest(n, f)
		out = make([]entry.Entry, 0, len(refs))
		for _, ref := range refs {
			e, err := v.load(ref)
			if damaged(err) {
				continue
			}
			if err != nil {
				return err
			}
			out = append(out, e)
		}
		return nil
	})
	return out, err
}

func (v *View) newest(n int, f Filter) []index.Ref {
	q, ok := v.filter(f)
	if !ok {
		return nil
	}
	return v.snap.Newest(n, &q)
}

func (v *View) counts(of func(*index.Snapshot, time.Time) []index.Count) (out []Count, err error) {
	err = v.guard(func() error {
		out = nil
		for _, c := range of(v.snap, v.opts.now()) {
			out = append(out, Count{c.Name, c.Docs})
		}
		return nil
	})
	return out, err
}
