package log

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"helix/internal/kb/entry"
)

// Compaction is what a rewrite of the log did.
type Compaction struct {
	Entries       int   // live ones, all of which are in the new file
	Before, After int64 // size of the file in bytes
	End           Pos   // of the new file
}

// Compact rewrites the log with only what is alive: deleted and replaced records
// go, changes are written into their entries. Ids and the order stay; offsets
// change, and with them the generation, so every view must be rebuilt. A crash
// leaves either the old or the new file. Readers that are open keep the old one.
//
// A damaged log is left alone with ErrDamaged: Recover rewrites it and keeps the
// old file.
func (l *Log) Compact(ctx context.Context) (Compaction, error) {
	var done Compaction
	_, err := l.Update(ctx, func(r *Reader) (_ []Op, err error) {
		done, err = l.compact(r)
		return nil, err
	})
	return done, err
}

func (l *Log) compact(r *Reader) (Compaction, error) {
	switch r.Version() {
	case 0:
		return Compaction{}, nil
	case version1:
		return l.upgrade(r)
	}
	if _, err := l.handle(); err != nil { // it deals with what is behind the last record
		return Compaction{}, err
	}
	p, err := l.plan(r)
	if err != nil {
		return Compaction{}, err
	}
	if len(p.lost) > 0 {
		return Compaction{}, fmt.Errorf("kb/log: compact %s: %w: %v; recover it first", l.path, ErrDamaged, p.lost[0])
	}
	return l.replace(p, l.nextHeader(r.ident.header), "")
}

// upgrade makes a version 2 log of what there is: nothing yet, or version 1,
// which is kept under another name.
func (l *Log) upgrade(r *Reader) (Compaction, error) {
	p, err := l.plan(r)
	if err != nil {
		return Compaction{}, err
	}
	backup := ""
	if r.Version() == version1 {
		backup = FileName + ".v1.bak"
	}
	done, err := l.replace(p, l.newHeader(), backup)
	if err != nil || backup == "" {
		return done, err
	}
	what := fmt.Sprintf("upgraded %d entries from version 1", done.Entries)
	if len(p.lost) > 0 {
		what += fmt.Sprintf("; %d damaged ranges were left out, the first at %v", len(p.lost), p.lost[0])
	}
	l.opts.report(Repair{What: what, Path: l.path, Kept: p.kept})
	return done, nil
}

// plan is what a rewrite will keep and lose.
type plan struct {
	src  *Reader
	fold *Fold
	lost []Damage
	kept string // path of the backup, once it is made
}

func (l *Log) plan(r *Reader) (*plan, error) {
	f, scanned, err := r.Fold()
	if err != nil {
		return nil, fmt.Errorf("kb/log: read %s: %w", l.path, err)
	}
	return &plan{src: r, fold: f, lost: scanned.Damage}, nil
}

// newHeader is the header of a new log.
func (l *Log) newHeader() header {
	var h header
	l.random(h.id[:])
	return l.nextHeader(h)
}

// nextHeader is the header of the generation after that of h.
func (l *Log) nextHeader(h header) header {
	var salt [4]byte
	l.random(salt[:])
	h.salt = binary.LittleEndian.Uint32(salt[:])
	h.generation++
	h.created = l.now().UnixMilli()
	return h
}

// randomBytes fills b. Identities and salts must differ, not be secret, and
// crypto/rand would add to the start of every process that only reads.
func randomBytes(b []byte) {
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
}

