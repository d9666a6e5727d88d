package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"helix/internal/run"
)

func (a *App) explainCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "explain <id>", Short: "Say why a bead is, or is not, next", GroupID: "look", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, view, err := a.outlook(cmd.Context())
			if err != nil {
				return err
			}
			bead, err := q.Resolve(args[0])
			if err != nil {
				return err
			}
			lines, err := run.Explain(q, bead.ID, view)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(map[string]any{"id": bead.ID, "answer": lines[0], "because": lines[1:]})
			}
			for i, line := range lines {
				if i > 0 {
					line = "  " + line
				}
				fmt.Fprintln(a.Stdout, line)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
