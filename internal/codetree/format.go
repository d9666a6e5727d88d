package codetree

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// The file, all numbers little-endian:
//
//	header    4096 bytes: magic, version, key of the root, number of nodes, offset
//	          of the root's record, of the index table, and the sections; its sum
//	files     one record a file, ordered by folder and name
//	dirs      one record a folder, ordered by depth and path
//	index     node id -> folder, file or symbol of a file; ordered by id
//	names     name -> postings; ordered by folded name, then by name
//	strings   paths, names, summaries of folders
//	postings  for each name the files that define, call, import and are called it
//	records   what each file holds (record.go), with a sum of its own
//
// The sums of all sections but the last are checked when the file is opened, that
// of a record when it is first read.
const (
	magic      = "TRAG"
	version    = 2 // raised with every change of the format or of what the parsers find
	headerSize = 4096
)

const (
	fileSection = iota
	dirSection
	indexSection
	nameSection
	stringSection
	postingSection
	recordSection
	sections
)

// Sizes of the records of fixed size.
const (
	fileSize  = 64
	dirSize   = 40
	indexSize = 16
	nameSize  = 16
)

// Where the header has what.
const (
	atVersion  = 4
	atNodes    = 8
	atRoot     = 16
	atIndex    = 24
	atKey      = 32
	atSections = 64
	sectionLen = 24
	atSum      = headerSize - 4
)

var (
	// ErrNoTree: none has been built, or what is there is damaged, of another
	// version or of another project. Update builds one.
	ErrNoTree = errors.New("there is no code tree of this project")
	// ErrCorrupt: a part of the file that is only checked when it is read is
	// damaged. Update repairs it.
	ErrCorrupt = errors.New("the code tree is damaged")
	// ErrNotFound: the project has no such node or file.
	ErrNotFound = errors.New("not in the code tree")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// rootKey tells projects apart.
func rootKey(root string) [sha256.Size]byte { return sha256.Sum256([]byte(root)) }

type section struct {
	off, len uint64
	sum      uint32
}

type header struct {
	nodes    uint64
	sections [sections]section
}

func (h *header) encode(root string) []byte {
	b := make([]byte, headerSize)
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[atVersion:], version)
	le.PutUint64(b[atNodes:], h.nodes)
	le.PutUint64(b[atRoot:], h.sections[dirSection].off)
	le.PutUint64(b[atIndex:], h.sections[indexSection].off)
	key := rootKey(root)
	copy(b[atKey:], key[:])
	for i, s := range h.sections {
		p := b[atSections+i*sectionLen:]
		le.PutUint64(p, s.off)
		le.PutUint64(p[8:], s.len)
		le.PutUint32(p[16:], s.sum)
	}
	le.PutUint32(b[atSum:], checksum(b[:atSum]))
	return b
}

// decodeHeader checks everything that can be checked without the records.
func decodeHeader(data []byte, root string) (*header, error) {
	le := binary.LittleEndian
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: no code tree file", ErrNoTree)
	}
	if v := le.Uint32(data[atVersion:]); v != version {
		return nil, fmt.Errorf("%w: version %d and not %d", ErrNoTree, v, version)
	}
	if checksum(data[:atSum]) != le.Uint32(data[atSum:]) {
		return nil, fmt.Errorf("%w: damaged header", ErrNoTree)
	}
	if key := rootKey(root); string(data[atKey:atKey+len(key)]) != string(key[:]) {
		return nil, fmt.Errorf("%w: it is of another project", ErrNoTree)
	}
	h := &header{nodes: le.Uint64(data[atNodes:])}
	next := uint64(headerSize)
	for i := range h.sections {
		p := data[atSections+i*sectionLen:]
		s := section{le.Uint64(p), le.Uint64(p[8:]), le.Uint32(p[16:])}
		if s.off != next || s.len > uint64(len(data))-next {
			return nil, fmt.Errorf("%w: section %d lies outside", ErrNoTree, i)
		}
		next += s.len
		if i != recordSection && checksum(data[s.off:next]) != s.sum {
			return nil, fmt.Errorf("%w: section %d is damaged", ErrNoTree, i)
		}
		h.sections[i] = s
	}
	if next != uint64(len(data)) {
		return nil, fmt.Errorf("%w: it has the wrong length", ErrNoTree)
	}
	for i, size := range map[int]uint64{fileSection: fileSize, dirSection: dirSize, indexSection: indexSize, nameSection: nameSize} {
		if h.sections[i].len%size != 0 {
			return nil, fmt.Errorf("%w: section %d has a broken record", ErrNoTree, i)
		}
	}
	if h.sections[dirSection].len == 0 {
		return nil, fmt.Errorf("%w: it has no root", ErrNoTree)
	}
	return h, nil
}
