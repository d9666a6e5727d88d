package tracker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status is the lifecycle state of a bead.
type Status string

const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Closed     Status = "closed"
	Blocked    Status = "blocked" // by something outside the queue; waiting for another bead is no status
	Proposed   Status = "proposed"
	Cancelled  Status = "cancelled"
)

// Priorities go from 0, most urgent, to 4.
const (
	DefaultPriority = 2
	LowestPriority  = 4
)

// Bead is one unit of work: one line of beads.jsonl. The fields are the ones
// that ddx knows; every other key of the line is in Extra, byte for byte.
//
// A bead that a Queue hands out is shared: read it, and change it through
// Store.Edit.
type Bead struct {
	ID           string
	Title        string
	Status       Status
	Priority     int // 0 is most urgent, 4 least
	Type         string
	Owner        string // who claimed it; "assignee" of older files is read into it
	CreatedAt    time.Time
	CreatedBy    string
	UpdatedAt    time.Time
	Labels       []string
	Parent       string
	Description  string
	Acceptance   string
	Notes        string
	Dependencies []Dependency
	Extra        map[string]json.RawMessage

	raw     []byte            // the line that it was read from, nil for a new bead
	copied  bool              // it may differ from raw
	rawDeps []json.RawMessage // Dependencies as they stand in raw
}

