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
	at := make([]int, len(parts)) // the next term of each part
	var post postings
	for {
		var least []byte
		for i, p := range parts {
			if at[i] < p.seg.terms {
				t := p.seg.term(at[i])
				if key := p.seg.key(&t); least == nil || bytes.Compare(key, least) < 0 {
					least = key
				}
			}
		}
		if least == nil {
			return
		}
		a.begin(string(least))
		for i, p := range parts {
			if at[i] == p.seg.terms {
				continue
			}
			t := p.seg.term(at[i])
			if !bytes.Equal(p.seg.key(&t), least) {
				continue
			}
			at[i]++
			for post.open(p.seg, t); post.doc() != none; post.next() {
				if n := numbers[i][post.doc()]; n != none {
					a.posting(n, post.code())
				}
			}
		}
		a.end()
	}
}
