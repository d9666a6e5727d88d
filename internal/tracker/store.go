package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Names inside a tracker folder.
const (
	fileName    = "beads.jsonl"
	archiveName = "beads-archive.jsonl" // where ddx moves closed beads
	lockName    = "beads.lock"
)

// Store is a tracker folder. It holds no state of its own, so that any number of
// Stores and processes may use one folder, and it is safe for concurrent use.
type Store struct {
	dir         string
	prefix      string
	lockTimeout time.Duration
	lockPoll    time.Duration
	now         func() time.Time
	warn        func(string)
	badSetting  error
}

// Option changes how a Store behaves.
type Option func(*Store)

// WithWarnings sends warnings, such as those of a validation hook, to warn, which
// may be called from several goroutines. Without it they are dropped.
func WithWarnings(warn func(string)) Option { return func(s *Store) { s.warn = warn } }

// WithPrefix sets the beginning of new ids.
func WithPrefix(prefix string) Option { return func(s *Store) { s.prefix = prefix } }

// WithClock replaces the clock.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithLock sets how long a writer waits for the lock, and the longest pause
// between two looks at it.
func WithLock(timeout, poll time.Duration) Option {
	return func(s *Store) { s.lockTimeout, s.lockPoll = timeout, poll }
}

// WithEnvironment applies DDX_BEAD_PREFIX, HELIX_TRACKER_LOCK_TIMEOUT and
// HELIX_TRACKER_LOCK_POLL_INTERVAL (both in seconds, or a Go duration). A value
// that makes no sense fails the first change, not a read.
func WithEnvironment(getenv func(string) string) Option {
	return func(s *Store) {
		if prefix := getenv("DDX_BEAD_PREFIX"); prefix != "" {
			s.prefix = cleanPrefix(prefix)
		}
		for name, d := range map[string]*time.Duration{
			"HELIX_TRACKER_LOCK_TIMEOUT":       &s.lockTimeout,
			"HELIX_TRACKER_LOCK_POLL_INTERVAL": &s.lockPoll,
		} {
			text := getenv(name)
			if text == "" {
				continue
			}
			value, err := parseSeconds(text)
			if err != nil {
				s.badSetting = invalid("%s=%s: not a number of seconds; unset it or set it to something like 10 or 0.05", name, text)
				continue
			}
			*d = value
		}
	}
}

func parseSeconds(text string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if !(n >= 0 && n < 1e6) {
			return 0, errors.New("out of range")
		}
		return time.Duration(n * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = errors.New("negative")
	}
	return d, err
}

// OpenStore names a tracker folder, normally <root>/.ddx. It touches nothing.
func OpenStore(dir string, opts ...Option) *Store {
	s := &Store{
		dir: dir, lockTimeout: 10 * time.Second, lockPoll: 50 * time.Millisecond,
		now: time.Now, warn: func(string) {},
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Dir is the tracker folder.
func (s *Store) Dir() string { return s.dir }

// Path is the file of beads.
func (s *Store) Path() string { return filepath.Join(s.dir, fileName) }

// Load reads the queue. It takes no lock and writes nothing; a missing file is
// an empty queue. Lines that are no beads are left out and listed by Problems.
// It fails with ErrConflict when the file holds git conflict markers.
func (s *Store) Load(ctx context.Context) (*Queue, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("tracker: %w", err)
	}
	q, _, err := s.load()
	if err != nil {
		return nil, fmt.Errorf("tracker: %w", err)
	}
	return q, nil
}

// LoadArchive reads the beads that ddx has moved out of the queue.
func (s *Store) LoadArchive(ctx context.Context) (*Queue, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("tracker: %w", err)
	}
	snap, err := readSnapshot(filepath.Join(s.dir, archiveName))
	if err != nil {
		return nil, fmt.Errorf("tracker: %w", err)
	}
	return newQueue(snap), nil
}

func (s *Store) load() (*Queue, *snapshot, error) {
	snap, err := readSnapshot(s.Path())
	if err != nil {
		return nil, nil, err
	}
	q := newQueue(snap)
	return q, snap, s.consultArchive(q)
}

