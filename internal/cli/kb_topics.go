package cli

import (
	"context"

	"github.com/spf13/cobra"

	"helix/internal/kb"
)

func (a *App) kbTopicsCmd(f *kbFlags) *cobra.Command {
	var r kb.TopicsRequest
	cmd := &cobra.Command{
		Use: "topics", Short: "List the topics", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Topics(ctx, r) }),
	}
	cmd.Flags().StringVar(&r.Project, "project", "", onlyProject)
	return cmd
}

func (a *App) kbRecentCmd(f *kbFlags) *cobra.Command {
	var r kb.RecentRequest
	cmd := &cobra.Command{
		Use: "recent", Short: "List what was stored lately", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Recent(ctx, r) }),
	}
	cmd.Flags().StringVar(&r.Project, "project", "", onlyProject)
	cmd.Flags().IntVar(&r.Days, "days", 0, "how far back (default 7)")
	cmd.Flags().IntVar(&r.Hours, "hours", 0, "how far back; overrides days")
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "most entries to list (default 20)")
	return cmd
}

func (a *App) kbEntriesCmd(f *kbFlags) *cobra.Command {
	var r kb.EntriesRequest
	var index int
	cmd := &cobra.Command{
		Use: "entries TOPIC", Short: "List the entries of a topic", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
				r.Topic = args[0]
				if cmd.Flags().Changed("index") {
					r.Index = &index
				}
				return m.EntriesOf(ctx, r)
			})(cmd, args)
		},
	}
	cmd.Flags().IntVar(&index, "index", 0, "only the entry at this place, from 0; negative from the end")
	cmd.Flags().StringVar(&r.Project, "project", "", onlyProject)
	cmd.Flags().StringVar(&r.Match, "match", "", "only entries with this text")
	cmd.Flags().StringSliceVar(&r.Focus, "focus", nil, "only these categories, such as gotchas,decisions")
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "most entries to list, the newest (default 50)")
	return cmd
}

func (a *App) kbStatsCmd(f *kbFlags) *cobra.Command {
	var r kb.StatsRequest
	cmd := &cobra.Command{
		Use: "stats", Short: "Print numbers about the memory", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Stats(ctx, r) }),
	}
	cmd.Flags().StringVar(&r.Detail, "detail", "", "tags or index, for more about these")
	return cmd
}

func (a *App) kbXrefCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "xref TOPIC", Short: "Show where other topics mention a topic", Args: cobra.ExactArgs(1),
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) { return m.Xref(ctx, args[0]) }),
	}
}

func (a *App) kbGraphCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "graph", Short: "Show how topics hang together", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) {
			return m.Graph(ctx, kb.GraphRequest{Progress: a.progress("graph")})
		}),
	}
}

func (a *App) kbSessionCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "session [ID]", Short: "List what was stored in a session of an agent", Args: cobra.MaximumNArgs(1),
		Long: `List what was stored in one session: that with ID, else HELIX_SESSION, else the
session of Claude Code in which the command runs. helix kb store notes the same
session with each entry.`,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			id := a.sessionID()
			if len(args) == 1 {
				id = args[0]
			}
			return m.SessionOf(ctx, id)
		}),
	}
}

func (a *App) kbStaleCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "stale", Short: "List entries whose source file has changed", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Stale(ctx) }),
	}
}

func (a *App) kbPruneCmd(f *kbFlags) *cobra.Command {
	var r kb.PruneRequest
	cmd := &cobra.Command{
		Use: "prune", Short: "List topics without news; nothing is deleted", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Prune(ctx, r) }),
	}
	cmd.Flags().IntVar(&r.Days, "days", 0, "how long without an entry (default 30)")
	return cmd
}
