package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// Loop is one run. Its exported fields are set by the caller; Run is called once.
type Loop struct {
	Tracker   Tracker
	Executor  executor.Executor
	Actions   Actions
	Prompts   Prompts
	Repo      Repo
	Clock     Clock
	Processes Processes
	States    States
	Journal   Journal
	Output    Output
	Documents Documents
	Memory    Memory // nil: the run remembers nothing

	Options Options
	RunID   string
	// Reclaim puts in order what attempts of dead runs left on disk, once their
	// processes have ended, and says what is kept; nil when there is nothing to do.
	Reclaim func(context.Context) ([]string, error)
	// NewAttempt makes the id of an attempt that starts now.
	NewAttempt func(now time.Time) string

	st        State
	self      tracker.Claim
	gates     map[string][]GateResult
	position  *Position         // at the end of the last cycle
	stagnant  int               // cycles in a row that moved nothing
	troubles  int               // provider failures in a row
	drifted   map[string]string // why beads of this attempt may not be closed
	running   runningAgents
	trial     trial
	owns      bool  // the run state is ours to write: what the run before left has been settled
	broken    error // the run state can no longer be written
	unsettled bool  // the last step left its bead to be tried again: its cycle is not over
}

// Run works until something stops it and returns the final state. A cancelled
// context stops it with StopInterrupted, after the attempt was ended, its work
// kept and its claim released.
func (l *Loop) Run(ctx context.Context) State {
	stop := l.start(ctx)
	for stop == nil {
		stop = l.step(ctx)
	}
	l.finish(context.WithoutCancel(ctx), *stop)
	return l.st
}

// step does one thing: an attempt, the close of an epic, or one pass over the
// drained queue.
func (l *Loop) step(ctx context.Context) *Stop {
	if stop := l.halted(ctx); stop != nil {
		return stop
	}
	l.unsettled = false
	l.phase(PhaseSelecting)
	q, stop := l.load(ctx)
	if stop != nil {
		return stop
	}
	choice := Select(q, l.view())
	if stop := l.refocus(ctx, q, choice); stop != nil {
		return stop
	}
	if l.Options.Only != "" {
		return l.once(ctx, choice)
	}
	switch {
	case choice.CloseEpic != nil:
		stop = l.closeEpic(ctx, choice.CloseEpic)
	case choice.Bead != nil:
		stop = l.cycle(ctx, choice)
	default:
		stop = l.drained(ctx, choice)
	}
	if stop != nil || l.unsettled {
		return stop
	}
	return l.moved(ctx)
}

// once makes one attempt at the bead that was asked for.
func (l *Loop) once(ctx context.Context, c Choice) *Stop {
	if c.Bead == nil {
		return &Stop{StopOnce, fmt.Sprintf("%s cannot run now; see why with: helix explain %s", l.Options.Only, l.Options.Only)}
	}
	if stop := l.cycle(ctx, Choice{Bead: c.Bead, Ready: []*tracker.Bead{c.Bead}}); stop != nil {
		return stop
	}
	if stop := l.halted(ctx); stop != nil {
		return stop
	}
	return &Stop{StopOnce, fmt.Sprintf("one attempt at %s was made", c.Bead.ID)}
}

// halted is asked before anything is started.
func (l *Loop) halted(ctx context.Context) *Stop {
	if l.broken != nil {
		return &Stop{StopError, fmt.Sprintf("the run state cannot be written: %v", l.broken)}
	}
	if ctx.Err() != nil {
		return &Stop{StopInterrupted, "interrupted; the claim is released and unlanded work is kept"}
	}
	return l.Options.Bounds.Exceeded(&l.st, l.Clock.Now())
}

// moved ends a cycle: it stops the loop when nothing has moved for too long.
func (l *Loop) moved(ctx context.Context) *Stop {
	if ctx.Err() != nil {
		return nil // halted says so at the next step
	}
	now, err := l.here(ctx)
	if err != nil {
		return &Stop{StopError, fmt.Sprintf("the checkout cannot be read: %v", err)}
	}
	if l.position != nil && *l.position == now {
		l.stagnant++
	} else {
		l.stagnant = 0
	}
	l.position = &now
	if l.stagnant >= stagnantLimit {
		return &Stop{StopNoProgress, fmt.Sprintf("no progress: neither the branch, the files, a bead nor a gate moved in %d cycles", l.stagnant)}
	}
	return nil
}

