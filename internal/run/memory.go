package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"helix/internal/run/executor"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// Memory is what helix knows from earlier work, as the loop needs it: asked before
// an agent is started, told afterwards what came of it. The loop works the same
// without one; a call that fails or takes too long costs it that time and no more.
type Memory interface {
	// Recall gives what is known that bears on a task.
	Recall(ctx context.Context, t Task) (Recalled, error)
	// Record keeps what a deed taught, and gives the ids of what is new.
	Record(ctx context.Context, l Lesson) (ids []string, err error)
	// Credit tells how a deed ended whose agent was shown entries, and gives the
	// ids of those that gained or lost by it.
	Credit(ctx context.Context, u Use) (ids []string, err error)
}

// Task is what an agent is about to be asked.
type Task struct {
	Run    string
	Action prompt.Action
	Beads  []*tracker.Bead // the primary one first
}

// Recalled is what is shown to the agent, and the entries that it comes from.
type Recalled struct {
	Text string
	IDs  []string
}

// Deed is what an agent did, as memory is told of it.
type Deed struct {
	Run     string
	Cycle   int
	Attempt string // id; "" for an action
	Number  int    // of the attempt at the primary bead in this run, from 1
	Beads   []*tracker.Bead
	Answer  string   // the agent's final one
	Files   []string // that it changed, relative to the repository root
	// Evidence is the attempt's folder, relative to the repository root.
	Evidence string
	Outcome  executor.Outcome
	Reason   string    // why it did not land
	Gate     string    // the command that failed
	Cause    string    // what its output says about why
	Commit   string    // where it landed
	Ref      string    // what keeps its work
	Review   string    // what a review found in the landed work
	Earlier  []Failure // attempts at the primary bead before, in this run
}

// Tried is the agent's own account of what it did.
func (d Deed) Tried() string { return tried(d.Answer) }

// Lesson is what there is to learn from a deed.
type Lesson struct {
	Deed
	Findings []string // in the agent's words
	Episode  bool     // how it went is worth remembering
	Output   bool     // what the agent printed, in the evidence, is to be looked through
}

// Verdict is how a cycle went for the memories that it was shown.
type Verdict string

const (
	VerdictClean     Verdict = "landed"               // and no review found fault with it
	VerdictIssues    Verdict = "landed_with_findings" // of the review
	VerdictFailed    Verdict = "failed"
	VerdictPreserved Verdict = "preserved" // there is work, and it was not good enough to land
	// VerdictUnjudged: there is work, and something else kept it from landing.
	VerdictUnjudged Verdict = "preserved_unjudged"
)

// Use is the end of a cycle whose agent was shown entries.
type Use struct {
	Deed
	Shown   []string // ids
	Verdict Verdict
}

// MemoryCounts is what a run did with its memory, in entries.
type MemoryCounts struct {
	Recalled int `json:"recalled"` // shown to agents, again for each time
	Recorded int `json:"recorded"`
	Credited int `json:"credited"` // that gained or lost by the end of a cycle
}

const (
	// memoryWait is how long one call of the memory may keep the loop.
	memoryWait = 5 * time.Second
	// memoryTries is how many calls in a row may fail before a run does without.
	memoryTries = 3
)

// trial is how the memory has done in this run.
type trial struct {
	failed int // calls in a row
	told   bool
	shown  []string // entries that the agent of the current attempt was told
	// offered are those in the briefing of an attempt that has not ended: whether the
	// agent was told shows at its end.
	offered []string
}

