package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// ErrGoverned: the action is already being done for this scope by somebody.
var ErrGoverned = errors.New("already active")

// Governor acquires the bead that governs a planning action, so that two
// sessions never plan the same scope at once and the queue shows who does.
type Governor struct {
	Tracker Tracker
	Self    tracker.Claim
	Facts   ClaimFacts
}

// planningLabels mark the governing bead of an alignment. It is never eligible
// for execution.
var planningLabels = []string{"helix", "phase:review", "kind:planning", "action:align"}

// Acquire finds, frees or creates the bead "align: SCOPE" and claims it
// (TD-002, Orchestration Contract; original-cli.md, 1.6).
func (g Governor) Acquire(ctx context.Context, scope string) (*tracker.Bead, error) {
	q, err := g.Tracker.Load(ctx)
	if err != nil {
		return nil, err
	}
	title := "align: " + scope
	i := slices.IndexFunc(q.All(), func(b *tracker.Bead) bool {
		return b.Title == title && !done(b) && b.HasLabel("kind:planning") && b.HasLabel("action:align")
	})
	var bead *tracker.Bead
	if i >= 0 {
		bead = q.All()[i]
	} else if bead, err = g.create(ctx, title, scope); err != nil {
		return nil, fmt.Errorf("run: make the governing bead %q: %w", title, err)
	}
	if bead.Status == tracker.InProgress {
		stale, why := Reclaimable(bead, g.Facts)
		if !stale {
			return nil, fmt.Errorf("alignment of %s by %s: %w (%s)", scope, bead.ID, ErrGoverned, why)
		}
		claim := bead.Claim()
		if err := g.Tracker.Unclaim(ctx, bead.ID, &claim); err != nil {
			return nil, fmt.Errorf("run: free the governing bead %s: %w", bead.ID, err)
		}
	}
	claim := g.Self
	claim.At = g.Facts.Now.UTC()
	claimed, err := g.Tracker.Claim(ctx, bead.ID, claim)
	if errors.Is(err, tracker.ErrClaimed) || errors.Is(err, tracker.ErrNotOpen) {
		return nil, fmt.Errorf("alignment of %s by %s: %w", scope, bead.ID, ErrGoverned)
	}
	return claimed, err
}

func (g Governor) create(ctx context.Context, title, scope string) (*tracker.Bead, error) {
	return g.Tracker.Create(ctx, tracker.New{
		Title: title, Type: "task", Priority: tracker.DefaultPriority, Labels: planningLabels,
		Description: fmt.Sprintf("Compare plan and code of %s from the top down, and file each gap as a bead with its parent and its dependencies, so that the order of the work can be read from the queue.", scope),
		Acceptance:  "Every gap that was found is filed, and the report is written.",
		Set:         map[string]string{"execution-eligible": "false"},
	})
}

// Release closes the governing bead of an action that was completed, and gives
// any other back for the next try.
func (g Governor) Release(ctx context.Context, b *tracker.Bead, completed bool) error {
	claim := b.Claim()
	if completed {
		return g.Tracker.Close(ctx, b.ID, tracker.Closing{Reason: "the alignment is complete", Owner: &claim})
	}
	return g.Tracker.Unclaim(ctx, b.ID, &claim)
}

// align runs an alignment under its governing bead.
func (l *Loop) align(ctx context.Context, why string) *Stop {
	facts := ClaimFacts{Now: l.Clock.Now(), Machine: l.self.Machine, Threshold: l.Options.OrphanAge, Alive: l.Processes.Same}
	g := Governor{Tracker: l.Tracker, Self: l.self, Facts: facts}
	bead, err := g.Acquire(ctx, l.scope())
	if errors.Is(err, ErrGoverned) {
		return &Stop{StopAlign, fmt.Sprintf("%v; refusing to do it twice", err)}
	}
	if err != nil {
		return &Stop{StopError, fmt.Sprintf("the alignment cannot be started: %v", err)}
	}
	l.st.CurrentIssue = bead.ID
	completed := false
	stop := l.actOn(ctx, prompt.Align, bead, why, func(res ActionResult) {
		status, err := prompt.Status(prompt.Align, res.Text)
		completed = err == nil && status == "COMPLETE"
	})
	bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if err := g.Release(bg, bead, completed); err != nil {
		l.line("warning: the governing bead %s was not released: %v", bead.ID, err)
	}
	l.st.CurrentIssue = ""
	l.save()
	return stop
}
