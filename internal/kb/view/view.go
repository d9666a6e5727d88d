package view

import (
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

// View is the memory at one moment. It is safe for concurrent use.
type View struct {
	all []entry.Entry
	now time.Time
}

// Open opens the memory in dir as it is now.
func Open(dir string) (*View, error) {
	r, err := log.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	v := &View{now: time.Now()}
	_, err = r.Entries(func(e entry.Entry, _ int64) error {
		v.all = append(v.all, e)
		return nil
	})
	return v, err
}

// Close lets go of the files.
func (v *View) Close() error { return nil }

// Len is the number of active entries.
func (v *View) Len() int {
	n := 0
	for range v.Entries(Filter{}) {
		n++
	}
	return n
}

// Get reads an entry, also one that is hidden. ErrNotFound.
func (v *View) Get(id string) (entry.Entry, error) {
	for _, e := range v.all {
		if e.ID == id {
			return e, nil
		}
	}
	return entry.Entry{}, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// Entries gives the entries that pass f in the order in which they were written.
func (v *View) Entries(f Filter) iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		for _, e := range v.all {
			if v.passes(&e, f) && !yield(e, nil) {
				return
			}
		}
	}
}

func (v *View) passes(e *entry.Entry, f Filter) bool {
	topic, _ := path.Match(f.Topic, e.Topic)
	return (f.Hidden || e.Active(v.now)) &&
		(f.Topic == "" || topic || f.Topic == e.Topic) &&
		(f.Tag == "" || slices.Contains(e.Tags, f.Tag)) &&
		(f.Source == "" || strings.HasSuffix("/"+e.Source.Path, "/"+f.Source)) &&
		(f.Kind == "" || string(e.Kind) == f.Kind) &&
		(f.Since.IsZero() || !e.Created.Before(f.Since)) &&
		(f.Until.IsZero() || e.Created.Before(f.Until))
}

// Newest gives up to n entries that pass f, the newest first.
func (v *View) Newest(n int, f Filter) ([]entry.Entry, error) {
	var out []entry.Entry
	for e := range v.Entries(f) {
		out = append(out, e)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Created.After(out[j].Created) })
	return out[:min(n, len(out))], nil
}

// Topics sums up the topics of active entries, by name.
func (v *View) Topics() ([]Topic, error) {
	m := map[string]*Topic{}
	for e := range v.Entries(Filter{}) {
		t := m[e.Topic]
		if t == nil {
			t = &Topic{Name: e.Topic, First: e.Created, Last: e.Created}
			m[e.Topic] = t
		}
		t.Entries++
		if e.Created.Before(t.First) {
			t.First = e.Created
		}
		if e.Created.After(t.Last) {
			t.Last = e.Created
		}
	}
	var out []Topic
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, *m[name])
	}
	return out, nil
}

// Tags counts the tags of active entries, by name.
func (v *View) Tags() ([]Count, error) {
	return v.count(func(e *entry.Entry) []string { return e.Tags })
}

// Sources counts the source paths of active entries, by path.
func (v *View) Sources() ([]Count, error) {
	return v.count(func(e *entry.Entry) []string {
		if e.Source.Path == "" {
			return nil
		}
		return []string{e.Source.Path}
	})
}

func (v *View) count(of func(*entry.Entry) []string) ([]Count, error) {
	m := map[string]int{}
	for e := range v.Entries(Filter{}) {
		for _, name := range of(&e) {
			m[name]++
		}
	}
	var out []Count
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Count{name, m[name]})
	}
	return out, nil
}

// Search finds the entries that fit q best.
func (v *View) Search(q Query) (Result, error) {
	res := Result{Words: strings.Fields(strings.ToLower(q.Text))}
	if q.Limit == 0 {
		q.Limit = 20
	}
	for e := range v.Entries(q.Filter) {
		n := 0
		for _, w := range res.Words {
			if strings.Contains(strings.ToLower(e.Topic+" "+e.Text), w) {
				n++
			}
		}
		if n > 0 && (q.Any || n == len(res.Words)) {
			res.Hits = append(res.Hits, Hit{Entry: e, Score: float64(n)})
		}
	}
	if len(res.Hits) == 0 && !q.Any && len(res.Words) > 1 {
		q.Any = true
		res, err := v.Search(q)
		res.Fallback = true
		return res, err
	}
	sort.SliceStable(res.Hits, func(i, j int) bool { return res.Hits[i].Score > res.Hits[j].Score })
	if res.More = len(res.Hits) > q.Limit; res.More {
		res.Hits = res.Hits[:q.Limit]
	}
	return res, nil
}

// Matches counts all entries that q finds, whatever its limit.
func (v *View) Matches(q Query) (Matches, error) {
	q.Limit = 1 << 30
	res, err := v.Search(q)
	m := map[string]int{}
	for _, h := range res.Hits {
		m[h.Entry.Topic]++
	}
	out := Matches{Total: len(res.Hits), Fallback: res.Fallback}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out.Topics = append(out.Topics, Count{name, m[name]})
	}
	sort.SliceStable(out.Topics, func(i, j int) bool { return out.Topics[i].Entries > out.Topics[j].Entries })
	return out, err
}
