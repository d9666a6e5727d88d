package codetree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"helix/internal/codetree/source"
	"helix/internal/kb/rawfile"
)

// MaxFileSize of a file that is read; larger ones are not in the tree. In bytes.
const MaxFileSize = 1 << 20

// youngest is how old a change must be to be trusted by its time: a file that was
// changed while it was read may be changed again within the same tick of the clock.
const youngest = 2 * time.Second

// Options of an Update.
type Options struct {
	// File keeps the tree; "" is CacheFile.
	File string
	// Progress, if set, is called now and then with the files done, of how many.
	Progress func(done, total int)
}

// Stats is what an Update did.
type Stats struct {
	Files   int           `json:"files"`   // in the tree
	Parsed  int           `json:"parsed"`  // of them read anew
	Removed int           `json:"removed"` // were in the last tree and are gone
	Lines   int           `json:"lines"`   // of all files
	Nodes   int           `json:"nodes"`
	Bytes   int64         `json:"bytes"`   // of the file
	Rebuilt bool          `json:"rebuilt"` // there was no tree, or none that could be used
	Written bool          `json:"written"` // false: nothing had changed
	Took    time.Duration `json:"took_ns"`
}

// Update brings the tree of the project in root up to date, or builds it. Two at a
// time do no harm: each replaces the file as a whole.
func Update(ctx context.Context, root string, o Options) (Stats, error) {
	start := time.Now()
	root, err := canonical(root)
	if err != nil {
		return Stats{}, err
	}
	own := o.File == ""
	if own {
		if o.File, err = CacheFile(root); err != nil {
			return Stats{}, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(o.File), 0o700); err != nil {
		return Stats{}, fmt.Errorf("codetree: make the cache folder: %w", err)
	}
	old, err := OpenFile(root, o.File)
	if err != nil {
		old = &Tree{root: root} // whatever is there is replaced
		if own {
			if err := settle(filepath.Dir(o.File), root); err != nil {
				return Stats{}, err
			}
		}
	}
	defer old.Close()
	dir, err := os.Open(root)
	if err != nil {
		return Stats{}, fmt.Errorf("codetree: open the project: %w", err)
	}
	defer dir.Close()
	u := &update{ctx: ctx, root: root, old: old, start: start, progress: o.Progress, dir: int(dir.Fd())}
	stats, err := u.run(o.File)
	stats.Rebuilt = old.unmap == nil
	stats.Took = time.Since(start)
	return stats, err
}

// update is one run of Update.
type update struct {
	ctx      context.Context
	root     string
	old      *Tree
	start    time.Time
	progress func(done, total int)
	files    []*file // of the new tree, in order
	dir      int     // descriptor of the root: paths from there are shorter
	found    int     // files of the last tree that are there still
}

// file is one of the new tree.
type file struct {
	path   string
	size   int64
	time   int64 // of its last change, in ns; 0: too young to be trusted
	hash   [16]byte
	flags  uint16
	record record
	sum    uint32
	old    int // its slot in the last tree if its record is the same, else -1
	same   bool
}

func (u *update) run(name string) (Stats, error) {
	paths, err := list(u.ctx, u.root, name, u.start)
	if err != nil {
		return Stats{}, err
	}
	if u.files, err = u.readAll(paths); err != nil {
		return Stats{}, err
	}
	s := u.stats()
	if u.old.unmap != nil && len(u.files) == u.old.files.n && !slices.ContainsFunc(u.files, func(f *file) bool { return !f.same }) {
		s.Nodes, s.Bytes = u.old.nodes, int64(u.old.bytes())
		return s, nil
	}
	s.Written = true
	w, err := u.merge()
	if err != nil {
		return Stats{}, err
	}
	s.Nodes = w.nodes()
	s.Bytes, err = w.write(name, u.root)
	return s, err
}

func (u *update) stats() (s Stats) {
	for _, f := range u.files {
		if f.old < 0 {
			s.Parsed++
		}
		if f.flags&hidden == 0 {
			s.Files++
			s.Lines += f.record.lines()
		}
	}
	s.Removed = u.old.files.n - u.found
	return s
}

// bytes is the length of the file.
func (t *Tree) bytes() int {
	return headerSize + len(t.files.b) + len(t.dirs.b) + len(t.index.b) + len(t.names.b) + len(t.strings) + len(t.postings) + len(t.records)
}

// readAll makes the file of each path, on all processors.
func (u *update) readAll(paths []string) ([]*file, error) {
	files := make([]*file, len(paths))
	known := u.known(paths)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var next, done atomic.Int64
	var wg sync.WaitGroup
	var telling sync.Mutex
	for w := range errs {
		wg.Go(func() {
			for u.ctx.Err() == nil {
				from := int(next.Add(batch)) - batch
				if from >= len(paths) {
					return
				}
				for i := from; i < min(from+batch, len(paths)); i++ {
					var err error
					if files[i], err = u.read(paths[i], known[i]); err != nil {
						errs[w] = err
						return
					}
				}
				n := int(done.Add(batch))
				if u.progress != nil && telling.TryLock() {
					u.progress(min(n, len(paths)), len(paths))
					telling.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for i, f := range files {
		if f != nil && known[i] >= 0 {
			u.found++
		}
	}
	if u.progress != nil {
		u.progress(len(paths), len(paths))
	}
	if err := errors.Join(append(errs, u.ctx.Err())...); err != nil {
		return nil, fmt.Errorf("codetree: read the files of %s: %w", u.root, err)
	}
	return slices.DeleteFunc(files, func(f *file) bool { return f == nil }), nil
}

// lstat describes a file, and of a link the link.
func (u *update) lstat(path string) (st unix.Stat_t, err error) {
	for {
		if err = unix.Fstatat(u.dir, path, &st, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.EINTR) {
			return st, err
		}
	}
}

// known gives the row of each path in the last tree, or -1. Both are in order.
func (u *update) known(paths []string) []int {
	slots, next := make([]int, len(paths)), 0
	for i, p := range paths {
		for next < u.old.files.n && comparePaths(u.old.path(next), p) < 0 {
			next++
		}
		if slots[i] = -1; next < u.old.files.n && u.old.path(next) == p {
			slots[i] = next
		}
	}
	return slots
}

// batch is how many files a processor takes at a time.
const batch = 16

// read makes the file at path, from the last tree where it has not changed. It is
// nil where there is nothing to read: a file that is gone, no regular one, too
// large, or one that may not be read. slot is its row in the last tree, or -1.
func (u *update) read(path string, slot int) (*file, error) {
	st, err := u.lstat(path)
	if err != nil || !rawfile.Regular(&st) || st.Size > MaxFileSize {
		return nil, nil
	}
	f := &file{path: path, size: st.Size, old: -1}
	if t := st.Mtim.Nano(); t < u.start.Add(-youngest).UnixNano() {
		f.time = t
	}
	known := slot >= 0
	if known && f.time != 0 && u.old.sameTime(slot, f) && u.take(slot, f) {
		f.same = true
		return f, nil
	}
	src, err := rawfile.ReadAll(u.root+"/"+path, MaxFileSize+1)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, nil
	case err != nil:
		return nil, err
	case len(src) > MaxFileSize:
		return nil, nil
	}
	f.size = int64(len(src))
	sum := sha256.Sum256(src)
	copy(f.hash[:], sum[:])
	if known && string(u.old.files.row(slot)[fileHash:fileRecord]) == string(f.hash[:]) {
		if u.take(slot, f) {
			f.same = u.old.sameTime(slot, f)
			return f, nil
		}
	}
	parsed := &source.File{}
	if source.Binary(src) {
		f.flags |= hidden
	} else {
		parsed = source.Parse(path, src)
	}
	f.record = encodeRecord(path, parsed)
	f.sum = checksum(f.record)
	return f, nil
}

// sameTime tells whether the file has the size and time that the row has.
func (t *Tree) sameTime(slot int, f *file) bool {
	row := t.files.row(slot)
	return u64(row, fileBytes) == uint64(f.size) && u64(row, fileTime) == uint64(f.time)
}

// take gives the file what the last tree has of it; false where that is damaged.
func (u *update) take(slot int, f *file) bool {
	r, err := u.old.record(slot)
	if err != nil {
		return false
	}
	row := u.old.files.row(slot)
	f.record, f.sum, f.flags, f.old = r, uint32(u32(row, fileSum)), u.old.flags(slot), slot
	copy(f.hash[:], row[fileHash:fileRecord])
	return true
}
