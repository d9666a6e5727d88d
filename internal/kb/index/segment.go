package index

import (
	"bytes"
	"fmt"
	"sort"
	"sync/atomic"

	"helix/internal/kb/crc"
	"helix/internal/kb/rawfile"
)

// Segment is an index that never changes.
type Segment struct {
	data  []byte
	sec   [sections][]byte
	docs  int
	terms int
	head  header
	file  *rawfile.File // of a large one that is read sparsely, else nil
	users *atomic.Int32 // nil for one in memory
	close func() error
}

// header is the beginning of a segment.
type header struct {
	docs     uint32
	special  uint32 // documents that are hidden or limited
	sorted   bool   // documents are in the order of their creation, those of one moment in that of the log
	tagged   bool   // so is the hash table of terms
	conf     uint8  // the highest of a document
	credit   uint8  // likewise
	words    uint64 // of all texts
	min, max int64  // creation of the oldest and of the newest document
	from, to int64  // places of the first and of the last record in the log
	sum      uint32
	off, len [sections]uint64
}

func (h *header) put(b []byte) {
	copy(b, magic)
	le.PutUint32(b[4:], version)
	le.PutUint32(b[8:], h.docs)
	le.PutUint32(b[12:], h.special)
	if h.sorted {
		b[16] = 1
	}
	if h.tagged {
		b[17] = 1
	}
	b[18], b[19] = h.conf, h.credit
	le.PutUint64(b[24:], h.words)
	le.PutUint64(b[32:], uint64(h.min))
	le.PutUint64(b[40:], uint64(h.max))
	le.PutUint32(b[48:], h.sum)
	for s := range sections {
		le.PutUint64(b[56+16*s:], h.off[s])
		le.PutUint64(b[64+16*s:], h.len[s])
	}
	le.PutUint64(b[248:], uint64(h.from))
	le.PutUint64(b[256:], uint64(h.to))
	le.PutUint32(b[headerSize-4:], crc.Checksum(b[:headerSize-4]))
}

func getHeader(b []byte) (h header, err error) {
	if len(b) < headerSize || string(b[:4]) != magic {
		return h, fmt.Errorf("%w: not an index segment", ErrCorrupt)
	}
	if v := le.Uint32(b[4:]); v != version {
		return h, fmt.Errorf("%w: of version %d", ErrCorrupt, v)
	}
	if le.Uint32(b[headerSize-4:]) != crc.Checksum(b[:headerSize-4]) {
		return h, fmt.Errorf("%w: checksum of the header", ErrCorrupt)
	}
	h.docs, h.special, h.sorted, h.tagged = le.Uint32(b[8:]), le.Uint32(b[12:]), b[16] == 1, b[17] == 1
	h.conf, h.credit, h.words = b[18], b[19], le.Uint64(b[24:])
	h.min, h.max, h.sum = int64(le.Uint64(b[32:])), int64(le.Uint64(b[40:])), le.Uint32(b[48:])
	for s := range sections {
		h.off[s], h.len[s] = le.Uint64(b[56+16*s:]), le.Uint64(b[64+16*s:])
	}
	h.from, h.to = int64(le.Uint64(b[248:])), int64(le.Uint64(b[256:]))
	return h, nil
}

// Load reads a segment from memory. It keeps data.
func Load(data []byte) (*Segment, error) { return load(data, data) }

// load is Load with a copy of the beginning of data, which is not touched.
func load(head, data []byte) (*Segment, error) {
	h, err := getHeader(head)
	if err != nil {
		return nil, err
	}
	s := &Segment{data: data, head: h, docs: int(h.docs)}
	end := uint64(len(data))
	for i := range sections {
		if h.off[i] > end || h.len[i] > end-h.off[i] {
			return nil, fmt.Errorf("%w: cut short at %d bytes", ErrCorrupt, end)
		}
		s.sec[i] = data[h.off[i] : h.off[i]+h.len[i] : h.off[i]+h.len[i]]
	}
	s.terms = len(s.sec[secTerms]) / termSize
	switch {
	case len(s.sec[secNorms]) != s.docs*normSize, len(s.sec[secMeta]) != s.docs*metaSize,
		len(s.sec[secSpecial]) != 4*int(h.special), len(s.sec[secIDs]) != 4*tableSize(s.docs), len(s.sec[secHash]) != 4*tableSize(s.terms):
		return nil, fmt.Errorf("%w: sections do not fit together", ErrCorrupt)
	}
	return s, nil
}

// Verify reads the whole segment and compares its checksum.
func (s *Segment) Verify() error {
	return Guard(func() error {
		if crc.Checksum(s.data[headerSize:]) != s.head.sum {
			return fmt.Errorf("%w: checksum", ErrCorrupt)
		}
		return nil
	})
}

