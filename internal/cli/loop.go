package cli

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/config"
	"helix/internal/run"
	"helix/internal/run/agent"
	"helix/internal/run/executor"
	"helix/internal/run/executor/builtin"
	"helix/internal/run/executor/ddx"
	"helix/internal/run/prompt"
)

// apply puts the flags that were given over the settings.
func (f *runFlags) apply(cmd *cobra.Command, cfg *config.Config) error {
	f.agentFlags.override(cfg)
	given := cmd.Flags().Changed
	if f.reviewAgent != "" {
		cfg.ReviewAgent = f.reviewAgent
	}
	for _, o := range []struct {
		flag string
		set  func()
	}{
		{"max-cycles", func() { cfg.MaxCycles = f.maxCycles }},
		{"review-every", func() { cfg.ReviewEvery = f.reviewEvery }},
		{"review-threshold", func() { cfg.ReviewLines = f.reviewThreshold }},
		{"max-attempts", func() { cfg.MaxAttempts = f.maxAttempts }},
		{"max-duration", func() { cfg.MaxDuration = f.maxDuration.value }},
		{"max-tokens", func() { cfg.MaxTokens = f.maxTokens.value }},
		{"max-cost", func() { cfg.MaxCostUSD = f.maxCost.value }},
		{"executor", func() { cfg.Executor = f.executor }},
		{"batch", func() { cfg.Batch = f.batch }},
	} {
		if given(o.flag) {
			o.set()
		}
	}
	if f.noAutoAlign {
		cfg.AutoAlign = false
	}
	if f.noMemory {
		cfg.Memory = "off"
	}
	if cfg.Agent == "command" && len(cfg.Command) == 0 {
		return errors.New("the agent is \"command\", but no command is set; set command: [program, argument, …] in .helix/config.yaml")
	}
	return nil
}

// options are the loop's, from the settings and flags.
func (f *runFlags) options(cfg config.Config, spec agent.Spec) run.Options {
	opts := run.Options{
		Agent: spec, Scope: f.scope, Only: f.only, AutoAlign: cfg.AutoAlign, AutoReview: !f.noAutoReview,
		ReviewEvery: cfg.ReviewEvery, ReviewLines: cfg.ReviewLines, AgentTimeout: cfg.AgentTimeout, OrphanAge: cfg.OrphanAge,
		MaxAttempts: cfg.MaxAttempts, BatchSize: cfg.Batch, Recover: f.recover,
		Bounds: run.Bounds{Cycles: cfg.MaxCycles, Duration: cfg.MaxDuration, Tokens: cfg.MaxTokens, CostUSD: cfg.MaxCostUSD},
	}
	if cfg.BackoffFixed {
		opts.Backoff.Fixed = &cfg.BackoffSleep
	}
	return opts
}

// agents chooses who does what: the configured agent plans, the alternate one,
// where there is one, builds, and another one reviews.
type agents struct {
	cfg    config.Config
	plan   agent.Spec
	build  agent.Spec
	review agent.Spec
}

func (a *App) agents(cfg config.Config, reviewer string) (agents, error) {
	installed := agent.System{}.Installed()
	kind := agent.Default(installed)
	if cfg.Agent != "" {
		var err error
		if kind, err = agent.ParseKind(cfg.Agent); err != nil {
			return agents{}, err
		}
	}
	// The model belongs to the configured agent; others use their own default.
	spec := func(k agent.Kind) agent.Spec {
		s := agent.Spec{Kind: k, Effort: cfg.Effort}
		if k == kind {
			s.Model = cfg.Model
		}
		if k == agent.Command {
			s.Command = cfg.Command
		}
		return s
	}
	g := agents{cfg: cfg, plan: spec(kind), build: spec(kind), review: spec(kind)}
	if cfg.AltAgent != "" && cfg.AltAgent != "none" {
		g.build = spec(agent.Kind(cfg.AltAgent))
	}
	if other, ok := agent.Alternate(g.build.Kind, installed); ok {
		g.review = spec(other)
	}
	if reviewer != "" {
		named, err := agent.ParseKind(reviewer)
		if err != nil {
			return agents{}, fmt.Errorf("--review-agent: %w", err)
		}
		g.review = spec(named)
	}
	return g, nil
}

