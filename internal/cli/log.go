package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/run"
)

func (a *App) logCmd() *cobra.Command {
	var asJSON bool
	var last int
	cmd := &cobra.Command{
		Use: "log [run | bead]", Short: "List runs and their cycles from the journal", GroupID: "look", Args: cobra.MaximumNArgs(1),
		Long: "List the runs of this repository, newest last, with what each of their cycles came to.\nA run id or a bead id shows everything that the journal has about it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.project(cmd.Context())
			if err != nil {
				return err
			}
			if last < 1 {
				return fmt.Errorf("--last %d is less than 1", last)
			}
			journal := run.JournalIn(filepath.Dir(p.store.Path()))
			events, damaged, err := journal.Read()
			if err != nil {
				return err
			}
			if damaged > 0 {
				fmt.Fprintf(a.Stderr, "helix: %s: %d damaged line(s) were left out\n", journal.Path, damaged)
			}
			if len(args) == 1 {
				return a.logOf(events, args[0], asJSON)
			}
			runs := run.Runs(events)
			runs = runs[max(0, len(runs)-last):]
			if asJSON {
				return a.printJSON(runs)
			}
			if len(runs) == 0 {
				fmt.Fprintln(a.Stdout, "no runs yet")
			}
			for _, r := range runs {
				writeRunLog(a.Stdout, r)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().IntVar(&last, "last", 10, "how many runs to list")
	return cmd
}

// logOf prints every event of one run or one bead.
func (a *App) logOf(events []run.Event, id string, asJSON bool) error {
	events = slices.DeleteFunc(events, func(e run.Event) bool {
		return e.Run != id && e.Bead != id && !slices.Contains(e.Beads, id)
	})
	if len(events) == 0 {
		return fmt.Errorf("the journal knows no run and no bead %q; list the runs with: helix log", id)
	}
	if asJSON {
		return a.printJSON(events)
	}
	for _, e := range events {
		fmt.Fprintf(a.Stdout, "%s  %-9s %s\n", e.Time.Local().Format(time.DateTime), e.Kind, eventText(e))
	}
	return nil
}

func eventText(e run.Event) string {
	var parts []string
	for _, s := range []string{e.Bead, e.Result, e.Detail, short(e.Commit), e.Ref} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if e.Usage != nil && e.Usage.Total() > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", e.Usage.Total()))
	}
	parts = append(parts, e.Memories...)
	return strings.Join(parts, "  ")
}

func writeRunLog(w io.Writer, r run.RunRecord) {
	stop := string(r.StopReason)
	if stop == "" {
		stop = "not ended"
	}
	fmt.Fprintf(w, "%s  %s  %d attempted, %d closed, %d tokens, %s: %s\n", r.ID, r.Start.Local().Format(time.DateTime),
		len(r.Cycles), r.Closed, r.Usage.Total(), time.Duration(r.Seconds*1e9).Round(time.Second), stop)
	for _, c := range r.Cycles {
		memory := ""
		if c.Memory != (run.MemoryCounts{}) {
			memory = "  (memory: " + memoryText(c.Memory) + ")"
		}
		fmt.Fprintf(w, "  cycle %-3d %-12s %-10s %6s  %s%s\n", c.Cycle, c.Bead, orDash(c.Outcome), time.Duration(c.Seconds*1e9).Round(time.Second), c.Detail, memory)
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func short(rev string) string { return rev[:min(len(rev), 8)] }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// writeJSONLine writes one JSON value on one line.
func writeJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
