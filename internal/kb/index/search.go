package index

import "slices"

// Hit is a document found.
type Hit struct {
	Ref
	Score float32
}

// Search gives the documents that fit q best, the best first; equal ones, the
// newest first. It must run under Guard.
func (s *Snapshot) Search(q *Query) []Hit {
	if q.Limit <= 0 {
		return nil
	}
	x, done := s.exec(q)
	defer done()
	x.best = topK{snap: s, limit: q.Limit, heap: x.work.heap[:0]}
	x.home, _ = projectCode(q.Home)
	// The newest part first: what it finds lets older ones be skipped sooner.
	for i := len(s.parts) - 1; i >= 0; i-- {
		x.search(i)
	}
	best := x.best.sorted()
	out := make([]Hit, len(best))
	for i := range best {
		out[i] = best[i].Hit
	}
	return out
}

// Each gives every document that q finds, in no particular order, until yield
// returns false. Limit does not count. It must run under Guard.
func (s *Snapshot) Each(q *Query, yield func(Ref) bool) {
	x, done := s.exec(q)
	defer done()
	x.each = yield
	for i := range s.parts {
		if !x.search(i) {
			return
		}
	}
}

// exec prepares a search. Its memory is for others after done.
func (s *Snapshot) exec(q *Query) (x *exec, done func()) {
	w := s.spare.take()
	w.exec = exec{s: s, q: q, work: w, limits: newLimits(&q.Filter), left: q.Filter.Budget}
	x = &w.exec
	x.today = int(dayOf(x.limits.now))
	x.weigh = newWeigher(average(s.words, s.docs))
	return x, func() { s.spare.Store(w) }
}

// exec is one search under way.
type exec struct {
	work   *workspace
	s      *Snapshot
	q      *Query
	best   topK
	limits limits
	today  int
	home   uint8 // code of the preferred project, 0 for none
	fades  fades
	weigh  weigher
	each   func(Ref) bool // instead of best
	i      int            // the part at hand
	p      *part
	share  float32   // of its score that a document of the part keeps at most
	words  []*scorer // optional ones
	extra  []*scorer // optional ones that are not walked
	left   int       // of the budget, for lists that a document must be in; 0 is no bound
	must   []*scorer
	sought []sought  // the words of the query, those of Must first
	more   []*scorer // beside those of work
	used   int       // how many of them the part at hand has
}

// scorer gives one that the part at hand does not use yet.
func (x *exec) scorer() *scorer {
	x.used++
	i := x.used - 1
	if i < len(x.work.scorers) {
		return &x.work.scorers[i]
	}
	if i -= len(x.work.scorers); i == len(x.more) {
		x.more = append(x.more, new(scorer))
	}
	return x.more[i]
}

// search looks through a part. False means that no more is wanted.
func (x *exec) search(i int) bool {
	x.i, x.p = i, x.s.parts[i]
	if !x.limits.enter(x.p, &x.q.Filter) {
		return true
	}
	lists, ok := x.p.lists(&x.q.Filter, x.work)
	if !ok {
		return true
	}
	x.share = x.p.seg.head.quality(x.today, &x.fades)
	slack := slack(average(x.p.seg.head.words, x.p.seg.docs), average(x.s.words, x.s.docs))
	x.must, x.words, x.extra, x.used = x.must[:0], x.words[:0], nil, 0
	if x.sought == nil {
		x.sought = x.s.lookUp(x.q.Must, x.q.Should)
	}
	must, should := x.sought[:len(x.q.Must)], x.sought[len(x.q.Must):]
	for k := range must {
		sc := x.scorer()
		if !sc.open(x, &must[k], slack) {
			return true
		}
		x.must = append(x.must, sc)
		lists = append(lists, sc)
	}
	for k := range should {
		sc := x.scorer()
		if sc.open(x, &should[k], slack) {
			x.words = append(x.words, sc)
		} else {
			x.used--
		}
	}
	needOne := len(x.q.Must) == 0 && len(x.q.Should) > 0
	switch {
	case needOne && len(x.words) == 0:
		return true
	case needOne && len(lists) == 0:
		x.save()
		return x.any()
	case len(lists) == 0:
		lists = []docList{&allDocs{n: uint32(x.p.seg.docs)}}
	}
	return x.all(lists, needOne)
}

// save keeps to the budget: the rarest words are walked until it is used up.
func (x *exec) save() {
	if x.q.Filter.Budget <= 0 {
		return
	}
	slices.SortStableFunc(x.words, func(a, b *scorer) int { return a.count() - b.count() })
	left := x.q.Filter.Budget
	for i, sc := range x.words {
		if i > 0 && sc.count() > left {
			x.words, x.extra = x.words[:i], x.words[i:]
			return
		}
		sc.last(left)
		left -= min(left, sc.count())
	}
}