func (l *Loop) here(ctx context.Context) (Position, error) {
	head, err := l.Repo.Head(ctx)
	if err != nil {
		return Position{}, err
	}
	tree, err := l.Repo.Tree(ctx)
	if err != nil {
		return Position{}, err
	}
	q, err := l.read(ctx)
	if err != nil {
		return Position{}, err
	}
	return Position{Head: head, Tree: tree, Beads: BeadsDigest(q), Gates: GatesDigest(l.gates), Kept: l.st.kept()}, nil
}

// loadTries bounds how often an unreadable queue is read again: somebody may be
// in the middle of editing it.
const loadTries = 5

func (l *Loop) load(ctx context.Context) (*tracker.Queue, *Stop) {
	q, err := l.read(ctx)
	if err == nil {
		return q, nil
	}
	if stop := l.halted(ctx); stop != nil {
		return nil, stop
	}
	return nil, &Stop{StopError, fmt.Sprintf("the queue cannot be read: %v", err)}
}

func (l *Loop) read(ctx context.Context) (*tracker.Queue, error) {
	for try := 1; ; try++ {
		q, err := l.Tracker.Load(ctx)
		if err == nil || try == loadTries {
			return q, err
		}
		l.detail("failed to read the queue, retrying: %v", err)
		if l.Clock.Sleep(ctx, 2*time.Second) != nil {
			return nil, err
		}
	}
}

func (l *Loop) view() View {
	return View{Now: l.Clock.Now(), Scope: l.Options.Scope, Focus: l.st.FocusedEpic, Only: l.Options.Only, Skip: l.st.Skip, Parked: l.st.Parked}
}

// refocus follows a choice's focus and tells about it.
func (l *Loop) refocus(ctx context.Context, q *tracker.Queue, c Choice) *Stop {
	if c.Released != "" {
		l.detail("epic %s: %s — releasing focus", l.st.FocusedEpic, c.Released)
		l.event(Event{Kind: EventFocus, Bead: l.st.FocusedEpic, Result: "released", Detail: c.Released})
	}
	if c.Focus == l.st.FocusedEpic {
		return nil
	}
	l.st.FocusedEpic = c.Focus
	l.save()
	if c.Focus != "" {
		l.detail("entering epic focus mode for %s", c.Focus)
		l.event(Event{Kind: EventFocus, Bead: c.Focus, Result: "entered"})
	}
	return l.writeContext(ctx, q)
}

func (l *Loop) writeContext(ctx context.Context, q *tracker.Queue) *Stop {
	if err := l.Documents.Context(ctx, q, l.st.FocusedEpic); err != nil {
		return &Stop{StopError, fmt.Sprintf("the execution context cannot be written: %v", err)}
	}
	return nil
}

// phase records what the loop is about to do.
func (l *Loop) phase(p Phase) {
	l.st.Phase = p
	l.save()
}

func (l *Loop) save() {
	if !l.owns {
		return
	}
	l.st.LastRun = l.Clock.Now().UTC()
	l.st.Skipped = len(l.st.Skip)
	l.st.TotalTokens = l.st.Usage.Total()
	if err := l.States.Save(l.st); err != nil {
		l.broken = errors.Join(l.broken, err)
	}
}

func (l *Loop) event(e Event) {
	e.Time, e.Run = l.Clock.Now().UTC(), l.RunID
	if err := l.Journal.Append(e); err != nil {
		l.broken = errors.Join(l.broken, err)
	}
}

// started remembers a process group while its step runs, so that a later run
// can end it if this one dies.
func (l *Loop) started(p agent.Process) {
	l.running.add(p)
	l.st.Agents = append(l.st.Agents, p)
	l.save()
}

// noAgents forgets the processes of a step that is over.
func (l *Loop) noAgents() {
	l.running.clear()
	l.st.Agents = nil
}

// Kill ends what the current step started, at once. It may be called while Run
// runs; the process is expected to exit next.
func (l *Loop) Kill() { l.Processes.Kill(l.running.all()) }

// runningAgents are the process groups of the current step, for Kill, which
// runs beside the loop.
type runningAgents struct {
	mu   sync.Mutex
	list []agent.Process
}

func (r *runningAgents) add(p agent.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, p)
}

func (r *runningAgents) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = nil
}

func (r *runningAgents) all() []agent.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func (l *Loop) line(format string, args ...any) {
	l.Output.Line(fmt.Sprintf("[%s] ", l.Clock.Now().Format(time.TimeOnly)) + fmt.Sprintf(format, args...))
}

func (l *Loop) detail(format string, args ...any) { l.Output.Detail(fmt.Sprintf(format, args...)) }
