package log

import (
	"encoding/binary"
	"io"
	"unicode/utf8"
)

// Version 1 has no checksums and no marks to find a record by. It is read exactly
// as the original reads it as long as every record is followed by another one or
// by the end of the file. Where that fails, the original stops and hides all that
// follows; this reader looks for the next place from where the records chain up
// again, and names what it left out.

const (
	v1EntryHead  = 12
	v1DeleteSize = 8
	// v1Chain is how many records must follow each other for a place to count as
	// the start of a record after damage.
	v1Chain = 3
)

// v1Record is an entry or a delete record of a version 1 log.
type v1Record struct {
	typ      Type
	offset   int64
	topicLen int
	bodyLen  int
	minutes  int32
	target   int64 // of a delete: offset of the entry
}

func (r *v1Record) end() int64 {
	if r.typ == TypeDelete {
		return r.offset + v1DeleteSize
	}
	return r.offset + v1EntryHead + int64(r.topicLen) + int64(r.bodyLen)
}

// v1Log is what a whole version 1 file holds.
type v1Log struct {
	entries []v1Record // in the order of the file
	deleted map[int64]bool
	damage  []Damage
	tail    *Damage // an unfinished record at the end
}

func (l *v1Log) live() []v1Record {
	live := make([]v1Record, 0, len(l.entries))
	for _, r := range l.entries {
		if !l.deleted[r.offset] {
			live = append(live, r)
		}
	}
	return live
}

// readV1 reads the structure of the file, not its texts.
func readV1(src io.ReaderAt, size int64) (*v1Log, error) {
	l := &v1Log{deleted: map[int64]bool{}}
	s := v1Scanner{cursor{src: src, end: size}}
	for off := int64(v1HeaderSize); off < size; {
		r, fits, err := s.parse(off)
		if err != nil {
			return nil, err
		}
		if fits {
			if fits, err = s.followed(r); err != nil {
				return nil, err
			}
		}
		if !fits {
			if off, err = s.skipDamage(l, off); err != nil {
				return nil, err
			}
			continue
		}
		if r.typ == TypeDelete {
			l.deleted[r.target] = true
		} else {
			l.entries = append(l.entries, r)
		}
		off = r.end()
	}
	return l, nil
}

type v1Scanner struct{ cursor }

// parse reads the record at off; false when none of a known type fits there.
func (s *v1Scanner) parse(off int64) (v1Record, bool, error) {
	if s.left(off) < v1DeleteSize {
		return v1Record{}, false, nil
	}
	b, err := s.at(off, int(min(v1EntryHead, s.left(off))))
	if err != nil {
		return v1Record{}, false, err
	}
	switch {
	case b[0] == byte(TypeDelete):
		target := int64(binary.LittleEndian.Uint32(b[4:]))
		return v1Record{typ: TypeDelete, offset: off, target: target}, true, nil
	case b[0] == byte(TypeEntry) && len(b) == v1EntryHead:
		r := v1Record{
			typ: TypeEntry, offset: off,
			topicLen: int(b[1]),
			bodyLen:  int(binary.LittleEndian.Uint32(b[2:])),
			minutes:  int32(binary.LittleEndian.Uint32(b[6:])),
		}
		return r, r.end() <= s.end, nil
	}
	return v1Record{}, false, nil
}

// followed reports whether a record is followed by something that can stand in a
// log: the end, a record that fits, or an unfinished last record. If not, the
// length of the record itself may be damaged, and then trusting it would swallow
// the records behind it: it is followed by nothing only if these cannot be found.
func (s *v1Scanner) followed(r v1Record) (bool, error) {
	if r.typ == TypeDelete || s.left(r.end()) < v1DeleteSize {
		return true, nil
	}
	_, fits, err := s.parse(r.end())
	if err != nil || fits {
		return true, err
	}
	next, err := s.resync(r.offset+1, r.end())
	return next == r.end(), err
}

// skipDamage notes the damage at off and gives the offset where records go on.
func (s *v1Scanner) skipDamage(l *v1Log, off int64) (int64, error) {
	next, err := s.resync(off+1, s.end)
	if err != nil {
		return 0, err
	}
	d := Damage{off, next, "no version 1 record"}
	if next == s.end {
		d.What = "unfinished version 1 record"
		l.tail = &d
	} else {
		l.damage = append(l.damage, d)
	}
	return next, nil
}

// resync finds the first offset in [from, to) at which a chain of plausible
// records starts, or to.
func (s *v1Scanner) resync(from, to int64) (int64, error) {
	for off := from; off < to && s.left(off) >= v1DeleteSize; off++ {
		b, err := s.at(off, 1)
		if err != nil {
			return 0, err
		}
		if b[0] != byte(TypeEntry) && b[0] != byte(TypeDelete) {
			continue
		}
		ok, err := s.chains(off)
		if err != nil {
			return 0, err
		}
		if ok {
			return off, nil
		}
	}
	return to, nil
}

// chains reports whether v1Chain plausible records follow each other from off on,
// or fewer of them that end exactly with the file.
func (s *v1Scanner) chains(off int64) (bool, error) {
	for n := 0; n < v1Chain; n++ {
		if off == s.end {
			return n > 0, nil
		}
		r, fits, err := s.parse(off)
		if err != nil || !fits {
			return false, err
		}
		ok, err := s.plausible(r)
		if err != nil || !ok {
			return false, err
		}
		off = r.end()
	}
	return true, nil
}

// Minutes between which version 1 logs can have been written: 2000 to 2100.
const (
	v1Earliest = 30 * 365 * 24 * 60
	v1Latest   = 130 * 366 * 24 * 60
)

// plausible is stricter than parse: it looks at the padding, the time and the
// topic. It is only asked after damage.
func (s *v1Scanner) plausible(r v1Record) (bool, error) {
	if r.typ == TypeDelete {
		b, err := s.at(r.offset, v1DeleteSize)
		if err != nil {
			return false, err
		}
		return b[1]|b[2]|b[3] == 0 && r.target >= v1HeaderSize && r.target < r.offset, nil
	}
	if r.topicLen == 0 || r.minutes < v1Earliest || r.minutes > v1Latest {
		return false, nil
	}
	b, err := s.at(r.offset, v1EntryHead+r.topicLen)
	if err != nil {
		return false, err
	}
	return b[10]|b[11] == 0 && utf8.Valid(b[v1EntryHead:]), nil
}
