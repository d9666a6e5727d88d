package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"helix/internal/tracker"
)

// finish writes the blocker report, the final state and the last lines.
func (l *Loop) finish(ctx context.Context, stop Stop) {
	l.st.fill()
	l.st.StopReason, l.st.StopDetail = stop.Reason, stop.Detail
	l.Output.Line(stop.Detail)
	l.Output.Line("")
	l.Output.Line(fmt.Sprintf("═══ run complete: %d attempted, %d completed, %d skipped, %d tokens ═══",
		l.st.Attempted, l.st.Completed, len(l.st.Skip), l.st.Usage.Total()))
	l.reportBlockers(ctx)
	for _, landing := range l.st.Landed {
		if landing.Review == "" {
			l.Output.Line(fmt.Sprintf("%s landed as %s and was not reviewed; review it with: helix review commit:%s", landing.Bead, short(landing.Commit), landing.Commit))
		}
	}
	l.phase(PhaseStopped)
	usage := l.st.Usage
	l.event(Event{
		Kind: EventRunStop, Cycle: l.st.Attempted, Result: string(stop.Reason), Detail: stop.Detail,
		Usage: &usage, Seconds: l.Clock.Now().Sub(l.st.StartedAt).Seconds(),
	})
	if l.broken != nil {
		l.Output.Line(fmt.Sprintf("warning: the run state or journal is incomplete: %v", l.broken))
	}
}

func (l *Loop) reportBlockers(ctx context.Context) {
	if len(l.st.Skip) == 0 {
		return
	}
	q, err := l.read(ctx)
	if err != nil {
		l.Output.Line(fmt.Sprintf("warning: titles are missing from the blocker report: %v", err))
		q = tracker.NewQueue(nil)
	}
	ids := slices.Sorted(maps.Keys(l.st.Skip))
	l.Output.Line(fmt.Sprintf("BLOCKERS (%d issues):", len(ids)))
	for _, id := range ids {
		l.Output.Line(fmt.Sprintf("  %s — %s", id, l.st.Skip[id]))
		if b, ok := q.Get(id); ok {
			l.Output.Line("    " + b.Title)
		}
	}
	path, err := l.Documents.Blockers(BlockerReport(&l.st, q, l.Clock.Now()))
	if err != nil {
		l.Output.Line(fmt.Sprintf("warning: the blocker report could not be written: %v", err))
		return
	}
	l.Output.Line("blocker report written to " + path)
}

// BlockerReport is what a person reads in the morning: every bead that the run
// gave up on, why, what each attempt came to, where its work is, and what it
// holds up.
func BlockerReport(s *State, q *tracker.Queue, now time.Time) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# HELIX Run Blocker Report\n\nGenerated: %s\nCycles: %d attempted, %d completed, %d skipped\nLog: %s\n\n## Blocked Issues\n",
		now.UTC().Format(time.RFC3339), s.Attempted, s.Completed, len(s.Skip), s.Log)
	for _, id := range slices.Sorted(maps.Keys(s.Skip)) {
		fmt.Fprintf(&w, "\n### %s\n\n", id)
		if b, ok := q.Get(id); ok {
			fmt.Fprintf(&w, "**Title:** %s\n", b.Title)
		}
		fmt.Fprintf(&w, "**Reason:** %s\n**Attempts:** %d\n", s.Skip[id], s.Attempts[id])
		if held := heldUp(q, id); len(held) > 0 {
			fmt.Fprintf(&w, "**Holds up:** %s\n", strings.Join(held, ", "))
		}
		for _, f := range s.Failures[id] {
			if f.Outcome == outcomeReviewed {
				fmt.Fprintf(&w, "\n- Review: %s\n", f.Reason)
			} else {
				fmt.Fprintf(&w, "\n- Attempt %d (%s): %s — %s\n", f.Attempt, f.AttemptID, f.Outcome, f.Reason)
			}
			quote(&w, "The agent's account", f.Tried)
			quote(&w, "It found", f.Review)
			if f.PreserveRef != "" {
				fmt.Fprintf(&w, "  - Work kept at `%s`; look at it with `git diff HEAD...%s`\n", f.PreserveRef, f.PreserveRef)
			}
			if f.Evidence != "" {
				fmt.Fprintf(&w, "  - Evidence: `%s`\n", f.Evidence)
			}
			if f.Tail != "" {
				quote(&w, "`"+f.Gate+"` failed", f.Tail)
			}
		}
	}
	return w.String()
}

// quote sets a text of several lines below a point of the report.
func quote(w *strings.Builder, title, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(w, "  - %s:\n\n        %s\n", title, strings.ReplaceAll(text, "\n", "\n        "))
	}
}

// heldUp are the open beads that wait for id: those that depend on it, and the
// epics above it.
func heldUp(q *tracker.Queue, id string) []string {
	var held []string
	for _, b := range q.All() {
		if !done(b) && slices.ContainsFunc(b.Dependencies, func(d tracker.Dependency) bool { return d.DependsOnID == id }) {
			held = append(held, b.ID)
		}
	}
	if b, ok := q.Get(id); ok {
		for _, a := range ancestors(q, b) {
			if !done(a) {
				held = append(held, a.ID+" (epic)")
			}
		}
	}
	return held
}
