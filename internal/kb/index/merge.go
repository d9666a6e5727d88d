package index

import (
	"bytes"
	"io"
	"slices"
)

// mergeParts writes one segment of the documents of several, without those that
// are deleted, and gives its header. It holds what the assembler holds, and one
// block of postings of each part.
func mergeParts(out io.Writer, parts []*part) ([]byte, error) {
	a := newAssembler(out)
	total, words := 0, uint64(0)
	for _, p := range parts {
		live := p.seg.docs - p.deleted()
		total += live
		// How long the deleted texts were is not known.
		words += p.seg.head.words * uint64(live) / uint64(max(1, p.seg.docs))
	}
	a.reserve(total)
	topics := mergeTopics(a, parts)
	numbers := make([][]uint32, len(parts)) // by part: the new number of each document
	for i, p := range parts {
		numbers[i] = mergeDocuments(a, p, topics[i])
	}
	a.documentsDone(words)
	mergeTerms(a, parts, numbers)
	head := a.finish()
	return head, a.err
}

// mergeTopics adds the topics that have documents left, and gives by part which is
// which.
func mergeTopics(a *assembler, parts []*part) [][]uint32 {
	live := map[string]uint32{}
	for _, p := range parts {
		if p.deleted() == 0 {
			for i := range p.seg.topics() {
				name, _ := p.seg.topic(i)
				live[string(name)] = 0
			}
			continue
		}
		for doc := range uint32(p.seg.docs) {
			if p.alive(doc) {
				name, _ := p.seg.topic(int(p.seg.meta(doc).topic))
				live[string(name)] = 0
			}
		}
	}
	names := make([]string, 0, len(live))
	for name := range live {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		live[name] = a.topic(name)
	}
	out := make([][]uint32, len(parts))
	for i, p := range parts {
		out[i] = make([]uint32, p.seg.topics())
		for j := range out[i] {
			name, _ := p.seg.topic(j)
			out[i][j] = live[string(name)]
		}
	}
	return out
}

func mergeDocuments(a *assembler, p *part, topics []uint32) []uint32 {
	numbers := make([]uint32, p.seg.docs)
	for doc := range uint32(p.seg.docs) {
		if !p.alive(doc) {
			numbers[doc] = none
			continue
		}
		numbers[doc] = a.head.docs
		m := p.seg.meta(doc)
		if change := p.seg.change(m); change != "" {
			m.change = uint32(len(a.blobs) + 1)
			a.blobs = append(a.blobs, change...)
		}
		m.topic = topics[m.topic]
		a.document(m, getNorm(p.seg.norm(doc)))
	}
	return numbers
}

func mergeTerms(a *assembler, parts []*part, numbers [][]uint32) {
	var heap walks
	for i, p := range parts {
		if w := (&walk{seg: p.seg, part: i}); w.next() {
			heap = append(heap, w)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		heap.down(i)
	}
	var post postings
	for len(heap) > 0 {
		key := heap[0].key
		a.begin(string(key))
		for len(heap) > 0 && bytes.Equal(heap[0].key, key) {
			w := heap[0]
			post.open(w.seg, w.term)
			a.postings(&post, numbers[w.part])
			if !w.next() {
				heap[0] = heap[len(heap)-1]
				heap = heap[:len(heap)-1]
			}
			heap.down(0)
		}
		a.end()
	}
}

// walk goes through the terms of a part.
type walk struct {
	seg  *Segment
	part int
	at   int // the term after the current one
	term term
	key  []byte
}

func (w *walk) next() bool {
	if w.at == w.seg.terms {
		return false
	}
	w.term = w.seg.term(w.at)
	w.key = w.seg.key(&w.term)
	w.at++
	return true
}

// walks is a heap: the least key is first, and of the same key the earlier part.
type walks []*walk

func (h walks) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func (w *walk) before(o *walk) bool {
	c := bytes.Compare(w.key, o.key)
	return c < 0 || c == 0 && w.part < o.part
}
