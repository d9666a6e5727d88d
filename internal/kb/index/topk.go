package index

import (
	"cmp"
	"slices"
)

// found is a hit with what decides between equal scores.
type found struct {
	Hit
	created int64
	offset  int64
	known   bool // the two are those of the document: they are looked up when they are needed
}

// topK keeps the best hits: a heap with the worst of them at the top.
type topK struct {
	snap  *Snapshot
	limit int
	heap  []found
	min   float32 // what a score must reach: 0 until there are limit hits
}

func (t *topK) know(f *found) {
	if !f.known {
		m := t.snap.parts[f.part].seg.meta(f.doc)
		f.created, f.offset, f.known = m.created, m.offset, true
	}
}

// better orders by score, then the newer first.
func (t *topK) better(a, b *found) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return t.newer(a, b)
}

// newer orders by creation, the latest first; of one moment, by the place in the log.
// So the order does not depend on how the index is cut into segments.
func (t *topK) newer(a, b *found) int {
	of, other := &t.snap.parts[a.part].seg.head, &t.snap.parts[b.part].seg.head
	switch {
	case a.part == b.part && of.sorted:
		return cmp.Compare(b.doc, a.doc)
	case of.behind(other):
		return -1
	case other.behind(of):
		return 1
	}
	t.know(a)
	t.know(b)
	return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(b.offset, a.offset))
}

// behind reports whether all documents of a segment are newer than all of another.
func (h *header) behind(other *header) bool {
	return h.min > other.max || h.min == other.max && h.from > other.to
}

func (t *topK) wants(f *found) bool {
	return len(t.heap) < t.limit || t.better(f, &t.heap[0]) < 0
}

// add takes in a hit that is wanted.
func (t *topK) add(f found) {
	if len(t.heap) < t.limit {
		t.heap = append(t.heap, f)
		for i := len(t.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if t.better(&t.heap[i], &t.heap[up]) <= 0 {
				break
			}
			t.heap[i], t.heap[up] = t.heap[up], t.heap[i]
			i = up
		}
	} else {
		t.heap[0] = f
		for i := 0; ; {
			worst := i
			for c := 2*i + 1; c <= 2*i+2 && c < len(t.heap); c++ {
				if t.better(&t.heap[c], &t.heap[worst]) > 0 {
					worst = c
				}
			}
			if worst == i {
				break
			}
			t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
			i = worst
		}
	}
	if len(t.heap) == t.limit {
		t.min = t.heap[0].Score
	}
}

// sorted gives the hits, the best first. Nothing can be added then.
func (t *topK) sorted() []found {
	slices.SortFunc(t.heap, func(a, b found) int { return t.better(&a, &b) })
	return t.heap
}
