package agent

import (
	"context"
	"io"
	"time"

	"helix/internal/proc"
)

// Kind names a family of agents.
type Kind string

const (
	Claude  Kind = "claude"
	Codex   Kind = "codex"
	Command Kind = "command"
)

// Spec says which agent to run.
type Spec struct {
	Kind    Kind
	Command []string // program and arguments; only for Command
	Model   string   // empty: the agent's own default
	Effort  string   // low, medium, high, max; empty: the agent's own default
}

// Job is one run of an agent.
type Job struct {
	Dir     string        // working folder of the agent
	Prompt  string        // given on standard input
	Timeout time.Duration // 0: none
	Env     []string      // KEY=value, added to the caller's environment
	Log     io.Writer     // receives all that the agent prints, line by line as it comes; may be nil
	Notice  func(string)  // one line a tool use or provider retry, for live progress; may be nil
	// Started is told the process group leader as soon as it runs, so that a
	// later run of helix can find and end it; may be nil.
	Started func(Process)
}

// Process identifies an agent's process group leader.
type Process = proc.Process

// Trouble is a failure that is the provider's or the machine's and says nothing
// about the work: the queue pauses, and no bead is blamed for it.
type Trouble string

const (
	NoTrouble Trouble = ""
	RateLimit Trouble = "rate_limit" // 429, quota or usage limit reached
	Overload  Trouble = "overload"   // 529, 5xx
	Auth      Trouble = "auth"       // 401, 403, not logged in
	Network   Trouble = "network"    // refused, reset, DNS, proxy
	Missing   Trouble = "missing"    // the agent's program is not installed
	Setup     Trouble = "setup"      // the agent refuses to start as it is configured here
)

// Result is what came of a run. Tokens and cost are cumulative over the run; of a
// run that was ended before it reported them they are a lower bound.
//
// Timed out and a Trouble together mean that the provider was away at the end.
type Result struct {
	Text       string // the final answer
	OK         bool   // the agent itself says that it finished
	Reason     string // one line; why not OK
	Trouble    Trouble
	RetryAfter time.Duration // the provider's own advice, 0 when none
	TimedOut   bool
	Cancelled  bool // ended because the context was
	ExitCode   int  // -1 when it was killed or never started
	SessionID  string
	Usage      Usage
	Duration   time.Duration
}

// Usage counts what a run consumed. Total is what bounds are checked against.
type Usage struct {
	Input      int64   `json:"input_tokens"`  // without cached
	Cached     int64   `json:"cached_tokens"` // read from or written to the provider's cache
	Output     int64   `json:"output_tokens"`
	CostUSD    float64 `json:"cost_usd"`
	CostSource string  `json:"cost_source,omitempty"` // "agent" when it said so, empty when unknown
}

// Total is input plus output, without cached input: the figure that Codex
// prints as "tokens used".
func (u Usage) Total() int64 { return u.Input + u.Output }

// Add sums two usages.
func (u Usage) Add(v Usage) Usage {
	u.Input += v.Input
	u.Cached += v.Cached
	u.Output += v.Output
	u.CostUSD += v.CostUSD
	if v.CostSource != "" {
		u.CostSource = v.CostSource
	}
	return u
}

// Runner runs agents. The error is for what is wrong with the call itself (an
// unknown kind, an unusable folder); everything that happens to the agent,
// including a missing program, is in the Result.
type Runner interface {
	Run(ctx context.Context, spec Spec, job Job) (Result, error)
}
