package entry

import "time"

// Kind says what sort of memory an entry is.
type Kind string

const (
	Fact       Kind = "fact"
	Preference Kind = "preference"
	Decision   Kind = "decision"
	Snippet    Kind = "snippet"
	Task       Kind = "task"
	Episode    Kind = "episode"
	Procedure  Kind = "procedure"
	Finding    Kind = "finding"
	Document   Kind = "document"
	Chunk      Kind = "chunk"
	Profile    Kind = "profile"
)

// Kinds lists every kind that Validate accepts.
func Kinds() []Kind {
	return []Kind{Fact, Preference, Decision, Snippet, Task, Episode, Procedure, Finding, Document, Chunk, Profile}
}

// Known reports whether k is one of Kinds.
func (k Kind) Known() bool {
	for _, known := range Kinds() {
		if k == known {
			return true
		}
	}
	return false
}

// DefaultSalience is the salience of an entry that says nothing about it.
const DefaultSalience = 0.5

// StaleConfidence is the highest confidence that an entry keeps once its source has
// changed.
const StaleConfidence = 0.7

// Source is where an entry's knowledge comes from.
type Source struct {
	Path string // file, or whatever name the writer gave
	Line int    // 1-based; 0 means the whole file
	Hash string // hash of the file's content when the entry was written; "" means not recorded
}

// Entry is one memory. Times are UTC and kept to the millisecond; a zero time
// means "not set". Use New to make one: a literal Entry{} has confidence 0.
type Entry struct {
	ID         string
	Topic      string
	Text       string
	Kind       Kind // "" is written and read back as Fact
	Tags       []string
	Source     Source
	Confidence float64 // 0..1
	Links      []string
	Key        string // idempotency key of the write, "" for none

	// Boundaries. Scope (project, global, session) is a filter over them.
	Tenant  string
	User    string
	Project string
	Session string

	// Lifecycle of the record.
	Created      time.Time
	Modified     time.Time
	ValidFrom    time.Time
	ValidTo      time.Time
	ExpiresAt    time.Time
	DeletedAt    time.Time // forgotten, but kept: hidden from recall, can be undone
	Supersedes   []string  // ids
	SupersededBy string    // id; "" means that this is the latest version

	// When the thing that the entry tells of happens. Not the lifecycle.
	EventStart   time.Time
	EventEnd     time.Time
	TemporalText string // as the writer said it: "next April"

	// Use.
	Salience    float64 // 0..1
	AccessCount int
	LastAccess  time.Time
	Helped      int // cycles that recalled it and went well
	Harmed      int // cycles that recalled it and went badly

	// Extra holds metadata lines that this version does not understand, without
	// line ends, in the order in which they were read.
	Extra []string
}

// New returns an entry with everything at its default. It has no ID yet.
func New(topic, text string, now time.Time) Entry {
	return Entry{
		Topic:      topic,
		Text:       text,
		Kind:       Fact,
		Confidence: 1,
		Salience:   DefaultSalience,
		Created:    clean(now),
	}
}

// IsLatest reports whether no other entry has superseded this one.
func (e *Entry) IsLatest() bool { return e.SupersededBy == "" }

// Active reports whether recall may show the entry at the given time: it is the
// latest version, not forgotten, not expired, and within its validity.
func (e *Entry) Active(at time.Time) bool {
	switch {
	case !e.IsLatest(), !e.DeletedAt.IsZero():
		return false
	case !e.ExpiresAt.IsZero() && !at.Before(e.ExpiresAt):
		return false
	case !e.ValidTo.IsZero() && !at.Before(e.ValidTo):
		return false
	case !e.ValidFrom.IsZero() && at.Before(e.ValidFrom):
		return false
	}
	return true
}

// clean brings a time to the form in which the log keeps it.
func clean(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}