// choose is the agent of an action: reviews go to the other agent, so that no
// model judges its own work; check and polish may have a model of their own.
func (g agents) choose(a prompt.Action) agent.Spec {
	spec, model := g.plan, ""
	switch a {
	case prompt.Review:
		spec = g.review
	case prompt.Implementation:
		spec = g.build
	case prompt.Check:
		spec, model = g.build, g.cfg.CheckModel
	case prompt.Polish:
		spec, model = g.build, g.cfg.PolishModel
	}
	if model != "" {
		spec.Model = model
	}
	if spec.Effort == "" {
		spec.Effort = a.Effort()
	}
	return spec
}

// refuseUnusable ends a run before it begins where it cannot work.
func (a *App) refuseUnusable(ctx context.Context, p *project, f *runFlags) error {
	if _, err := p.repo.Head(ctx); err != nil {
		return errors.New("the repository has no commits yet; make the first one, then run helix again")
	}
	if _, err := p.repo.Branch(ctx); err != nil {
		return errors.New("HEAD is detached, so work has no branch to land on; check one out with: git switch <branch>")
	}
	q, err := p.store.Load(ctx)
	if err != nil {
		return err
	}
	for _, problem := range q.Problems() {
		if !problem.Torn { // a torn last line is mended by the first write
			return fmt.Errorf("malformed line %w; mend or delete the line, or run: helix bead doctor --fix", problem)
		}
	}
	if !run.KnownScope(q, f.scope) {
		return fmt.Errorf("--scope %q names no bead, spec or label of the queue; list them with: helix bead list", f.scope)
	}
	return nil
}

// newLoop joins the loop to this machine.
func (a *App) newLoop(p *project, f *runFlags, console *run.Console, exec executor.Executor, runID string) (*run.Loop, error) {
	who, err := a.agents(p.config, p.config.ReviewAgent)
	if err != nil {
		return nil, err
	}
	runner := agent.System{}
	composer, err := a.composer(p, console)
	if err != nil {
		return nil, err
	}
	spec := who.choose(prompt.Implementation)
	dir := filepath.Dir(p.store.Path())
	return &run.Loop{
		Tracker: p.store, Executor: exec, Prompts: composer, Documents: composer,
		Actions: run.Agents{Runner: runner, Composer: composer, Output: console, RunID: runID, Env: a.memoryEnv(p), Choose: who.choose},
		Repo:    run.Checkout{Git: p.repo}, Clock: run.SystemClock{}, Processes: run.Host{},
		States: p.states(), Journal: run.JournalIn(dir), Output: console,
		Options: f.options(p.config, spec), RunID: runID,
		Reclaim:    reclaimer(exec),
		NewAttempt: func(now time.Time) string { return run.AttemptName(now, randomID()) },
	}, nil
}

// usableExecutor refuses a checkout, a folder or a program that attempts could
// not work with, before anything is written.
func (a *App) usableExecutor(ctx context.Context, p *project, runID string) (executor.Executor, error) {
	exec, err := a.executor(ctx, p, agent.System{}, runID)
	if err != nil {
		return nil, err
	}
	own, ok := exec.(*builtin.Executor)
	if !ok {
		return exec, nil
	}
	if err := own.Check(ctx); err != nil {
		return nil, err
	}
	who, err := a.agents(p.config, p.config.ReviewAgent)
	if err != nil {
		return nil, err
	}
	return exec, findProgram(agent.CommandLine(who.build, p.repo.Dir)[0], p.repo.Dir)
}

// findProgram looks for an agent's program as it will be started: by PATH, or
// from the top of the project.
func findProgram(name, root string) error {
	path := name
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		path = filepath.Join(root, name)
	}
	if _, err := osexec.LookPath(path); err != nil {
		return fmt.Errorf("the agent's program %q is not installed or not on PATH; install it, or choose another agent with --agent", name)
	}
	return nil
}

