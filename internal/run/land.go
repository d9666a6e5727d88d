package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"helix/internal/run/executor"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// conclude turns an attempt's result into state: landed beads are closed, all
// others released, and what did not land is a strike, a pause, or neither.
func (l *Loop) conclude(ctx context.Context, req executor.Request, was map[string]Fingerprint, res executor.Result, err error) *Stop {
	bg := context.WithoutCancel(ctx) // a signal must not keep the claim from being released
	primary := req.Beads[0]
	l.st.CycleEnd = l.Clock.Now().UTC()
	l.st.CycleDuration = l.st.CycleEnd.Sub(l.st.CycleStart).Seconds()
	l.st.Usage = l.st.Usage.Add(res.Usage)
	for _, b := range req.Beads {
		if len(res.Gates) > 0 {
			l.gates[b.ID] = gateResults(res.Gates)
		}
	}
	for _, w := range res.Warnings {
		l.line("%s: warning: %s", primary.ID, w)
		l.event(Event{Kind: EventWarning, Bead: primary.ID, Attempt: req.AttemptID, Detail: w})
	}
	closed := l.closeLanded(bg, req, was, &res)
	l.release(bg, req.Beads, closed)
	if res.Closed && !slices.Contains(closed, primary.ID) {
		l.undoFalseClose(bg, primary.ID, res.Reason+l.drifted[primary.ID])
	}
	usage := res.Usage
	l.event(Event{
		Kind: EventOutcome, Cycle: l.st.Attempted, Bead: primary.ID, Beads: l.st.Batch, Attempt: req.AttemptID,
		Result: string(res.Outcome), Detail: res.Reason, Commit: res.LandedRev, Ref: res.PreserveRef,
		Usage: &usage, Seconds: l.st.CycleDuration, Evidence: res.EvidenceDir,
	})
	deed := l.deed(bg, req, res)
	l.st.CurrentIssue, l.st.Batch, l.st.AttemptID = "", nil, ""
	l.noAgents()
	l.save()
	findings := prompt.Findings(res.AgentText)
	if len(closed) == 0 {
		l.record(bg, Lesson{Deed: deed, Findings: findings, Output: true})
	}

	switch {
	case len(closed) > 0:
		l.troubles = 0
		l.afterLanding(req, closed, res)
		l.record(bg, Lesson{Deed: deed, Findings: findings, Episode: len(deed.Earlier) > 0, Output: true})
		stop := l.reviewDue(ctx)
		l.credit(bg, deed, l.verdictOf(deed.Cycle))
		return stop
	case err != nil:
		return &Stop{StopError, fmt.Sprintf("%s: %v", primary.ID, err)}
	case len(l.drifted) > 0:
		l.excuse(primary.ID)
		l.skipDrifted(res)
		return nil
	case ctx.Err() != nil:
		l.excuse(primary.ID)
		l.line("cycle %d: %s interrupted%s", l.st.Attempted, primary.ID, keptAt(res))
		return nil
	case res.Trouble != "":
		l.excuse(primary.ID)
		l.line("cycle %d: %s not attempted to its end: %s%s", l.st.Attempted, primary.ID, res.Reason, keptAt(res))
		return l.pause(ctx, res.Trouble, res.RetryAfter.Sub(l.Clock.Now()), res.Reason)
	}
	if stop := l.Options.Bounds.Exceeded(&l.st, l.Clock.Now()); stop != nil && stop.Reason == StopMaxDuration {
		l.excuse(primary.ID)
		l.line("cycle %d: %s was cut by the run's time%s", l.st.Attempted, primary.ID, keptAt(res))
		return stop
	}
	l.troubles = 0
	l.record(bg, Lesson{Deed: deed, Episode: true})
	l.credit(bg, deed, verdictOnFailure(res))
	return l.strike(ctx, req, res)
}

// closeLanded closes every bead whose work is on the branch and still answers
// it, and returns their ids. A bead whose work is there but that drifted is
// remembered in l.drifted.
func (l *Loop) closeLanded(ctx context.Context, req executor.Request, was map[string]Fingerprint, res *executor.Result) []string {
	if res.Outcome != executor.Landed {
		return nil
	}
	var closed []string
	for _, b := range req.Beads {
		if !slices.Contains(res.Landed, b.ID) {
			continue
		}
		commit := res.Commits[b.ID]
		if commit == "" {
			commit = res.LandedRev
		}
		// An executor's word is not enough: helix looks at the branch itself.
		if on, err := l.Repo.Contains(ctx, commit); err != nil || !on {
			res.Outcome = executor.Failed
			res.Reason = fmt.Sprintf("reported as landed, but commit %s is not on the branch", short(commit))
			continue
		}
		if err := l.closeOne(ctx, b, was[b.ID], commit, res.Closed); err != nil {
			l.drifted[b.ID] = fmt.Sprintf("%v (its work is on the branch as %s)", err, short(commit))
			continue
		}
		closed = append(closed, b.ID)
		l.unmarkBlocked(ctx, b)
		l.st.BeadsClosed++
		l.st.Landed = append(l.st.Landed, Landing{Bead: b.ID, Commit: commit, Cycle: l.st.Attempted})
		delete(l.st.Attempts, b.ID)
		l.event(Event{Kind: EventClosed, Cycle: l.st.Attempted, Bead: b.ID, Attempt: req.AttemptID, Commit: commit})
		l.save()
	}
	return closed
}

