package log

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// cut removes what lies between the last committed record and the end of the
// file, and reports it. Bytes that are certainly an unfinished write just go;
// anything else is kept in a file beside the log, because it may be damage to
// something that was acknowledged.
func (l *Log) cut(t tail, size int64) error {
	h := l.cur
	unfinished, err := t.unfinished(h.f, h.head.salt, size)
	if err != nil {
		return fmt.Errorf("kb/log: read the end of %s: %w", l.path, err)
	}
	rep := Repair{
		What: fmt.Sprintf("cut off an unfinished write of %d bytes at offset %d", size-t.end, t.end),
		Path: l.path, From: t.end, To: size,
	}
	if !unfinished {
		if rep.Kept, err = l.keepBytes(t.end, size); err != nil {
			return err
		}
		rep.What = fmt.Sprintf("cut off %d unreadable bytes at offset %d", size-t.end, t.end)
	}
	if err := h.f.Truncate(t.end); err != nil {
		return fmt.Errorf("kb/log: cut off an unfinished write: %w", err)
	}
	if err := h.f.Sync(); err != nil {
		return fmt.Errorf("kb/log: sync %s: %w", l.path, err)
	}
	l.opts.report(rep)
	return nil
}

// keepBytes copies a range of the log into a new file beside it.
func (l *Log) keepBytes(from, to int64) (string, error) {
	name, err := l.freeName(FileName+".cut-"+strconv.FormatInt(from, 10), fileInfo{})
	if err != nil {
		return "", err
	}
	if err := l.copyRange(l.cur.f, from, to, name); err != nil {
		return "", fmt.Errorf("kb/log: keep unreadable bytes of %s: %w", l.path, err)
	}
	return name, nil
}

// copyRange copies a range of a file into a new one, durably.
func (l *Log) copyRange(src io.ReaderAt, from, to int64, name string) error {
	f, err := l.fs.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	c := &cursor{src: src, end: to}
	for off := from; off < to && err == nil; {
		var b []byte
		if b, err = c.at(off, int(min(chunk, to-off))); err == nil {
			_, err = writeAt(f, b, off-from)
			off += int64(len(b))
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = l.fs.SyncDir(l.dir)
	}
	if err != nil {
		_ = l.fs.Remove(name) // a part of a copy helps nobody
		return fmt.Errorf("copy to %s: %w", name, err)
	}
	return nil
}

// freeName gives a path in the folder that nothing has: base, base.2, … A name
// that the file own already has counts as free: then a crash came in between.
func (l *Log) freeName(base string, own fileInfo) (string, error) {
	name := filepath.Join(l.dir, base)
	for n := 2; ; n++ {
		info, err := l.fs.Stat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.same(own) {
			return name, nil
		}
		if err != nil {
			return "", fmt.Errorf("kb/log: %w", err)
		}
		name = filepath.Join(l.dir, base+"."+strconv.Itoa(n))
	}
}
