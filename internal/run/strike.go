package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// blockedLabel marks a bead that a run gave up on. It does not keep the next
// run from trying again; landing the bead takes it off.
const blockedLabel = "blocked"

// strike lets a failed attempt stand against the primary bead, waits as back-off
// says, and gives the bead up when its attempts are used up.
func (l *Loop) strike(ctx context.Context, req executor.Request, res executor.Result) *Stop {
	b := req.Beads[0]
	for _, other := range req.Beads[1:] {
		l.st.Alone[other.ID] = true // a batch that failed is split
	}
	n := l.st.Attempts[b.ID]
	failure := Failure{
		Attempt: n, AttemptID: req.AttemptID, At: l.Clock.Now().UTC(), Outcome: string(res.Outcome),
		Reason: res.Reason, Tried: tried(res.AgentText), PreserveRef: res.PreserveRef, Evidence: res.EvidenceDir,
	}
	failure.Gate, failure.Tail = failedGate(res.Gates)
	l.st.Failures[b.ID] = append(l.st.Failures[b.ID], failure)
	l.save()
	l.line("cycle %d: FAILED %s (%s): %s%s", l.st.Attempted, b.ID, res.Outcome, res.Reason, keptAt(res))
	if !res.RetryAfter.IsZero() && res.RetryAfter.After(l.Clock.Now()) {
		l.st.Parked[b.ID] = res.RetryAfter
		l.save()
		l.line("%s is parked until %s", b.ID, res.RetryAfter.Local().Format("15:04"))
	}
	if l.Options.Only != "" {
		return nil // the next attempt is the user's to ask for
	}
	if l.sleep(ctx, PhaseBackoff, l.Options.Backoff.Bead(n)) != nil {
		return l.halted(ctx)
	}
	if n >= l.Options.MaxAttempts {
		l.block(ctx, b, n)
	} else {
		l.unsettled = true
	}
	return l.recoverClaims(ctx)
}

// excuse takes an attempt back that says nothing about its bead.
func (l *Loop) excuse(id string) {
	if l.st.Attempts[id]--; l.st.Attempts[id] <= 0 {
		delete(l.st.Attempts, id)
	}
	l.save()
}

// block gives a bead up for this run, and with it the epic that the loop is
// focused on (TD-002, Exponential Backoff).
func (l *Loop) block(ctx context.Context, b *tracker.Bead, attempts int) {
	l.line("BLOCKED %s after %d attempts", b.ID, attempts)
	l.markBlocked(ctx, b.ID, fmt.Sprintf("intractable after %d attempts with exponential backoff", attempts))
	if l.st.FocusedEpic == "" {
		return
	}
	q, stop := l.load(ctx)
	if stop != nil {
		return
	}
	for _, a := range ancestors(q, b) {
		if a.ID == l.st.FocusedEpic {
			l.detail("blocking parent epic %s due to intractable child %s", a.ID, b.ID)
			l.markBlocked(ctx, a.ID, fmt.Sprintf("child %s intractable after %d attempts", b.ID, attempts))
			l.st.FocusedEpic = ""
			l.save()
		}
	}
}

func (l *Loop) markBlocked(ctx context.Context, id, reason string) {
	l.skip(id, reason)
	stamp := l.Clock.Now().UTC().Format("2006-01-02T15:04:05Z")
	_, err := l.Tracker.Edit(ctx, id, func(b *tracker.Bead) error {
		if !slices.Contains(b.Labels, blockedLabel) {
			b.Labels = append(b.Labels, blockedLabel)
		}
		if b.Notes != "" {
			b.Notes += "\n"
		}
		b.Notes += fmt.Sprintf("BLOCKED [%s]: %s", stamp, reason)
		return nil
	})
	if err != nil {
		l.line("warning: %s could not be marked as blocked: %v", id, err)
	}
}

// unmarkBlocked takes off the mark that an earlier run left.
func (l *Loop) unmarkBlocked(ctx context.Context, b *tracker.Bead) {
	if !b.HasLabel(blockedLabel) {
		return
	}
	_, err := l.Tracker.Edit(ctx, b.ID, func(b *tracker.Bead) error {
		b.Labels = slices.DeleteFunc(b.Labels, func(label string) bool { return label == blockedLabel })
		return nil
	})
	if err != nil && !errors.Is(err, tracker.ErrNotFound) { // ddx may have archived it
		l.line("warning: the label %q of %s could not be taken off: %v", blockedLabel, b.ID, err)
	}
}