// closeOne closes a bead whose work landed, unless it drifted (TD-002,
// Revalidation Rules, before close).
func (l *Loop) closeOne(ctx context.Context, b *tracker.Bead, was Fingerprint, commit string, already bool) error {
	q, err := l.read(ctx)
	if err != nil {
		return err
	}
	now, found := q.Get(b.ID)
	if already {
		return closedByExecutor(now, found, was)
	}
	if why := l.driftOf(q, b.ID, was); why != "" {
		return errors.New(why)
	}
	closing := tracker.Closing{Commit: commit, Session: l.RunID}
	if !l.Executor.Capabilities().Claims {
		claim := now.Claim()
		closing.Owner = &claim
	}
	return l.Tracker.Close(ctx, b.ID, closing)
}

// closedByExecutor checks a bead that its executor says it closed. ddx may have
// moved it to its archive already.
func closedByExecutor(now *tracker.Bead, found bool, was Fingerprint) error {
	if !found {
		return nil
	}
	if now.Status != tracker.Closed {
		return fmt.Errorf("its executor says that it is closed, but it is %s", now.Status)
	}
	if why := Drift(was, now); why != "" {
		return errors.New(why)
	}
	return nil
}

// release gives back the claims of all beads that were not closed. A claim that
// is no longer ours is left as it is. An executor that claims by itself may have
// left its claim behind when it died: that one goes too, once its owner is gone.
func (l *Loop) release(ctx context.Context, beads []*tracker.Bead, closed []string) {
	q, err := l.read(ctx)
	if err != nil {
		l.line("warning: the queue cannot be read, claims of %s stay until they are stale: %v", joinIDs(beads), err)
		return
	}
	for _, b := range beads {
		now, ok := q.Get(b.ID)
		if slices.Contains(closed, b.ID) || !ok || now.Status != tracker.InProgress {
			continue
		}
		claim := now.Claim()
		if l.Executor.Capabilities().Claims {
			// Claims are recorded to the second.
			if claim.At.Before(l.st.CycleStart.Truncate(time.Second)) || claim.PID == 0 || l.Processes.Same(claim.PID, claim.Start) {
				continue
			}
		} else if claim.PID != l.self.PID || claim.Start != l.self.Start {
			continue
		}
		if err := l.Tracker.Unclaim(ctx, b.ID, &claim); err != nil {
			l.line("warning: the claim of %s could not be released: %v", b.ID, err)
		}
	}
}

// undoFalseClose reopens a bead that its executor closed although its work is
// not on the branch, or no longer answers it.
func (l *Loop) undoFalseClose(ctx context.Context, id, reason string) {
	q, err := l.read(ctx)
	if err == nil {
		if b, ok := q.Get(id); !ok || b.Status != tracker.Closed {
			return
		}
		err = l.Tracker.Reopen(ctx, id, "closed by the executor, reopened by helix: "+reason)
	}
	if err != nil {
		l.line("warning: %s is closed without landed work and could not be reopened: %v", id, err)
	}
}

// afterLanding tells what landed and which beads of the batch are left.
func (l *Loop) afterLanding(req executor.Request, closed []string, res executor.Result) {
	for i, b := range req.Beads {
		if !slices.Contains(closed, b.ID) {
			l.st.Alone[b.ID] = true
			if i == 0 {
				l.excuse(b.ID) // it gets an attempt of its own
			}
			if why, drifted := l.drifted[b.ID]; drifted {
				l.skip(b.ID, "queue drift: "+why)
			}
		}
	}
	l.line("cycle %d: %s → LANDED %s (%s, %d tokens)", l.st.Attempted, strings.Join(closed, ","),
		short(res.LandedRev), res.Duration.Round(1e9), res.Usage.Total())
}

// skipDrifted leaves the drifted beads out for the rest of the run.
func (l *Loop) skipDrifted(res executor.Result) {
	for id, why := range l.drifted {
		l.line("queue drift detected for %s: %s%s", id, why, keptAt(res))
		l.event(Event{Kind: EventDrift, Bead: id, Detail: why, Ref: res.PreserveRef})
		l.skip(id, "queue drift: "+why+keptAt(res))
	}
}

func (l *Loop) skip(id, why string) {
	l.st.Skip[id] = why
	l.save()
	l.event(Event{Kind: EventSkip, Bead: id, Detail: why})
}

func keptAt(res executor.Result) string {
	if res.PreserveRef == "" {
		return ""
	}
	return "; the work is kept at " + res.PreserveRef
}

func joinIDs(beads []*tracker.Bead) string { return strings.Join(beadIDs(beads), ",") }

func short(rev string) string { return rev[:min(len(rev), 8)] }
