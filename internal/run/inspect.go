package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helix/internal/run/executor"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// contextEvery is how many completed cycles pass between two writings of the
// execution context.
const contextEvery = 5

// mostEpicReviews bounds how often a run reviews the same epic: findings reopen
// it, and it is reviewed again when they are done.
const mostEpicReviews = 2

// reviewDue reviews every landing that has not been looked at, then completes
// the cycle that they belong to.
func (l *Loop) reviewDue(ctx context.Context) *Stop {
	clean := true
	var due []string
	for i := range l.st.Landed {
		landing := &l.st.Landed[i]
		if landing.Review != "" {
			continue
		}
		review, stop := l.reviewOne(ctx, *landing)
		if stop != nil {
			return stop
		}
		landing.Review = review
		l.save()
		if !landing.Inherited {
			due = append(due, landing.Bead)
			clean = clean && review != ReviewIssues
		}
	}
	if len(due) == 0 || !clean {
		return nil
	}
	return l.complete(ctx, due)
}

// complete counts a cycle whose beads are closed and whose review passed.
func (l *Loop) complete(ctx context.Context, beads []string) *Stop {
	l.st.Completed++
	l.save()
	most := ""
	if l.Options.Bounds.Cycles > 0 {
		most = fmt.Sprintf("/%d", l.Options.Bounds.Cycles)
	}
	l.line("cycle %d: %s → COMPLETE (%d%s done, %d tokens)", l.st.Attempted, strings.Join(beads, ","), l.st.Completed, most, l.st.TotalTokens)
	if l.st.Completed%contextEvery == 0 {
		q, stop := l.load(ctx)
		if stop != nil {
			return stop
		}
		if stop := l.writeContext(ctx, q); stop != nil {
			return stop
		}
	}
	if every := l.Options.ReviewEvery; l.Options.AutoAlign && every > 0 && l.st.Completed%every == 0 {
		return l.align(ctx, fmt.Sprintf("%d cycles completed, running alignment", l.st.Completed))
	}
	return nil
}

func (l *Loop) reviewOne(ctx context.Context, landing Landing) (Review, *Stop) {
	if !l.Options.AutoReview {
		return ReviewNone, nil
	}
	lines, files, err := l.Repo.ChangeSize(ctx, landing.Commit+"^", landing.Commit)
	if !NeedsReview(lines, files, err, l.Options.ReviewLines) {
		l.detail("%s: %d changed lines in %d files are below the review threshold", landing.Bead, lines, files)
		return ReviewNone, nil
	}
	return l.review(ctx, landing.Bead, "commit:"+landing.Commit)
}

// review has a scope reviewed and makes sure that findings became beads before
// the loop goes on. An answer that cannot be interpreted stops the loop.
func (l *Loop) review(ctx context.Context, bead, scope string) (Review, *Stop) {
	before, stop := l.load(ctx)
	if stop != nil {
		return "", stop
	}
	l.detail("post-implementation review of %s (%s)", bead, scope)
	var about []*tracker.Bead
	if b, ok := before.Get(bead); ok {
		about = append(about, b)
	}
	known := l.recall(ctx, Task{Action: prompt.Review, Beads: about})
	res, stop := l.ask(ctx, PhaseReviewing, ActionRequest{Action: prompt.Review, Scope: scope, Memory: known.Text})
	if stop != nil {
		return "", stop
	}
	verdict, err := prompt.ParseReview(res.Text)
	if !res.OK {
		err = fmt.Errorf("the reviewer failed: %s", res.Reason)
	}
	if err != nil {
		if stop := l.halted(ctx); stop != nil {
			return "", stop
		}
		l.event(Event{Kind: EventReview, Bead: bead, Result: "uninterpretable", Detail: err.Error()})
		return "", &Stop{StopUninterpreted, fmt.Sprintf("the review of %s (%s) was not safely interpretable: %v; look at it with: helix review %s", bead, scope, err, scope)}
	}
	if verdict.Clean {
		l.record(context.WithoutCancel(ctx), Lesson{Deed: Deed{Run: l.RunID, Cycle: l.st.Attempted, Beads: about, Answer: res.Text}, Findings: prompt.Findings(res.Text)})
		l.event(Event{Kind: EventReview, Bead: bead, Result: string(ReviewClean), Detail: scope})
		return ReviewClean, nil
	}
	filed, stop := l.ensureFiled(ctx, before, bead, scope, verdict.Issues, res.Text)
	if stop != nil {
		return "", stop
	}
	deed := Deed{Run: l.RunID, Cycle: l.st.Attempted, Beads: about, Answer: res.Text, Outcome: executor.Landed, Commit: strings.TrimPrefix(scope, "commit:"), Review: tried(res.Text)}
	l.record(context.WithoutCancel(ctx), Lesson{Deed: deed, Findings: prompt.Findings(res.Text), Episode: true})
	l.line("review of %s reported %d issue(s), filed as %d bead(s)", bead, verdict.Issues, len(filed))
	l.event(Event{Kind: EventReview, Bead: bead, Beads: filed, Result: string(ReviewIssues), Detail: scope})
	return ReviewIssues, nil
}

