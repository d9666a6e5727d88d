package log

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Pos is a place between two records of one generation of the log: the watermark
// of a view. The zero Pos is the beginning of any log, also of one that does not
// exist yet. Pos is comparable, and text to encoding/json.
type Pos struct {
	Log        [16]byte // identity of the log
	Generation uint64   // which rewrite of its file
	Offset     int64    // in bytes from the start of the file
	Last       int64    // offset of the record before Offset, 0 for none
	Sum        uint32   // header checksum of that record
}

// pos is the place behind a record, or behind the file header for none.
func (h header) pos(last frame) Pos {
	p := Pos{Log: h.id, Generation: h.generation, Offset: dataStart}
	if last.offset != 0 {
		p.Offset, p.Last, p.Sum = last.end(), last.offset, last.sum
	}
	return p
}

// String gives "" for the zero Pos, else five fields with ':' between them.
func (p Pos) String() string {
	if p == (Pos{}) {
		return ""
	}
	return fmt.Sprintf("%x:%d:%d:%d:%08x", p.Log, p.Generation, p.Offset, p.Last, p.Sum)
}

// MarshalText gives String.
func (p Pos) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *Pos) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*p = Pos{}
		return nil
	}
	fields := strings.Split(string(b), ":")
	if len(fields) != 5 {
		return fmt.Errorf("kb/log: position %q: want five fields", b)
	}
	var q Pos
	id, err := hex.DecodeString(fields[0])
	if err != nil || len(id) != len(q.Log) {
		return fmt.Errorf("kb/log: position %q: the first field is no log id", b)
	}
	copy(q.Log[:], id)
	var sum uint64
	var errs [4]error
	q.Generation, errs[0] = strconv.ParseUint(fields[1], 10, 64)
	q.Offset, errs[1] = strconv.ParseInt(fields[2], 10, 64)
	q.Last, errs[2] = strconv.ParseInt(fields[3], 10, 64)
	sum, errs[3] = strconv.ParseUint(fields[4], 16, 32)
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("kb/log: position %q: %w", b, err)
		}
	}
	q.Sum = uint32(sum)
	*p = q
	return nil
}
