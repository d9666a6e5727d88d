package run

import (
	"time"

	"helix/internal/run/agent"
)

// Options are the settings of one run. Zero bounds mean no limit; the command
// line asks for a limit unless told "none" by name.
type Options struct {
	Agent        agent.Spec
	Scope        string // "" or "repo": everything; else an epic or bead id, a spec id, or a label
	Only         string // one attempt at this bead, then stop
	AutoAlign    bool
	AutoReview   bool
	ReviewEvery  int // completed cycles between alignments; 0: never
	ReviewLines  int // a smaller change in fewer than three files is not reviewed
	AgentTimeout time.Duration
	OrphanAge    time.Duration
	MaxAttempts  int // per bead; at least 1
	Bounds       Bounds
	Backoff      Backoff
	BatchSize    int           // beads in one attempt at most; 1: no batches
	MemoryWait   time.Duration // how long one call of the memory may keep the loop; 0: 5 s
	Recover      bool          // the operator asks for recovery: reclaim dead claims whatever their age
}