// consultArchive looks up, in the archive, the beads that are waited for or
// named as parents and are not in the queue.
func (s *Store) consultArchive(q *Queue) error {
	path := filepath.Join(s.dir, archiveName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || !q.refersElsewhere() {
		return nil
	}
	snap, err := readSnapshot(path)
	if err != nil {
		return err
	}
	q.archive = make(map[string]Status, len(snap.rows))
	for i := range snap.rows {
		q.archive[snap.rows[i].id] = snap.rows[i].status
	}
	q.problems = append(q.problems, snap.problems...)
	return nil
}

// refersElsewhere tells whether any bead names one that the queue does not hold.
func (q *Queue) refersElsewhere() bool {
	for i := range q.rows {
		r := &q.rows[i]
		if r.parent != "" {
			if _, ok := q.at(r.parent); !ok {
				return true
			}
		}
		for _, id := range r.deps {
			if _, ok := q.at(id); !ok {
				return true
			}
		}
	}
	return false
}

// change runs fn on the queue as it is under the lock and makes the changes of
// its draft durable, all or none. When someone who takes no lock (an editor)
// saves the file meanwhile, fn is run again on what they saved.
func (s *Store) change(ctx context.Context, fn func(*draft) error) error {
	if s.badSetting != nil {
		return s.badSetting
	}
	l, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.release(l)
	const tries = 5
	for range tries {
		q, snap, err := s.load()
		if err != nil {
			return err
		}
		if err := snap.writable(); err != nil {
			return err
		}
		d := s.draft(q)
		if err := fn(d); err != nil {
			return err
		}
		if len(d.rows) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		err = s.commit(l, snap, d.rows)
		if !errors.Is(err, errOvertaken) {
			return err
		}
	}
	return fmt.Errorf("%s is being saved by another program over and over; nothing was written, try again", s.Path())
}

// draft is a change in the making.
type draft struct {
	store *Store
	queue *Queue
	now   time.Time
	rows  map[string][]byte // new lines by id
	beads map[string]*Bead  // the same, decoded
}

func (s *Store) draft(q *Queue) *draft {
	return &draft{store: s, queue: q, now: s.now().UTC(), rows: map[string][]byte{}, beads: map[string]*Bead{}}
}

// get is the bead as it will be, to be changed and given to put.
func (d *draft) get(id string) (*Bead, error) {
	if b, ok := d.beads[id]; ok {
		return b.clone(), nil
	}
	b, ok := d.queue.Get(id)
	if !ok {
		return nil, &NotFoundError{ID: id, Path: d.store.Path()}
	}
	return b.clone(), nil
}

// put stores b if it differs from what is there and returns it as stored. A
// bead that changes gets the time of the change, always a later one than it had.
func (d *draft) put(b *Bead) (*Bead, error) {
	base, existed := d.beads[b.ID]
	if !existed {
		base, existed = d.queue.Get(b.ID)
	}
	if !existed {
		return d.putExact(b, nil)
	}
	line, err := encode(b, base)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(line, base.raw) {
		return base, nil
	}
	b.UpdatedAt = d.now
	if !d.now.After(base.UpdatedAt) {
		b.UpdatedAt = base.UpdatedAt.Add(time.Microsecond)
	}
	return d.putExact(b, base)
}

// putExact stores b with the times that it has.
func (d *draft) putExact(b, base *Bead) (*Bead, error) {
	line, err := encode(b, base)
	if err != nil {
		return nil, err
	}
	stored, err := decode(line)
	if err != nil {
		return nil, fmt.Errorf("the new row is not sound: %w", err)
	}
	d.rows[b.ID], d.beads[b.ID] = line, stored
	return stored, nil
}

// archived tells whether ddx has moved the bead out of the queue.
func (s *Store) archived(id string) bool {
	snap, err := readSnapshot(filepath.Join(s.dir, archiveName))
	if err != nil {
		return false
	}
	_, ok := snap.find(id)
	return ok
}
