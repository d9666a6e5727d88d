package index

import (
	"encoding/binary"
	"math"
	"sort"
)

// none is behind every document.
const none = uint32(math.MaxUint32)

// postings walks the documents of a term, in their order, one decoded block at a
// time.
type postings struct {
	seg    *Segment
	data   []byte // blocks, one after the other; not of a segment that is read sparsely
	room   []byte // of such a one, for the blocks that were read last
	got    []byte // these blocks
	from   int    // where they begin
	at     int    // where the blocks are among the postings of the segment
	size   int    // bytes of all blocks
	skips  []byte // skipSize bytes a block; nil when there is one block
	blocks int

	skipRoom []byte // for skips that are read
	total    int
	max      float32

	block int // the decoded one, -1 for none
	n, i  int // documents of it, and which is the current one
	docs  [blockLen]uint32
	bytes []byte // code of each, then length of each

	near int // block that nearMax looked at last
}

func (p *postings) open(seg *Segment, t term) {
	p.seg, p.total, p.max = seg, int(t.docs), t.max
	p.at, p.size = int(t.post), int(t.size)
	if p.data, p.got = nil, nil; seg.file == nil {
		p.data = seg.sec[secPostings][t.post:][:t.size]
	}
	p.blocks = (p.total + blockLen - 1) / blockLen
	p.skips = nil
	if p.blocks > 1 {
		p.skips = p.readSkips(int(t.skip) * skipSize)
	}
	p.near = 0
	p.block, p.n, p.i = -1, 0, 0
}

// shortSkips is the most bytes of skips that are read, and not mapped.
const shortSkips = 2 << 10

func (p *postings) readSkips(at int) []byte {
	n := p.blocks * skipSize
	if p.seg.file == nil || n > shortSkips {
		return p.seg.section(secSkips)[at:][:n]
	}
	if p.skipRoom == nil {
		p.skipRoom = make([]byte, shortSkips)
	}
	return p.seg.row(secSkips, at, p.skipRoom[:n])
}

// doc is the current document, none at the end.
func (p *postings) doc() uint32 {
	if p.i < p.n {
		return p.docs[p.i]
	}
	return p.first()
}

// first decodes the first block unless another one was decoded already: where a
// list begins at its end, or in the middle, its first page need not be read.
func (p *postings) first() uint32 {
	if p.block >= 0 {
		return none
	}
	p.decode(0)
	return p.docs[0]
}

// code and length are those of the current document, once doc has given it.
func (p *postings) code() byte   { return p.bytes[p.i] }
func (p *postings) length() byte { return p.bytes[p.n+p.i] }

// day is that of the creation of the current document, in a list that is dated.
func (p *postings) day() uint16 { return uint16(p.code()) | uint16(p.length())<<8 }

// next goes to the next document.
func (p *postings) next() {
	p.i++
	if p.i == p.n && p.block+1 < p.blocks {
		p.decode(p.block + 1)
	}
}

// seek goes to the first document that is doc or behind it. It never goes back.
func (p *postings) seek(doc uint32) {
	if p.block < 0 && p.skips == nil {
		p.decode(0)
	}
	if p.block >= 0 && (p.i >= p.n || p.docs[p.i] >= doc) {
		return
	}
	if p.block < 0 || p.docs[p.n-1] < doc {
		b := p.blockOf(doc, p.block+1)
		if b == p.blocks {
			p.i = p.n
			p.block = p.blocks - 1
			return
		}
		p.decode(b)
		if p.docs[0] >= doc {
			return
		}
	}
	rest := p.docs[p.i:p.n]
	if len(rest) <= 8 || rest[7] >= doc {
		for p.docs[p.i] < doc {
			p.i++
		}
		return
	}
	p.i += sort.Search(len(rest), func(i int) bool { return rest[i] >= doc })
}

// last leaves out all but about the last n documents.
func (p *postings) last(n int) {
	if skip := p.blocks - (n+blockLen-1)/blockLen; skip > 0 {
		p.decode(min(skip, p.blocks-1))
		p.near = p.block
	}
}

