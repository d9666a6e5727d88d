package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/run"
	"helix/internal/run/agent"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// actionCmd is a command that has an agent follow one action document. Its
// answer goes to standard output, what the agent does to standard error.
type actionCmd struct {
	action   prompt.Action
	use      string
	aliases  []string
	short    string
	long     string
	args     cobra.PositionalArgs
	flags    func(*cobra.Command, *actionArgs)
	fill     func(*actionArgs) error // makes the case of the arguments
	before   func(context.Context, *App, *project) error
	after    func(*App, *project, string) error // judges the answer; nil: any will do
	governed bool
}

// actionArgs are the arguments of one invocation.
type actionArgs struct {
	words    []string
	kase     prompt.Case
	reviewer string
}

func (a *App) actionCmds() []*cobra.Command {
	var cmds []*cobra.Command
	for _, c := range actionTable {
		cmds = append(cmds, a.actionCmd(c))
	}
	return cmds
}

func (a *App) actionCmd(c actionCmd) *cobra.Command {
	var agentF agentFlags
	var args actionArgs
	var quiet, dryRun bool
	cmd := &cobra.Command{
		Use: c.use, Aliases: c.aliases, Short: c.short, Long: c.long, GroupID: "actions", Args: c.args,
		PreRunE: func(cmd *cobra.Command, words []string) error {
			args.words = words
			if err := agentF.validate(); err != nil {
				return err
			}
			return c.fill(&args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.project(cmd.Context())
			if err != nil {
				return err
			}
			agentF.override(&p.config)
			return a.act(cmd.Context(), p, c, &args, quiet, dryRun)
		},
	}
	agentF.register(cmd)
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "do not print what the agent is doing")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the agent's command line and the prompt, and do nothing")
	if c.flags != nil {
		c.flags(cmd, &args)
	}
	return cmd
}

func (a *App) act(ctx context.Context, p *project, c actionCmd, args *actionArgs, quiet, dryRun bool) error {
	if c.before != nil {
		if err := c.before(ctx, a, p); err != nil {
			return err
		}
	}
	reviewer := args.reviewer
	if reviewer == "" {
		reviewer = p.config.ReviewAgent
	}
	who, err := a.agents(p.config, reviewer)
	if err != nil {
		return err
	}
	if dryRun {
		return a.dryAct(p, c, args, who)
	}
	if c.governed {
		return a.actGoverned(ctx, p, c, args, who, quiet)
	}
	answer, err := a.ask(ctx, p, c.action, args.kase, who, quiet)
	if err != nil {
		return err
	}
	if c.after != nil {
		return c.after(a, p, answer)
	}
	return nil
}

func (a *App) dryAct(p *project, c actionCmd, args *actionArgs, who agents) error {
	composer, err := a.composer(p, nil)
	if err != nil {
		return err
	}
	text, err := composer.Compose(c.action, args.kase)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s\n\n%s", quoted(agent.CommandLine(who.choose(c.action), p.repo.Dir)), text)
	return nil
}

// ask runs the action and prints the agent's answer.
func (a *App) ask(ctx context.Context, p *project, action prompt.Action, kase prompt.Case, who agents, quiet bool) (string, error) {
	console, err := run.OpenConsole(p.repo.Dir, a.Stderr, time.Now(), false, quiet)
	if err != nil {
		return "", err
	}
	defer console.Close()
	composer, err := a.composer(p, console)
	if err != nil {
		return "", err
	}
	doer := run.Agents{
		Runner: agent.System{}, Composer: composer, Output: console, Choose: who.choose,
		RunID: "action-" + run.AttemptName(time.Now(), randomID()),
	}
	res := doer.Ask(ctx, run.ActionRequest{Action: action, Scope: kase.Scope, Timeout: p.config.AgentTimeout}, kase)
	if ctx.Err() != nil {
		return "", &exitError{ExitInterrupted, errors.New("interrupted; the agent was ended")}
	}
	if res.Text != "" {
		fmt.Fprintln(a.Stdout, strings.TrimRight(res.Text, "\n"))
	}
	if !res.OK {
		path, _ := console.Position()
		return res.Text, fmt.Errorf("%s failed: %s (log: %s)", action, res.Reason, path)
	}
	return res.Text, nil
}

