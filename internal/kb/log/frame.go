package log

import "encoding/binary"

// Type says what a record holds.
type Type uint8

const (
	TypeEntry  Type = 1
	TypeDelete Type = 2
	TypeEdge   Type = 3
	TypeChange Type = 4
	TypeVector Type = 5
	typeCommit Type = 6 // marks the batch before it as complete; a Scan never shows it
)

func (t Type) String() string {
	switch t {
	case TypeEntry:
		return "entry"
	case TypeDelete:
		return "delete"
	case TypeEdge:
		return "edge"
	case TypeChange:
		return "change"
	case TypeVector:
		return "vector"
	case typeCommit:
		return "commit"
	}
	return "unknown"
}

const (
	frameSize  = 48
	markerSize = frameSize + 16 // a whole commit record
	maxPayload = 1<<32 - 1
)

// marker starts every record. Its first byte never occurs in UTF-8, so no text
// contains it.
const marker = "\xfeAMR"

// frame is the header of a record. Its own checksum makes the length trustworthy
// even when the payload is damaged; offset and salt make sure that bytes which
// merely look like a record are not taken for one.
type frame struct {
	typ        Type
	offset     int64 // where the record starts
	batch      int64 // where its batch starts, 0 for a record that stands alone
	millis     int64 // Unix time
	topicLen   int   // the first bytes of the payload
	payloadLen int
	payloadSum uint32
	sum        uint32 // checksum of the fields above
}

// end is where the next record starts.
func (f *frame) end() int64 { return f.offset + frameSize + int64(f.payloadLen) }

// appendFrame adds a whole record to dst and returns its frame.
func appendFrame(dst []byte, salt uint32, f frame, topic, body string) ([]byte, frame) {
	start := len(dst)
	dst = append(dst, make([]byte, frameSize)...)
	dst = append(dst, topic...)
	dst = append(dst, body...)
	f.topicLen = len(topic)
	f.payloadLen = len(topic) + len(body)
	f.payloadSum = checksum(dst[start+frameSize:])

	b := dst[start : start+frameSize]
	copy(b, marker)
	binary.LittleEndian.PutUint32(b[4:], salt)
	binary.LittleEndian.PutUint64(b[8:], uint64(f.offset))
	binary.LittleEndian.PutUint64(b[16:], uint64(f.batch))
	binary.LittleEndian.PutUint64(b[24:], uint64(f.millis))
	b[32] = byte(f.typ)
	b[33] = 0
	binary.LittleEndian.PutUint16(b[34:], uint16(f.topicLen))
	binary.LittleEndian.PutUint32(b[36:], uint32(f.payloadLen))
	binary.LittleEndian.PutUint32(b[40:], f.payloadSum)
	f.sum = checksum(b[:44])
	binary.LittleEndian.PutUint32(b[44:], f.sum)
	return dst, f
}

// parseFrame reads the record header that should stand at offset.
func parseFrame(b []byte, offset int64, salt uint32) (frame, bool) {
	if len(b) < frameSize || string(b[:4]) != marker ||
		binary.LittleEndian.Uint32(b[4:]) != salt ||
		int64(binary.LittleEndian.Uint64(b[8:])) != offset ||
		binary.LittleEndian.Uint32(b[44:]) != checksum(b[:44]) {
		return frame{}, false
	}
	f := frame{
		typ:        Type(b[32]),
		offset:     offset,
		batch:      int64(binary.LittleEndian.Uint64(b[16:])),
		millis:     int64(binary.LittleEndian.Uint64(b[24:])),
		topicLen:   int(binary.LittleEndian.Uint16(b[34:])),
		payloadLen: int(binary.LittleEndian.Uint32(b[36:])),
		payloadSum: binary.LittleEndian.Uint32(b[40:]),
		sum:        binary.LittleEndian.Uint32(b[44:]),
	}
	ok := f.topicLen <= f.payloadLen && (f.batch == 0 || f.batch >= dataStart && f.batch <= offset)
	return f, ok
}

// commitInfo is the payload of a commit record: what the batch before it holds.
type commitInfo struct {
	records uint32
	bytes   uint64 // from the start of the batch to the commit record
	sum     uint32 // checksum of these bytes
}

func (c commitInfo) encode() string {
	var b [16]byte
	binary.LittleEndian.PutUint32(b[:], c.records)
	binary.LittleEndian.PutUint64(b[4:], c.bytes)
	binary.LittleEndian.PutUint32(b[12:], c.sum)
	return string(b[:])
}

func parseCommit(b []byte) (commitInfo, bool) {
	if len(b) != 16 {
		return commitInfo{}, false
	}
	return commitInfo{
		records: binary.LittleEndian.Uint32(b),
		bytes:   binary.LittleEndian.Uint64(b[4:]),
		sum:     binary.LittleEndian.Uint32(b[12:]),
	}, true
}
