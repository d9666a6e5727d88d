package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/tracker"
)

func (a *App) beadDepCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "dep", Short: "Make beads wait for each other",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("bead dep: unknown command %q: use add, remove or tree", args[0])
			}
			return nil
		},
		RunE: showHelp,
	}
	cmd.AddCommand(a.depAddCmd(), a.depRemoveCmd(), a.depTreeCmd())
	return cmd
}

// pair resolves the two beads of a dependency.
func (b *beads) pair(ctx context.Context, args []string) (id, on string, err error) {
	q, err := b.load(ctx)
	if err != nil {
		return "", "", err
	}
	bead, err := q.Resolve(args[0])
	if err != nil {
		return "", "", err
	}
	dep, err := b.find(ctx, q, args[1])
	if err != nil {
		return "", "", err
	}
	return bead.ID, dep.ID, nil
}

func (a *App) depAddCmd() *cobra.Command {
	var typ string
	cmd := &cobra.Command{
		Use: "add ID DEP", Short: "Make ID wait until DEP is closed", Args: cobra.ExactArgs(2),
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			id, on, err := b.pair(ctx, args)
			if err != nil {
				return err
			}
			return b.store.AddDep(ctx, id, on, typ)
		}),
	}
	cmd.Flags().StringVar(&typ, "type", "blocks", "kind of dependency; every kind keeps the bead waiting, as in ddx")
	return cmd
}

func (a *App) depRemoveCmd() *cobra.Command {
	var typ string
	cmd := &cobra.Command{
		Use: "remove ID DEP", Short: "Let ID no longer wait for DEP", Args: cobra.ExactArgs(2),
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			id, on, err := b.pair(ctx, args)
			if err != nil {
				id, on = args[0], args[1] // DEP may be gone: that is a reason to remove it
			}
			return b.store.RemoveDep(ctx, id, on, typ)
		}),
	}
	cmd.Flags().StringVar(&typ, "type", "", "remove only the dependency of this kind")
	return cmd
}

func (a *App) depTreeCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "tree [ID]", Short: "Show what a bead waits for, and what that waits for", Args: cobra.MaximumNArgs(1),
		Long: `Show what a bead waits for, and what that waits for in turn. Without an ID, show
the trees of all beads that wait for something and that nothing waits for.`,
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			q, err := b.load(ctx)
			if err != nil {
				return err
			}
			ref := ""
			if len(args) == 1 {
				bead, err := q.Resolve(args[0])
				if err != nil {
					return err
				}
				ref = bead.ID
			}
			trees := q.DepTrees(ref)
			if asJSON {
				return a.printJSON(trees)
			}
			if len(trees) == 0 {
				_, err := fmt.Fprintln(a.Stdout, "no dependencies")
				return err
			}
			var out strings.Builder
			for _, t := range trees {
				writeTree(&out, t, "", "")
			}
			_, err = io.WriteString(a.Stdout, out.String())
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the trees as JSON")
	return cmd
}

func writeTree(w *strings.Builder, n *tracker.DepNode, first, indent string) {
	text := plain(n.ID)
	switch {
	case n.Missing:
		text += " (does not exist)"
	default:
		text += fmt.Sprintf(" [%s] %s", plain(string(n.Status)), plain(n.Title))
	}
	switch {
	case n.Cycle:
		text += " (waits for itself: a cycle)"
	case n.Repeated:
		text += " (shown above)"
	}
	fmt.Fprintf(w, "%s%s%s\n", first, text, ofType(n.Type))
	for i, child := range n.Dependencies {
		if i == len(n.Dependencies)-1 {
			writeTree(w, child, indent+"└─ ", indent+"   ")
		} else {
			writeTree(w, child, indent+"├─ ", indent+"│  ")
		}
	}
}
