package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/proc"
	"helix/internal/run"
)

func (a *App) statusCmd() *cobra.Command {
	var asJSON, watch bool
	cmd := &cobra.Command{
		Use: "status", Short: "Show the run, the queue, what it cost and why it stopped", GroupID: "look", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			p, err := a.project(ctx)
			if err != nil {
				return err
			}
			if watch {
				return a.watchStatus(ctx, p, asJSON)
			}
			s, err := readStatus(ctx, p)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(s)
			}
			writeStatus(a.Stdout, s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&watch, "watch", false, "print again whenever something changes, until the run ends")
	return cmd
}

func readStatus(ctx context.Context, p *project) (run.Status, error) {
	q, err := p.store.Load(ctx)
	if err != nil {
		return run.Status{}, err
	}
	st, err := p.states().Load()
	if err != nil {
		return run.Status{}, err
	}
	return run.StatusOf(q, st, runIsLive(p), claimFacts(p)), nil
}

// states is where the runs of this project keep their state.
func (p *project) states() run.StateFile {
	return run.StateFile{Dir: filepath.Dir(p.store.Path())}
}

// runIsLive tries the run lock without keeping it.
func runIsLive(p *project) bool {
	lock := runLock(p)
	got, err := lock.TryRLock()
	if got {
		_ = lock.Unlock()
	}
	return err == nil && !got
}

func claimFacts(p *project) run.ClaimFacts {
	return run.ClaimFacts{Now: time.Now(), Machine: proc.Machine(), Threshold: p.config.OrphanAge, Alive: proc.Same}
}

const watchInterval = 500 * time.Millisecond

// watchStatus prints the status anew when it changed. On a terminal it redraws;
// elsewhere every print is appended, and with --json each is one line.
func (a *App) watchStatus(ctx context.Context, p *project, asJSON bool) error {
	last := ""
	for {
		s, err := readStatus(ctx, p)
		if err != nil {
			return err
		}
		var text strings.Builder
		if asJSON {
			if err := writeJSONLine(&text, s); err != nil {
				return err
			}
		} else {
			writeStatus(&text, s)
		}
		if text.String() != last {
			if a.colour(a.Stdout) && !asJSON {
				fmt.Fprint(a.Stdout, "\x1b[H\x1b[2J")
			}
			fmt.Fprint(a.Stdout, text.String())
			last = text.String()
		}
		if s.ActiveRun == nil {
			return nil
		}
		if (run.SystemClock{}).Sleep(ctx, watchInterval) != nil {
			return nil
		}
	}
}

func writeStatus(w io.Writer, s run.Status) {
	t := s.Tracker
	fmt.Fprintf(w, "HELIX Status\n============\n\nTracker:\n")
	for _, row := range []struct {
		name string
		n    int
	}{{"Total", t.Total}, {"Open", t.Open}, {"Claimed", t.InProgress}, {"Closed", t.Closed}, {"Ready", t.Ready}, {"Blocked", t.DependencyWaiting + t.Blocked}} {
		fmt.Fprintf(w, "  %-9s%d\n", row.name+":", row.n)
	}
	if r := s.ActiveRun; r != nil {
		fmt.Fprintf(w, "\nActive Run:\n  PID:     %d\n  Started: %s\n  Doing:   %s\n  Log:     %s\n", r.PID, r.Started.Local().Format(time.DateTime), doing(s), r.Log)
	}
	if s.Run != nil {
		writeRun(w, s)
	}
	for i, p := range s.Parked {
		if i == 0 {
			fmt.Fprintf(w, "\nNot runnable now:\n")
		}
		fmt.Fprintf(w, "  %s  %s: %s\n", p.ID, p.Reason, p.Detail)
	}
}

func doing(s run.Status) string {
	r := s.ActiveRun
	text := string(r.Phase)
	if s.RunningBead != nil {
		text += " " + s.RunningBead.ID + " — " + s.RunningBead.Title
	}
	if !r.Until.IsZero() {
		text += " until " + r.Until.Local().Format(time.TimeOnly)
	}
	return text
}

func writeRun(w io.Writer, s run.Status) {
	r := s.Run
	title := "Last Run"
	if s.ActiveRun != nil {
		title = "This Run"
	}
	fmt.Fprintf(w, "\n%s:\n  Agent:       %s (%s executor)\n  Completed:   %d cycles\n  Attempted:   %d cycles\n  Closed:      %d beads\n  Tokens:      %d\n  Cost:        %s\n",
		title, r.Agent, r.Executor, r.Completed, r.Attempted, r.BeadsClosed, r.TotalTokens, cost(r))
	if s.ActiveRun == nil {
		if r.Unfinished() {
			fmt.Fprintf(w, "  Stop reason: it died while %s; the next helix run takes over\n", r.Phase)
		} else {
			fmt.Fprintf(w, "  Stop reason: %s — %s\n", r.StopReason, r.StopDetail)
		}
	}
	fmt.Fprintf(w, "  Memory:      %s\n", memoryText(r.Memory))
	fmt.Fprintf(w, "  Timestamp:   %s\n  Log:         %s\n", r.LastRun.Local().Format(time.DateTime), r.Log)
	for i, l := range r.Landed {
		if i == 0 {
			fmt.Fprintf(w, "  Landed:\n")
		}
		fmt.Fprintf(w, "    %s  %.8s  review: %s\n", l.Bead, l.Commit, orDue(l.Review))
	}
	writeSkipped(w, r)
}

func writeSkipped(w io.Writer, r *run.State) {
	first := true
	for _, id := range sortedKeys(r.Skip) {
		if first {
			fmt.Fprintf(w, "  Given up:\n")
			first = false
		}
		fmt.Fprintf(w, "    %s  %s\n", id, r.Skip[id])
		for _, f := range r.Failures[id] {
			fmt.Fprintf(w, "      attempt %d: %s\n", f.Attempt, f.Reason)
			if f.PreserveRef != "" {
				fmt.Fprintf(w, "        kept at %s\n", f.PreserveRef)
			}
		}
	}
}

// memoryText is what a run or a cycle did with its memory, in entries.
func memoryText(m run.MemoryCounts) string {
	return fmt.Sprintf("%d recalled, %d recorded, %d credited", m.Recalled, m.Recorded, m.Credited)
}

func orDue(r run.Review) string {
	if r == "" {
		return "not done"
	}
	return string(r)
}

// cost is what the agents said they cost. Subscriptions report nothing: that is
// unknown, not free.
func cost(r *run.State) string {
	if r.Usage.CostSource == "" && r.Usage.CostUSD == 0 {
		return "not reported"
	}
	return fmt.Sprintf("$%.2f", r.Usage.CostUSD)
}
