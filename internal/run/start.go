package run

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"helix/internal/tracker"
)

// start takes over from the run before, frees stale claims and writes the
// execution context.
func (l *Loop) start(ctx context.Context) *Stop {
	previous, err := l.States.Load()
	if err != nil {
		return &Stop{StopError, fmt.Sprintf("the run state cannot be read: %v", err)}
	}
	l.self = l.Processes.Self()
	l.gates = map[string][]GateResult{}
	path, _ := l.Output.Position()
	now := l.Clock.Now().UTC()
	l.st = State{
		Writer: StateWriter, RunID: l.RunID, Machine: l.self.Machine,
		Agent: string(l.Options.Agent.Kind), Executor: l.Executor.Capabilities().Name, Scope: l.Options.Scope,
		Log: path, StartedAt: now, Phase: PhaseStarting,
	}
	l.st.Process.PID, l.st.Process.Start = l.self.PID, l.self.Start
	if previous.Unfinished() {
		l.st.Inherit(previous)
	}
	l.st.fill()
	if previous.Unfinished() {
		// The predecessor's record is replaced only after what it left was settled.
		if stop := l.settle(ctx, previous); stop != nil {
			return stop
		}
	}
	l.owns = true
	l.save()
	if previous.Unfinished() {
		l.giveUpExhausted(ctx)
	}
	l.reclaim(ctx)
	l.event(Event{Kind: EventRunStart, Detail: fmt.Sprintf("%s executor, %s", l.st.Executor, l.st.Agent)})
	if stop := l.recoverClaims(ctx); stop != nil {
		return stop
	}
	q, stop := l.load(ctx)
	if stop != nil {
		return stop
	}
	if stop := l.writeContext(ctx, q); stop != nil {
		return stop
	}
	here, err := l.here(ctx)
	if err != nil {
		return &Stop{StopError, fmt.Sprintf("the checkout cannot be read: %v", err)}
	}
	l.position = &here
	return l.reviewDue(ctx)
}

// reclaim never fails a run: what could not be put in order stays where it is.
func (l *Loop) reclaim(ctx context.Context) {
	if l.Reclaim == nil {
		return
	}
	kept, err := l.Reclaim(ctx)
	for _, text := range kept {
		l.line("%s", text)
		l.event(Event{Kind: EventWarning, Detail: text})
	}
	if err != nil {
		l.line("warning: what dead attempts left behind could not all be put in order: %v", err)
	}
}

// settle finishes what a dead run had begun: its agents are ended, and a bead
// whose work it had landed but not closed is closed. Everything else is left to
// the rules for stale claims.
func (l *Loop) settle(ctx context.Context, dead *State) *Stop {
	ended, err := l.Processes.EndOrphans(ctx, dead.RunID, dead.Agents)
	if err != nil {
		l.line("warning: processes of the dead run %s could not all be ended: %v", dead.RunID, err)
	}
	for _, p := range ended {
		l.line("ended %s, left by the dead run %s", p, dead.RunID)
		l.event(Event{Kind: EventOrphan, Detail: p})
	}
	if dead.AttemptID == "" {
		return nil
	}
	l.st.Failures[dead.CurrentIssue] = append(l.st.Failures[dead.CurrentIssue], Failure{
		Attempt: l.st.Attempts[dead.CurrentIssue], AttemptID: dead.AttemptID, At: dead.LastRun,
		Outcome: "crashed", Reason: "helix died during this attempt",
	})
	q, stop := l.load(ctx)
	if stop != nil {
		return stop
	}
	for _, id := range dead.Batch {
		commit, err := l.Repo.AttemptCommit(ctx, id, dead.AttemptID)
		if err != nil {
			return &Stop{StopError, fmt.Sprintf("the checkout cannot be read: %v", err)}
		}
		bead, ok := q.Get(id)
		if commit == "" || !ok || l.Processes.Same(dead.Process.PID, dead.Process.Start) {
			continue
		}
		if bead.Status == tracker.Closed {
			l.inheritLanding(id, commit) // it died between the close and its review
			continue
		}
		if !claimedBy(bead, dead) {
			continue
		}
		claim := bead.Claim()
		if err := l.Tracker.Close(ctx, id, tracker.Closing{Commit: commit, Session: dead.RunID, Owner: &claim}); err != nil {
			l.line("warning: %s landed as %s before the last run died, but cannot be closed: %v", id, short(commit), err)
			continue
		}
		l.line("%s had landed as %s when the last run died; closed it", id, short(commit))
		l.event(Event{Kind: EventRecover, Bead: id, Attempt: dead.AttemptID, Result: "landed", Commit: commit})
		l.inheritLanding(id, commit)
	}
	return nil
}

// inheritLanding takes over a landing of a dead run, whose review is still due.
func (l *Loop) inheritLanding(id, commit string) {
	delete(l.st.Attempts, id)
	if !slices.ContainsFunc(l.st.Landed, func(x Landing) bool { return x.Commit == commit && x.Bead == id }) {
		l.st.Landed = append(l.st.Landed, Landing{Bead: id, Commit: commit, Inherited: true})
	}
}

// giveUpExhausted blocks beads whose last attempt took the dead run down.
func (l *Loop) giveUpExhausted(ctx context.Context) {
	for _, id := range slices.Sorted(maps.Keys(l.st.Attempts)) {
		if _, skipped := l.st.Skip[id]; !skipped && l.st.Attempts[id] >= l.Options.MaxAttempts {
			l.markBlocked(ctx, id, fmt.Sprintf("intractable after %d attempts, the last of which died with its run", l.st.Attempts[id]))
		}
	}
}

func claimedBy(b *tracker.Bead, s *State) bool {
	c := b.Claim()
	return b.Status == tracker.InProgress && c.Owner == Owner && c.PID == s.Process.PID && c.Start == s.Process.Start
}

// recoverClaims frees every claim that is demonstrably stale.
func (l *Loop) recoverClaims(ctx context.Context) *Stop {
	q, stop := l.load(ctx)
	if stop != nil {
		return stop
	}
	freed := 0
	facts := ClaimFacts{
		Now: l.Clock.Now(), Machine: l.self.Machine, Threshold: l.Options.OrphanAge,
		Alive: l.Processes.Same, Requested: l.Options.Recover,
	}
	for _, b := range q.All() {
		if b.Status != tracker.InProgress || b.Claim().Owner != Owner {
			continue
		}
		stale, why := Reclaimable(b, facts)
		if !stale {
			l.detail("issue %s: %s", b.ID, why)
			continue
		}
		// Compare-and-set on the claim that was judged: it may have changed hands.
		claim := b.Claim()
		if err := l.Tracker.Unclaim(ctx, b.ID, &claim); err != nil {
			l.detail("issue %s was not reclaimed: %v", b.ID, err)
			continue
		}
		freed++
		l.line("reclaiming orphaned %s (%s)", b.ID, why)
		l.event(Event{Kind: EventRecover, Bead: b.ID, Result: "unclaimed", Detail: why})
	}
	if freed > 0 {
		l.detail("recovered %d orphaned issue(s)", freed)
	}
	return nil
}