// Dependency says that IssueID waits for DependsOnID. Every dependency blocks,
// whatever its type (contracts/ddx.md, 2.1).
type Dependency struct {
	IssueID     string          `json:"issue_id"`
	DependsOnID string          `json:"depends_on_id"`
	Type        string          `json:"type"`
	CreatedAt   string          `json:"created_at,omitempty"`
	CreatedBy   string          `json:"created_by,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
}

// Claim is who works on a bead, as read from its row.
type Claim struct {
	Owner   string
	At      time.Time // zero when the row does not say; UpdatedAt is the fallback
	PID     int       // 0 when the row does not say
	Start   string    // proc.StartToken of PID, "" when the row does not say
	Machine string    // "" when the row does not say
}

// Keys of a row that helix gives a meaning to, beside the fields of Bead.
const (
	keySpec       = "spec-id"
	keySuperseded = "superseded-by"
	keyReplaces   = "replaces"
	keyEligible   = "execution-eligible"
	keyRetry      = "work-retry-after"
	keyOldRetry   = "execute-loop-retry-after" // its name before May 2026
	keyRank       = "queue-rank"
	keyCommit     = "closing_commit_sha"
	keySession    = "session_id"
	keyEvents     = "events"
	keyExternal   = "lifecycle-external-blocker-reason"
	keyClaimedAt  = "claimed-at"
	keyClaimedPID = "claimed-pid"
	keyClaimedOn  = "claimed-machine"
	keyClaimStart = "claimed-start"
)

// claimKeys are the keys that only mean something while a bead is claimed.
var claimKeys = []string{
	keyClaimedAt, keyClaimedPID, keyClaimedOn, keyClaimStart,
	"claimed-session", "claimed-worktree", "execute-loop-heartbeat-at", "assignee",
}

// knownKeys are the keys of a row that have a field of their own.
var knownKeys = []string{
	"acceptance", "created_at", "created_by", "dependencies", "description", "id", "issue_type",
	"labels", "notes", "owner", "parent", "priority", "status", "title", "updated_at",
}

// SpecID names the document that governs the bead.
func (b *Bead) SpecID() string { return b.Str(keySpec) }

// SupersededBy is the bead that took this one's place.
func (b *Bead) SupersededBy() string { return b.Str(keySuperseded) }

// Replaces is the bead whose place this one took.
func (b *Bead) Replaces() string { return b.Str(keyReplaces) }

// ClosingCommit is the commit that the bead was closed with.
func (b *Bead) ClosingCommit() string { return b.Str(keyCommit) }

// Session is the session that closed the bead.
func (b *Bead) Session() string { return b.Str(keySession) }

// Eligible tells whether an agent may execute the bead: unless it says no.
func (b *Bead) Eligible() bool { return b.Str(keyEligible) != "false" }

// RetryAfter is the end of the bead's cooldown, zero when it has none.
func (b *Bead) RetryAfter() time.Time {
	return parseTime(later(b.Str(keyRetry), b.Str(keyOldRetry)))
}

// IsEpic tells whether the bead is a container of work, not work itself.
func (b *Bead) IsEpic() bool { return isEpic(b.Type) }

func isEpic(typ string) bool { return strings.EqualFold(typ, "epic") }

// HasLabel tells whether the bead carries the label.
func (b *Bead) HasLabel(label string) bool { return slices.Contains(b.Labels, label) }

// Areas are the labels that say which part of the project the bead is about.
func (b *Bead) Areas() []string {
	var areas []string
	for _, label := range b.Labels {
		if strings.HasPrefix(label, "area:") {
			areas = append(areas, label)
		}
	}
	return areas
}

// Claim reads who claimed the bead. It is meaningful while the bead is in
// progress.
func (b *Bead) Claim() Claim {
	pid, _ := strconv.Atoi(b.Str(keyClaimedPID)) // a string in rows of ddx v0.6
	return Claim{
		Owner: b.Owner, At: parseTime(b.Str(keyClaimedAt)), PID: max(pid, 0),
		Start: b.Str(keyClaimStart), Machine: b.Str(keyClaimedOn),
	}
}

// Str is the text of an extra key: of a string its content, of a number or a
// boolean its spelling, "" of anything else.
func (b *Bead) Str(key string) string { return rawText(b.Extra[key]) }

// Set stores text under an extra key, true and false as JSON booleans, as ddx's
// --set does. The empty text removes the key.
func (b *Bead) Set(key, value string) {
	switch value {
	case "":
		b.Unset(key)
	case "true", "false":
		b.setRaw(key, json.RawMessage(value))
	default:
		b.setRaw(key, quote(value))
	}
}

// Unset removes an extra key.
func (b *Bead) Unset(key string) { delete(b.Extra, key) }

func (b *Bead) setRaw(key string, value json.RawMessage) {
	if b.Extra == nil {
		b.Extra = map[string]json.RawMessage{}
	}
	b.Extra[key] = value
}

// Event is one entry of a bead's history.
type Event struct {
	Kind      string    `json:"kind"`
	Summary   string    `json:"summary,omitempty"`
	Body      string    `json:"body,omitempty"`
	Actor     string    `json:"actor,omitempty"`
	Source    string    `json:"source,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// AddEvent appends to the bead's history; what is there stays as it is. It fails
// when the row holds something else than a list under "events".
func (b *Bead) AddEvent(e Event) error {
	added, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("event %s: %w", e.Kind, err)
	}
	old := bytes.TrimSpace(b.Extra[keyEvents])
	switch {
	case len(old) == 0 || string(old) == "null":
		b.setRaw(keyEvents, slices.Concat([]byte("["), added, []byte("]")))
		return nil
	case old[0] != '[':
		return &fieldError{keyEvents, "a list"}
	}
	body := bytes.TrimSpace(old[1 : len(old)-1])
	sep := []byte(",")
	if len(body) == 0 {
		sep = nil
	}
	b.setRaw(keyEvents, slices.Concat([]byte("["), body, sep, added, []byte("]")))
	return nil
}

// JSON is the bead's row, byte for byte as stored when the bead was not changed.
func (b *Bead) JSON() ([]byte, error) {
	if b.raw == nil {
		return encode(b, nil)
	}
	if !b.copied {
		return b.raw, nil
	}
	base, err := decode(b.raw)
	if err != nil {
		return nil, err
	}
	return encode(b, base)
}

// clone is a copy that can be changed without changing b.
func (b *Bead) clone() *Bead {
	c := *b
	c.copied = true
	c.Labels = slices.Clone(b.Labels)
	c.Dependencies = slices.Clone(b.Dependencies)
	c.Extra = maps.Clone(b.Extra)
	return &c
}

// quote is text as a JSON string, escaped as ddx escapes.
func quote(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return raw
}