// replace puts a new file in the place of the log. The steps are ordered so that
// a crash between any two of them leaves a whole log under the name: the new file
// is complete and durable before it gets the name, and nothing is acknowledged in
// it before the name is durable too (openForWriting sees to that).
func (l *Log) replace(p *plan, head header, backup string) (done Compaction, err error) {
	l.drop()
	tmp := filepath.Join(l.dir, tmpName)
	perm := fs.FileMode(0o600)
	if p.src.f != nil {
		perm = p.src.info.perm
	}
	f, err := l.fs.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return done, fmt.Errorf("kb/log: rewrite %s: %w", l.path, err)
	}
	out := &rewriter{f: f, salt: head.salt}
	end, err := out.copyAll(p, head)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && backup != "" {
		err = l.keepFile(p, backup)
	}
	if err == nil {
		err = l.fs.Rename(tmp, l.path)
	}
	if err != nil {
		_ = l.fs.Remove(tmp) // the next writer tries again
		return done, fmt.Errorf("kb/log: rewrite %s: %w", l.path, err)
	}
	if err := l.fs.SyncDir(l.dir); err != nil {
		return done, fmt.Errorf("kb/log: sync the folder of %s: %w (%w)", l.path, err, ErrNotDurable)
	}
	return Compaction{Entries: p.fold.Len(), Before: p.src.info.size, After: end.Offset, End: end}, nil
}

// keepFile gives the present file a second name, durably. Where the system has no
// links it copies the bytes.
func (l *Log) keepFile(p *plan, base string) error {
	name, err := l.freeName(base, p.src.info)
	if err != nil {
		return err
	}
	if err := l.fs.Link(l.path, name); err != nil && !errors.Is(err, fs.ErrExist) {
		if err := l.copyRange(p.src.f, 0, p.src.info.size, name); err != nil {
			return err
		}
	}
	p.kept = name
	return l.fs.SyncDir(l.dir)
}

// rewriter writes records one after the other through a buffer.
type rewriter struct {
	f    file
	salt uint32
	off  int64 // in the file of buf[0]
	buf  []byte
	last frame
}

const rewriteBuffer = 1 << 20

func (w *rewriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	_, err := writeAt(w.f, w.buf, w.off)
	w.off += int64(len(w.buf))
	w.buf = w.buf[:0]
	return err
}

func (w *rewriter) add(typ Type, millis int64, topic, body string) error {
	f := frame{typ: typ, offset: w.off + int64(len(w.buf)), millis: millis}
	w.buf, w.last = appendFrame(w.buf, w.salt, f, topic, body)
	if len(w.buf) < rewriteBuffer {
		return nil
	}
	return w.flush()
}

// copyAll writes the header and everything alive. Vectors come last: one counts
// only behind its entry, which may have been written anew since.
func (w *rewriter) copyAll(p *plan, head header) (Pos, error) {
	w.buf = append(w.buf, head.encode()...)
	err := w.copySome(p, func(t Type) bool { return t != TypeVector })
	if err == nil && len(p.fold.vectors) > 0 {
		err = w.copySome(p, func(t Type) bool { return t == TypeVector })
	}
	if err == nil {
		err = w.flush()
	}
	return head.pos(w.last), err
}

// copySome copies the live records of some types.
func (w *rewriter) copySome(p *plan, wanted func(Type) bool) error {
	_, err := p.src.Scan(Pos{}, func(rec *Record) error {
		if !wanted(rec.Type) || !p.fold.Alive(rec) {
			return nil
		}
		if rec.Type == TypeEntry {
			return w.addEntry(p, rec)
		}
		return w.add(rec.Type, rec.Time.UnixMilli(), string(rec.topic), string(rec.body))
	})
	return err
}

// addEntry copies an entry as it is, unless it has changes to take in or comes
// from version 1.
func (w *rewriter) addEntry(p *plan, rec *Record) error {
	id, err := rec.ID()
	if err != nil {
		return err
	}
	live, _ := p.fold.Get(id)
	if live.Change == nil && rec.v1 == nil {
		return w.add(TypeEntry, rec.Time.UnixMilli(), string(rec.topic), string(rec.body))
	}
	e, err := rec.Entry()
	if err != nil {
		return err
	}
	if live.Change != nil {
		live.Change.Apply(&e)
	}
	topic, body := entry.Encode(&e)
	return w.add(TypeEntry, e.Created.UnixMilli(), topic, body)
}
