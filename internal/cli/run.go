package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"helix/internal/run"
)

const runLong = `Work through the queue until it is empty or a bound is reached.

Each cycle selects a ready bead, claims it, has an agent implement it, runs the
project's gates, lands the work as one commit, closes the bead and has the commit
reviewed. When no bead is ready, a check decides what happens next. Work that
does not land is kept under a ref and named in a report in .helix-logs/.`

// runFlags are the flags of helix run; start takes the same.
type runFlags struct {
	agentFlags
	reviewAgent     string
	maxCycles       int
	reviewEvery     int
	reviewThreshold int
	noAutoAlign     bool
	noAutoReview    bool
	noMemory        bool
	executor        string
	scope           string
	maxDuration     boundedDuration
	maxTokens       boundedInt
	maxCost         boundedFloat
	maxAttempts     int
	batch           int
	recover         bool
	only            string // set by build
	summary         bool
	quiet           bool
	dryRun          bool
}

func (f *runFlags) register(cmd *cobra.Command) {
	f.registerAttempt(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.maxCycles, "max-cycles", 0, "stop after this many completed cycles, 0 for no limit")
	fl.IntVar(&f.maxAttempts, "max-attempts", 4, "attempts at one bead before it is given up for this run")
	fl.IntVar(&f.reviewEvery, "review-every", 15, "completed cycles between two alignments, 0 for never")
	fl.BoolVar(&f.noAutoAlign, "no-auto-align", false, "never run an alignment")
	fl.StringVar(&f.scope, "scope", "", "work only on an epic, a bead, a spec id or a label")
	fl.IntVar(&f.batch, "batch", 3, "related beads in one attempt at most, 1 for none (builtin executor)")
}

// registerAttempt adds the flags that a single attempt has a use for too.
func (f *runFlags) registerAttempt(cmd *cobra.Command) {
	f.agentFlags.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.reviewAgent, "review-agent", "", "agent that reviews: claude or codex (default the other installed one)")
	fl.IntVar(&f.reviewThreshold, "review-threshold", 100, "review a change of at least this many lines, or of three files")
	fl.BoolVar(&f.noAutoReview, "no-auto-review", false, "do not review landed work")
	fl.BoolVar(&f.noMemory, "no-memory", false, "recall nothing and record nothing")
	fl.StringVar(&f.executor, "executor", "auto", "auto, ddx or builtin; auto takes ddx where it is installed")
	fl.Var(&f.maxDuration, "max-duration", `stop after this time, such as 90m; "none" for no limit (default 12h)`)
	fl.Var(&f.maxTokens, "max-tokens", `stop when the agents used this many tokens; "none" for no limit`)
	fl.Var(&f.maxCost, "max-cost", `stop when the agents report this many dollars; "none" for no limit`)
	fl.BoolVar(&f.recover, "recover", false, "free claims of dead helix processes at once, without waiting until they are old")
	fl.BoolVarP(&f.summary, "summary", "s", false, "print one line a step; everything else goes to the log only")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "do not print what the agents are doing")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print what the first cycle would do, and do nothing")
}

// validate refuses values and combinations that cannot be meant.
func (f *runFlags) validate(cmd *cobra.Command) error {
	if err := f.agentFlags.validate(); err != nil {
		return err
	}
	changed := cmd.Flags().Changed
	for flag, n := range map[string]int{"max-cycles": f.maxCycles, "review-every": f.reviewEvery, "review-threshold": f.reviewThreshold} {
		if changed(flag) && n < 0 {
			return fmt.Errorf("--%s %d is negative; use 0 or more", flag, n)
		}
	}
	for flag, n := range map[string]int{"max-attempts": f.maxAttempts, "batch": f.batch} {
		if changed(flag) && n < 1 {
			return fmt.Errorf("--%s %d is less than 1", flag, n)
		}
	}
	switch {
	case f.executor != "auto" && f.executor != "ddx" && f.executor != "builtin":
		return fmt.Errorf("--executor %q is not known; use auto, ddx or builtin", f.executor)
	case f.noAutoReview && changed("review-threshold"):
		return errors.New("--no-auto-review and --review-threshold contradict each other; leave one out")
	case f.noAutoAlign && changed("review-every"):
		return errors.New("--no-auto-align and --review-every contradict each other; leave one out")
	case f.executor == "ddx" && changed("batch") && f.batch > 1:
		return errors.New("--batch needs the builtin executor: ddx works on one bead at a time")
	}
	return nil
}

