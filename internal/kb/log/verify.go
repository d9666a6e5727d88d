package log

import (
	"context"
	"errors"
	"fmt"
	"io"

	"helix/internal/kb/crc"
)

// Report is what Verify found.
type Report struct {
	Path    string
	Version int // 0: there is no log yet
	Bytes   int64
	Records map[Type]int // readable ones
	Live    int          // entries that are neither deleted nor replaced
	Damage  []Damage     // in the order of the file
	// Tail is an unfinished write at the end. It is no damage: readers do not see
	// it, and the next writer cuts it off. A write under way looks the same.
	Tail *Damage

	tailDamaged bool // the last of Damage is behind the last record
}

// OK reports whether every byte that counts is as it was written.
func (r *Report) OK() bool { return len(r.Damage) == 0 }

// Verify reads the whole log and checks every checksum, every batch, and that
// every record can be decoded. It needs no lock, except when the last bytes make
// no sense: it then waits until no writer is at work and looks again, because a
// write that is under way may look like that. ctx bounds that wait.
func Verify(ctx context.Context, dir string, opts ...Option) (Report, error) {
	l := Open(dir, opts...)
	rep, err := l.verify()
	if err != nil || !rep.tailDamaged {
		return rep, err
	}
	unlock, err := l.lock(ctx)
	if err != nil {
		return rep, fmt.Errorf("%w; the last bytes of %s may belong to a write under way", err, rep.Path)
	}
	defer unlock()
	return l.verify()
}

func (l *Log) verify() (Report, error) {
	r, err := openReader(l.fs, l.path, l.opts.zone)
	if err != nil {
		return Report{}, err
	}
	rep, err := verify(r)
	return rep, errors.Join(err, r.Close())
}

func verify(r *Reader) (Report, error) {
	rep := Report{
		Path: r.path, Version: r.Version(), Bytes: r.info.size,
		Records: map[Type]int{}, Damage: append([]Damage(nil), r.ident.damage...),
	}
	f := NewFold()
	var broken []Damage
	scanned, err := r.Scan(Pos{}, func(rec *Record) error {
		rep.Records[rec.Type]++
		err := f.Apply(rec)
		if err == nil && rec.Type == TypeEntry {
			_, err = rec.Entry()
		}
		if err != nil {
			broken = append(broken, Damage{rec.Offset, rec.Offset + rec.Size, err.Error()})
		}
		return nil
	})
	if err != nil {
		return rep, err
	}
	rep.Live = f.Len()
	rep.Damage = append(rep.Damage, scanned.Damage...)
	rep.Damage = append(rep.Damage, broken...)
	switch rep.Version {
	case version1:
		err = rep.tailV1(r)
	case version2:
		err = rep.tailV2(r)
	}
	return rep, err
}

func (rep *Report) tailV1(r *Reader) error {
	l, err := r.loadV1()
	if err == nil {
		rep.Tail = l.tail
	}
	return err
}

func (rep *Report) tailV2(r *Reader) error {
	t, err := r.findTail()
	if err != nil {
		return err
	}
	if err := rep.batches(r, t); err != nil {
		return err
	}
	if t.end >= r.info.size {
		return nil
	}
	d := Damage{t.end, r.info.size, "unfinished write"}
	unfinished, err := t.unfinished(r.f, r.ident.header.salt, r.info.size)
	if err != nil {
		return err
	}
	if unfinished {
		rep.Tail = &d
		return nil
	}
	d.What = "unreadable bytes behind the last record"
	rep.tailDamaged = true
	rep.Damage = append(rep.Damage, d)
	return nil
}

// batches checks that every commit record agrees with the batch before it. A
// batch with damage in it is known to disagree.
func (rep *Report) batches(r *Reader, t tail) error {
	c := &cursor{src: r.f, salt: r.ident.header.salt, end: t.end}
	begin, records, damaged := int64(0), uint32(0), false
	for off := int64(dataStart); off < t.end; {
		s, err := c.next(off)
		if err != nil {
			return err
		}
		off = s.next
		switch {
		case s.damage != nil:
			damaged = true
			continue
		case s.frame.batch != begin:
			begin, records = s.frame.batch, 0
			damaged = begin != s.frame.offset // its first record is gone
		}
		if s.frame.typ != typeCommit {
			records++
			continue
		}
		info, ok := parseCommit(s.payload)
		if ok && !damaged {
			ok, err = info.matches(r.f, begin, s.frame.offset, records)
			if err != nil {
				return err
			}
		}
		if !ok {
			rep.Damage = append(rep.Damage, Damage{begin, s.next, "the batch is not the one that its commit record names"})
		}
	}
	return nil
}

// matches compares a commit record at offset with the batch from begin on. The
// record is the first one behind the batch or its copy.
func (c commitInfo) matches(src io.ReaderAt, begin, offset int64, records uint32) (bool, error) {
	end := begin + int64(c.bytes)
	if c.records != records || end != offset && end != offset-markerSize {
		return false, nil
	}
	var sum uint32
	for w := (&cursor{src: src, end: end}); begin < end; {
		b, err := w.at(begin, int(min(chunk, end-begin)))
		if err != nil {
			return false, err
		}
		sum = crc.Update(sum, b)
		begin += int64(len(b))
	}
	return sum == c.sum, nil
}