// ensureFiled names the beads that a review created or reopened; when it filed
// none, helix files its findings as one bead itself.
func (l *Loop) ensureFiled(ctx context.Context, before *tracker.Queue, bead, scope string, issues int, text string) ([]string, *Stop) {
	after, stop := l.load(ctx)
	if stop != nil {
		return nil, stop
	}
	var filed []string
	for _, b := range after.All() {
		old, existed := before.Get(b.ID)
		if b.Status == tracker.Open && (!existed || done(old)) {
			filed = append(filed, b.ID)
		}
	}
	if len(filed) > 0 {
		l.handOn(filed, bead, scope, issues, text)
		return filed, nil
	}
	follow := tracker.New{
		Title:       fmt.Sprintf("Address %d review finding(s) on %s", issues, bead),
		Type:        "task",
		Priority:    tracker.DefaultPriority,
		Labels:      []string{"helix", "phase:build", "review-finding"},
		Description: fmt.Sprintf("The review of %s found issues and filed no beads for them. Its answer:\n\n%s", scope, text),
		Acceptance:  "Every finding in the description is mended, or answered in the notes with why it is not one.",
		Notes:       fmt.Sprintf("TRIGGERING_CYCLE=%d\nTRIGGERING_BEAD=%s", l.st.Attempted, bead),
	}
	if b, ok := after.Get(bead); ok {
		follow.Set = map[string]string{}
		follow.Parent, follow.Priority = b.Parent, b.Priority
		if b.IsEpic() {
			follow.Parent = b.ID
		} else {
			follow.DependsOn = []string{b.ID}
		}
		if b.SpecID() != "" {
			follow.Set["spec-id"] = b.SpecID()
		}
	}
	made, err := l.Tracker.Create(ctx, follow)
	if err != nil {
		return nil, &Stop{StopError, fmt.Sprintf("the review of %s found issues, and they cannot be filed: %v", bead, err)}
	}
	return []string{made.ID}, nil
}

// handOn has the next attempt at each bead that a review filed or reopened know
// what the review found. A bead that helix files has it in its description.
func (l *Loop) handOn(filed []string, bead, scope string, issues int, text string) {
	for _, id := range filed {
		l.st.Failures[id] = append(l.st.Failures[id], Failure{
			At: l.Clock.Now().UTC(), Outcome: outcomeReviewed, Review: tried(text),
			Reason: fmt.Sprintf("the review of %s (%s) reported %d issue(s)", bead, scope, issues),
		})
	}
	l.save()
}

// outcomeReviewed marks what stands among a bead's failed attempts and is none:
// work landed, and a review found fault with it.
const outcomeReviewed = "reviewed"

var errNewChildren = errors.New("it has open children again")

// closeEpic closes an epic whose children are all done, has it reviewed as a
// whole, and lets go of it. Findings below it open it again.
func (l *Loop) closeEpic(ctx context.Context, epic *tracker.Bead) *Stop {
	l.detail("epic %s has no remaining open children — closing epic", epic.ID)
	err := l.Tracker.Close(ctx, epic.ID, tracker.Closing{
		Session: l.RunID, Reason: "all children are closed",
		If: func(q *tracker.Queue) error {
			if allDone(q.Children(epic.ID)) {
				return nil
			}
			return errNewChildren
		},
	})
	if errors.Is(err, errNewChildren) {
		return nil // the queue is looked at again
	}
	if err != nil {
		l.skip(epic.ID, fmt.Sprintf("its children are done but it cannot be closed: %v", err))
		l.st.FocusedEpic = ""
		l.save()
		return nil
	}
	l.event(Event{Kind: EventClosed, Bead: epic.ID, Detail: "all children are closed"})
	l.line("epic %s closed: all children are done", epic.ID)
	if l.Options.AutoReview && l.st.EpicReviews[epic.ID] < mostEpicReviews {
		l.st.EpicReviews[epic.ID]++
		l.save()
		scope := epic.SpecID()
		if scope == "" {
			scope = "epic:" + epic.ID
		}
		review, stop := l.review(ctx, epic.ID, scope)
		if stop != nil {
			return stop
		}
		if review == ReviewIssues {
			return l.reopenEpic(ctx, epic)
		}
	}
	l.st.FocusedEpic = ""
	l.save()
	q, stop := l.load(ctx)
	if stop != nil {
		return stop
	}
	return l.writeContext(ctx, q)
}

func (l *Loop) reopenEpic(ctx context.Context, epic *tracker.Bead) *Stop {
	q, stop := l.load(ctx)
	if stop != nil {
		return stop
	}
	if !slices.ContainsFunc(q.Children(epic.ID), func(b *tracker.Bead) bool { return !done(b) }) {
		l.st.FocusedEpic = ""
		l.save()
		return nil
	}
	if err := l.Tracker.Reopen(ctx, epic.ID, "its review found work that is not done"); err != nil {
		return &Stop{StopError, fmt.Sprintf("epic %s has new children and cannot be reopened: %v", epic.ID, err)}
	}
	return nil
}
