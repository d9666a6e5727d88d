package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// FileName is the name of the log in its folder.
const FileName = "data.log"

// Reader is a view of the log as it was when it was opened: later writes do not
// show, and a compaction does not disturb it. It never takes a lock and never
// writes. It is safe for concurrent use; Close it when nothing uses it any more.
type Reader struct {
	fs     fileSystem
	path   string
	f      file     // nil for a log that does not exist
	info   fileInfo // size is where the view ends
	ident  identity
	zone   *time.Location
	spare  atomic.Pointer[room] // for EntryAt, nil while a call uses it
	blocks bool

	tailOnce sync.Once
	tail     tail
	tailErr  error

	v1Once sync.Once
	v1     *v1Log
	v1Err  error
}

// OpenReader opens the log in dir for reading. A folder or a log that does not
// exist is an empty log. The errors are ErrForeign, ErrNewer, ErrDamaged (no
// readable file header) and those of the system.
func OpenReader(dir string, opts ...Option) (*Reader, error) {
	o := newOptions(opts)
	r, err := openReader(osFS{}, filepath.Join(dir, FileName), o.zone)
	if err == nil {
		r.blocks = o.blocks
	}
	return r, err
}

func openReader(fsys fileSystem, path string, zone *time.Location) (*Reader, error) {
	r := &Reader{fs: fsys, path: path, zone: zone}
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("kb/log: open: %w", err)
	}
	r.f = f
	if err := r.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("kb/log: read %s: %w", path, err), f.Close())
	}
	return r, nil
}

// load reads what the file is.
func (r *Reader) load() (err error) {
	if r.info, err = r.f.Stat(); err != nil {
		return err
	}
	if !r.info.regular {
		return fmt.Errorf("%w: it is not a regular file", ErrForeign)
	}
	b, err := readUpTo(r.f.ReadAt, 0, dataStart)
	if err != nil {
		return err
	}
	r.ident, err = identify(b)
	return err
}

// Close lets go of the file.
func (r *Reader) Close() error {
	if r.f == nil {
		return nil
	}
	return r.f.Close()
}

// Version is the version of the file's format: 1, 2, or 0 while there is nothing.
func (r *Reader) Version() int { return r.ident.version }

// State says whether a log has moved on since a Reader was opened.
type State int

const (
	Same     State = iota // nothing was written
	Grown                 // the file has another length: open a new Reader to see what came
	Replaced              // another file has its name: views must be checked with Holds
)

// State compares the view with what is at the path now. It costs one stat(2).
func (r *Reader) State() (State, error) {
	now, err := r.fs.Stat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.f == nil:
		return Same, nil
	case errors.Is(err, fs.ErrNotExist):
		return Replaced, nil
	case err != nil:
		return Same, fmt.Errorf("kb/log: %w", err)
	case r.f == nil || !now.same(r.info):
		return Replaced, nil
	case now.size != r.info.size:
		return Grown, nil
	}
	return Same, nil
}

// End is the place behind the last committed record of the view.
func (r *Reader) End() (Pos, error) {
	switch r.ident.version {
	case version1:
		return r.v1End(), nil
	case version2:
		t, err := r.findTail()
		if err != nil {
			return Pos{}, err
		}
		return r.ident.header.pos(t.last), nil
	}
	return Pos{}, nil
}

func (r *Reader) findTail() (tail, error) {
	r.tailOnce.Do(func() {
		size := r.info.size
		for {
			r.tail, r.tailErr = findTail(r.f, r.ident.header.salt, size)
			now, err := r.f.Stat()
			if r.tailErr == nil || err != nil || now.size >= size {
				break
			}
			size = now.size // a writer cut an unfinished tail off meanwhile
		}
		if r.tailErr != nil {
			r.tailErr = fmt.Errorf("kb/log: read the end of %s: %w", r.path, r.tailErr)
		}
	})
	return r.tail, r.tailErr
}

// Holds reports whether p is a place in this very log, so that a view built up to
// p only lacks what lies behind it. It is false after a compaction, after another
// log was put in place, and when records before p did not survive a crash.
func (r *Reader) Holds(p Pos) bool {
	switch {
	case p == Pos{}:
		return true
	case r.ident.version == version1:
		return p == r.v1End()
	case r.ident.version != version2, p.Log != r.ident.header.id, p.Generation != r.ident.header.generation:
		return false
	case p.Last == 0:
		return p.Offset == dataStart
	case p.Last < dataStart || p.Offset > r.info.size:
		return false
	}
	b, err := readUpTo(r.f.ReadAt, p.Last, frameSize)
	if err != nil {
		return false
	}
	f, ok := parseFrame(b, p.Last, r.ident.header.salt)
	return ok && f.sum == p.Sum && f.end() == p.Offset
}

// Reached reports whether p is the end of this very log: a view built up to p
// lacks nothing. When nothing was written since, it costs one small read.
func (r *Reader) Reached(p Pos) bool {
	if p == (Pos{}) {
		return r.Version() == 0
	}
	if p.Offset == r.info.size {
		return r.Holds(p)
	}
	end, err := r.End()
	return err == nil && end == p
}