// Docs is the number of documents, deleted ones too.
func (s *Segment) Docs() int { return s.docs }

// Size is the number of bytes.
func (s *Segment) Size() int64 { return int64(len(s.data)) }

// smallSection is the size of a section of which two faults map all.
const smallSection = 128 << 10

// row gives the len(b) bytes at a place in a section, in b or not. To touch a page
// of a mapping for the first time costs as much as ten small reads; a process that
// looks up some fifty rows all over a large file and ends saves most of its time.
func (s *Segment) row(sec section, at int, b []byte) []byte {
	mapped := s.sec[sec][at:][:len(b)]
	if s.file == nil || len(s.sec[sec]) <= smallSection {
		return mapped
	}
	if n, err := s.file.ReadAt(b, int64(s.head.off[sec])+int64(at)); n < len(b) {
		panic(corrupt("it cannot be read: " + err.Error()))
	}
	return b
}

func (s *Segment) meta(doc uint32) meta {
	var b [metaSize]byte
	return getMeta(s.row(secMeta, int(doc)*metaSize, b[:]))
}

func (s *Segment) norm(doc uint32) []byte {
	return s.sec[secNorms][int(doc)*normSize:][:normSize]
}

func (s *Segment) created(doc uint32) int64 {
	var b [8]byte
	return int64(le.Uint64(s.row(secMeta, int(doc)*metaSize+16, b[:])))
}

// change is the change of a document, as the log has it, or "".
func (s *Segment) change(m meta) string {
	if m.change == 0 {
		return ""
	}
	return string(s.sec[secBlobs][m.change-1:][:m.changeN])
}

// find looks up the document of an id.
func (s *Segment) find(id uint64) (doc uint32, ok bool) {
	table := s.sec[secIDs]
	size := len(table) / 4
	for i, n := slot(id, size), 0; n < size; n++ {
		doc := le.Uint32(table[4*i:])
		if doc == 0 {
			return 0, false
		}
		if le.Uint64(s.sec[secMeta][int(doc-1)*metaSize:]) == id {
			return doc - 1, true
		}
		i = (i + 1) & (size - 1)
	}
	return 0, false
}

func (s *Segment) term(i int) term {
	var b [termSize]byte
	return getTerm(s.row(secTerms, i*termSize, b[:]))
}

func (s *Segment) key(t *term) []byte {
	return s.sec[secKeys][t.key:][:t.keyN]
}

// slotsRead are looked at together: a probe seldom goes further.
const slotsRead = 8

// lookup finds a term.
func (s *Segment) lookup(key string) (term, bool) {
	hash, size := hashKey(key), len(s.sec[secHash])/4
	var b [4 * slotsRead]byte
	for i, n := slot(hash, size), 0; n < size; {
		run := min(slotsRead, size-i)
		slots := s.row(secHash, 4*i, b[:4*run])
		for ; len(slots) > 0; slots = slots[4:] {
			v := le.Uint32(slots)
			if v == 0 {
				return term{}, false
			}
			ord, other := int(v), false
			if s.head.tagged {
				ord, other = int(v&(1<<tagShift-1)), (v^tag(hash))>>tagShift != 0
			}
			if ord == 0 || ord > s.terms {
				panic(corrupt("the hash table of terms"))
			}
			if other {
				continue
			}
			if t := s.term(ord - 1); s.hasKey(&t, key) {
				return t, true
			}
		}
		i, n = (i+run)&(size-1), n+run
	}
	return term{}, false
}

func (s *Segment) hasKey(t *term, key string) bool {
	if int(t.keyN) != len(key) {
		return false
	}
	var room [64]byte
	found := room[:]
	if len(key) > len(room) {
		found = make([]byte, len(key))
	}
	return string(s.row(secKeys, int(t.key), found[:len(key)])) == key
}

// prefixed gives the terms whose keys start with prefix, sorted.
func (s *Segment) prefixed(prefix string) func(yield func(key []byte, t term) bool) {
	return func(yield func([]byte, term) bool) {
		from := sort.Search(s.terms, func(i int) bool {
			t := s.term(i)
			return string(s.key(&t)) >= prefix
		})
		for i := from; i < s.terms; i++ {
			t := s.term(i)
			key := s.key(&t)
			if !bytes.HasPrefix(key, []byte(prefix)) || !yield(key, t) {
				return
			}
		}
	}
}

// topic gives the name of a topic and what is known of it.
func (s *Segment) topic(i int) (name []byte, row topicRow) {
	row = getTopic(s.sec[secTopics][i*topicSize:])
	return s.sec[secNames][row.name:][:row.nameN], row
}

func (s *Segment) topics() int { return len(s.sec[secTopics]) / topicSize }