// backward gives up to n documents from the last one on, until yield returns false.
func (p *postings) backward(n int, yield func(doc uint32) bool) {
	for block := p.blocks - 1; block >= 0; block-- {
		p.decode(block)
		for i := p.n - 1; i >= 0; i-- {
			if n == 0 || !yield(p.docs[i]) {
				return
			}
			n--
		}
	}
}

// blockOf gives the first block from from on whose last document is doc or behind
// it; p.blocks when there is none.
func (p *postings) blockOf(doc uint32, from int) int {
	if p.skips == nil {
		return p.blocks
	}
	// The block is mostly one of the next.
	for step := 1; from+step < p.blocks; step *= 2 {
		if p.lastOf(from+step) >= doc {
			return from + sort.Search(step, func(i int) bool { return p.lastOf(from+i) >= doc })
		}
	}
	return from + sort.Search(p.blocks-from, func(i int) bool { return p.lastOf(from+i) >= doc })
}

func (p *postings) lastOf(block int) uint32 { return le.Uint32(p.skips[block*skipSize:]) }

// nearMax gives the largest frequency in the block that would have doc, and the
// last document of that block. doc must not go back from one call to the next.
func (p *postings) nearMax(doc uint32) (float32, uint32) {
	if p.skips == nil {
		return p.max, none - 1
	}
	if p.near < p.blocks && p.lastOf(p.near) < doc {
		p.near = p.blockOf(doc, p.near+1)
	}
	if p.near >= p.blocks {
		return 0, none - 1
	}
	return math.Float32frombits(le.Uint32(p.skips[p.near*skipSize+8:])), p.lastOf(p.near)
}

func (p *postings) decode(block int) {
	start, prev := 0, uint32(0)
	if block > 0 {
		start = int(le.Uint32(p.skips[(block-1)*skipSize+4:]))
		prev = p.lastOf(block-1) + 1
	}
	n := min(blockLen, p.total-block*blockLen)
	data := p.raw(block, start)
	at := 0
	for i := range n {
		var delta uint32
		if c := data[at]; c < 0x80 {
			delta = uint32(c)
			at++
		} else {
			v, size := binary.Uvarint(data[at:])
			if size <= 0 || v > math.MaxUint32 {
				panic(corrupt("a posting"))
			}
			delta = uint32(v)
			at += size
		}
		if prev += delta; delta == 0 || prev < delta {
			panic(corrupt("a posting"))
		}
		p.docs[i] = prev - 1
	}
	if int64(p.docs[n-1]) >= int64(p.seg.docs) || p.skips != nil && p.docs[n-1] != p.lastOf(block) {
		panic(corrupt("a block of postings"))
	}
	p.bytes = data[at : at+2*n]
	p.block, p.n, p.i = block, n, 0
}

// maxBlock is the most bytes that a block has.
const maxBlock = blockLen * (binary.MaxVarintLen32 + 2)

// Of a segment that is read sparsely, a postings reads a block, or some more where the
// next ones seem to be wanted too.
const (
	shortBlock = 128     // enough for the only block of a rare word
	readAhead  = 2 << 10 // some five blocks
)

// raw gives the bytes of a block that begins at start.
func (p *postings) raw(block, start int) []byte {
	if p.seg.file == nil {
		return p.data[start:]
	}
	end := p.size
	if p.skips != nil {
		end = min(end, int(le.Uint32(p.skips[block*skipSize+4:])))
	}
	end = min(end, start+maxBlock)
	if start < p.from || end > p.from+len(p.got) {
		if block == p.block+1 && block > 0 {
			end = max(end, min(start+readAhead, p.size))
		}
		n := end - start
		if cap(p.room) < n && n <= shortBlock {
			p.room = make([]byte, shortBlock)
		} else if cap(p.room) < n {
			p.room = make([]byte, readAhead)
		}
		p.from, p.got = start, p.seg.row(secPostings, p.at+start, p.room[:n])
	}
	return p.got[start-p.from:]
}
