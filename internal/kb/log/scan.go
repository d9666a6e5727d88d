package log

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"helix/internal/kb/entry"
)

// Scanned is what a Scan passed.
type Scanned struct {
	End     Pos // behind the last record passed: where to go on next time
	Records int // shown to the function
	Damage  []Damage
}

// Scan shows fn every committed record behind from, in the order of the log:
// entries that were deleted or replaced later, deletes, changes, edges, vectors,
// and records of types that this version does not know. A version 1 log shows its
// live entries only. Damaged records are left out and named in the result.
//
// fn ends the scan with Stop or an error. ErrStale means that from is not a place
// in this log.
func (r *Reader) Scan(from Pos, fn func(*Record) error) (Scanned, error) {
	if !r.Holds(from) {
		return Scanned{}, fmt.Errorf("kb/log: scan %s from offset %d: %w", r.path, from.Offset, ErrStale)
	}
	scanned, err := Scanned{End: from}, error(nil)
	switch r.ident.version {
	case version1:
		err = r.scanV1(&scanned, from, fn)
	case version2:
		err = r.scanV2(&scanned, from, fn)
	}
	if errors.Is(err, Stop) {
		err = nil
	}
	return scanned, err
}

func (r *Reader) scanV2(scanned *Scanned, from Pos, fn func(*Record) error) error {
	t, err := r.findTail()
	if err != nil {
		return err
	}
	if from == (Pos{}) {
		scanned.End = r.ident.header.pos(frame{})
	}
	c := &cursor{src: r.f, salt: r.ident.header.salt, end: t.end}
	var rec Record
	for off := scanned.End.Offset; off < t.end; {
		s, err := c.next(off)
		if err != nil {
			return fmt.Errorf("kb/log: read %s at offset %d: %w", r.path, off, err)
		}
		off = s.next
		if s.damage != nil {
			scanned.Damage = append(scanned.Damage, *s.damage)
			continue
		}
		scanned.End = r.ident.header.pos(s.frame)
		if s.frame.typ == typeCommit {
			continue
		}
		scanned.Records++
		rec.fromFrame(s.frame, s.payload)
		if err := fn(&rec); err != nil {
			return err
		}
	}
	return nil
}

// At reads the record that starts at offset. ErrNoRecord and ErrDamaged say what
// is wrong there. The record stays valid.
func (r *Reader) At(offset int64) (*Record, error) {
	rec, err := r.recordAt(offset, make([]byte, firstRead))
	if err != nil {
		return nil, r.atErr(offset, err)
	}
	return &rec, nil
}

// EntryAt decodes the entry record that starts at offset, as At and Record.Entry
// do. For many entries it is the cheaper way: one buffer serves them all.
func (r *Reader) EntryAt(offset int64) (entry.Entry, error) {
	buf := r.spare.Swap(nil)
	if buf == nil {
		buf = new(room)
	}
	defer r.spare.Store(buf)
	rec, err := r.recordAt(offset, buf.free(r.blocks))
	if err != nil {
		return entry.Entry{}, r.atErr(offset, err)
	}
	if !r.blocks || rec.v1 != nil || rec.Type != TypeEntry {
		return rec.Entry()
	}
	if rec.Size <= firstRead { // else it is elsewhere
		buf.used += int(rec.Size)
	}
	return rec.entry(keep(rec.topic), keep(rec.body))
}

// room is what EntryAt reads into. With blocks, the entries stay there.
type room struct {
	block []byte
	used  int
}

// blockSize is the size of a block of entries.
const blockSize = 16 << 10

// free gives room for a first read that nobody uses.
func (m *room) free(blocks bool) []byte {
	if len(m.block)-m.used < firstRead {
		size := firstRead
		if blocks {
			size = blockSize
		}
		m.used, m.block = 0, make([]byte, size)
	}
	return m.block[m.used:][:firstRead]
}