func (a *App) runCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run", Short: "Work through the queue", Long: runLong, GroupID: "work", Args: cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.validate(cmd) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.run(cmd, &f) },
	}
	f.register(cmd)
	return cmd
}

func (a *App) run(cmd *cobra.Command, f *runFlags) error {
	p, err := a.project(cmd.Context())
	if err != nil {
		return err
	}
	if err := f.apply(cmd, &p.config); err != nil {
		return err
	}
	return a.runLoop(cmd.Context(), p, f)
}

func (a *App) runLoop(ctx context.Context, p *project, f *runFlags) error {
	if f.dryRun {
		return a.dryRun(ctx, p, f)
	}
	if err := a.refuseUnusable(ctx, p, f); err != nil {
		return err
	}
	runID := "run-" + run.AttemptName(time.Now(), randomID())
	exec, err := a.usableExecutor(ctx, p, runID)
	if err != nil {
		return err
	}
	unlock, err := lockRun(p)
	if err != nil {
		return err
	}
	defer unlock()
	console, err := run.OpenConsole(p.repo.Dir, a.Stderr, time.Now(), f.summary, f.quiet)
	if err != nil {
		return err
	}
	defer console.Close()
	loop, err := a.newLoop(p, f, console, exec, runID)
	if err != nil {
		return err
	}
	ctx, ended := a.endOnSignal(ctx, loop)
	memory, closeMemory := a.runMemory(p)
	defer closeMemory()
	loop.Memory = memory
	if memory != nil && exec.Capabilities().OwnPrompt {
		if why := a.unheard(p, loop.Options.Agent.Kind); why != "" {
			fmt.Fprintf(a.Stderr, "helix: %s; set them up with: %s\n", why, installHooksCommand)
		}
	}
	st := loop.Run(ctx)
	return runExit(st, ended())
}

// runLock is held by the one live run of a checkout.
func runLock(p *project) *flock.Flock {
	return flock.New(filepath.Join(filepath.Dir(p.store.Path()), "helix-run.lock"))
}

func lockRun(p *project) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(p.store.Path()), 0o755); err != nil {
		return nil, fmt.Errorf("the queue's folder cannot be made: %w", err)
	}
	lock := runLock(p)
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the run lock %s cannot be taken: %w", lock.Path(), err)
	}
	if !got {
		return nil, alreadyLive(p)
	}
	return func() {
		pidFileOf(p).remove(os.Getpid())
		_ = lock.Unlock()
	}, nil
}

func alreadyLive(p *project) error {
	who := ""
	if st, err := p.states().Load(); err == nil && st != nil {
		who = fmt.Sprintf(" (pid=%d, started=%s)", st.Process.PID, st.StartedAt.Format(time.RFC3339))
	}
	return &exitError{ExitAlreadyLive, fmt.Errorf("run: already running%s; see helix status, or end it with: helix stop", who)}
}

// oneWish is within how long signals count as one: timeout(1), for one, sends its signal
// to the process and then to its group.
const oneWish = time.Second / 2

// endOnSignal tells afterwards which signal ended the run. A second signal
// kills what the run started and leaves at once; the next run puts the queue in
// order.
func (a *App) endOnSignal(ctx context.Context, loop *run.Loop) (context.Context, func() os.Signal) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	first := make(chan os.Signal, 1)
	go func() {
		s, open := <-signals
		if !open {
			return
		}
		first <- s
		fmt.Fprintln(a.Stderr, "helix: stopping: the agent is being ended and the claim released; once more to force")
		cancel()
		for at := time.Now(); ; {
			if _, open := <-signals; !open {
				return
			}
			if time.Since(at) >= oneWish {
				loop.Kill()
				os.Exit(signalCode(s))
			}
		}
	}()
	return ctx, func() os.Signal {
		signal.Stop(signals)
		close(signals)
		cancel()
		select {
		case s := <-first:
			return s
		default:
			return nil
		}
	}
}

func signalCode(s os.Signal) int {
	if s == syscall.SIGTERM {
		return ExitTerminated
	}
	return ExitInterrupted
}

// runExit is the exit code of a run that ended; its reason has been printed.
func runExit(st run.State, ended os.Signal) error {
	stop := run.Stop{Reason: st.StopReason}
	switch {
	case st.StopReason == run.StopOnce && st.BeadsClosed == 0:
		return &exitError{code: ExitError}
	case st.StopReason == run.StopInterrupted:
		return &exitError{code: signalCode(ended)}
	case stop.Orderly():
		return nil
	case stop.NeedsPerson():
		return &exitError{code: ExitNeedsPerson}
	}
	return &exitError{code: ExitError}
}
