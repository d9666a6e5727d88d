package run

import (
	"time"

	"helix/internal/run/agent"
)

// EventKind names what happened. The values are stable: helix log and scripts
// read them.
type EventKind string

const (
	EventRunStart EventKind = "run.start"
	EventRunStop  EventKind = "run.stop"
	EventRecover  EventKind = "recover" // a stale claim was released, or work of a dead run found landed
	EventOrphan   EventKind = "orphan"  // a process of a dead run was ended
	EventFocus    EventKind = "focus"   // entered or left an epic
	EventSkip     EventKind = "skip"    // a bead is left out for the rest of the run
	EventAttempt  EventKind = "attempt" // an attempt started
	EventOutcome  EventKind = "outcome" // an attempt ended
	EventClosed   EventKind = "closed"  // a bead was closed
	EventReview   EventKind = "review"
	EventCheck    EventKind = "check"
	EventAction   EventKind = "action" // align, design or polish ran
	EventPause    EventKind = "pause"  // the provider is in trouble
	EventDrift    EventKind = "drift"
	EventWarning  EventKind = "warning"
	EventRecall   EventKind = "recall" // an agent is shown memories
	EventRecord   EventKind = "record" // memories were made
	EventCredit   EventKind = "credit" // memories gained or lost by the end of a cycle
)

// Event is one line of the run journal.
type Event struct {
	Time     time.Time    `json:"time"`
	Run      string       `json:"run"`
	Kind     EventKind    `json:"kind"`
	Cycle    int          `json:"cycle,omitempty"` // attempted cycle, from 1
	Bead     string       `json:"bead,omitempty"`
	Beads    []string     `json:"beads,omitempty"` // a batch, or what an action concerned
	Attempt  string       `json:"attempt,omitempty"`
	Result   string       `json:"result,omitempty"` // outcome, review status, NEXT_ACTION, stop reason
	Detail   string       `json:"detail,omitempty"`
	Commit   string       `json:"commit,omitempty"`
	Ref      string       `json:"ref,omitempty"`
	Usage    *agent.Usage `json:"usage,omitempty"`
	Seconds  float64      `json:"seconds,omitempty"`
	Evidence string       `json:"evidence,omitempty"`
	Memories []string     `json:"memories,omitempty"` // ids of entries
}
