package log

import (
	"encoding/binary"

	"helix/internal/kb/crc"
)

const (
	magic = "AMRL"

	version1 = 1
	version2 = 2

	v1HeaderSize = 8
	headerSize   = 64
	// dataStart is where the first record of a version 2 log lies: behind the
	// header and its copy.
	dataStart = 2 * headerSize
)

func checksum(b []byte) uint32 { return crc.Checksum(b) }

// header is the file header of version 2.
type header struct {
	id         [16]byte // of the log, kept over compactions
	generation uint64   // one more at every rewrite of the file
	created    int64    // of this generation, Unix milliseconds
	salt       uint32   // repeated in every record, so that bytes of another file never pass for one
}

// encode gives the header and its copy.
func (h header) encode() []byte {
	b := make([]byte, headerSize, dataStart)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[4:], version2)
	copy(b[8:], h.id[:])
	binary.LittleEndian.PutUint64(b[24:], h.generation)
	binary.LittleEndian.PutUint64(b[32:], uint64(h.created))
	binary.LittleEndian.PutUint32(b[40:], h.salt)
	binary.LittleEndian.PutUint32(b[60:], checksum(b[:60]))
	return append(b, b...)
}

// parseHeader reads one of the two copies.
func parseHeader(b []byte) (header, bool) {
	if len(b) < headerSize || string(b[:4]) != magic ||
		binary.LittleEndian.Uint32(b[4:]) != version2 ||
		binary.LittleEndian.Uint32(b[60:]) != checksum(b[:60]) {
		return header{}, false
	}
	h := header{
		generation: binary.LittleEndian.Uint64(b[24:]),
		created:    int64(binary.LittleEndian.Uint64(b[32:])),
		salt:       binary.LittleEndian.Uint32(b[40:]),
	}
	copy(h.id[:], b[8:24])
	return h, true
}

// identity is what the first bytes of a file say about it.
type identity struct {
	version int // 0: nothing in it yet
	header  header
	damage  []Damage // a copy of the header that does not read
}

// identify looks at the first bytes of a file of the given size. b holds as many
// of them as there are, up to dataStart.
func identify(b []byte) (identity, error) {
	first, firstOK := parseHeader(b)
	var second header
	secondOK := false
	if len(b) >= dataStart {
		second, secondOK = parseHeader(b[headerSize:dataStart])
	}
	switch {
	case firstOK && (secondOK || len(b) < dataStart):
		return identity{version: version2, header: first}, nil
	case firstOK:
		return identity{version2, first, []Damage{{headerSize, dataStart, "copy of the file header"}}}, nil
	case secondOK:
		return identity{version2, second, []Damage{{0, headerSize, "file header"}}}, nil
	}
	return identifyOther(b)
}

// identifyOther tells apart what has no readable version 2 header.
func identifyOther(b []byte) (identity, error) {
	if len(b) < v1HeaderSize {
		v1 := magic + "\x01\x00\x00\x00"
		if string(b) == v1[:len(b)] {
			return identity{}, nil // empty, or version 1 died while writing its first bytes
		}
		return identity{}, ErrForeign
	}
	if string(b[:4]) != magic {
		return identity{}, ErrForeign
	}
	switch v := binary.LittleEndian.Uint32(b[4:]); {
	case v == version1:
		return identity{version: version1}, nil
	case v > version2 && v < 1<<16:
		return identity{}, ErrNewer
	}
	return identity{}, ErrDamaged
}
