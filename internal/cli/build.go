package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/run"
	"helix/internal/tracker"
)

const buildLong = `Make one attempt at one bead: the one that the selector names, else the one that a
run would take next. The selector is an id, the bead's parent, its spec id, one of
its labels, or a part of its title; the first ready bead that fits is taken.

Exit 0: its work landed and the bead is closed. Exit 1: it did not.`

func (a *App) buildCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "build [selector]", Aliases: []string{"implement"}, Short: "Make one attempt at one bead", Long: buildLong,
		GroupID: "work", Args: cobra.MaximumNArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.validate(cmd) },
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.project(cmd.Context())
			if err != nil {
				return err
			}
			if err := f.apply(cmd, &p.config); err != nil {
				return err
			}
			q, err := p.store.Load(cmd.Context())
			if err != nil {
				return err
			}
			selector := ""
			if len(args) == 1 {
				selector = args[0]
			}
			bead := chosen(q, selector, time.Now())
			if bead == nil && selector == "" {
				return errors.New("no execution-ready bead; see why with: helix bead blocked")
			}
			if bead == nil {
				return fmt.Errorf("no execution-ready bead matched the build selector %q; list them with: helix bead ready --execution", selector)
			}
			f.only = bead.ID
			return a.runLoop(cmd.Context(), p, &f)
		},
	}
	f.registerAttempt(cmd)
	return cmd
}

// chosen is the first ready bead that fits the selector, in the order in which
// runs take them.
func chosen(q *tracker.Queue, selector string, now time.Time) *tracker.Bead {
	if selector == "" {
		return run.Select(q, run.View{Now: now}).Bead
	}
	ready := q.Executable(now)
	for _, fits := range []func(*tracker.Bead) bool{
		func(b *tracker.Bead) bool { return b.ID == selector },
		func(b *tracker.Bead) bool { return b.Parent == selector },
		func(b *tracker.Bead) bool { return b.SpecID() == selector },
		func(b *tracker.Bead) bool { return b.HasLabel(selector) },
		func(b *tracker.Bead) bool {
			return strings.Contains(strings.ToLower(b.Title), strings.ToLower(selector))
		},
	} {
		if i := slices.IndexFunc(ready, fits); i >= 0 {
			return ready[i]
		}
	}
	return nil
}
