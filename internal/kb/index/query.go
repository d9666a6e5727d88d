package index

// Query says what to look for and how many documents to give.
type Query struct {
	// Must are words of which a document needs each, Should those that only add to
	// its score; without any Must a document needs one of Should. With neither,
	// every document that passes the filter is found, the newest first.
	Must, Should []Word
	Filter       Filter
	Limit        int
	// Home is a project whose documents are preferred: those of others keep elsewhere
	// of their score. "" for none.
	Home string
	// Telling leaves out a document that has but one of the words, and that neither in
	// its topic nor among its tags.
	Telling bool
	// Accept has the last word on a document that would be among the best. nil
	// accepts all. It is asked once for each document at most.
	Accept func(Ref) bool
}

// Word is one folded word of a query.
type Word struct {
	Text   string
	Weight float32 // 0 is 1
	Exact  bool    // no other inflection counts
}

// scorer walks the documents that have a word, in one part.
type scorer struct {
	post  postings  // those with the stem
	exact *postings // among them, those with the word itself; of no use without a bonus
	idf   float32   // times the weight
	bonus float32   // idf of the exact form, times its share
	slack float32
	weigh *weigher
	max   float32 // of any document's score
}

// sought is a word of a query, looked up in all parts: how much it says depends on
// all of them.
type sought struct {
	at    []wordAt // by part
	idf   float32  // of the stem, times the weight
	bonus float32  // of the word itself, times the weight and its share
}

// wordAt is what a part has of a word. A term without documents is not there.
type wordAt struct{ stem, plain term }

func (s *Snapshot) lookUp(lists ...[]Word) []sought {
	n := 0
	for _, words := range lists {
		n += len(words)
	}
	out, at := make([]sought, 0, n), make([]wordAt, n*len(s.parts))
	for _, words := range lists {
		for _, w := range words {
			out = append(out, s.lookUpWord(w, at[:len(s.parts)]))
			at = at[len(s.parts):]
		}
	}
	return out
}

func (s *Snapshot) lookUpWord(w Word, at []wordAt) sought {
	stem, plain := wordKeys(w.Text)
	if stem == "" || w.Exact && plain != "" {
		stem, plain = plain, ""
	}
	stems, plains := 0, 0
	for i, p := range s.parts {
		var ok bool
		if at[i].stem, ok = p.seg.lookup(stem); ok && plain != "" {
			at[i].plain, _ = p.seg.lookup(plain)
		}
		stems += int(at[i].stem.docs)
		plains += int(at[i].plain.docs)
	}
	weight := w.Weight
	if weight == 0 {
		weight = 1
	}
	return sought{at, weight * idf(s.docs, stems), bonus * weight * idf(s.docs, plains)}
}

// open sets up the scorer of a word in the part at hand. False means that no document has the
// word.
func (sc *scorer) open(x *exec, w *sought, slack float32) bool {
	at := &w.at[x.i]
	if at.stem.docs == 0 {
		return false
	}
	sc.weigh, sc.slack = &x.weigh, slack
	sc.post.open(x.p.seg, at.stem)
	sc.idf = w.idf
	sc.max = sc.idf * saturate(sc.post.max*slack)
	sc.bonus = 0
	if at.plain.docs > 0 {
		if sc.exact == nil {
			sc.exact = new(postings)
		}
		sc.exact.open(x.p.seg, at.plain)
		sc.bonus = w.bonus
		sc.max += sc.bonus * saturate(sc.exact.max*slack)
	}
	return true
}

// near bounds the score that the word adds to doc, and says up to which document
// the bound holds.
func (sc *scorer) near(doc uint32) (float32, uint32) {
	tf, last := sc.post.nearMax(doc)
	ub := sc.idf * saturate(tf*sc.slack)
	if sc.bonus > 0 {
		tf, end := sc.exact.nearMax(doc)
		ub += sc.bonus * saturate(tf*sc.slack)
		last = min(last, end)
	}
	return ub, last
}

// score is what the word adds to the current document of sc.post.
func (sc *scorer) score() float32 {
	s := sc.idf * saturate(sc.weigh.freq(sc.post.code(), sc.post.length()))
	if sc.bonus > 0 {
		doc := sc.post.doc()
		if sc.exact.seek(doc); sc.exact.doc() == doc {
			s += sc.bonus * saturate(sc.weigh.freq(sc.exact.code(), sc.exact.length()))
		}
	}
	return s
}

func (sc *scorer) doc() uint32     { return sc.post.doc() }
func (sc *scorer) next()           { sc.post.next() }
func (sc *scorer) seek(doc uint32) { sc.post.seek(doc) }
func (sc *scorer) count() int      { return sc.post.total }
func (sc *scorer) last(n int)      { sc.post.last(n) }
