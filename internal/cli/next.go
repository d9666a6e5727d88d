package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/run"
)

func (a *App) nextCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "next", Short: "Print the bead that a run would take next", GroupID: "look", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.project(cmd.Context())
			if err != nil {
				return err
			}
			q, err := p.store.Load(cmd.Context())
			if err != nil {
				return err
			}
			st, err := (run.StateFile{Dir: filepath.Dir(p.store.Path())}).Load()
			if err != nil {
				return err
			}
			c := run.Select(q, viewOf(p, st))
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

// viewOf is how a run would look at the queue now: the live one, or a new one,
// which takes again what the last one has left out.
func viewOf(p *project, st *run.State) run.View {
	view := run.View{Now: time.Now()}
	if st != nil && runIsLive(p) {
		view.Scope, view.Focus, view.Skip, view.Parked = st.Scope, st.FocusedEpic, st.Skip, st.Parked
	}
	return view
}