// reclaimer puts the folders of dead attempts in order, and names the ones that
// hold work; nil for an executor that has none.
func reclaimer(exec executor.Executor) func(context.Context) ([]string, error) {
	own, ok := exec.(*builtin.Executor)
	if !ok {
		return nil
	}
	return func(ctx context.Context) ([]string, error) {
		report, err := own.Reclaim(ctx)
		var lines []string
		for _, kept := range report.Kept {
			lines = append(lines, kept.String())
		}
		return lines, err
	}
}

func (a *App) composer(p *project, console *run.Console) (run.Composer, error) {
	library, err := prompt.OpenLibrary(p.repo.Dir, p.config.LibraryRoot)
	if err != nil {
		return run.Composer{}, err
	}
	log := ""
	if console != nil {
		log, _ = console.Position()
	}
	return run.Composer{Root: p.repo.Dir, Tracker: p.store.Path(), Log: log, Library: library, Clock: run.SystemClock{}}, nil
}

func randomID() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint32(b[:])
}

// executor makes the one that the settings ask for; auto takes ddx where one is
// installed that can be used.
func (a *App) executor(ctx context.Context, p *project, runner agent.Runner, runID string) (executor.Executor, error) {
	if p.config.Executor != "builtin" {
		surface, err := ddx.Probe(ctx, "ddx")
		if err == nil {
			return ddx.New(ddx.Options{Surface: surface, Repo: p.repo, Tracker: p.store, RunID: runID, AgentEnv: a.memoryEnv(p)}), nil
		}
		if p.config.Executor == "ddx" {
			return nil, err
		}
		if !errors.Is(err, ddx.ErrNotInstalled) {
			fmt.Fprintf(a.Stderr, "helix: using the builtin executor: %v\n", err)
		}
	}
	return builtin.New(a.builtinOptions(p, runner, runID)), nil
}

func (a *App) builtinOptions(p *project, runner agent.Runner, runID string) builtin.Options {
	return builtin.Options{
		Root: p.repo, Runner: runner, Gates: p.config.Gates, GateTimeout: p.config.GateTimeout, WorkDir: p.config.WorkDir,
		TrackerDir: filepath.Dir(p.store.Path()), RunID: runID, AgentEnv: a.memoryEnv(p),
	}
}

// dryRun tells what the first cycle would do. It writes nothing.
func (a *App) dryRun(ctx context.Context, p *project, f *runFlags) error {
	if err := a.refuseUnusable(ctx, p, f); err != nil {
		return err
	}
	q, err := p.store.Load(ctx)
	if err != nil {
		return err
	}
	who, err := a.agents(p.config, p.config.ReviewAgent)
	if err != nil {
		return err
	}
	c := run.Select(q, run.View{Now: time.Now(), Scope: f.scope, Only: f.only})
	if c.Bead == nil {
		fmt.Fprintf(a.Stdout, "ready=0: check would run first\n%s\n", quoted(agent.CommandLine(who.choose(prompt.Check), p.repo.Dir)))
		return nil
	}
	exec, err := a.executor(ctx, p, agent.System{}, "dry-run")
	if err != nil {
		return err
	}
	caps := exec.Capabilities()
	fmt.Fprintf(a.Stdout, "ready=%d, cycle=1, issue=%s, executor=%s\n", len(c.Ready), c.Bead.ID, caps.Name)
	if caps.Batch {
		if batch := run.Batch(c.Bead, c.Ready, nil, p.config.Batch); len(batch) > 1 {
			ids := make([]string, len(batch))
			for i, b := range batch {
				ids[i] = b.ID
			}
			fmt.Fprintf(a.Stdout, "batch=%s\n", strings.Join(ids, ","))
		}
	}
	fmt.Fprintln(a.Stdout, quoted(commandOf(exec, c.Bead.ID, who.choose(prompt.Implementation), p.repo.Dir)))
	return nil
}

// commandOf is the command line that an attempt at a bead would start.
func commandOf(exec executor.Executor, id string, spec agent.Spec, dir string) []string {
	if d, ok := exec.(interface {
		CommandLine(id string, spec agent.Spec) []string
	}); ok {
		return d.CommandLine(id, spec)
	}
	return agent.CommandLine(spec, dir)
}

// quoted writes a command line so that a shell reads the same words.
func quoted(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		if arg != "" && strings.IndexFunc(arg, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
		}) < 0 {
			words[i] = arg
			continue
		}
		words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}
