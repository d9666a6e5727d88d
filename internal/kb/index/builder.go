package index

import (
	"bytes"
	"slices"
	"strings"

	"helix/internal/kb/text"
)

// Builder makes a segment of documents, in memory. It is not safe for concurrent
// use.
type Builder struct {
	scan  text.Scanner
	metas []meta
	norms []norm
	names []string // topic of each document
	blobs []byte

	keys  []string // of each term
	ids   map[string]int32
	terms map[string]wordTerms // by word
	order []int32              // of the first terms, by key
	found []occurrence
	last  []int32      // by term: its latest occurrence + 1
	begun int32        // occurrences before the document at hand
	room  []occurrence // for byTerm

	words int // of all texts
}

// wordTerms are the terms that a word counts for: -1 for none.
type wordTerms struct {
	stem, plain int32
	stop        bool
}

type occurrence struct {
	term int32
	doc  uint32
	code uint8
}

// NewBuilder returns a Builder of no documents.
func NewBuilder() *Builder {
	return &Builder{ids: map[string]int32{}, terms: map[string]wordTerms{}}
}

// Grow makes room for documents with n bytes of text together, so that what is
// there need not be moved when they come.
func (b *Builder) Grow(n int) {
	const (
		bytesPerOccurrence = 5   // of prose or code, rather too few than too many
		bytesPerTerm       = 128 // of a megabyte of prose, rather too many than too few
		much               = 512 << 10
	)
	b.found = slices.Grow(b.found, n/bytesPerOccurrence)
	if terms := n / bytesPerTerm; n >= much && len(b.keys) == 0 {
		b.ids, b.terms = make(map[string]int32, terms), make(map[string]wordTerms, terms)
		b.keys, b.last = make([]string, 0, terms), make([]int32, 0, terms)
	}
}

// keptKeys is how many terms a builder remembers beyond a segment.
const keptKeys = 1 << 18

// Reset makes the builder one of no documents again, for another segment. It goes on
// knowing the words that it has seen, most of which come again.
func (b *Builder) Reset() {
	b.metas, b.norms, b.names, b.blobs, b.found = b.metas[:0], b.norms[:0], b.names[:0], b.blobs[:0], b.found[:0]
	b.words, b.begun = 0, 0
	if len(b.keys) > keptKeys {
		b.keys, b.last, b.order = nil, nil, nil
		clear(b.ids)
		clear(b.terms)
	}
	clear(b.last)
}

// Add adds a document.
func (b *Builder) Add(d Doc) {
	e := d.Entry
	doc := uint32(len(b.metas))
	b.begun = int32(len(b.found))
	m := docMeta(&d)
	if d.Change != "" {
		m.change, m.changeN = uint32(len(b.blobs)+1), uint32(len(d.Change))
		b.blobs = append(b.blobs, d.Change...)
	}
	b.text(doc, e.Topic, codeTopic)
	b.text(doc, strings.Join(e.Tags, " "), codeTags)
	b.text(doc, e.Source.Path, codeSource)
	words := b.text(doc, e.Text, 1)
	b.words += words
	b.occurs(b.key(TopicKey(e.Topic)), doc, codeTopic)
	for _, tag := range e.Tags {
		b.occurs(b.key(TagKey(tag)), doc, codeTags)
	}
	if e.Source.Path != "" {
		b.occurs(b.key(SourceKey(e.Source.Path)), doc, codeSource)
	}
	if e.Project != "" {
		b.occurs(b.key(ProjectKey(e.Project)), doc, codeSource)
	}
	b.metas = append(b.metas, m)
	b.norms = append(b.norms, docNorm(e, &m, words))
	b.names = append(b.names, e.Topic)
}

// text adds the words of one field and gives its length in words.
func (b *Builder) text(doc uint32, s string, code uint8) (length int) {
	if s == "" {
		return 0
	}
	b.scan.Scan(s, func(w []byte, role text.Role, _, _ int) bool {
		t, ok := b.terms[string(w)]
		if !ok {
			t = b.word(string(w))
		}
		if t.stem >= 0 {
			b.occurs(t.stem, doc, code)
		}
		if t.plain >= 0 {
			b.occurs(t.plain, doc, code)
		}
		if role != text.Whole && !t.stop {
			length++
		}
		return true
	})
	return length
}

