package index

import (
	"encoding/binary"
	"math"
)

const (
	magic   = "AMRN"
	version = 6 // 3 was the original program's

	headerSize = 272
	normSize   = 8
	metaSize   = 64
	termSize   = 32
	skipSize   = 12
	topicSize  = 32
	blockLen   = 128 // postings of a block
)

// section numbers the parts of a segment.
type section int

const (
	secNorms    section = iota // normSize bytes a document
	secMeta                    // metaSize bytes a document
	secIDs                     // hash table of ids: uint32 document+1, 0 for empty
	secTerms                   // termSize bytes a term, sorted by key
	secHash                    // hash table of terms: uint32 term+1, 0 for empty; see tagged
	secKeys                    // keys of the terms
	secSkips                   // skipSize bytes a block, of lists of more than one
	secPostings                // blocks of postings
	secTopics                  // topicSize bytes a topic, sorted by name
	secNames                   // names of the topics
	secBlobs                   // changes, as the log has them
	secSpecial                 // uint32 each: the documents that are hidden or limited
	sections
)

// A posting says in one byte how a document has a term: the lower four bits count
// its occurrences in the text, up to 15, and one bit each stands for the other
// fields. BM25 is nearly flat beyond 15. A second byte is the length of the
// document's text, so that scoring touches nothing but the postings. In the list of a key that
// is no word, the two are the day of the document's creation instead: see dated.
const (
	codeText   = 0x0f
	codeTopic  = 0x10
	codeTags   = 0x20
	codeSource = 0x40
)

// Terms that are not words start with a byte that no word has.
const (
	keyPlain  = "\x01" // a word as it stands, where its stem is another
	keyTag    = "\x02"
	keySource = "\x03" // path with its elements in reverse, so that a common end is a common prefix
	keyTopic  = "\x05"
	// Of the entries that belong to a project, with the elements of its path in reverse.
	keyProject = "\x06"
)

// dated reports whether the postings of a key have the day of each document. Such
// lists are asked for their newest documents, most of which are told from the others by
// the day alone.
func dated(key string) bool { return key != "" && key[0] > keyPlain[0] && key[0] <= keyProject[0] }

var le = binary.LittleEndian

// norm is what is needed of every document whose words might make it a hit.
type norm struct {
	length uint8 // of the text, by lengthCode
	kind   uint8
	conf   uint8 // 255 is full confidence
	credit uint8 // 255 is the best
	flags  uint8
	// project is 0 for an entry of none, else by projectCode: enough to turn away most
	// entries of other projects without a look at their meta.
	project uint8
	day     uint16 // of its creation, since 1970
}

const (
	flagHidden  = 1 << iota // forgotten or superseded
	flagLimited             // valid from or until some time
)

func (n norm) put(b []byte) {
	b[0], b[1], b[2], b[3], b[4], b[5] = n.length, n.kind, n.conf, n.credit, n.flags, n.project
	le.PutUint16(b[6:], n.day)
}

func getNorm(b []byte) norm {
	return norm{length: b[0], kind: b[1], conf: b[2], credit: b[3], flags: b[4], project: b[5], day: le.Uint16(b[6:])}
}

// lengthCode brings a number of words to one byte, in steps of 9 %: code c stands for
// 2^(c/8) - 1 words.
func lengthCode(words int) uint8 {
	return uint8(math.Round(8 * math.Log2(float64(min(words, math.MaxUint16))+1)))
}

// meta is what is needed of documents that get near the result.
type meta struct {
	id       uint64 // hash of the entry's id
	offset   int64  // of its record in the log
	created  int64  // ms since 1970, as the others
	from     int64  // valid from, 0 for always
	until    int64  // valid until, 0 for ever
	topic    uint32
	change   uint32 // start of its change among the blobs + 1, 0 for none
	changeN  uint32 // length of the change
	helped   uint16
	harmed   uint16
	salience uint8  // 255 is 1
	project  uint32 // by projectCode
}

