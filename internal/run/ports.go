package run

import (
	"context"
	"time"

	"helix/internal/run/agent"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// Tracker is the queue as the loop needs it. It is read anew before every
// decision, since people and agents edit it while the loop runs.
type Tracker interface {
	Load(ctx context.Context) (*tracker.Queue, error)
	Claim(ctx context.Context, id string, c tracker.Claim) (*tracker.Bead, error)
	Unclaim(ctx context.Context, id string, owner *tracker.Claim) error
	Close(ctx context.Context, id string, c tracker.Closing) error
	Reopen(ctx context.Context, id, reason string) error
	Edit(ctx context.Context, id string, change func(*tracker.Bead) error) (*tracker.Bead, error)
	Create(ctx context.Context, n tracker.New) (*tracker.Bead, error)
}

// Actions runs one action document with an agent in the checkout itself: every
// prompt of the loop that is not an attempt at a bead.
type Actions interface {
	Do(ctx context.Context, req ActionRequest) ActionResult
}

// ActionRequest names the action and what it is about.
type ActionRequest struct {
	Action prompt.Action
	Scope  string
	// Governing is the bead that stands for the action in the queue; nil for none.
	Governing *tracker.Bead
	Memory    string        // what is recalled for it
	Timeout   time.Duration // 0: the configured one
	Started   func(agent.Process)
}

// ActionResult is the agent's result and where its output is in the session
// log, as 1-based line numbers.
type ActionResult struct {
	agent.Result
	Agent          agent.Kind
	LogFrom, LogTo int
}

// Prompts composes what an agent is told for an attempt.
type Prompts interface {
	Implementation(ctx context.Context, beads []*tracker.Bead, attempt int, earlier []Failure, memory string) (string, error)
	// Briefing is for an agent that is given another prompt. Each memory in it stands
	// behind its id in brackets.
	Briefing(beads []*tracker.Bead, attempt int, earlier []Failure, memory string) string
}

// Repo is what the loop asks of git.
type Repo interface {
	Head(ctx context.Context) (string, error)
	// Tree digests HEAD's tree and every uncommitted change outside helix's own files.
	Tree(ctx context.Context) (string, error)
	// Contains tells whether rev is on the checked-out branch or another local one.
	Contains(ctx context.Context, rev string) (bool, error)
	// AttemptCommit finds the commit on a branch whose Helix-Attempt trailer
	// is attempt and whose Bead trailer is bead; "" when there is none.
	AttemptCommit(ctx context.Context, bead, attempt string) (string, error)
	// ChangeSize counts changed lines and files between two commits.
	ChangeSize(ctx context.Context, from, to string) (lines, files int, err error)
	// Files lists what differs between two commits, without helix's own files.
	Files(ctx context.Context, from, to string) ([]string, error)
}

// Clock is the passing of time.
type Clock interface {
	Now() time.Time
	// Sleep returns early with the context's error when it is done.
	Sleep(ctx context.Context, d time.Duration) error
}

// Processes tells the living from the dead and ends what a dead run left.
type Processes interface {
	Self() tracker.Claim // this process as a claim's owner, without a time
	Same(pid int, start string) bool
	// EndOrphans ends the processes that provably belong to the dead run and
	// says which they were.
	EndOrphans(ctx context.Context, runID string, leaders []agent.Process) ([]string, error)
	// Kill ends these process groups at once.
	Kill(leaders []agent.Process)
}

// States keeps the run state: Save replaces it atomically and durably.
type States interface {
	Load() (*State, error) // nil, nil when there is none
	Save(State) error
}

// Journal is the append-only history of runs.
type Journal interface {
	Append(Event) error
}

// Output is what a person sees. Line is always shown, Detail not in summary
// mode, and Notice (one line for each tool that an agent uses) neither there nor
// when quiet. Everything is in the session log.
type Output interface {
	Line(text string)
	Detail(text string)
	Notice(text string)
	Write(p []byte) (int, error) // an agent's raw output
	Position() (path string, line int)
}

// Documents writes the files that people read.
type Documents interface {
	Context(ctx context.Context, q *tracker.Queue, focus string) error // .helix/context.md
	Blockers(report string) (path string, err error)
}