// actGoverned runs an action under its planning bead.
func (a *App) actGoverned(ctx context.Context, p *project, c actionCmd, args *actionArgs, who agents, quiet bool) error {
	g := run.Governor{Tracker: p.store, Self: run.Host{}.Self(), Facts: claimFacts(p)}
	bead, err := g.Acquire(ctx, args.kase.Scope)
	if errors.Is(err, run.ErrGoverned) {
		return fmt.Errorf("%w; refusing to do it twice", err)
	}
	if err != nil {
		return err
	}
	args.kase.Governing = bead
	answer, err := a.ask(ctx, p, c.action, args.kase, who, quiet)
	status, statusErr := prompt.Status(c.action, answer)
	completed := err == nil && statusErr == nil && status == "COMPLETE"
	if releaseErr := g.Release(context.WithoutCancel(ctx), bead, completed); releaseErr != nil {
		err = errors.Join(err, releaseErr)
	}
	return err
}

// scopeOr takes the scope from the first argument.
func scopeOr(fallback string) func(*actionArgs) error {
	return func(args *actionArgs) error {
		if args.kase.Scope = fallback; len(args.words) > 0 {
			args.kase.Scope = args.words[0]
		}
		return nil
	}
}

func rounds(cmd *cobra.Command, args *actionArgs, most int) {
	cmd.Flags().IntVar(&args.kase.Rounds, "rounds", most, "refinement rounds at most")
}

func checkRounds(next func(*actionArgs) error) func(*actionArgs) error {
	return func(args *actionArgs) error {
		if args.kase.Rounds < 1 {
			return fmt.Errorf("--rounds %d is less than 1", args.kase.Rounds)
		}
		return next(args)
	}
}

// request joins the arguments to what the action is asked for.
func request(missing string) func(*actionArgs) error {
	return func(args *actionArgs) error {
		if args.kase.Requirement = strings.TrimSpace(strings.Join(args.words, " ")); args.kase.Requirement == "" {
			return errors.New(missing)
		}
		return nil
	}
}

