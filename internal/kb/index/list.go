package index

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	mathbits "math/bits"
	"slices"
	"strings"
	"time"
)

// Topic sums up the documents of a topic that recall may show.
type Topic struct {
	Name        string
	Docs        int
	First, Last time.Time
}

// Topics gives the topics that have a document at now, by name. It must run under
// Guard.
func (s *Snapshot) Topics(now time.Time) []Topic {
	all := map[string]*topicRow{}
	add := func(name []byte, docs uint32, first, last int64) {
		t := all[string(name)]
		if t == nil {
			t = &topicRow{first: first, last: last}
			all[string(name)] = t
		}
		t.docs += docs
		t.first, t.last = min(t.first, first), max(t.last, last)
	}
	l := newLimits(&Filter{Now: now})
	for _, p := range s.parts {
		if p.whole() {
			for i := range p.seg.topics() {
				name, row := p.seg.topic(i)
				add(name, row.docs, row.first, row.last)
			}
			continue
		}
		if !l.enter(p, &Filter{}) {
			continue
		}
		rows := make([]topicRow, p.seg.topics())
		for doc := range uint32(p.seg.docs) {
			if !l.pass(doc, p.seg.norm(doc)) {
				continue
			}
			m := p.seg.meta(doc)
			r := &rows[m.topic]
			if r.docs == 0 {
				r.first, r.last = m.created, m.created
			}
			r.docs++
			r.first, r.last = min(r.first, m.created), max(r.last, m.created)
		}
		for i, r := range rows {
			if r.docs > 0 {
				name, _ := p.seg.topic(i)
				add(name, r.docs, r.first, r.last)
			}
		}
	}
	out := make([]Topic, 0, len(all))
	for name, t := range all {
		out = append(out, Topic{name, int(t.docs), time.UnixMilli(t.first).UTC(), time.UnixMilli(t.last).UTC()})
	}
	slices.SortFunc(out, func(a, b Topic) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// TopTopics gives the n topics with the most documents that recall may show at now,
// and how many topics have any. It must run under Guard.
func (s *Snapshot) TopTopics(n int, now time.Time) (top []Count, all int) {
	most := func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Docs, a.Docs), strings.Compare(a.Name, b.Name))
	}
	l := newLimits(&Filter{Now: now})
	less := make([]map[uint32]int, len(s.parts)) // by part and topic: documents that do not count
	for i, p := range s.parts {
		p.absent(&l, func(doc uint32) {
			if less[i] == nil {
				less[i] = map[uint32]int{}
			}
			less[i][p.seg.meta(doc).topic]++
		})
	}
	// Names are sorted in every segment, so those of all come together by merging.
	next := make([]nextTopic, len(s.parts))
	for i, p := range s.parts {
		next[i].read(p.seg, 0)
	}
	for {
		var least []byte
		for i := range next {
			if name := next[i].name; name != nil && (least == nil || bytes.Compare(name, least) < 0) {
				least = name
			}
		}
		if least == nil {
			return top, all
		}
		t := Count{}
		for i, p := range s.parts {
			if n := &next[i]; n.name != nil && bytes.Equal(n.name, least) {
				t.Docs += n.docs - less[i][uint32(n.at)]
				n.read(p.seg, n.at+1)
			}
		}
		if t.Docs <= 0 {
			continue
		}
		all++
		if n <= 0 || len(top) == n && top[n-1].Docs >= t.Docs {
			continue // equal ones: the earlier name stays
		}
		t.Name = string(least)
		i, _ := slices.BinarySearchFunc(top, t, most)
		if top = slices.Insert(top, i, t); len(top) > n {
			top = top[:n]
		}
	}
}

// nextTopic is where TopTopics is in a segment; name is nil at the end.
type nextTopic struct {
	at   int
	name []byte
	docs int
}

func (n *nextTopic) read(s *Segment, at int) {
	if n.at, n.name = at, nil; at < s.topics() {
		name, row := s.topic(at)
		n.name, n.docs = name, int(row.docs)
	}
}