func (m *meta) put(b []byte) {
	le.PutUint64(b, m.id)
	le.PutUint64(b[8:], uint64(m.offset))
	le.PutUint64(b[16:], uint64(m.created))
	le.PutUint64(b[24:], uint64(m.from))
	le.PutUint64(b[32:], uint64(m.until))
	le.PutUint32(b[40:], m.topic)
	le.PutUint32(b[44:], m.change)
	le.PutUint32(b[48:], m.changeN)
	le.PutUint16(b[52:], m.helped)
	le.PutUint16(b[54:], m.harmed)
	b[56] = m.salience
	le.PutUint32(b[60:], m.project)
}

func getMeta(b []byte) meta {
	return meta{
		id:       le.Uint64(b),
		offset:   int64(le.Uint64(b[8:])),
		created:  int64(le.Uint64(b[16:])),
		from:     int64(le.Uint64(b[24:])),
		until:    int64(le.Uint64(b[32:])),
		topic:    le.Uint32(b[40:]),
		change:   le.Uint32(b[44:]),
		changeN:  le.Uint32(b[48:]),
		helped:   le.Uint16(b[52:]),
		harmed:   le.Uint16(b[54:]),
		salience: b[56],
		project:  le.Uint32(b[60:]),
	}
}

// term says where the postings of a key are.
type term struct {
	key  uint32 // start among the keys
	keyN uint16
	docs uint32 // postings
	post uint64 // start among the postings
	size uint32 // bytes of postings
	skip uint32 // first block among the skips; lists of one block have none
	max  float32
}

func (t *term) put(b []byte) {
	le.PutUint32(b, t.key)
	le.PutUint16(b[4:], t.keyN)
	le.PutUint32(b[8:], t.docs)
	le.PutUint64(b[12:], t.post)
	le.PutUint32(b[20:], t.size)
	le.PutUint32(b[24:], t.skip)
	le.PutUint32(b[28:], math.Float32bits(t.max))
}

func getTerm(b []byte) term {
	return term{
		key:  le.Uint32(b),
		keyN: le.Uint16(b[4:]),
		docs: le.Uint32(b[8:]),
		post: le.Uint64(b[12:]),
		size: le.Uint32(b[20:]),
		skip: le.Uint32(b[24:]),
		max:  math.Float32frombits(le.Uint32(b[28:])),
	}
}

// topicRow sums up the documents of a topic, deleted ones too.
type topicRow struct {
	name        uint32
	nameN       uint16
	docs        uint32
	first, last int64
}

func (t *topicRow) put(b []byte) {
	le.PutUint32(b, t.name)
	le.PutUint16(b[4:], t.nameN)
	le.PutUint32(b[8:], t.docs)
	le.PutUint64(b[16:], uint64(t.first))
	le.PutUint64(b[24:], uint64(t.last))
}

func getTopic(b []byte) topicRow {
	return topicRow{
		name:  le.Uint32(b),
		nameN: le.Uint16(b[4:]),
		docs:  le.Uint32(b[8:]),
		first: int64(le.Uint64(b[16:])),
		last:  int64(le.Uint64(b[24:])),
	}
}

// hashKey places keys and ids in hash tables: FNV-1a, 64 bits.
func hashKey[T string | []byte](key T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(key); i++ {
		h = (h ^ uint64(key[i])) * 0x100000001b3
	}
	return h
}

// tableSize is the number of slots for n things: a power of two, at most two
// thirds full.
func tableSize(n int) int {
	size := 4
	for size*2 < n*3 {
		size *= 2
	}
	return size
}

// slot is where a probe for hash starts in a table of size slots. The upper half
// goes in too: FNV's lower bits alone are uneven for short keys.
func slot(hash uint64, size int) int { return int((hash ^ hash>>32) & uint64(size-1)) }

// A tagged table has the upper byte of the hash in the upper byte of a slot, so that
// a probe for a key that is not there hardly ever looks at another key.
const (
	tagShift  = 24
	maxTagged = 1<<tagShift - 2 // terms that leave the byte free
)

func tag(hash uint64) uint32 { return uint32(hash>>56) << tagShift }
