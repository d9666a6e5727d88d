package index

import (
	"slices"
	"strings"

	"helix/internal/kb/text"
)

// Mentions answers which topics have documents that mention a name, for many names:
// whatever is the same for all of them is found out once. It must be made and asked
// under Guard, and is not safe for concurrent use.
type Mentions struct {
	filter *Filter
	work   *workspace
	parts  []mentions
	asked  uint32
}

// mentions is what is known of one part.
type mentions struct {
	p      *part
	topic  []uint32            // by document: the number of its topic + 1, 0 for one that does not count
	named  map[string][]uint32 // by stem: the topics whose names have it
	strict []uint32            // by topic: the last question that it must answer from its texts alone
	found  []int               // by topic: of the question at hand
}

// Mentions gets ready to ask about the documents that pass f.
func (s *Snapshot) Mentions(f *Filter) *Mentions {
	m := &Mentions{filter: f, work: new(workspace)}
	l := newLimits(f)
	for _, p := range s.parts {
		lists, ok := p.lists(f, m.work)
		if !ok || !l.enter(p, f) {
			continue
		}
		if len(lists) == 0 {
			lists = []docList{&allDocs{n: uint32(p.seg.docs)}}
		}
		q := mentions{
			p: p, topic: make([]uint32, p.seg.docs), named: map[string][]uint32{},
			strict: make([]uint32, p.seg.topics()), found: make([]int, p.seg.topics()),
		}
		for doc := align(lists, 0); doc != none; doc = align(lists, lists[0].doc()) {
			if l.pass(doc, p.seg.norm(doc)) {
				q.topic[doc] = p.seg.meta(doc).topic + 1
			}
			lists[0].next()
		}
		var scan text.Scanner
		for i := range p.seg.topics() {
			name, _ := p.seg.topic(i)
			scan.Scan(string(name), func(w []byte, _ text.Role, _, _ int) bool {
				stem := text.Stem(string(w))
				q.named[stem] = append(q.named[stem], uint32(i))
				return true
			})
		}
		m.parts = append(m.parts, q)
	}
	return m
}

// Of counts, by topic, the documents that have all of the folded words. In a topic
// whose own name has one of the words, only the texts of its documents count: all of
// them have the word otherwise.
func (m *Mentions) Of(words []string) []Count {
	if len(words) == 0 {
		return nil
	}
	m.asked++
	all := map[string]int{}
	for i := range m.parts {
		q := &m.parts[i]
		if !q.count(m, words) {
			continue
		}
		for t, n := range q.found {
			if n > 0 {
				name, _ := q.p.seg.topic(t)
				all[string(name)] += n
			}
		}
	}
	out := make([]Count, 0, len(all))
	for name, n := range all {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// count fills found. False means that the part has nothing.
func (q *mentions) count(m *Mentions, words []string) bool {
	lists, ok := q.p.lists(m.filter, m.work)
	posts := make([]postings, len(words))
	for i, w := range words {
		key, plain := wordKeys(w)
		if key == "" {
			key = plain
		}
		t, has := q.p.seg.lookup(key)
		if ok = ok && has; !ok {
			return false
		}
		posts[i].open(q.p.seg, t)
		lists = append(lists, &posts[i])
		for _, topic := range q.named[text.Stem(w)] {
			q.strict[topic] = m.asked
		}
	}
	slices.SortStableFunc(lists, func(a, b docList) int { return a.count() - b.count() })
	clear(q.found)
	for doc := align(lists, 0); doc != none; doc = align(lists, lists[0].doc()) {
		if t := q.topic[doc]; t != 0 && (q.strict[t-1] != m.asked || allInText(posts)) {
			q.found[t-1]++
		}
		lists[0].next()
	}
	return true
}

// allInText tells whether the text of the current document has all of the words.
func allInText(words []postings) bool {
	for i := range words {
		if words[i].code()&codeText == 0 {
			return false
		}
	}
	return true
}