// Active is how many documents recall may show at now. It must run under Guard.
func (s *Snapshot) Active(now time.Time) int {
	n := 0
	l := newLimits(&Filter{Now: now})
	for _, p := range s.parts {
		n += p.seg.docs
		p.absent(&l, func(uint32) { n-- })
	}
	return n
}

// absent gives the documents of p that recall does not show, each once. It takes
// time for these, not for all.
func (p *part) absent(l *limits, yield func(doc uint32)) {
	if !l.enter(p, &Filter{}) {
		return
	}
	for i, bits := range p.gone {
		for ; bits != 0; bits &= bits - 1 {
			yield(uint32(8*i + mathbits.TrailingZeros8(bits)))
		}
	}
	for id := range p.hide {
		if doc, ok := p.seg.find(id); ok && !p.isGone(doc) {
			yield(doc)
		}
	}
	list := p.seg.section(secSpecial)
	for ; len(list) > 0; list = list[4:] {
		if doc := le.Uint32(list); p.alive(doc) && !l.pass(doc, p.seg.norm(doc)) {
			yield(doc)
		}
	}
}

// Count is how many documents have something.
type Count struct {
	Name string
	Docs int
}

// Tags counts the tags of the documents that recall may show at now, by name.
func (s *Snapshot) Tags(now time.Time) []Count {
	return s.counts(keyTag, now, func(key string) string { return key[len(keyTag):] })
}

// Sources counts the source paths of the documents that recall may show at now, by
// path without a leading slash.
func (s *Snapshot) Sources(now time.Time) []Count { return s.counts(keySource, now, keyPath) }

// Projects counts the projects of the documents that recall may show at now, by path
// without a leading slash.
func (s *Snapshot) Projects(now time.Time) []Count { return s.counts(keyProject, now, keyPath) }

func (s *Snapshot) counts(prefix string, now time.Time, name func(key string) string) []Count {
	all := map[string]int{}
	l := newLimits(&Filter{Now: now})
	var it postings
	for _, p := range s.parts {
		whole := p.whole()
		for key, t := range p.seg.prefixed(prefix) {
			n := int(t.docs)
			if !whole && l.enter(p, &Filter{}) {
				n = 0
				for it.open(p.seg, t); it.doc() != none; it.next() {
					if l.pass(it.doc(), p.seg.norm(it.doc())) {
						n++
					}
				}
			}
			if n > 0 {
				all[string(key)] += n
			}
		}
	}
	out := make([]Count, 0, len(all))
	for key, n := range all {
		out = append(out, Count{name(key), n})
	}
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Keys gives the different keys with a prefix, sorted: to find by a pattern which
// TopicKey, SourceKey or ProjectKey to ask for.
func (s *Snapshot) Keys(prefix string) []string {
	all := map[string]struct{}{}
	for _, p := range s.parts {
		for key := range p.seg.prefixed(prefix) {
			all[string(key)] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// InOrder gives the documents that pass f in the order of the log. It must run
// under Guard.
func (s *Snapshot) InOrder(f *Filter) iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		type at struct {
			offset int64
			ref    Ref
		}
		var all []at
		s.Each(&Query{Filter: *f}, func(r Ref) bool {
			all = append(all, at{s.parts[r.part].seg.meta(r.doc).offset, r})
			return true
		})
		slices.SortFunc(all, func(a, b at) int { return cmp.Compare(a.offset, b.offset) })
		for _, a := range all {
			if !yield(a.ref) {
				return
			}
		}
	}
}

// Stats describes the index for a person.
type Stats struct {
	Segments int   `json:"segments"`
	Docs     int   `json:"docs"`    // deleted ones too
	Deleted  int   `json:"deleted"` // still taking up space
	Terms    int   `json:"terms"`   // of all segments
	Bytes    int64 `json:"bytes"`
}

// Stats sums up the segments.
func (s *Snapshot) Stats() Stats {
	st := Stats{Segments: len(s.parts)}
	for _, p := range s.parts {
		st.Docs += p.seg.docs
		st.Deleted += p.deleted()
		st.Terms += p.seg.terms
		st.Bytes += p.seg.Size()
	}
	return st
}
