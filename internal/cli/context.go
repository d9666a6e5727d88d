package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"helix/internal/guide"
	"helix/internal/kb"
	"helix/internal/tracker"
)

// guideFlags are the flags of the commands about the project.
type guideFlags struct {
	dir  string
	json bool
}

func (f *guideFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "kb", "", "`folder` of the memory (HELIX_KB)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

func (a *App) contextCmd() *cobra.Command {
	var f guideFlags
	var r guide.ContextRequest
	cmd := &cobra.Command{
		Use: "context", Short: "Print what an agent should know for a task", GroupID: "look", Args: cobra.NoArgs,
		Long: `Print what an agent should know before it begins a task, within a number of tokens:
the project's rules and what the task demands, the files that it is about with their
imports and tests, what is remembered about it, and an overview of the rest. What did
not fit is named at the end.`,
		Example: `  helix context --bead hx-1a2b
  helix context --task "make the retry in client/http.go respect deadlines" --max-tokens 2000`,
		RunE: a.guideRun(&f, func(ctx context.Context, g *guide.Guide, _ []string) (kbResult, error) { return g.Context(ctx, r) }),
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Bead, "bead", "", "`ID` of the bead")
	fl.StringVar(&r.Task, "task", "", "the task in words")
	fl.IntVar(&r.MaxTokens, "max-tokens", guide.DefaultTokens, "how long the context may be")
	f.add(cmd)
	return cmd
}

// guideRun makes a command function that prints what do finds out about the
// project.
func (a *App) guideRun(f *guideFlags, do func(ctx context.Context, g *guide.Guide, args []string) (kbResult, error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		m, err := a.openMemory(f.dir)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		result, err := do(cmd.Context(), a.guide(m), args)
		if err != nil {
			return err
		}
		if f.json {
			return a.printJSON(result)
		}
		_, err = io.WriteString(a.Stdout, harmless(result.Text()))
		return err
	}
}

// guide knows the project in which the command runs: the repository, or the working
// folder outside of any.
func (a *App) guide(m *kb.Memory) *guide.Guide {
	root := a.workRoot()
	return &guide.Guide{
		Root: root, Memory: m,
		Tree: func(ctx context.Context) (guide.Tree, error) {
			return guide.OpenCode(ctx, root, a.progress("reading the code"))
		},
		Bead: func(ctx context.Context, id string) (*tracker.Bead, error) {
			p, err := a.project(ctx)
			if err != nil {
				return nil, err
			}
			q, err := p.store.Load(ctx)
			if err != nil {
				return nil, err
			}
			return q.Resolve(id)
		},
	}
}
