package index

import (
	"bytes"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"

	"helix/internal/kb/crc"
	"helix/internal/kb/rawfile"
)

// Segment is an index that never changes.
type Segment struct {
	data  []byte           // nil of one that is read sparsely, until section needs it
	sec   [sections][]byte // of data
	docs  int
	terms int
	head  header
	file  *rawfile.File // of a large one that is read sparsely, else nil
	maps  sync.Once     // data of such a one
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
func Load(data []byte) (*Segment, error) {
	s, err := newSegment(data[:min(len(data), headerSize)])
	if err != nil {
		return nil, err
	}
	if err := s.take(data); err != nil {
		return nil, err
	}
	return s, nil
}

// newSegment makes a segment of its header, without data.
func newSegment(head []byte) (*Segment, error) {
	h, err := getHeader(head)
	if err != nil {
		return nil, err
	}
	s := &Segment{head: h, docs: int(h.docs), terms: int(h.len[secTerms] / termSize)}
	for i := range sections {
		if h.off[i] > maxSize || h.len[i] > maxSize {
			return nil, fmt.Errorf("%w: a section of %d bytes at %d", ErrCorrupt, h.len[i], h.off[i])
		}
	}
	size := func(sec section) int { return int(h.len[sec]) }
	switch {
	case size(secNorms) != s.docs*normSize, size(secMeta) != s.docs*metaSize,
		size(secSpecial) != 4*int(h.special), size(secIDs) != 4*tableSize(s.docs), size(secHash) != 4*tableSize(s.terms):
		return nil, fmt.Errorf("%w: sections do not fit together", ErrCorrupt)
	}
	return s, nil
}

// maxSize of a segment keeps sums of its places from running over.
const maxSize = 1 << 50

// take gives the segment its data.
func (s *Segment) take(data []byte) error {
	end := uint64(len(data))
	for i := range sections {
		from, to := s.head.off[i], s.head.off[i]+s.head.len[i]
		if to > end {
			return fmt.Errorf("%w: cut short at %d bytes", ErrCorrupt, end)
		}
		s.sec[i] = data[from:to:to]
	}
	s.data = data
	return nil
}

// section gives a section whole. Of a segment that is read sparsely that maps the file.
func (s *Segment) section(sec section) []byte {
	if s.file != nil {
		if s.maps.Do(s.mapAll); s.data == nil {
			panic(corrupt("it could not be mapped before"))
		}
	}
	return s.sec[sec]
}

// Verify reads the whole segment and compares its checksum.
func (s *Segment) Verify() error {
	return Guard(func() error {
		s.section(0)
		if crc.Checksum(s.data[headerSize:]) != s.head.sum {
			return fmt.Errorf("%w: checksum", ErrCorrupt)
		}
		return nil
	})
}

// Docs is the number of documents, deleted ones too.
func (s *Segment) Docs() int { return s.docs }

// Size is the number of bytes.
func (s *Segment) Size() int64 {
	size := uint64(0)
	for i := range sections {
		size = max(size, s.head.off[i]+s.head.len[i])
	}
	return int64(size)
}

// row gives the len(b) bytes at a place in a section, in b or not. To touch a page
// of a mapping for the first time costs as much as ten small reads; a process that
// looks up some fifty rows all over a large file and ends saves most of its time.
func (s *Segment) row(sec section, at int, b []byte) []byte {
	if s.file == nil {
		return s.sec[sec][at:][:len(b)]
	}
	if at < 0 || uint64(at)+uint64(len(b)) > s.head.len[sec] {
		panic(corrupt("a place behind the end"))
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
	return s.section(secNorms)[int(doc)*normSize:][:normSize]
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
	return string(s.section(secBlobs)[m.change-1:][:m.changeN])
}

// find looks up the document of an id.
func (s *Segment) find(id uint64) (doc uint32, ok bool) {
	table := s.section(secIDs)
	size := len(table) / 4
	for i, n := slot(id, size), 0; n < size; n++ {
		doc := le.Uint32(table[4*i:])
		if doc == 0 {
			return 0, false
		}
		if le.Uint64(s.section(secMeta)[int(doc-1)*metaSize:]) == id {
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
	return s.section(secKeys)[t.key:][:t.keyN]
}

// slotsRead are looked at together: a probe seldom goes further.
const slotsRead = 8

// lookup finds a term.
func (s *Segment) lookup(key string) (term, bool) {
	hash, size := hashKey(key), int(s.head.len[secHash]/4)
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
	row = getTopic(s.section(secTopics)[i*topicSize:])
	return s.section(secNames)[row.name:][:row.nameN], row
}

func (s *Segment) topics() int { return int(s.head.len[secTopics] / topicSize) }