// keep gives bytes as a string that nobody writes to any more.
func keep(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (r *Reader) atErr(offset int64, err error) error {
	return fmt.Errorf("kb/log: read %s at offset %d: %w", r.path, offset, err)
}

// firstRead is enough for most entries, so that they cost one read.
const firstRead = 4 << 10

// recordAt reads into buf where the record fits.
func (r *Reader) recordAt(offset int64, buf []byte) (Record, error) {
	if r.ident.version == version1 {
		return r.recordAtV1(offset)
	}
	if r.ident.version != version2 || offset < dataStart || offset >= r.info.size {
		return Record{}, ErrNoRecord
	}
	b, err := readInto(r.f.ReadAt, offset, buf[:min(int64(len(buf)), r.info.size-offset)])
	if err != nil {
		return Record{}, err
	}
	f, ok := parseFrame(b, offset, r.ident.header.salt)
	if !ok || f.typ == typeCommit || f.end() > r.info.size {
		return Record{}, ErrNoRecord
	}
	if want := frameSize + f.payloadLen; len(b) < want {
		if b, err = readUpTo(r.f.ReadAt, offset, want); err != nil {
			return Record{}, err
		}
		if len(b) < want {
			return Record{}, ErrDamaged
		}
	}
	payload := b[frameSize : frameSize+f.payloadLen]
	if checksum(payload) != f.payloadSum {
		return Record{}, fmt.Errorf("%w: checksum of the %s record", ErrDamaged, f.typ)
	}
	var rec Record
	rec.fromFrame(f, payload)
	return rec, nil
}

// v1End is the place behind a version 1 log. Such a log has no identity of its
// own, so its file and length stand in for it: a view of it holds only as long as
// nothing at all changed.
func (r *Reader) v1End() Pos {
	var p Pos
	binary.LittleEndian.PutUint64(p.Log[:], r.info.dev)
	binary.LittleEndian.PutUint64(p.Log[8:], r.info.ino)
	p.Offset = r.info.size
	return p
}

func (r *Reader) loadV1() (*v1Log, error) {
	r.v1Once.Do(func() {
		r.v1, r.v1Err = readV1(r.f, r.info.size)
		if r.v1Err != nil {
			r.v1Err = fmt.Errorf("kb/log: read %s: %w", r.path, r.v1Err)
		}
	})
	return r.v1, r.v1Err
}

func (r *Reader) scanV1(scanned *Scanned, from Pos, fn func(*Record) error) error {
	if from == r.v1End() {
		return nil
	}
	l, err := r.loadV1()
	if err != nil {
		return err
	}
	scanned.Damage = append(scanned.Damage, l.damage...)
	c := &cursor{src: r.f, end: r.info.size}
	for _, v := range l.live() {
		b, err := c.at(v.offset, int(v.end()-v.offset))
		if err != nil {
			return fmt.Errorf("kb/log: read %s at offset %d: %w", r.path, v.offset, err)
		}
		scanned.Records++
		var rec Record
		rec.fromV1(v, b, r.zone)
		if err := fn(&rec); err != nil {
			return err
		}
	}
	scanned.End = r.v1End()
	return nil
}

func (r *Reader) recordAtV1(offset int64) (Record, error) {
	if offset < v1HeaderSize || offset >= r.info.size {
		return Record{}, ErrNoRecord
	}
	s := v1Scanner{cursor{src: r.f, end: r.info.size}}
	v, fits, err := s.parse(offset)
	if err != nil {
		return Record{}, err
	}
	if !fits || v.typ != TypeEntry {
		return Record{}, ErrNoRecord
	}
	b, err := s.at(offset, int(v.end()-offset))
	if err != nil {
		return Record{}, err
	}
	var rec Record
	rec.fromV1(v, append([]byte(nil), b...), r.zone)
	return rec, nil
}

func (r *Record) fromV1(v v1Record, b []byte, zone *time.Location) {
	*r = Record{
		Type:   TypeEntry,
		Offset: v.offset,
		Size:   int64(len(b)),
		Time:   entry.V1Time(v.minutes, zone),
		topic:  b[v1EntryHead : v1EntryHead+v.topicLen],
		body:   b[v1EntryHead+v.topicLen:],
		v1:     &v1Source{v.minutes, zone},
	}
}
