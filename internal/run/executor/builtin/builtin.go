package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"helix/internal/git"
	"helix/internal/run/agent"
	"helix/internal/run/executor"
)

// Options say where and how attempts are made.
type Options struct {
	Root   *git.Repo    // the person's checkout
	Runner agent.Runner // starts agents
	// Gates are the project's gates as shell commands; nil: found by its files.
	Gates       []string
	GateTimeout time.Duration // of each gate; 0: 20 minutes
	// WorkDir is the folder for the work trees of this checkout. Empty: one in
	// the user's cache folder, or in the temp folder when that lies in the checkout.
	WorkDir    string
	TrackerDir string           // the folder with beads.jsonl; empty: Root's .ddx
	RunID      string           // of the run of helix
	AgentEnv   []string         // KEY=value, added to the environment of agents
	Now        func() time.Time // nil: time.Now
}

const (
	defaultGateTimeout = 20 * time.Minute
	// settleTime bounds every step that still runs after a cancellation, such as
	// storing the work.
	settleTime = 2 * time.Minute
)

// Executor makes attempts at beads in work trees of its own.
type Executor struct {
	Options
	root *git.Repo // Options.Root, unattended

	mu       sync.Mutex
	baseline map[baselineKey]baselineRun
}

var _ executor.Executor = (*Executor)(nil)

// New is an executor for one checkout. It does nothing yet.
func New(o Options) *Executor {
	if o.GateTimeout == 0 {
		o.GateTimeout = defaultGateTimeout
	}
	if o.TrackerDir == "" {
		o.TrackerDir = filepath.Join(o.Root.Dir, ".ddx")
	}
	if dir, err := filepath.Abs(o.TrackerDir); err == nil { // agents get it, and work elsewhere
		o.TrackerDir = dir
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Executor{Options: o, root: o.Root.Unattended(), baseline: map[baselineKey]baselineRun{}}
}

// Capabilities implements executor.Executor.
func (e *Executor) Capabilities() executor.Capabilities {
	return executor.Capabilities{Name: "builtin", Batch: true}
}

// Check tells, without changing anything, whether attempts can be made here now.
func (e *Executor) Check(ctx context.Context) error {
	_, err := e.survey(ctx)
	return err
}

// Execute implements executor.Executor.
func (e *Executor) Execute(ctx context.Context, req executor.Request) (executor.Result, error) {
	if err := validate(req); err != nil {
		return executor.Result{}, err
	}
	a, err := e.begin(ctx, req)
	switch {
	case err != nil && ctx.Err() != nil:
		return executor.Result{Outcome: executor.Failed, Reason: "interrupted before the agent was started"}, nil
	case err != nil:
		return executor.Result{}, err
	}
	a.run(ctx)
	if a.refused != nil {
		a.discard()
		return executor.Result{}, a.refused
	}
	return a.finish(ctx), nil
}

func validate(req executor.Request) error {
	if len(req.Beads) == 0 {
		return errors.New("builtin: the request names no bead")
	}
	for _, b := range req.Beads {
		if b.ID == "" {
			return errors.New("builtin: the request has a bead without an id")
		}
	}
	if !attemptID.MatchString(req.AttemptID) {
		return fmt.Errorf("builtin: attempt id %q cannot be the name of a folder", req.AttemptID)
	}
	return nil
}

// settled is a context for what must still be done when ctx is done already.
func settled(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTime)
}
