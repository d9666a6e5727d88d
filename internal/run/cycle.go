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

// cycle makes one attempt at the chosen bead and what is batched with it.
func (l *Loop) cycle(ctx context.Context, c Choice) *Stop {
	caps := l.Executor.Capabilities()
	batch := []*tracker.Bead{c.Bead}
	if caps.Batch && !l.alone(c.Bead.ID) {
		together := slices.DeleteFunc(slices.Clone(c.Ready), func(b *tracker.Bead) bool { return l.alone(b.ID) })
		batch = Batch(c.Bead, together, l.st.Skip, l.Options.BatchSize)
	}
	was := map[string]Fingerprint{}
	for _, b := range batch {
		was[b.ID] = FingerprintOf(b)
	}
	l.drifted = map[string]string{}
	l.phase(PhaseClaiming)
	beads, stop := l.claim(ctx, batch, was)
	if stop != nil || len(beads) == 0 {
		return stop
	}
	req, err := l.begin(ctx, beads, was, len(c.Ready))
	if err != nil {
		l.release(context.WithoutCancel(ctx), beads, nil)
		return &Stop{StopError, fmt.Sprintf("the prompt for %s cannot be composed: %v", beads[0].ID, err)}
	}
	_, before := l.Output.Position()
	res, err := l.Executor.Execute(ctx, req)
	_, after := l.Output.Position()
	l.informed(req, res)
	if err == nil {
		l.pointer(l.st.Agent+" complete", string(res.Outcome), res.Duration, res.Usage, before+1, max(after, before+1))
	}
	return l.conclude(ctx, req, was, res, err)
}

// alone tells whether a bead must not be batched: it failed before, or a batch
// has left it undone.
func (l *Loop) alone(id string) bool { return l.st.Attempts[id] > 0 || l.st.Alone[id] }

// claim revalidates and claims the batch (TD-002, Revalidation Rules). When the
// primary bead cannot be had, nothing is claimed and the queue is looked at
// again; another bead of the batch is just left out.
func (l *Loop) claim(ctx context.Context, batch []*tracker.Bead, was map[string]Fingerprint) ([]*tracker.Bead, *Stop) {
	q, stop := l.load(ctx)
	if stop != nil {
		return nil, stop
	}
	runnable := q.Executable(l.Clock.Now())
	var beads []*tracker.Bead
	for i, b := range batch {
		fresh, why := l.claimOne(ctx, q, runnable, b, was[b.ID])
		if why == "" {
			beads = append(beads, fresh)
			continue
		}
		l.detail("%s was not claimed: %s", b.ID, why)
		l.event(Event{Kind: EventDrift, Bead: b.ID, Result: "not claimed", Detail: why})
		if i == 0 {
			return nil, nil
		}
	}
	return beads, nil
}

func (l *Loop) claimOne(ctx context.Context, q *tracker.Queue, runnable []*tracker.Bead, b *tracker.Bead, was Fingerprint) (*tracker.Bead, string) {
	fresh, _ := q.Get(b.ID)
	if why := Drift(was, fresh); why != "" {
		return nil, why
	}
	if !slices.ContainsFunc(runnable, func(r *tracker.Bead) bool { return r.ID == b.ID }) {
		return nil, "it can no longer run"
	}
	if l.Executor.Capabilities().Claims {
		return fresh, ""
	}
	claim := l.self
	claim.At = l.Clock.Now().UTC()
	claimed, err := l.Tracker.Claim(ctx, b.ID, claim)
	if err != nil {
		return nil, err.Error()
	}
	// What the claim saw under the lock is what counts.
	if why := Drift(was, claimed); why != "" {
		l.release(context.WithoutCancel(ctx), []*tracker.Bead{claimed}, nil)
		return nil, why
	}
	return claimed, ""
}

