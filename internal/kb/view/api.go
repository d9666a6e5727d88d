package view

import (
	"errors"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
)

// ErrNotFound: no entry has that id.
var ErrNotFound = errors.New("no such entry")

// Topic sums up the entries of one topic.
type Topic struct {
	Name        string
	Entries     int
	First, Last time.Time // creation of the oldest and of the newest entry
}

// Count says how many entries have something.
type Count struct {
	Name    string
	Entries int
}

// NoProject in place of a project means the entries that belong to none: they hold
// for all.
const NoProject = index.NoProject

// Filter restricts entries. The zero Filter lets every active entry pass.
type Filter struct {
	Topic  string // exact, or a pattern with * in it; "a/" also means everything below a
	Tag    string
	Source string // path, its last elements, or path:line; without regard to the line
	Kind   string
	// Project lets only the entries of a project pass: its path, the last elements of
	// it, or NoProject for those of none.
	Project string
	// For lets pass what holds for the project with this path: its entries, and those
	// of none. With NoProject only the latter.
	For   string
	Since time.Time // created at or after
	Until time.Time // created before
	// Hidden lets entries pass that recall does not show: forgotten, expired,
	// superseded, not yet valid.
	Hidden bool
	Except []Lead // entries that are left out: a few
	// Quick bounds the work, however large the memory is, for one who has no time:
	// of what very many entries have, only the entries written last count.
	Quick bool
}

// Query is a search. Text may hold words, "quoted phrases", -excluded words, and
// the filters topic: tag: source: kind: project: since: until:.
type Query struct {
	Text  string
	Plain bool // Text is just words: nothing in it has another meaning
	Any   bool // an entry may have any of the words; else all, and any only when none has all
	// Telling leaves out an entry that has but one of the words, and that neither in its
	// topic nor among its tags: such a one is rarely an answer to a question.
	Telling bool
	// Names are identifiers, looked for each as it stands: not by its parts, and in
	// no inflection. Any of them counts. With Text too they only add to the score.
	Names   []string
	Limit   int // 0 means 20
	Filter  Filter
	Exclude []Filter // of each, what has its Topic, Tag, Source or Project is left out
}

// Hit is one entry found, the best first.
type Hit struct {
	Entry entry.Entry
	Score float64
	Stale bool // the file that it comes from has changed since
}

// Result is the answer to a Query.
type Result struct {
	Hits     []Hit
	Fallback bool     // no entry had all words, these have some
	More     bool     // there are more than Limit
	Words    []string // what was looked for, for text.Mark
}

// Matches is how many entries a query finds, by topic, most first.
type Matches struct {
	Total    int
	Topics   []Count
	Fallback bool
}
