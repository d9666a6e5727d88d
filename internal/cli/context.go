package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/contextpack"
)

// contextTokens is how many tokens a context has when nothing is said.
const contextTokens = 4000

// packed is a context as JSON.
type packed struct {
	Task      string   `json:"task"`
	Tokens    int      `json:"tokens"`
	Budget    int      `json:"budget"`
	Shown     []string `json:"shown"`
	Shortened []string `json:"shortened,omitempty"`
	Left      []string `json:"left_out,omitempty"`
	Memory    []string `json:"memories,omitempty"`
	Text      string   `json:"text"`
}

func (a *App) contextCmd() *cobra.Command {
	var bead, task, dir string
	var budget int
	var asJSON bool
	cmd := &cobra.Command{
		Use: "context", Short: "Print what an agent should know for a task", GroupID: "look", Args: cobra.NoArgs,
		Long: `Print what an agent should know before it begins a task, within a number of tokens:
the project's rules and what the task demands, the files that it is about with their
imports and tests, what is remembered about it, and an overview of the rest. What did
not fit is named at the end.`,
		Example: `  helix context --bead hx-1a2b
  helix context --task "make the retry in client/http.go respect deadlines" --max-tokens 2000`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case (bead == "") == (task == ""):
				return errors.New("context: say for which task: --bead ID or --task TEXT")
			case budget < 1:
				return fmt.Errorf("context: --max-tokens %d: give a positive number", budget)
			}
			t, root, err := a.contextTask(cmd.Context(), bead, task)
			if err != nil {
				return err
			}
			p, err := a.buildContext(cmd.Context(), t, root, dir, budget)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(packed{t.Title, p.Tokens, p.Budget, p.Shown, p.Cut, p.Left, p.Memory, p.Text})
			}
			_, err = io.WriteString(a.Stdout, harmless(p.Text))
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&bead, "bead", "", "`ID` of the bead")
	fl.StringVar(&task, "task", "", "the task in words")
	fl.IntVar(&budget, "max-tokens", contextTokens, "how long the context may be")
	fl.StringVar(&dir, "kb", "", "`folder` of the memory (HELIX_KB)")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// contextTask is the task that the flags name, and the folder of its project.
func (a *App) contextTask(ctx context.Context, bead, task string) (contextpack.Task, string, error) {
	if bead == "" {
		root, err := projectRoot(a.Dir)
		if err != nil {
			root = a.Dir
		}
		return contextpack.Task{Title: task}, root, nil
	}
	p, err := a.project(ctx)
	if err != nil {
		return contextpack.Task{}, "", err
	}
	q, err := p.store.Load(ctx)
	if err != nil {
		return contextpack.Task{}, "", err
	}
	b, err := q.Resolve(bead)
	if err != nil {
		return contextpack.Task{}, "", err
	}
	return contextpack.OfBead(b), p.repo.Dir, nil
}

func (a *App) buildContext(ctx context.Context, t contextpack.Task, root, dir string, budget int) (_ contextpack.Pack, err error) {
	m, err := a.openMemory(dir)
	if err != nil {
		return contextpack.Pack{}, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	v, err := m.View()
	if err != nil {
		return contextpack.Pack{}, err
	}
	defer v.Close()
	return contextpack.Build(ctx, t, contextpack.Sources{Root: root, Memory: v, Now: time.Now()}, budget)
}
