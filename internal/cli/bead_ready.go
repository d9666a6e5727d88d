package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/tracker"
)

func (a *App) beadReadyCmd() *cobra.Command {
	var asJSON, execution bool
	cmd := &cobra.Command{
		Use: "ready", Short: "List what can be worked on now, most urgent first", Args: cobra.NoArgs,
		Long: `List the beads that can be worked on now: open, every dependency closed, not
superseded, not cooling down, and no epic that has children. The order is
priority, queue-rank, age, id.`,
		RunE: a.beadRun(func(ctx context.Context, b *beads, _ []string) error {
			q, err := b.load(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				rows, err := q.ReadyJSON(time.Now(), execution)
				if err != nil {
					return err
				}
				return a.printRows(rows)
			}
			ready := q.Ready(time.Now())
			if execution {
				ready = q.Executable(time.Now())
			}
			return a.printBeads(ready, "no ready beads")
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print whole rows as a JSON array")
	cmd.Flags().BoolVar(&execution, "execution", false, "only what an agent may be given: no epics, none with execution-eligible=false")
	return cmd
}

func (a *App) beadBlockedCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "blocked", Short: "List what is held up, why, and by which beads", Args: cobra.NoArgs,
		RunE: a.beadRun(func(ctx context.Context, b *beads, _ []string) error {
			q, err := b.load(ctx)
			if err != nil {
				return err
			}
			held := q.HeldUp(time.Now())
			if asJSON {
				return a.printHeldUp(held)
			}
			if len(held) == 0 {
				_, err := fmt.Fprintln(a.Stdout, "nothing is blocked")
				return err
			}
			var rows [][]string
			for _, w := range held {
				rows = append(rows, []string{plain(w.Bead.ID), cut(plain(w.Bead.Title), 40), plain(details(w.Reasons))})
			}
			return a.printTable(rows)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print whole rows with a blocker each, as a JSON array")
	return cmd
}

func details(reasons []tracker.Reason) string {
	var text []string
	for _, r := range reasons {
		text = append(text, r.Detail)
	}
	return strings.Join(text, "; ")
}

// blocker is what ddx prints beside a held-up bead.
type blocker struct {
	Kind     tracker.ReasonKind `json:"kind"`
	Unclosed []string           `json:"unclosed_dep_ids,omitempty"`
	Detail   string             `json:"detail"`
}

// printHeldUp writes each row with a last key that says what holds it up.
func (a *App) printHeldUp(held []tracker.Waiting) error {
	var rows []json.RawMessage
	for _, w := range held {
		row, err := w.Bead.JSON()
		if err != nil {
			return err
		}
		why := blocker{Kind: w.Reasons[0].Kind, Detail: details(w.Reasons)}
		for _, r := range w.Reasons {
			if r.Kind == tracker.Dependencies {
				why.Unclosed = r.IDs
			}
		}
		added, err := json.Marshal(why)
		if err != nil {
			return err
		}
		row = bytes.TrimSuffix(bytes.TrimSpace(row), []byte("}"))
		rows = append(rows, fmt.Appendf(nil, `%s,"blocker":%s}`, row, added))
	}
	return a.printRows(rows)
}

// beadStatus is what helix bead status --json prints, in ddx's words.
type beadStatus struct {
	tracker.Counts
	Work activeWork `json:"active_work"`
}

type activeWork struct {
	Count int      `json:"count"`
	IDs   []string `json:"bead_ids"`
}

func workOf(q *tracker.Queue) activeWork {
	ids := q.WithStatus(tracker.InProgress)
	return activeWork{len(ids), ids}
}

func (a *App) beadStatusCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: "Count the beads", Args: cobra.NoArgs,
		RunE: a.beadRun(func(ctx context.Context, b *beads, _ []string) error {
			q, err := b.load(ctx)
			if err != nil {
				return err
			}
			c := q.Counts(time.Now())
			if asJSON {
				return a.printJSON(beadStatus{c, workOf(q)})
			}
			return a.printTable([][]string{
				{"total", fmt.Sprint(c.Total)},
				{"open", fmt.Sprintf("%d, of which %d ready (%d for agents), %d waiting for other beads, %d cooling down",
					c.Open, c.Ready, c.WorkerReady, c.DependencyWaiting, c.RetryCooldown)},
				{"in progress", fmt.Sprint(c.InProgress)},
				{"blocked", fmt.Sprint(c.Blocked)},
				{"proposed", fmt.Sprint(c.Proposed)},
				{"closed", fmt.Sprint(c.Closed)},
				{"cancelled", fmt.Sprint(c.Cancelled)},
			})
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
