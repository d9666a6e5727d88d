package run

import (
	"time"

	"helix/internal/run/agent"
)

// StateWriter marks a run-state.json as helix's own; ddx uses that name too.
const StateWriter = "helix"

// Phase is what the loop is doing.
type Phase string

const (
	PhaseStarting  Phase = "starting"
	PhaseSelecting Phase = "selecting"
	PhaseBackoff   Phase = "backoff"
	PhaseClaiming  Phase = "claiming"
	PhaseExecuting Phase = "executing"
	PhaseLanding   Phase = "landing"
	PhaseReviewing Phase = "reviewing"
	PhaseChecking  Phase = "checking"
	PhaseActing    Phase = "acting" // align, design, polish
	PhasePaused    Phase = "paused" // provider trouble
	PhaseStopped   Phase = "stopped"
)

// State is the run-controller state (.ddx/run-state.json). It is written before
// and after every effect; the run that finds one whose phase is not stopped
// knows that its predecessor died, and where.
type State struct {
	Writer  string        `json:"writer"`
	RunID   string        `json:"run_id"`
	Process agent.Process `json:"process"`
	Machine string        `json:"machine"`

	Agent     string    `json:"agent"`
	Executor  string    `json:"executor"`
	Scope     string    `json:"scope,omitempty"`
	Log       string    `json:"log,omitempty"`
	StartedAt time.Time `json:"started_at"`
	LastRun   time.Time `json:"last_run"` // when this state was written

	Phase        Phase    `json:"phase"`
	CurrentIssue string   `json:"current_issue"`
	Batch        []string `json:"batch,omitempty"`
	AttemptID    string   `json:"attempt_id,omitempty"`
	FocusedEpic  string   `json:"focused_epic"`
	// Agents are the process groups that the current step started.
	Agents []agent.Process `json:"agents,omitempty"`
	Until  time.Time       `json:"until,omitzero"` // end of a back-off or pause

	CycleStart    time.Time `json:"cycle_start,omitzero"`
	CycleEnd      time.Time `json:"cycle_end,omitzero"`
	CycleDuration float64   `json:"cycle_duration"` // seconds

	Attempted   int          `json:"attempted_cycles"`
	Completed   int          `json:"completed_cycles"`
	BeadsClosed int          `json:"beads_closed"`
	Skipped     int          `json:"skipped_count"`
	TotalTokens int64        `json:"total_tokens"`
	Usage       agent.Usage  `json:"usage"`
	Pauses      int          `json:"provider_pauses"`
	Memory      MemoryCounts `json:"memory"`

	Attempts map[string]int       `json:"attempts,omitempty"` // failed attempts of open beads
	Failures map[string][]Failure `json:"failures,omitempty"`
	Skip     map[string]string    `json:"skip,omitempty"`
	Parked   map[string]time.Time `json:"parked,omitempty"`
	Drained  Drained              `json:"drained"`
	// Alone are beads that a batch left undone: their next attempt is their own.
	Alone       map[string]bool `json:"alone,omitempty"`
	EpicReviews map[string]int  `json:"epic_reviews,omitempty"`
	Landed      []Landing       `json:"landed,omitempty"`

	StopReason StopReason `json:"stop_reason"`
	StopDetail string     `json:"stop_detail,omitempty"`
}

// Landing is one bead that this run brought to the branch.
type Landing struct {
	Bead      string `json:"bead"`
	Commit    string `json:"commit"`
	Cycle     int    `json:"cycle"`               // 0: landed by a run that died before the review
	Review    Review `json:"review,omitempty"`    // empty while it is due
	Inherited bool   `json:"inherited,omitempty"` // counted by the run that died
}

// Review is what came of looking at landed work.
type Review string

const (
	ReviewClean  Review = "clean"
	ReviewIssues Review = "issues"  // follow-up beads were filed
	ReviewNone   Review = "skipped" // the change is small, or review is off
)

// Failure is what one attempt at a bead came to, kept for the next attempt's
// prompt and for the blocker report.
type Failure struct {
	Attempt     int       `json:"attempt"`
	AttemptID   string    `json:"attempt_id"`
	At          time.Time `json:"at"`
	Outcome     string    `json:"outcome"`
	Reason      string    `json:"reason"`
	Tried       string    `json:"tried,omitempty"`  // the agent's own account
	Review      string    `json:"review,omitempty"` // what a review found in landed work
	PreserveRef string    `json:"preserve_ref,omitempty"`
	Gate        string    `json:"gate,omitempty"`
	Tail        string    `json:"tail,omitempty"` // what its output says about why
	Evidence    string    `json:"evidence,omitempty"`
}

// fill makes the maps of a state writable.
func (s *State) fill() {
	if s.Attempts == nil {
		s.Attempts = map[string]int{}
	}
	if s.Failures == nil {
		s.Failures = map[string][]Failure{}
	}
	if s.Skip == nil {
		s.Skip = map[string]string{}
	}
	if s.Parked == nil {
		s.Parked = map[string]time.Time{}
	}
	if s.Alone == nil {
		s.Alone = map[string]bool{}
	}
	if s.EpicReviews == nil {
		s.EpicReviews = map[string]int{}
	}
}

// kept counts the attempts whose work is under a ref.
func (s *State) kept() int {
	n := 0
	for _, failures := range s.Failures {
		for _, f := range failures {
			if f.PreserveRef != "" {
				n++
			}
		}
	}
	return n
}

// Unfinished tells whether the run that wrote s died before it could stop.
func (s *State) Unfinished() bool { return s != nil && s.Phase != PhaseStopped }

// Inherit carries over what a dead run had used up, so that crashing over and
// over cannot turn a bounded run into an unbounded one, and what it was on.
func (s *State) Inherit(dead *State) {
	s.Attempts, s.Failures, s.Skip = dead.Attempts, dead.Failures, dead.Skip
	s.FocusedEpic = dead.FocusedEpic
	s.Alone, s.EpicReviews = dead.Alone, dead.EpicReviews
	for _, l := range dead.Landed {
		if l.Review == "" {
			l.Inherited = true
			s.Landed = append(s.Landed, l)
		}
	}
}
