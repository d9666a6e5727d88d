package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/tracker"
)

func (a *App) beadCloseCmd() *cobra.Command {
	var c tracker.Closing
	cmd := &cobra.Command{
		Use: "close ID…", Short: "Close beads", Args: cobra.MinimumNArgs(1),
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			for _, ref := range args {
				if err := b.withID(ctx, ref, func(id string) error { return b.store.Close(ctx, id, c) }); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(&c.Commit, "commit", "", "commit that holds the work")
	cmd.Flags().StringVar(&c.Session, "session", "", "session that did the work")
	cmd.Flags().StringVar(&c.Reason, "reason", "", "why, for the bead's history")
	return cmd
}

func (a *App) beadReopenCmd() *cobra.Command {
	var reason, notes string
	cmd := &cobra.Command{
		Use: "reopen ID", Short: "Make a bead open again that was closed or set aside", Args: cobra.ExactArgs(1),
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			return b.withID(ctx, args[0], func(id string) error {
				if err := b.store.Reopen(ctx, id, reason); err != nil || notes == "" {
					return err
				}
				_, err := b.store.Edit(ctx, id, func(x *tracker.Bead) error {
					x.Notes = strings.TrimLeft(x.Notes+"\n"+notes, "\n")
					return nil
				})
				return err
			})
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the bead's history")
	cmd.Flags().StringVar(&notes, "append-notes", "", "text to add to its notes")
	return cmd
}
