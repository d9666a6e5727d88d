package executor

import (
	"context"
	"time"

	"helix/internal/run/agent"
	"helix/internal/tracker"
)

// Outcome is how an attempt ended.
type Outcome string

const (
	// Landed: the work is on the branch, helix saw it there, and the gates passed.
	Landed Outcome = "landed"
	// Preserved: there is work, it did not land, and Result.PreserveRef keeps it.
	Preserved Outcome = "preserved"
	// NoChanges: the agent finished and changed nothing.
	NoChanges Outcome = "no_changes"
	// Failed: the attempt ended without work worth keeping.
	Failed Outcome = "failed"
)

// Request is one attempt. Beads[0] is the primary bead; the others are its batch
// and are only ever given to an executor whose Capabilities allow it.
type Request struct {
	Beads     []*tracker.Bead
	AttemptID string // YYYYMMDDTHHMMSS-8hex, also the name of the evidence folder
	Attempt   int    // 1 for the first attempt at the primary bead in this run
	Prompt    string // whole prompt for the agent; "" for an executor that composes its own
	Briefing  string // for such a one: what the agent should be told beside it; "" for nothing
	Memory    string // what of the prompt helix recalled, for the evidence; "" for nothing
	Agent     agent.Spec
	Timeout   time.Duration // of the agent
	Log       Log
	// Revalidate is asked immediately before work is landed. An error means that
	// the bead changed under the attempt: the work must be preserved, not landed.
	Revalidate func(context.Context) error
	// Started is told of every process group that the executor starts.
	Started func(agent.Process)
}

// Log receives an executor's output: Write everything, Notice one line for the
// person who watches.
type Log interface {
	Write(p []byte) (int, error)
	Notice(line string)
}

// Result is what an attempt came to. Every executor fills every field it can.
type Result struct {
	Outcome Outcome
	// Landed names the beads of the request whose own commit landed.
	Landed      []string
	Reason      string            // one line for people; empty only when Landed
	Trouble     agent.Trouble     // set: a provider or machine failure, never a strike against the bead
	Unjudged    bool              // with Preserved: not the work itself kept it from landing
	RetryAfter  time.Time         // zero: the loop's own backoff; set: not before this time
	BaseRev     string            // commit that the attempt started from
	LandedRev   string            // branch tip after landing
	PreserveRef string            // full ref name that keeps unlanded work
	Commits     map[string]string // bead id -> its landed commit
	Gates       []Gate
	Usage       agent.Usage
	EvidenceDir string // relative to the repository root
	AgentText   string // the agent's final answer
	Told        string // of Request.Briefing, what reached the agent: a beginning of it
	Closed      bool   // the executor itself closed the primary bead
	Warnings    []string
	Duration    time.Duration
}

// Gate is one verification command that helix ran and its result.
type Gate struct {
	Name     string        `json:"name"`
	Command  string        `json:"command"`
	Passed   bool          `json:"passed"`
	ExitCode int           `json:"exit_code"` // -1: timed out or could not start
	Duration time.Duration `json:"duration_ns"`
	Tail     string        `json:"tail,omitempty"` // last lines of its output, when it failed
}

// Capabilities says what the loop must leave to an executor.
type Capabilities struct {
	Name   string
	Claims bool // claims, releases and closes beads itself: the loop must not
	Batch  bool // accepts more than one bead
	// OwnPrompt: it composes the agent's prompt itself, and takes Request.Briefing.
	OwnPrompt bool
	Review    bool // already reviews; the loop may still review on top
}

// Executor performs attempts. Execute returns an error only when nothing was
// attempted because the environment is unusable; how an attempt went is always
// in the Result. It must return soon after ctx is done, with everything it
// started ended and all unlanded work preserved.
type Executor interface {
	Capabilities() Capabilities
	Execute(ctx context.Context, req Request) (Result, error)
}
