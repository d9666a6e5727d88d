package cli

import (
	"context"

	"github.com/spf13/cobra"

	"helix/internal/kb"
)

func (a *App) kbWhyCmd(f *kbFlags) *cobra.Command {
	var r kb.WhyRequest
	cmd := &cobra.Command{
		Use: "why ID", Short: "Print where an entry was used and what came of it", Args: cobra.ExactArgs(1),
		Long: `Print an entry, the cycles of helix run that were shown it, which of them used it and
how they ended, and what that says about how likely it helps. An outcome counts less
as it gets older and as the file changes that the entry is about.`,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			r.ID = args[0]
			return m.Why(ctx, r)
		}),
	}
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "most cycles to list, the newest (default 50)")
	return cmd
}
