package index

import (
	"encoding/binary"
	"io"
	"math"

	"helix/internal/kb/crc"
)

// assembler writes a segment: documents first, then the terms in the order of
// their keys. Metas and postings, which are the bulk, go straight to out;
// the rest is held until finish. The header comes out last but stands first, so
// the caller puts it there.
type assembler struct {
	out     io.Writer
	written uint64
	sum     uint32
	err     error
	head    header

	norms   []byte
	topics  []topicRow
	names   []byte
	blobs   []byte
	special []byte
	ids     []uint64
	prev    meta // the last document

	weigh weigher
	keys  []byte
	terms []byte
	ords  []uint64 // hash of each term's key
	skips []byte
	post  uint64 // bytes of postings

	cur   term
	dated bool // the term is a list that is asked for its newest
	block struct {
		docs    [blockLen]uint32
		codes   [blockLen]byte
		lengths [blockLen]byte
		n       int
		max     float32
	}
	lastDoc uint32 // of the block before, + 1
	skipped int    // blocks of this term among the skips
	pending []byte // postings that were not handed to out yet
	scratch [metaSize]byte
}

func newAssembler(out io.Writer) *assembler {
	return &assembler{out: out, head: header{sorted: true}}
}

func (a *assembler) reserve(docs int) {
	a.norms = make([]byte, 0, docs*normSize)
	a.ids = make([]uint64, 0, docs)
}

func (a *assembler) reserveTerms(n int) {
	const keyBytes = 10 // of most
	a.keys = make([]byte, 0, n*keyBytes)
	a.terms = make([]byte, 0, n*termSize)
	a.ords = make([]uint64, 0, n)
}

func (a *assembler) write(b []byte) {
	if a.err != nil || len(b) == 0 {
		return
	}
	_, a.err = a.out.Write(b)
	a.sum = crc.Update(a.sum, b)
	a.written += uint64(len(b))
}

// place notes that a section of n bytes ends here.
func (a *assembler) place(s section, n uint64) {
	a.head.off[s], a.head.len[s] = headerSize+a.written-n, n
}

// topic adds a topic. Names must come in order, before the documents.
func (a *assembler) topic(name string) uint32 {
	a.topics = append(a.topics, topicRow{name: uint32(len(a.names)), nameN: uint16(len(name)), first: math.MaxInt64, last: math.MinInt64})
	a.names = append(a.names, name...)
	return uint32(len(a.topics) - 1)
}

// document adds the next document.
func (a *assembler) document(m meta, n norm) {
	m.put(a.scratch[:])
	a.write(a.scratch[:])
	var nb [normSize]byte
	n.put(nb[:])
	a.norms = append(a.norms, nb[:]...)
	a.ids = append(a.ids, m.id)

	h := &a.head
	if h.docs == 0 {
		h.min, h.max, h.from, h.to = m.created, m.created, m.offset, m.offset
	} else if m.created < a.prev.created || m.created == a.prev.created && m.offset <= a.prev.offset {
		h.sorted = false
	}
	a.prev = m
	h.min, h.max = min(h.min, m.created), max(h.max, m.created)
	h.conf, h.credit = max(h.conf, n.conf), max(h.credit, n.credit)
	h.from, h.to = min(h.from, m.offset), max(h.to, m.offset)
	if n.flags != 0 {
		a.special = le.AppendUint32(a.special, h.docs)
		h.special++
	}
	h.docs++
	t := &a.topics[m.topic]
	t.docs++
	t.first, t.last = min(t.first, m.created), max(t.last, m.created)
}

// documentsDone must come between the documents and the terms. words is the length
// of all texts.
func (a *assembler) documentsDone(words uint64) {
	a.place(secMeta, a.written)
	a.head.words = words
	a.weigh = newWeigher(average(words, int(a.head.docs)))
}

// begin starts a term; keys must come in order.
func (a *assembler) begin(key string) {
	a.cur = term{key: uint32(len(a.keys)), keyN: uint16(len(key)), post: a.post, skip: uint32(len(a.skips) / skipSize)}
	a.keys = append(a.keys, key...)
	a.dated = dated(key)
	a.lastDoc, a.block.n, a.block.max = 0, 0, 0
	a.skipped = 0
}