// begin counts the attempt, records it and composes its request.
func (l *Loop) begin(ctx context.Context, beads []*tracker.Bead, was map[string]Fingerprint, ready int) (executor.Request, error) {
	primary := beads[0]
	now := l.Clock.Now()
	l.st.Attempted++
	l.st.CycleStart, l.st.CycleEnd, l.st.CycleDuration = now.UTC(), time.Time{}, 0
	l.st.CurrentIssue, l.st.AttemptID = primary.ID, l.NewAttempt(now)
	l.st.Batch = beadIDs(beads)
	l.st.Drained = Drained{}
	l.noAgents()
	// Counted before it starts: an attempt that takes helix down with it counts too.
	l.st.Attempts[primary.ID]++
	attempt := l.st.Attempts[primary.ID]
	l.phase(PhaseExecuting)
	l.event(Event{Kind: EventAttempt, Cycle: l.st.Attempted, Bead: primary.ID, Beads: l.st.Batch, Attempt: l.st.AttemptID, Detail: primary.Title})
	if len(beads) > 1 {
		l.line("cycle %d: batch %d issues (%s) (%d ready)", l.st.Attempted, len(beads), joinIDs(beads), ready)
	} else {
		l.line("cycle %d: %s (%d ready)", l.st.Attempted, primary.ID, ready)
	}
	for _, b := range beads {
		l.detail("%s: %s", b.ID, b.Title)
	}
	req := executor.Request{
		Beads: beads, AttemptID: l.st.AttemptID, Attempt: attempt, Agent: l.Options.Agent,
		Timeout:    l.Options.Bounds.Within(l.Options.AgentTimeout, &l.st, now),
		Log:        l.Output,
		Revalidate: func(ctx context.Context) error { return l.revalidate(ctx, beads, was) },
		Started:    l.started,
	}
	err := l.inform(ctx, &req)
	return req, err
}

// inform tells the agent what is known: in its prompt, or beside it where that is
// composed elsewhere. Then it is not certain yet that anything reaches it.
func (l *Loop) inform(ctx context.Context, req *executor.Request) error {
	task := Task{Action: prompt.Implementation, Beads: req.Beads}
	earlier := l.st.Failures[req.Beads[0].ID]
	if l.Executor.Capabilities().OwnPrompt {
		known := l.remembered(ctx, task)
		req.Memory = known.Text
		req.Briefing = l.Prompts.Briefing(req.Beads, req.Attempt, earlier, known.Text)
		l.trial.shown, l.trial.offered = nil, known.IDs
		return nil
	}
	known := l.recall(ctx, task)
	req.Memory, l.trial.shown, l.trial.offered = known.Text, known.IDs, nil
	var err error
	req.Prompt, err = l.Prompts.Implementation(ctx, req.Beads, req.Attempt, earlier, known.Text)
	return err
}

// informed takes note of what did reach the agent.
func (l *Loop) informed(req executor.Request, res executor.Result) {
	for _, id := range l.trial.offered {
		if strings.Contains(res.Told, "["+id+"]") {
			l.trial.shown = append(l.trial.shown, id)
		}
	}
	if l.trial.offered = nil; len(l.trial.shown) > 0 && l.Executor.Capabilities().OwnPrompt {
		l.showed(Task{Action: prompt.Implementation, Beads: req.Beads}, l.trial.shown)
	}
}

// errDrift: the bead changed under the attempt; its work must not land.
var errDrift = errors.New("queue drift")

// revalidate is asked by the executor just before it lands work. It remembers
// what drifted, for conclude.
func (l *Loop) revalidate(ctx context.Context, beads []*tracker.Bead, was map[string]Fingerprint) error {
	l.phase(PhaseLanding)
	q, err := l.read(ctx)
	if err != nil {
		return fmt.Errorf("the queue cannot be read: %w", err)
	}
	for _, b := range beads {
		if why := l.driftOf(q, b.ID, was[b.ID]); why != "" {
			l.drifted[b.ID] = why
		}
	}
	for id, why := range l.drifted {
		return fmt.Errorf("%w: %s %s", errDrift, id, why)
	}
	return nil
}

// driftOf says how a bead of this attempt changed, or that it is no longer ours.
func (l *Loop) driftOf(q *tracker.Queue, id string, was Fingerprint) string {
	b, _ := q.Get(id)
	if why := Drift(was, b); why != "" {
		return why
	}
	if l.Executor.Capabilities().Claims {
		return ""
	}
	if b.Status != tracker.InProgress {
		return fmt.Sprintf("it became %s while it was worked on", b.Status)
	}
	if c := b.Claim(); c.PID != l.self.PID || c.Start != l.self.Start {
		return fmt.Sprintf("it was claimed by somebody else while it was worked on (%s)", c.Owner)
	}
	return ""
}

func beadIDs(beads []*tracker.Bead) []string {
	ids := make([]string, len(beads))
	for i, b := range beads {
		ids[i] = b.ID
	}
	return ids
}
