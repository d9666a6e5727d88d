package log

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	// LockName is the file on which writers take an exclusive flock, as the
	// original program does.
	LockName = ".lock"
	tmpName  = FileName + ".tmp"
)

// Log writes to the log of one folder. It is safe for concurrent use, and other
// processes may write to the same folder at the same time.
type Log struct {
	fs     fileSystem
	dir    string
	path   string
	opts   options
	lock   func(ctx context.Context) (unlock func(), err error)
	now    func() time.Time
	random func(b []byte) // fills b

	mu      sync.Mutex
	queue   []*request // the first one leads, once leading is set
	leading bool
	closed  bool

	// cur is the open file. Only the leader uses it, while it holds the lock.
	cur *handle
}

// handle is the open log of a writer.
type handle struct {
	f    file
	info fileInfo
	head header
	tail tail
}

func (h *handle) end() int64 { return h.tail.end }

// Open returns a writer for the log in dir. It does no I/O: the folder and the
// log are made by the first write.
func Open(dir string, opts ...Option) *Log {
	l := newLog(osFS{}, dir, opts)
	l.lock = l.flock
	return l
}

func newLog(fsys fileSystem, dir string, opts []Option) *Log {
	return &Log{
		fs:     fsys,
		dir:    dir,
		path:   filepath.Join(dir, FileName),
		opts:   newOptions(opts),
		now:    time.Now,
		random: randomBytes,
	}
}

// Close lets go of the file. It must not be called while a write is under way;
// writes after it fail.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.leading {
		return errors.New("kb/log: closed while a write is under way")
	}
	if l.cur == nil {
		return nil
	}
	err := l.cur.f.Close()
	l.cur = nil
	return err
}

// flock takes the writer lock. The folder is made if it is missing.
func (l *Log) flock(ctx context.Context) (func(), error) {
	if err := l.refuseForeign(); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(l.dir, LockName))
	unlock := func() { _ = lock.Unlock() } // flock(2) has no reason to refuse that
	ok, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDir(l.fs, l.dir); err != nil {
			return nil, fmt.Errorf("kb/log: make the folder: %w", err)
		}
		ok, err = lock.TryLock()
	}
	if err != nil {
		return nil, fmt.Errorf("kb/log: take the writer lock: %w", err)
	}
	if ok {
		return unlock, nil
	}
	taken := make(chan error, 1)
	go func() { taken <- lock.Lock() }()
	select {
	case err := <-taken:
		if err != nil {
			return nil, fmt.Errorf("kb/log: take the writer lock: %w", err)
		}
		return unlock, nil
	case <-ctx.Done():
		go func() {
			if <-taken == nil {
				unlock()
			}
		}()
		return nil, fmt.Errorf("kb/log: wait for the writer lock %s: %w", filepath.Join(l.dir, LockName), ctx.Err())
	}
}

// refuseForeign keeps a lock from being made in a folder whose log is not ours.
func (l *Log) refuseForeign() error {
	if _, err := os.Lstat(filepath.Join(l.dir, LockName)); err == nil {
		return nil
	}
	r, err := openForRecovery(l)
	if errors.Is(err, ErrForeign) || errors.Is(err, ErrNewer) {
		return err
	}
	if err == nil {
		_ = r.Close()
	}
	return nil // what else is wrong shows when the log is used
}

// handle gives the open log, ready for a write at its end: it opens it, makes it,
// upgrades it, or cuts off an unfinished tail, whichever is needed. The caller
// holds the lock.
func (l *Log) handle() (*handle, error) {
	now, err := l.fs.Stat(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("kb/log: %w", err)
	}
	if l.cur != nil && (err != nil || !now.same(l.cur.info) || !l.cur.unchanged()) {
		l.drop() // another process rewrote the log, or someone put a backup in its place
	}
	if l.cur == nil {
		if err := l.open(); err != nil {
			l.drop()
			return nil, err
		}
		now = l.cur.info
	}
	if now.size != l.cur.end() {
		if err := l.settle(now.size); err != nil {
			l.drop()
			return nil, err
		}
	}
	return l.cur, nil
}

// unchanged reports whether the file still has the header that it was opened
// with: a backup may have been copied into it.
func (h *handle) unchanged() bool {
	b, err := readUpTo(h.f.ReadAt, 0, dataStart)
	if err != nil {
		return false
	}
	id, err := identify(b)
	return err == nil && id.version == version2 && id.header == h.head
}

// drop forgets the open file, so that the next write opens it again and looks at
// its end anew.
func (l *Log) drop() {
	if l.cur != nil {
		_ = l.cur.f.Close() // nothing that was acknowledged depends on it
		l.cur = nil
	}
}

// open opens the file for writing. What is no version 2 log yet becomes one.
func (l *Log) open() error {
	r, err := openReader(l.fs, l.path, l.opts.zone)
	if err != nil {
		return err
	}
	version := r.Version()
	if version != version2 {
		_, err = l.upgrade(r)
	}
	if err = errors.Join(err, r.Close()); err != nil {
		return err
	}
	return l.openForWriting()
}

func (l *Log) openForWriting() error {
	// A process that died while it rewrote the log left this behind.
	if err := l.fs.Remove(filepath.Join(l.dir, tmpName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("kb/log: %w", err)
	}
	f, err := l.fs.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("kb/log: open for writing: %w", err)
	}
	l.cur = &handle{f: f}
	if l.cur.info, err = f.Stat(); err != nil {
		return fmt.Errorf("kb/log: %w", err)
	}
	b, err := readUpTo(f.ReadAt, 0, dataStart)
	if err != nil {
		return fmt.Errorf("kb/log: read %s: %w", l.path, err)
	}
	id, err := identify(b)
	if err != nil {
		return fmt.Errorf("kb/log: read %s: %w", l.path, err)
	}
	l.cur.head = id.header
	// Whoever gave the file its name may have died before that was durable.
	if err := l.fs.SyncDir(l.dir); err != nil {
		return fmt.Errorf("kb/log: sync the folder of %s: %w", l.path, err)
	}
	return nil
}

// settle finds the end of the log after its size changed, and cuts off what
// another writer left unfinished.
func (l *Log) settle(size int64) error {
	h := l.cur
	t, err := findTail(h.f, h.head.salt, size)
	if err != nil {
		return fmt.Errorf("kb/log: read the end of %s: %w", l.path, err)
	}
	if t.end < size {
		if err := l.cut(t, size); err != nil {
			return err
		}
	}
	h.tail = t
	return nil
}
