package index

import (
	"cmp"
	"slices"
)

// Newest gives up to n documents that pass f, the newest first. It must run under
// Guard.
func (s *Snapshot) Newest(n int, f *Filter) []Ref {
	w := s.spare.take()
	defer s.spare.Store(w)
	x := &w.newest
	*x = newest{f: f, n: n, work: w, best: topK{snap: s, limit: n, heap: w.heap[:0]}, limits: newLimits(f)}
	parts := make([]int, len(s.parts))
	for i := range parts {
		parts[i] = i
	}
	slices.SortFunc(parts, func(a, b int) int {
		p, q := &s.parts[a].seg.head, &s.parts[b].seg.head
		return cmp.Or(cmp.Compare(q.max, p.max), cmp.Compare(q.to, p.to))
	})
	for _, i := range parts {
		if n > 0 && !x.past(&s.parts[i].seg.head) {
			x.part(i)
		}
	}
	out := make([]Ref, 0, len(x.best.heap))
	for _, h := range x.best.sorted() {
		out = append(out, h.Ref)
	}
	return out
}

// newest is one question for the newest documents under way.
type newest struct {
	f      *Filter
	n      int
	best   topK // all of one score
	limits limits
	i      int // the part at hand
	p      *part
	work   *workspace
}

func (x *newest) full() bool { return len(x.best.heap) == x.n }

// past reports whether all of a segment is older than what was found.
func (x *newest) past(h *header) bool {
	return x.full() && (x.best.snap.parts[x.best.heap[0].part].seg.head.behind(h) || h.max < x.oldest())
}

// oldest is the creation of the oldest document that is among the best.
func (x *newest) oldest() int64 {
	x.best.know(&x.best.heap[0])
	return x.best.heap[0].created
}

// part looks through a part.
func (x *newest) part(i int) {
	x.i, x.p = i, x.best.snap.parts[i]
	if !x.limits.enter(x.p, x.f) {
		return
	}
	lists, ok := x.p.lists(x.f, x.work)
	if !ok {
		return
	}
	budget := x.p.seg.docs
	if len(lists) == 0 {
		lists = append(lists, &allDocs{n: uint32(x.p.seg.docs)})
	} else if x.f.Budget > 0 {
		budget = x.f.Budget
		if !x.limits.scoped { // else most may be other projects'
			budget = min(budget, 32+4*(x.n+len(x.f.Except)))
		}
	}
	// Exclusions can only go forward.
	backward := x.p.seg.head.sorted && len(x.f.Exclude) == 0
	list, single := lists[0].(*postings)
	switch single = single && len(lists) == 1; {
	case backward && single:
		list.backward(budget, x.next)
	case backward:
		x.backward(lists, budget)
	default:
		lists[0].last(budget)
		for doc := align(lists, 0); doc != none; doc = align(lists, lists[0].doc()) {
			x.take(doc, lists[0])
			lists[0].next()
		}
	}
}

// backward looks at the documents from the newest on until no more can be among the
// best.
func (x *newest) backward(lists []docList, budget int) {
	if all, ok := lists[0].(*allDocs); ok {
		for doc := all.n; doc > 0 && x.next(doc-1); doc-- {
		}
		return
	}
	lists[0].last(budget)
	docs := make([]uint32, 0, min(lists[0].count(), 256))
	for doc := align(lists, 0); doc != none; doc = align(lists, lists[0].doc()) {
		docs = append(docs, doc)
		lists[0].next()
	}
	for i := len(docs) - 1; i >= 0 && x.next(docs[i]); i-- {
	}
}

// next takes in the next older document. False means that none is wanted any more.
func (x *newest) next(doc uint32) bool {
	if !x.wants(doc) {
		return false
	}
	x.add(doc)
	return true
}

// take looks at the current document of a list, of a part in no order. When it was made
// exactly is on a page of its own mostly, the day is at hand.
func (x *newest) take(doc uint32, list docList) {
	if x.full() {
		day := uint16(0)
		if p, ok := list.(*postings); ok {
			day = p.day()
		} else {
			day = getNorm(x.work.norm(x.i, x.p, doc)).day
		}
		if day < dayOf(x.oldest()) {
			return
		}
	}
	if x.wants(doc) {
		x.add(doc)
	}
}

// wants reports whether a document would be among the best if it passed.
func (x *newest) wants(doc uint32) bool {
	return x.best.wants(&found{Hit: Hit{Ref{x.i, doc}, 0}})
}

// add takes in a document that is wanted, if it passes.
func (x *newest) add(doc uint32) {
	if !x.limits.pass(doc, x.work.norm(x.i, x.p, doc)) {
		return
	}
	if ref := (Ref{x.i, doc}); !slices.Contains(x.f.Except, ref) {
		x.best.add(found{Hit: Hit{ref, 0}})
	}
}
