package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"helix/internal/kb/entry"
)

// Decay is the highest confidence that an entry keeps once its source has changed.
const Decay = entry.StaleConfidence

// State is what became of a source.
type State int

const (
	// Unknown: the source names no file that can be looked at.
	Unknown State = iota
	// Same: the file is as it was.
	Same
	// Changed: the file has other content than when the entry was written.
	Changed
	// Gone: there is no such file.
	Gone
)

// String gives the word that lists of entries show.
func (s State) String() string {
	switch s {
	case Same:
		return "same"
	case Changed:
		return "stale"
	case Gone:
		return "gone"
	}
	return "unknown"
}

// Confidence is what is left of an entry's confidence in state s.
func (s State) Confidence(own float64) float64 {
	if s == Changed {
		return min(own, Decay)
	}
	return own
}

// Checker looks at sources. It looks at each file once and remembers what it saw,
// so it is made anew for each question. It is safe for concurrent use.
type Checker struct {
	root string

	mu    sync.Mutex
	files map[string]*file
}

// NewChecker checks relative sources below root. Without a root they are Unknown.
func NewChecker(root string) *Checker {
	return &Checker{root: root, files: map[string]*file{}}
}

// Check says what became of the file at path since the entry was written: by its
// content when hash is what Hash gave then, else by its modification time.
func (c *Checker) Check(path, hash string, written time.Time) State {
	full, ok := c.locate(path)
	if !ok {
		return Unknown
	}
	f := c.file(full)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look()
	switch {
	case f.state != Same:
		return f.state
	case len(hash) == hashLen:
		return f.compare(hash)
	case f.modified.Truncate(time.Millisecond).After(written): // entries keep milliseconds
		return Changed
	}
	return Same
}

// locate finds the file that a source names. A source may be any name that the
// writer gave, such as a URL; and what is outside of the root is not looked at
// unless it was named by its whole path.
func (c *Checker) locate(path string) (string, bool) {
	switch {
	case path == "", strings.Contains(path, "://"), strings.ContainsRune(path, 0):
		return "", false
	case filepath.IsAbs(path):
		return filepath.Clean(path), true
	case c.root == "", !filepath.IsLocal(path):
		return "", false
	}
	return filepath.Join(c.root, path), true
}

func (c *Checker) file(full string) *file {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[full]
	if f == nil {
		f = &file{path: full}
		c.files[full] = f
	}
	return f
}

// file is what is known about one file.
type file struct {
	path string

	mu       sync.Mutex
	looked   bool
	state    State // Same: it is there, what it holds is not compared yet
	modified time.Time
	hashed   bool
	hash     string
	hashErr  error
}

func (f *file) look() {
	if f.looked {
		return
	}
	f.looked = true
	info, err := os.Stat(f.path)
	switch {
	case missing(err):
		f.state = Gone
	case err != nil, !info.Mode().IsRegular():
		f.state = Unknown
	default:
		f.state, f.modified = Same, info.ModTime()
	}
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (f *file) compare(recorded string) State {
	if !f.hashed {
		f.hashed = true
		f.hash, f.hashErr = hash(f.path)
	}
	switch {
	case errors.Is(f.hashErr, ErrTooLarge):
		return Changed // what was hashed was not that large
	case missing(f.hashErr):
		return Gone
	case f.hashErr != nil:
		return Unknown
	case f.hash != recorded:
		return Changed
	}
	return Same
}