// askMemory has the memory do something and waits for it no longer than it may take. A
// call that does not come back is left behind. False: there is nothing from it.
func askMemory[T any](ctx context.Context, l *Loop, what string, do func(context.Context) (T, error)) (T, bool) {
	var none T
	if l.Memory == nil || l.trial.failed >= memoryTries || ctx.Err() != nil {
		return none, false
	}
	wait := l.Options.MemoryWait
	if wait <= 0 {
		wait = memoryWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type answer struct {
		got T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		got, err := do(ctx)
		done <- answer{got, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = context.Cause(ctx)
	}
	switch {
	case a.err == nil:
		l.trial.failed = 0
		return a.got, true
	case errors.Is(a.err, context.Canceled):
		return none, false // helix is being stopped: no fault of the memory
	}
	l.memoryFailed(what, a.err)
	return none, false
}

// memoryFailed tells about the first failure of a run, and when it gives up.
func (l *Loop) memoryFailed(what string, err error) {
	l.trial.failed++
	if !l.trial.told {
		l.trial.told = true
		l.line("warning: the memory could not %s, the run goes on without: %v", what, err)
		l.event(Event{Kind: EventWarning, Bead: l.st.CurrentIssue, Detail: "the memory could not " + what + ": " + err.Error()})
	}
	if l.trial.failed == memoryTries {
		l.detail("the memory failed %d times in a row; this run does without it from now on", memoryTries)
	}
}

// recall asks what is known about a task, for a prompt, and keeps an account of it.
func (l *Loop) recall(ctx context.Context, t Task) Recalled {
	r := l.remembered(ctx, t)
	if len(r.IDs) > 0 { // what surrounds the task may be there all the same
		l.showed(t, r.IDs)
	}
	return r
}

func (l *Loop) remembered(ctx context.Context, t Task) Recalled {
	t.Run = l.RunID
	r, _ := askMemory(ctx, l, "recall", func(ctx context.Context) (Recalled, error) { return l.Memory.Recall(ctx, t) })
	return r
}

// showed keeps an account of the entries that an agent is told.
func (l *Loop) showed(t Task, ids []string) {
	l.st.Memory.Recalled += len(ids)
	l.save()
	l.detail("memories recalled for the %s of %s: %d", t.Action.Name(), joinIDs(t.Beads), len(ids))
	l.event(Event{Kind: EventRecall, Cycle: l.st.Attempted, Bead: l.primary(t.Beads), Attempt: l.st.AttemptID, Result: t.Action.Name(), Memories: ids})
}

func (l *Loop) primary(beads []*tracker.Bead) string {
	if len(beads) == 0 {
		return l.st.CurrentIssue
	}
	return beads[0].ID
}

// record keeps a lesson, if there is one.
func (l *Loop) record(ctx context.Context, lesson Lesson) {
	if len(lesson.Findings) == 0 && !lesson.Episode && !lesson.Output {
		return
	}
	ids, ok := askMemory(ctx, l, "record what was learned", func(ctx context.Context) ([]string, error) { return l.Memory.Record(ctx, lesson) })
	if !ok || len(ids) == 0 {
		return
	}
	l.st.Memory.Recorded += len(ids)
	l.save()
	l.event(Event{Kind: EventRecord, Cycle: lesson.Cycle, Bead: l.primary(lesson.Beads), Attempt: lesson.Attempt, Memories: ids})
}

// credit tells the memory how the cycle ended.
func (l *Loop) credit(ctx context.Context, d Deed, v Verdict) {
	shown := l.trial.shown
	l.trial.shown = nil
	if len(shown) == 0 || v == "" {
		return
	}
	use := Use{Deed: d, Shown: shown, Verdict: v}
	ids, ok := askMemory(ctx, l, "credit what was recalled", func(ctx context.Context) ([]string, error) { return l.Memory.Credit(ctx, use) })
	if !ok || len(ids) == 0 {
		return
	}
	l.st.Memory.Credited += len(ids)
	l.save()
	l.event(Event{Kind: EventCredit, Cycle: d.Cycle, Bead: l.primary(d.Beads), Attempt: d.Attempt, Result: string(v), Memories: ids})
}

// deed puts together what memory is told of an attempt.
func (l *Loop) deed(ctx context.Context, req executor.Request, res executor.Result) Deed {
	d := Deed{
		Run: l.RunID, Cycle: l.st.Attempted, Attempt: req.AttemptID, Number: req.Attempt, Beads: req.Beads, Answer: res.AgentText,
		Evidence: res.EvidenceDir, Outcome: res.Outcome, Reason: res.Reason, Ref: res.PreserveRef,
		Earlier: slices.DeleteFunc(slices.Clone(l.st.Failures[req.Beads[0].ID]), func(f Failure) bool { return f.Outcome == outcomeReviewed }),
	}
	d.Gate, d.Cause = failedGate(res.Gates)
	if res.Outcome == executor.Landed {
		d.Commit = res.LandedRev
	}
	if l.Memory != nil {
		d.Files = l.filesOf(ctx, res)
	}
	return d
}

// filesOf lists what an attempt changed. Not knowing it is no reason to stop.
func (l *Loop) filesOf(ctx context.Context, res executor.Result) []string {
	var files []string
	add := func(from, to string) {
		if some, err := l.Repo.Files(ctx, from, to); err == nil {
			files = append(files, some...)
		}
	}
	switch {
	case res.Outcome == executor.Landed && len(res.Commits) > 0:
		for _, commit := range res.Commits {
			add(commit+"^", commit)
		}
	case res.Outcome == executor.Landed && res.LandedRev != "":
		add(res.LandedRev+"^", res.LandedRev)
	case res.PreserveRef != "" && res.BaseRev != "":
		add(res.BaseRev, res.PreserveRef)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// verdictOf is how the review of this cycle's landings went; "" while it is due.
func (l *Loop) verdictOf(cycle int) Verdict {
	v := VerdictClean
	for _, x := range l.st.Landed {
		switch {
		case x.Cycle != cycle || x.Inherited:
		case x.Review == "":
			return ""
		case x.Review == ReviewIssues:
			v = VerdictIssues
		}
	}
	return v
}

// verdictOnFailure is the verdict on an attempt that counts against its bead.
func verdictOnFailure(res executor.Result) Verdict {
	switch {
	case res.Outcome != executor.Preserved:
		return VerdictFailed
	case res.Unjudged:
		return VerdictUnjudged
	}
	return VerdictPreserved
}