// word finds the terms of a word that is new to the builder.
func (b *Builder) word(w string) wordTerms {
	t := wordTerms{-1, -1, text.Stop(w)}
	stem, plain := wordKeys(w)
	if stem != "" {
		t.stem = b.key(stem)
	}
	if plain != "" {
		t.plain = b.key(plain)
	}
	b.terms[w] = t
	return t
}

// wordKeys gives the keys of a folded word: that of its stem, and that of the word
// itself where it differs. A stop word has only the latter.
func wordKeys(w string) (stem, plain string) {
	if text.Stop(w) {
		return "", keyPlain + w
	}
	if stem = text.Stem(w); stem != w {
		plain = keyPlain + w
	}
	return stem, plain
}

func (b *Builder) key(key string) int32 {
	if id, ok := b.ids[key]; ok {
		return id
	}
	id := int32(len(b.keys))
	b.keys = append(b.keys, key)
	b.last = append(b.last, 0)
	b.ids[key] = id
	return id
}

func (b *Builder) occurs(id int32, doc uint32, code uint8) {
	if n := b.last[id]; n > b.begun {
		o := &b.found[n-1]
		switch {
		case code != 1:
			o.code |= code
		case o.code&codeText < codeText:
			o.code++
		}
		return
	}
	b.found = append(b.found, occurrence{id, doc, code})
	b.last[id] = int32(len(b.found))
}

// Segment gives the bytes of a segment of what was added, for Load or a file.
func (b *Builder) Segment() []byte {
	var out bytes.Buffer
	out.Grow(headerSize + len(b.metas)*(metaSize+normSize) + 4*len(b.found))
	out.Write(make([]byte, headerSize)) // comes last
	a := newAssembler(&out)
	a.reserve(len(b.metas))
	topics := b.topicOrder(a)
	for i := range b.metas {
		m := b.metas[i]
		m.topic = topics[b.names[i]]
		a.document(m, b.norms[i])
	}
	a.blobs = append(a.blobs, b.blobs...)

	order, start := b.byTerm()
	sorted := make([]int32, 0, len(b.keys))
	for _, id := range b.byKey() {
		if start[id] < start[id+1] {
			sorted = append(sorted, id)
		}
	}
	a.documentsDone(uint64(b.words))
	a.reserveTerms(len(sorted))
	for _, id := range sorted {
		a.begin(b.keys[id])
		for _, o := range order[start[id]:start[id+1]] {
			a.posting(o.doc, o.code)
		}
		a.end()
	}
	head := a.finish()
	copy(out.Bytes(), head)
	return out.Bytes()
}

// byKey gives all terms in the order of their keys. Only those are sorted that are new
// since the last segment.
func (b *Builder) byKey() []int32 {
	compare := func(x, y int32) int { return strings.Compare(b.keys[x], b.keys[y]) }
	fresh := make([]int32, 0, len(b.keys)-len(b.order))
	for id := len(b.order); id < len(b.keys); id++ {
		fresh = append(fresh, int32(id))
	}
	slices.SortFunc(fresh, compare)
	merged := make([]int32, 0, len(b.keys))
	for old := b.order; ; {
		switch {
		case len(fresh) == 0:
			b.order = append(merged, old...)
			return b.order
		case len(old) == 0 || compare(fresh[0], old[0]) < 0:
			merged, fresh = append(merged, fresh[0]), fresh[1:]
		default:
			merged, old = append(merged, old[0]), old[1:]
		}
	}
}

func (b *Builder) topicOrder(a *assembler) map[string]uint32 {
	names := map[string]uint32{}
	for _, n := range b.names {
		names[n] = 0
	}
	sorted := make([]string, 0, len(names))
	for n := range names {
		sorted = append(sorted, n)
	}
	slices.Sort(sorted)
	for _, n := range sorted {
		names[n] = a.topic(n)
	}
	return names
}

// byTerm orders the occurrences by term, which leaves those of a term in the order
// of documents; those of term t are order[start[t]:start[t+1]].
func (b *Builder) byTerm() (order []occurrence, start []int) {
	start = make([]int, len(b.keys)+1)
	for _, o := range b.found {
		start[o.term+1]++
	}
	for t := range b.keys {
		start[t+1] += start[t]
	}
	next := slices.Clone(start)
	b.room = slices.Grow(b.room[:0], len(b.found))
	order = b.room[:len(b.found)]
	for _, o := range b.found {
		order[next[o.term]] = o
		next[o.term]++
	}
	return order, start
}
