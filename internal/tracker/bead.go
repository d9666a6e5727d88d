package tracker

import (
	"encoding/json"
	"time"
)

// Status is the lifecycle state of a bead.
type Status string

const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Closed     Status = "closed"
	Blocked    Status = "blocked"
	Proposed   Status = "proposed"
	Cancelled  Status = "cancelled"
)

// Bead is one unit of work: one line of beads.jsonl. The fields are the ones
// that ddx knows; every other key of the line is in Extra, byte for byte.
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