// posting adds a document to the term; documents must come in order.
func (a *assembler) posting(doc uint32, code uint8) {
	norm := a.norms[int(doc)*normSize:][:normSize]
	if a.dated {
		a.put(doc, norm[6], norm[7])
		return
	}
	a.put(doc, code, norm[0])
}

// postings adds the documents of a list that have a number.
func (a *assembler) postings(p *postings, numbers []uint32) {
	for i := range p.blocks {
		p.decode(i)
		for k, doc := range p.docs[:p.n] {
			if n := numbers[doc]; n != none {
				a.put(n, p.bytes[k], p.bytes[p.n+k])
			}
		}
	}
}

func (a *assembler) put(doc uint32, code, length uint8) {
	b := &a.block
	if b.n == blockLen {
		a.endBlock(true)
	}
	b.docs[b.n], b.codes[b.n], b.lengths[b.n] = doc, code, length
	b.n++
	if !a.dated {
		b.max = max(b.max, a.weigh.freq(code, length))
	}
}

func (a *assembler) endBlock(more bool) {
	b := &a.block
	prev := a.lastDoc
	for _, doc := range b.docs[:b.n] {
		a.pending = binary.AppendUvarint(a.pending, uint64(doc+1-prev))
		prev = doc + 1
	}
	a.pending = append(a.pending, b.codes[:b.n]...)
	a.pending = append(a.pending, b.lengths[:b.n]...)
	a.cur.docs += uint32(b.n)
	a.cur.max = max(a.cur.max, b.max)
	if more || a.skipped > 0 {
		var s [skipSize]byte
		le.PutUint32(s[:], prev-1)
		le.PutUint32(s[4:], a.cur.size+uint32(len(a.pending))) // where the next block starts
		le.PutUint32(s[8:], math.Float32bits(b.max))
		a.skips = append(a.skips, s[:]...)
		a.skipped++
	}
	a.lastDoc, b.n, b.max = prev, 0, 0
	a.cur.size += uint32(len(a.pending))
	a.post += uint64(len(a.pending))
	a.write(a.pending)
	a.pending = a.pending[:0]
}

// end finishes the term. One without documents leaves nothing behind.
func (a *assembler) end() {
	if a.block.n > 0 {
		a.endBlock(false)
	}
	if a.cur.docs == 0 {
		a.keys = a.keys[:a.cur.key]
		return
	}
	var row [termSize]byte
	a.cur.put(row[:])
	a.terms = append(a.terms, row[:]...)
	a.ords = append(a.ords, hashKey(a.keys[a.cur.key:]))
}

// finish writes the rest and gives the header.
func (a *assembler) finish() []byte {
	a.place(secPostings, a.post)
	a.head.tagged = len(a.ords) <= maxTagged
	topics := make([]byte, len(a.topics)*topicSize)
	for i := range a.topics {
		a.topics[i].put(topics[i*topicSize:])
	}
	for _, s := range []struct {
		section
		data []byte
	}{
		{secNorms, a.norms}, {secIDs, hashTable(a.ids, false)}, {secTerms, a.terms}, {secHash, hashTable(a.ords, a.head.tagged)},
		{secKeys, a.keys}, {secSkips, a.skips}, {secTopics, topics}, {secNames, a.names}, {secBlobs, a.blobs}, {secSpecial, a.special},
	} {
		a.write(s.data)
		a.place(s.section, uint64(len(s.data)))
	}
	a.head.sum = a.sum
	head := make([]byte, headerSize)
	a.head.put(head)
	return head
}

// hashTable places the ordinals of hashes, + 1, in a table with linear probing.
func hashTable(hashes []uint64, tagged bool) []byte {
	size := tableSize(len(hashes))
	table := make([]byte, 4*size)
	for ord, h := range hashes {
		i := slot(h, size)
		for le.Uint32(table[4*i:]) != 0 {
			i = (i + 1) & (size - 1)
		}
		v := uint32(ord + 1)
		if tagged {
			v |= tag(h)
		}
		le.PutUint32(table[4*i:], v)
	}
	return table
}
