package view

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
	"helix/internal/kb/log"
)

// IndexDir is the folder of the index within that of the memory.
const IndexDir = "index"

// ErrBehind: the index lacks more than the limit of WithMaxTail.
var ErrBehind = errors.New("the index is too far behind")

// View is the memory at one moment. It is safe for concurrent use.
type View struct {
	dir  string
	log  *log.Reader
	opts options
	refs atomic.Int32 // that must still Close it

	mu     sync.RWMutex    // held by everything that reads snap; for writing, to replace it
	base   *index.Snapshot // what the index has
	snap   *index.Snapshot // base, and what was written since
	tail   *Tail           // nil when the index has everything
	broken bool            // the index is damaged, and base is empty instead
}

type options struct {
	stale   func() Stale
	now     func() time.Time
	maxTail int64
	once    bool
	home    string                       // project whose entries are preferred
	named   func(string) (string, error) // the project that project: means
}

// Option changes how a view is opened.
type Option func(*options)

// Stale reports whether the file at path has changed since an entry that comes from
// it was written, with the hash that the entry has of it.
type Stale func(path, hash string, written time.Time) bool

// WithStale has each search ask a new Stale about what it finds. Without it no
// entry is stale.
func WithStale(ask func() Stale) Option { return func(o *options) { o.stale = ask } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(o *options) { o.now = now } }

// WithMaxTail refuses with ErrBehind to go through more than so many bytes that
// the index lacks, for one who has no time, or better means. An index that turns out
// to be damaged while it is read lacks everything: only a view for Once refuses then.
func WithMaxTail(bytes int64) Option { return func(o *options) { o.maxTail = bytes } }

// WithProject has searches prefer the entries of the project with the path home, ""
// for none, and has named give the Filter.Project that project: means in a query.
func WithProject(home string, named func(string) (string, error)) Option {
	return func(o *options) { o.home, o.named = home, named }
}

// Once is for a process that asks a few questions and ends. Of a large index it
// reads what it needs instead of mapping it, and the texts of entries share memory.
func Once() Option { return func(o *options) { o.once = true } }

// Open opens the memory in dir as it is now.
func Open(dir string, opts ...Option) (*View, error) {
	o := options{now: time.Now}
	for _, opt := range opts {
		opt(&o)
	}
	return open(dir, o, nil)
}

// Reopen opens the memory as it is now, and takes over what v has open already.
// Both must be closed. An unchanged memory gives ErrUnchanged.
func (v *View) Reopen() (*View, error) {
	state, err := v.log.State()
	if err == nil && state == log.Same {
		return nil, ErrUnchanged
	}
	return v.Refresh()
}

// Refresh is Reopen that does not ask whether anything was written: the index may
// have moved on.
func (v *View) Refresh() (*View, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return open(v.dir, v.opts, v.base)
}

// ErrUnchanged: nothing was written since the view was opened.
var ErrUnchanged = errors.New("nothing was written since")

