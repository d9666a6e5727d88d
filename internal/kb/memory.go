package kb

import (
	"errors"
	"time"

	"helix/internal/kb/log"
	"helix/internal/kb/redact"
	"helix/internal/kb/view"
)

var (
	// ErrRefused: the request cannot be done as it is; the message says why and
	// what to do. Nothing was written.
	ErrRefused = errors.New("refused")
	// ErrNotFound: no entry or topic has that name.
	ErrNotFound = view.ErrNotFound
)

// Memory is the knowledge base in one folder. It is safe for concurrent use, and
// any number of processes may use the same folder.
type Memory struct {
	dir  string
	root string
	home string // project in which this process works, "" for none
	from string // folder from which relative paths of projects are meant
	log  *log.Log
	now  func() time.Time

	redact     func(text string) (clean string, found int) // nil: texts are stored as they are
	session    session
	sessionID  string // "" for none
	afterWrite func() // called after each write; nil for nothing
	views      views
}

// Option changes how a memory is opened.
type Option func(*Memory)

// WithRoot names the project's folder: relative sources are files below it.
func WithRoot(root string) Option { return func(m *Memory) { m.root = root } }

// WithProject names the project in which this process works, by the path of its main
// checkout as package checkout gives it, "" for none: what is stored belongs to it
// unless it says otherwise, and searches prefer it. Relative paths of projects are
// meant from the folder from.
func WithProject(home, from string) Option {
	return func(m *Memory) { m.home, m.from = home, from }
}

// WithSession names the session of an agent to which entries belong that are stored
// from now on, unless they name one themselves.
func WithSession(id string) Option { return func(m *Memory) { m.sessionID = id } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(m *Memory) { m.now = now } }

// Open opens the memory in dir. It does no I/O: the folder is made by the first
// write.
func Open(dir string, opts ...Option) *Memory {
	m := &Memory{dir: dir, now: time.Now, redact: redact.Text}
	for _, o := range opts {
		o(m)
	}
	m.log = log.Open(dir)
	m.afterWrite = m.views.written
	return m
}

// Close brings the index up if it is behind, and lets go of the files.
func (m *Memory) Close() error {
	m.settle()
	return errors.Join(m.views.close(), m.log.Close())
}

// Dir is the folder of the memory.
func (m *Memory) Dir() string { return m.dir }

// Project is the project in which this process works, "" for none.
func (m *Memory) Project() string { return m.home }

// DefaultDir is the folder that is used when none is named: $HELIX_KB, else
// .helix-kb in the home folder.
func DefaultDir(getenv func(string) string) (string, error) { return view.DefaultDir(getenv) }
