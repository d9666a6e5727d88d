package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/run"
	"helix/internal/tracker"
)

func (a *App) nextCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "next", Short: "Print the bead that a run would take next", GroupID: "look", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, view, err := a.outlook(cmd.Context())
			if err != nil {
				return err
			}
			c := run.Select(q, view)
			switch {
			case asJSON && c.Bead == nil:
				return a.printJSON(nil)
			case asJSON:
				return a.printJSON(map[string]any{"id": c.Bead.ID, "title": c.Bead.Title, "epic": c.Focus, "ready": len(c.Ready)})
			case c.Bead == nil:
				fmt.Fprintln(a.Stdout, "no ready issues")
			default:
				fmt.Fprintln(a.Stdout, c.Bead.ID)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, null when nothing is ready")
	return cmd
}

// outlook is the queue and how a run would look at it now: the live one, or a new
// one, which takes again what the last one has left out.
func (a *App) outlook(ctx context.Context) (*tracker.Queue, run.View, error) {
	view := run.View{Now: time.Now()}
	p, err := a.project(ctx)
	if err != nil {
		return nil, view, err
	}
	q, err := p.store.Load(ctx)
	if err != nil {
		return nil, view, err
	}
	st, err := p.states().Load()
	if err != nil {
		return nil, view, err
	}
	if st != nil && runIsLive(p) {
		view.Scope, view.Focus, view.Skip, view.Parked = st.Scope, st.FocusedEpic, st.Skip, st.Parked
	}
	return q, view, nil
}