func open(dir string, o options, prev *index.Snapshot) (*View, error) {
	var of []log.Option
	if o.once {
		of = append(of, log.WithBlocks())
	}
	r, err := log.OpenReader(dir, of...)
	if err != nil {
		return nil, err
	}
	v := &View{dir: dir, log: r, opts: o}
	v.refs.Store(1)
	var from log.Pos
	v.base, from = v.openIndex(prev)
	if err := v.catchUp(from); err != nil && !(errors.Is(err, index.ErrCorrupt) && v.rebuild() == nil) {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// catchUp adds what the index lacks.
func (v *View) catchUp(from log.Pos) error {
	v.snap = v.base
	if v.log.Reached(from) {
		return nil
	}
	if v.opts.maxTail > 0 && (v.opts.once || !v.broken) {
		end, err := v.log.End()
		if err != nil {
			return err
		}
		if end.Offset-from.Offset > v.opts.maxTail {
			return ErrBehind
		}
	}
	return index.Guard(func() (err error) {
		if v.tail, err = ReadTail(v.log, func() (*index.Snapshot, error) { return v.base, nil }, from, nil); err != nil {
			return err
		}
		v.snap, err = v.tail.Over(v.base)
		return err
	})
}

// openIndex opens the index, which must be of the log, and gives the place in the
// log up to which it goes. Any other index, and none, give an empty one.
func (v *View) openIndex(prev *index.Snapshot) (s *index.Snapshot, at log.Pos) {
	dir := filepath.Join(v.dir, IndexDir)
	var err error
	if v.opts.once {
		s, err = index.OpenSparse(dir)
	} else {
		s, err = index.Reopen(dir, prev)
	}
	if err != nil {
		return new(index.Snapshot), at
	}
	if at.UnmarshalText([]byte(s.Watermark())) != nil || !v.log.Holds(at) {
		_ = s.Close()
		return new(index.Snapshot), log.Pos{}
	}
	return s, at
}

// guard runs fn, which reads the snapshot. When that turns out to be damaged, the
// view goes on without the index and fn runs again.
func (v *View) guard(fn func() error) error {
	v.mu.RLock()
	err := index.Guard(fn)
	v.mu.RUnlock()
	if !errors.Is(err, index.ErrCorrupt) {
		return err
	}
	if err := v.rebuild(); err != nil {
		return err
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	return index.Guard(fn)
}

// rebuild replaces a damaged index by one of the whole log, in memory. The files
// are left for one who may write.
func (v *View) rebuild() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.broken {
		return nil // by another call meanwhile
	}
	v.broken = true
	err := v.base.Close()
	v.base = new(index.Snapshot)
	return errors.Join(err, v.catchUp(log.Pos{}))
}

// Broken reports whether the index was found to be damaged.
func (v *View) Broken() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.broken
}

// Share gives v to one more, who must Close it too.
func (v *View) Share() *View {
	v.refs.Add(1)
	return v
}

// Close lets go of the files.
func (v *View) Close() error {
	if v.refs.Add(-1) > 0 {
		return nil
	}
	var err error
	if v.base != nil {
		err = v.base.Close()
	}
	return errors.Join(err, v.log.Close())
}

// Behind is how many entries the index lacks.
func (v *View) Behind() int {
	if v.tail == nil {
		return 0
	}
	return v.tail.Len()
}

// End is the place in the log up to which the view goes.
func (v *View) End() (log.Pos, error) { return v.log.End() }

// Stats describes the index.
func (v *View) Stats() index.Stats {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.base.Stats()
}

// Empty reports whether there is nothing to be found. It takes no time.
func (v *View) Empty() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.snap.Empty()
}

// Len is the number of active entries.
func (v *View) Len() int {
	n := 0
	_ = v.guard(func() error {
		n = v.snap.Active(v.opts.now())
		return nil
	})
	return n
}

// Get reads an entry, also one that is hidden. ErrNotFound.
func (v *View) Get(id string) (e entry.Entry, err error) {
	err = v.guard(func() error {
		ref, ok := v.snap.Find(id)
		if ok {
			e, err = v.load(ref)
			ok = err != nil || e.ID == id
		}
		if !ok {
			return fmt.Errorf("%w: %s", ErrNotFound, id)
		}
		return err
	})
	return e, err
}

// load reads the entry of a document.
func (v *View) load(ref index.Ref) (entry.Entry, error) {
	return loadAt(v.log, v.snap.Place(ref))
}

// loadAt reads the entry at a place that an index gave. Where the log has another
// entry there, the index is of another log.
func loadAt(r *log.Reader, p index.Place) (entry.Entry, error) {
	e, err := r.EntryAt(p.Offset)
	if errors.Is(err, log.ErrNoRecord) {
		return entry.Entry{}, fmt.Errorf("%w: no record at offset %d of the log", index.ErrCorrupt, p.Offset)
	}
	if err != nil {
		return entry.Entry{}, err
	}
	if index.HashID(e.ID) != p.ID {
		return entry.Entry{}, fmt.Errorf("%w: another entry at offset %d of the log", index.ErrCorrupt, p.Offset)
	}
	if p.Change != "" {
		c, err := entry.DecodeChange(p.Change)
		if err != nil {
			return entry.Entry{}, fmt.Errorf("%w: change of %s: %w", index.ErrCorrupt, e.ID, err)
		}
		c.Apply(&e)
	}
	return e, nil
}

// VerifyIndex compares the checksums of the whole index.
func (v *View) VerifyIndex() error {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.base.Verify()
}