// any finds documents with at least one of the words, by Block-Max WAND (Ding,
// Suel 2011): words are kept in the order of their current document; the first
// place where the sum of their maxima could reach the result is the next candidate.
func (x *exec) any() bool {
	w := x.words
	var rest float32 // that extra words may add
	for _, sc := range x.extra {
		rest += sc.max * room
	}
	for {
		sortByDoc(w)
		pivot, sum := -1, rest
		for i, sc := range w {
			if sc.doc() == none {
				break
			}
			if sum += sc.max * room; sum >= x.floor() {
				pivot = i
				break
			}
		}
		if pivot < 0 {
			return true
		}
		doc := w[pivot].doc()
		for pivot+1 < len(w) && w[pivot+1].doc() == doc {
			pivot++
		}
		bound, last := x.bound(w[:pivot+1], doc)
		if bound += rest; bound >= x.floor() && len(x.extra) > 0 {
			more, _ := x.bound(x.extra, doc)
			if bound += more - rest; bound < x.floor() {
				last = doc
			}
		}
		switch {
		case bound < x.floor():
			next := last + 1
			if pivot+1 < len(w) {
				next = min(next, w[pivot+1].doc())
			}
			for _, sc := range w[:pivot+1] {
				sc.seek(max(next, doc+1))
			}
		case w[0].doc() != doc:
			for _, sc := range w[:pivot] {
				sc.seek(doc)
			}
		default:
			if !x.consider(doc, w[:pivot+1]) {
				return false
			}
			for _, sc := range w[:pivot+1] {
				sc.next()
			}
		}
	}
}

// sortByDoc brings a few words, most of which are in order already, into the order of
// their current documents.
func sortByDoc(w []*scorer) {
	for i := 1; i < len(w); i++ {
		sc, doc := w[i], w[i].doc()
		at := i
		for ; at > 0 && w[at-1].doc() > doc; at-- {
			w[at] = w[at-1]
		}
		w[at] = sc
	}
}

// floor is what the words of a document must give it for it to be among the best.
func (x *exec) floor() float32 { return x.best.min / (x.share * room) }

// room is for the rounding of sums that are made in another order.
const room = 1.00001

// bound adds up what the words can give doc at most, and says up to which document
// that holds.
func (x *exec) bound(words []*scorer, doc uint32) (sum float32, last uint32) {
	last = none - 1
	for _, sc := range words {
		ub, end := sc.near(doc)
		sum += ub * room
		last = min(last, end)
	}
	return sum, last
}

// all finds documents that are in every list, scored by all words. needOne asks
// for at least one of the optional words as well.
func (x *exec) all(lists []docList, needOne bool) bool {
	slices.SortStableFunc(lists, func(a, b docList) int { return a.count() - b.count() })
	if x.left > 0 {
		n := lists[0].count()
		lists[0].last(x.left)
		x.left = max(x.left-n, leastBudget)
	}
	scored := make([]*scorer, 0, len(x.must)+len(x.words))
	var bound float32 // of every document up to until, once one was asked about
	var until uint32
	asked := false
	for doc := lists[0].doc(); ; {
		if doc = align(lists, doc); doc == none {
			return true
		}
		if x.best.min > 0 && (!asked || doc > until) {
			a, lastA := x.bound(x.must, doc)
			b, lastB := x.bound(x.words, doc)
			bound, until, asked = a+b, min(lastA, lastB), true
		}
		if asked && bound < x.floor() {
			lists[0].seek(until + 1)
			doc = lists[0].doc()
			continue
		}
		scored = append(scored[:0], x.must...)
		for _, sc := range x.words {
			if sc.seek(doc); sc.doc() == doc {
				scored = append(scored, sc)
			}
		}
		if (!needOne || len(scored) > len(x.must)) && !x.consider(doc, scored) {
			return false
		}
		lists[0].next()
		doc = lists[0].doc()
	}
}

// leastBudget is what a segment gets of a budget that newer ones have used up.
const leastBudget = 2 * blockLen

// align goes to the first document from doc on that is in every list.
func align(lists []docList, doc uint32) uint32 {
again:
	if doc == none {
		return none
	}
	for _, l := range lists {
		l.seek(doc)
		if d := l.doc(); d != doc {
			doc = d
			goto again
		}
	}
	return doc
}

// consider scores a document and takes it in if it is good enough. The words are
// those that have it, at it. False means that no more is wanted.
func (x *exec) consider(doc uint32, words []*scorer) bool {
	if x.each != nil {
		ref := Ref{x.i, doc}
		return !x.limits.pass(doc, x.work.norm(x.i, x.p, doc)) || slices.Contains(x.q.Filter.Except, ref) ||
			x.q.Telling && !telling(doc, words) || x.q.Accept != nil && !x.q.Accept(ref) || x.each(ref)
	}
	// The order of the words varies. In float64 that does not reach the result.
	var sum float64
	for _, sc := range words {
		sum += float64(sc.score())
	}
	for _, sc := range x.extra {
		if sc.seek(doc); sc.doc() == doc {
			sum += float64(sc.score())
		}
	}
	score := float32(sum)
	if score < x.floor() || x.q.Telling && !telling(doc, words, x.extra) {
		return true
	}
	norm := x.work.norm(x.i, x.p, doc)
	if p := norm[5]; x.home != 0 && p != 0 && p != x.home {
		score *= elsewhere
	}
	if score *= quality(getNorm(norm), x.today, &x.fades); score < x.best.min || !x.limits.pass(doc, norm) {
		return true
	}
	h := found{Hit: Hit{Ref{x.i, doc}, score}}
	if x.best.wants(&h) && !slices.Contains(x.q.Filter.Except, h.Ref) && (x.q.Accept == nil || x.q.Accept(h.Ref)) {
		x.best.add(h)
	}
	return true
}

// telling is Query.Telling of a document, which those of the words that have it are at.
func telling(doc uint32, words ...[]*scorer) bool {
	n := 0 // in its text
	for _, list := range words {
		for _, sc := range list {
			if sc.doc() != doc {
				continue
			}
			code := sc.post.code()
			if code&(codeTopic|codeTags) != 0 {
				return true
			}
			if code&codeText != 0 {
				n++
			}
		}
	}
	return n > 1
}