var actionTable = []actionCmd{
	{
		action: prompt.Check, use: "check [scope]", short: "Ask what should happen next; changes nothing",
		args: cobra.MaximumNArgs(1), fill: scopeOr("repo"),
	},
	{
		action: prompt.Review, use: "review [scope]", short: "Have landed work reviewed (exit 10: issues were found)",
		long: "Have landed work reviewed by the review agent. The scope is last-commit, commit:SHA, a bead or an epic, or files.\nExit 0: clean. Exit 10: issues were found. Exit 1: the answer cannot be interpreted.",
		args: cobra.MaximumNArgs(1), fill: scopeOr("last-commit"), after: judgeReview,
		flags: func(cmd *cobra.Command, args *actionArgs) {
			cmd.Flags().StringVar(&args.reviewer, "review-agent", "", "agent that reviews: claude or codex (default the other installed one)")
		},
	},
	{
		action: prompt.Align, use: "align [scope]", short: "Compare plan and code, and file the gaps",
		args: cobra.MaximumNArgs(1), fill: scopeOr("repo"), governed: true,
	},
	{
		action: prompt.Plan, use: "design [scope]", aliases: []string{"plan"}, short: "Write or refine a design document",
		args: cobra.MaximumNArgs(1), fill: checkRounds(scopeOr("repo")),
		flags: func(cmd *cobra.Command, args *actionArgs) { rounds(cmd, args, 5) },
	},
	{
		action: prompt.Polish, use: "polish [scope]", short: "Split, merge and sharpen the beads of a plan",
		args: cobra.MaximumNArgs(1), fill: checkRounds(scopeOr("repo")),
		flags: func(cmd *cobra.Command, args *actionArgs) { rounds(cmd, args, 6) },
	},
	{
		action: prompt.Backfill, use: "backfill <scope>", short: "Rebuild missing documents from the code",
		args: cobra.ExactArgs(1), fill: scopeOr(""), after: judgeBackfill,
	},
	{
		action: prompt.Frame, use: "frame [scope]", short: "Write vision, requirements and specs",
		args: cobra.MaximumNArgs(1), fill: scopeOr("repo"),
	},
	{
		action: prompt.Evolve, use: "evolve <requirement>", short: "Thread a new requirement through all documents",
		args: cobra.ArbitraryArgs, fill: request("evolve requires a requirement description: helix evolve \"…\""),
		flags: func(cmd *cobra.Command, args *actionArgs) {
			cmd.Flags().StringVar(&args.kase.Scope, "scope", "", "part of the project")
			cmd.Flags().StringVar(&args.kase.Artifact, "artifact", "", "document to begin with")
			cmd.Flags().StringVar(&args.kase.Source, "from", "", "where the requirement comes from")
		},
	},
	{
		action: prompt.Experiment, use: "experiment [id or goal]", short: "Make one measured optimisation; needs a clean checkout",
		args: cobra.ArbitraryArgs, before: refuseDirty,
		fill: func(args *actionArgs) error {
			args.kase.Requirement = strings.Join(args.words, " ")
			return nil
		},
		flags: func(cmd *cobra.Command, args *actionArgs) {
			cmd.Flags().BoolVar(&args.kase.Close, "close", false, "close the experiment session")
		},
	},
	{
		action: prompt.Input, use: "input <request>", short: "Turn a request into beads",
		args: cobra.ArbitraryArgs,
		fill: func(args *actionArgs) error {
			switch args.kase.Autonomy {
			case "low", "medium", "high":
			default:
				return fmt.Errorf("--autonomy %q is not known; use low, medium or high", args.kase.Autonomy)
			}
			if len(args.words) > 1 {
				return errors.New("input takes exactly one request; put it in quotes")
			}
			return request("input requires a natural language request: helix input \"…\"")(args)
		},
		flags: func(cmd *cobra.Command, args *actionArgs) {
			cmd.Flags().StringVar(&args.kase.Autonomy, "autonomy", "medium", "how much it may decide by itself: low, medium or high")
		},
	},
	{
		action: prompt.Measure, use: "measure [scope]", short: "Check beads against their acceptance",
		args: cobra.MaximumNArgs(1), fill: scopeOr("repo"),
	},
	{
		action: prompt.Report, use: "report [scope]", short: "Name follow-ups and write statistics",
		args: cobra.MaximumNArgs(1), fill: scopeOr("repo"),
	},
}

func judgeReview(_ *App, _ *project, answer string) error {
	v, err := prompt.ParseReview(answer)
	switch {
	case err != nil:
		return fmt.Errorf("the review %w", err)
	case !v.Clean:
		return &exitError{ExitIssuesFound, fmt.Errorf("review reported %d issue(s), %d filed as tracker issues", v.Issues, v.Filed)}
	}
	return nil
}

// judgeBackfill believes a backfill only when its report is there.
func judgeBackfill(_ *App, p *project, answer string) error {
	b, err := prompt.ParseBackfill(answer)
	if err != nil {
		return fmt.Errorf("the backfill %w", err)
	}
	path := b.Report
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.repo.Dir, path)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("the backfill names the report %s, but there is no such file", b.Report)
	}
	if b.Status == "BLOCKED" {
		return fmt.Errorf("the backfill is blocked; see %s", b.Report)
	}
	return nil
}

// refuseDirty wants a checkout without changes: an experiment keeps or drops
// work as a whole. Files that git does not know are left out of account.
func refuseDirty(ctx context.Context, _ *App, p *project) error {
	out, err := p.repo.Run(ctx, "status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude).ddx", ":(exclude).helix")
	if err != nil {
		return fmt.Errorf("the checkout cannot be read: %w", err)
	}
	if out != "" {
		first, _, _ := strings.Cut(out, "\n")
		return fmt.Errorf("experiment needs a clean checkout, but it has changes (%s); commit or stash them", strings.TrimSpace(first))
	}
	return nil
}

var _ run.Tracker = (*tracker.Store)(nil)
