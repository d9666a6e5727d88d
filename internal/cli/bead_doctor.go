package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"helix/internal/config"
	"helix/internal/proc"
	"helix/internal/tracker"
)

func (a *App) beadDoctorCmd() *cobra.Command {
	var o tracker.Doctoring
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Examine the tracker file and mend it", Args: cobra.NoArgs,
		Long: `Look for lines that are no beads, duplicates, dependencies and parents that do not
exist, cycles, unknown statuses, stale claims and a stale lock. The exit code is 1
when something is left that must be mended.

--fix mends everything but stale claims, which are only reported, and git
conflicts (helix bead merge). The file as it was is kept beside it.`,
		RunE: a.beadRun(func(ctx context.Context, b *beads, _ []string) error {
			cfg, err := config.Load(b.root, a.Getenv)
			if err != nil {
				return err
			}
			o.ClaimAge, o.Machine, o.SameProcess = cfg.OrphanAge, proc.Machine(), proc.Same
			d, err := b.store.Doctor(ctx, o)
			if err != nil {
				return err
			}
			if asJSON {
				if err := a.printJSON(d); err != nil {
					return err
				}
			} else if err := a.printDiagnosis(b, d); err != nil {
				return err
			}
			if d.Sick() {
				return &exitError{code: ExitError}
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&o.Fix, "fix", false, "mend what can be mended")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

func (a *App) printDiagnosis(b *beads, d *tracker.Diagnosis) error {
	if len(d.Findings) == 0 {
		_, err := fmt.Fprintln(a.Stdout, "the tracker is sound")
		return err
	}
	var rows [][]string
	fixable := false
	for _, f := range d.Findings {
		where := f.ID
		if f.Line > 0 {
			where = fmt.Sprintf("line %d %s", f.Line, f.ID)
		}
		text := f.Detail
		switch {
		case f.Mended:
			text += " (mended)"
		case f.Advice != "":
			text += "; run: " + f.Advice
		}
		fixable = fixable || f.Mendable && !f.Mended
		rows = append(rows, []string{f.Kind, plain(where), b.short(plain(text))})
	}
	if err := a.printTable(rows); err != nil {
		return err
	}
	if d.Backup != "" {
		fmt.Fprintf(a.Stdout, "the file as it was: %s\n", b.short(d.Backup))
	}
	if fixable {
		fmt.Fprintln(a.Stdout, "mend with: helix bead doctor --fix")
	}
	return nil
}
