package index

import (
	"math"
	"slices"
	"sort"
	"time"

	"helix/internal/kb/entry"
)

// Filter restricts documents. Times are compared with the creation of the entry.
type Filter struct {
	// Require holds sets of keys (TopicKey, TagKey, SourceKey, ProjectKey): a document must be
	// in the list of at least one key of each set. An empty set lets none pass.
	Require [][]string
	Exclude []string   // keys whose documents do not pass
	Kind    entry.Kind // "" for any
	Since   time.Time  // created at or after
	Until   time.Time  // created before
	Except  []Ref      // documents that are left out: a few
	// For leaves out what belongs to another project than this one; what belongs to
	// none stays. NoProject leaves out what belongs to any; "" nothing.
	For    string
	Hidden bool // also what recall does not show at Now
	Now    time.Time
	// Budget bounds how many postings of each segment are walked, for one who has no
	// time: 0 is no bound. Of a list that a document must be in, older segments get what
	// newer ones leave, or a little. Where the rarest word or key alone has more, only the
	// documents that were added last are looked at. Further words of a Query that
	// would go over it count for documents that have one of the others, and are not
	// looked for by themselves.
	Budget int
}

// NoProject in place of a project stands for none.
const NoProject = "none"

// limits is a Filter made ready for one part.
type limits struct {
	p            *part
	kind         uint8
	any          bool
	since, until int64
	hidden       bool
	scoped       bool // to a project, or to what has none
	short        uint8
	long         uint32
	now          int64
	exclude      []*postings
}

func newLimits(f *Filter) limits {
	l := limits{since: math.MinInt64, until: math.MaxInt64, hidden: f.Hidden, now: f.Now.UnixMilli(), any: f.Kind == ""}
	l.kind = kindCode(f.Kind)
	if l.scoped = f.For != ""; l.scoped && f.For != NoProject {
		l.short, l.long = projectCode(f.For)
	}
	if !f.Since.IsZero() {
		l.since = f.Since.UnixMilli()
	}
	if !f.Until.IsZero() {
		l.until = f.Until.UnixMilli()
	}
	return l
}

// enter makes the limits ready for p. False means that nothing in p can pass.
func (l *limits) enter(p *part, f *Filter) bool {
	if p.seg.docs == 0 || p.seg.head.max < l.since || p.seg.head.min >= l.until {
		return false
	}
	l.p, l.exclude = p, l.exclude[:0]
	for _, key := range f.Exclude {
		if t, ok := p.seg.lookup(key); ok {
			it := new(postings)
			it.open(p.seg, t)
			l.exclude = append(l.exclude, it)
		}
	}
	return true
}

// pass reports whether a document passes. Documents must come in order.
func (l *limits) pass(doc uint32, norm []byte) bool {
	if !l.p.alive(doc) || !l.any && norm[1] != l.kind {
		return false
	}
	if p := norm[5]; l.scoped && p != 0 && (p != l.short || l.p.seg.meta(doc).project != l.long) {
		return false
	}
	if flags := norm[4]; flags != 0 && !l.hidden {
		if flags&flagHidden != 0 {
			return false
		}
		if m := l.p.seg.meta(doc); m.from > l.now || m.until != 0 && m.until <= l.now {
			return false
		}
	}
	if l.since != math.MinInt64 || l.until != math.MaxInt64 {
		if c := l.p.seg.created(doc); c < l.since || c >= l.until {
			return false
		}
	}
	for _, x := range l.exclude {
		if x.seek(doc); x.doc() == doc {
			return false
		}
	}
	return true
}

// lists gives what a document must be in: one set of each of f.Require. False
// means that one of them is empty here. Those of the part before are not used any more.
func (p *part) lists(f *Filter, w *workspace) ([]docList, bool) {
	w.used = 0
	out := make([]docList, 0, len(f.Require))
	for _, keys := range f.Require {
		l, ok := p.union(keys, w)
		if !ok {
			return nil, false
		}
		out = append(out, l)
	}
	return out, true
}

// docList is a sorted list of documents.
type docList interface {
	doc() uint32
	seek(doc uint32)
	next()
	count() int
	last(n int) // leaves out all but about the last n
}

func (p *postings) count() int { return p.total }

// union gives the documents of all keys.
func (p *part) union(keys []string, w *workspace) (docList, bool) {
	var found []term
	for _, key := range keys {
		if t, ok := p.seg.lookup(key); ok {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return nil, false
	case 1:
		it := w.list()
		it.open(p.seg, found[0])
		return it, true
	}
	var docs []uint32
	it := w.list()
	for _, t := range found {
		for it.open(p.seg, t); it.doc() != none; it.next() {
			docs = append(docs, it.doc())
		}
	}
	slices.Sort(docs)
	return &docSlice{docs: slices.Compact(docs)}, true
}

type docSlice struct {
	docs []uint32
	i    int
}

func (d *docSlice) doc() uint32 {
	if d.i < len(d.docs) {
		return d.docs[d.i]
	}
	return none
}

func (d *docSlice) next()      { d.i++ }
func (d *docSlice) count() int { return len(d.docs) }
func (d *docSlice) last(n int) { d.i = max(d.i, len(d.docs)-n) }

func (d *docSlice) seek(doc uint32) {
	if rest := d.docs[min(d.i, len(d.docs)):]; len(rest) > 0 && rest[0] < doc {
		d.i += sort.Search(len(rest), func(i int) bool { return rest[i] >= doc })
	}
}

// allDocs is every document of a part.
type allDocs struct{ at, n uint32 }

func (a *allDocs) doc() uint32 {
	if a.at < a.n {
		return a.at
	}
	return none
}
func (a *allDocs) next()           { a.at++ }
func (a *allDocs) seek(doc uint32) { a.at = max(a.at, doc) }
func (a *allDocs) count() int      { return int(a.n) }
func (a *allDocs) last(n int)      { a.at = max(a.at, a.n-min(a.n, uint32(n))) }
