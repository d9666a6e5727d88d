package run

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/run/executor"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

func TestCause(t *testing.T) {
	for _, tt := range []struct{ name, output, want string }{
		{"nothing", "", ""},
		{"go", `=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
    b_test.go:12: got 3, want 4
--- FAIL: TestB (0.00s)
FAIL
FAIL	example.com/b	0.004s
ok  	example.com/a	0.003s
?   	example.com/c	[no test files]
`, `    b_test.go:12: got 3, want 4
--- FAIL: TestB (0.00s)
FAIL
FAIL	example.com/b	0.004s`},
		{"compiler", "go: downloading example.com/x v1\n# example.com/a\n./a.go:3:5: undefined: x\n", "./a.go:3:5: undefined: x"},
		{"python", `test_a.py::test_one PASSED
test_a.py::test_two FAILED
    def test_two():
>       assert two() == 2
E       assert 3 == 2
collected 2 items
unrelated
unrelated too
and more
and still more
and the last
`, `test_a.py::test_two FAILED
    def test_two():
>       assert two() == 2
E       assert 3 == 2
collected 2 items
unrelated
unrelated too
and more`},
		{"a gap and a repetition", "error: one\na\nb\nc\nd\ne\nf\nerror: one\nerror: two\n", "error: one\na\nb\nc\nd\n…\nerror: two"},
		{"no line tells", "what\nnow\n", "what\nnow"},
	} {
		if diff := cmp.Diff(tt.want, Cause(tt.output, 1000)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
	long := Cause(strings.Repeat("quiet ", 1000), 100)
	if !strings.HasPrefix(long, "[") || len(long) > 160 {
		t.Errorf("the end of a long output: %q", long)
	}
	if got := Cause("error: "+strings.Repeat("ä", 1000), 101); len(got) > 160 || !strings.HasPrefix(got, "error: ä") || !strings.HasSuffix(got, "left out]") {
		t.Errorf("a long line: %q", got)
	}
}

func FuzzCause(f *testing.F) {
	f.Add("=== RUN   TestA\n--- FAIL: TestA\n", 100)
	f.Add("error\n\n\x00\xff", 3)
	f.Fuzz(func(t *testing.T, output string, most int) {
		most = max(0, min(most, 4000))
		if got := Cause(output, most); len(got) > most+60 {
			t.Fatalf("%d bytes, %d were allowed", len(got), most)
		}
	})
}

func TestTried(t *testing.T) {
	answer := "I did this.\nAnd that.\n\nMEASURE_STATUS: PASS\nBEAD_ID: hx-1\nFINDINGS:\n- a thing\n"
	if got := tried(answer); got != "I did this.\nAnd that." {
		t.Errorf("tried: %q", got)
	}
}

// failing is a memory whose calls fail, or never come back.
type failing struct {
	err   error
	hang  bool
	calls atomic.Int64
}

func (f *failing) answer(ctx context.Context) error {
	f.calls.Add(1)
	if f.hang {
		<-ctx.Done()
		<-make(chan struct{}) // not even then
	}
	return f.err
}

func (f *failing) Recall(ctx context.Context, _ Task) (Recalled, error) {
	return Recalled{IDs: []string{"m"}}, f.answer(ctx)
}
func (f *failing) Record(ctx context.Context, _ Lesson) ([]string, error) { return nil, f.answer(ctx) }
func (f *failing) Credit(ctx context.Context, _ Use) ([]string, error)    { return nil, f.answer(ctx) }

type lines struct {
	simOutput
	said []string
}

func (l *lines) Line(text string) { l.said = append(l.said, text) }

// memoryLoop is a loop with just what the memory needs.
func memoryLoop(m Memory) (*Loop, *lines) {
	w := newWorld(1)
	out := &lines{}
	return &Loop{Memory: m, Clock: w, Journal: discard{}, Output: out, Options: Options{MemoryWait: time.Millisecond}}, out
}

type discard struct{}

func (discard) Append(Event) error { return nil }

// TestMemoryThatFails is told about once, and after some tries left alone.
func TestMemoryThatFails(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*failing{"with an error": {err: errors.New("no space left")}, "by hanging": {hang: true}} {
		l, out := memoryLoop(m)
		for range 10 {
			if r := l.recall(t.Context(), Task{Action: prompt.Implementation, Beads: []*tracker.Bead{bead("hx-1")}}); len(r.IDs) > 0 {
				t.Errorf("%s: it recalled %v", name, r.IDs)
			}
		}
		l.record(t.Context(), Lesson{Findings: []string{"x"}})
		l.trial.shown = []string{"m"}
		l.credit(t.Context(), Deed{}, VerdictClean)
		if len(out.said) != 1 || !strings.Contains(out.said[0], "the memory could not recall, the run goes on without") {
			t.Errorf("%s: it said %q", name, out.said)
		}
		if !m.hang && m.calls.Load() != memoryTries {
			t.Errorf("%s: it was asked %d times", name, m.calls.Load())
		}
	}
}

// TestMemoryOfAStoppedRun: that helix is being stopped is no fault of the memory.
func TestMemoryOfAStoppedRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, out := memoryLoop(&failing{hang: true})
	l.recall(ctx, Task{Action: prompt.Implementation, Beads: []*tracker.Bead{bead("hx-1")}})
	if len(out.said) != 0 || l.trial.failed != 0 {
		t.Errorf("it said %q after %d failures", out.said, l.trial.failed)
	}
}

func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		name   string
		landed []Landing
		want   Verdict
	}{
		{"clean", []Landing{{Cycle: 2, Review: ReviewClean}}, VerdictClean},
		{"too small for a review", []Landing{{Cycle: 2, Review: ReviewNone}}, VerdictClean},
		{"one of a batch with findings", []Landing{{Cycle: 2, Review: ReviewIssues}, {Cycle: 2, Review: ReviewClean}}, VerdictIssues},
		{"the review is due", []Landing{{Cycle: 2}}, ""},
		{"others", []Landing{{Cycle: 1, Review: ReviewIssues}, {Cycle: 2, Inherited: true, Review: ReviewIssues}, {Cycle: 2, Review: ReviewClean}}, VerdictClean},
	} {
		l := &Loop{st: State{Landed: tt.landed}}
		if got := l.verdictOf(2); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		res  executor.Result
		want Verdict
	}{
		{executor.Result{Outcome: executor.Failed}, VerdictFailed},
		{executor.Result{Outcome: executor.NoChanges}, VerdictFailed},
		{executor.Result{Outcome: executor.Preserved}, VerdictPreserved},
		{executor.Result{Outcome: executor.Preserved, Unjudged: true}, VerdictUnjudged},
		{executor.Result{Outcome: executor.Failed, Unjudged: true}, VerdictFailed},
	} {
		if got := verdictOnFailure(tt.res); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.res, got, tt.want)
		}
	}
}

func TestRunsCountMemories(t *testing.T) {
	events := []Event{
		{Run: "r", Kind: EventAttempt, Cycle: 1, Attempt: "a"},
		{Run: "r", Kind: EventRecall, Memories: []string{"m1", "m2"}},
		{Run: "r", Kind: EventRecord, Memories: []string{"m3"}},
		{Run: "r", Kind: EventRecall, Memories: []string{"m1"}},
		{Run: "r", Kind: EventCredit, Memories: []string{"m1"}},
	}
	if got, want := Runs(events)[0].Cycles[0].Memory, (MemoryCounts{3, 1, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestReviewReachesTheNextAttempt: a bead that a review reopened or filed is told
// what the review found, in its prompt and in the blocker report.
func TestReviewReachesTheNextAttempt(t *testing.T) {
	l, _ := memoryLoop(nil)
	l.st.fill()
	l.handOn([]string{"hx-1"}, "hx-1", "commit:abc", 2, "The lock is never released.\nREVIEW_STATUS: ISSUES_FOUND\n")
	f := l.st.Failures["hx-1"]
	if len(f) != 1 || f[0].Review != "The lock is never released." || !strings.Contains(f[0].Reason, "commit:abc") || !strings.Contains(f[0].Reason, "2 issue") {
		t.Fatalf("handed on: %+v", f)
	}
	l.st.Skip["hx-1"] = "intractable"
	report := BlockerReport(&l.st, tracker.NewQueue([]*tracker.Bead{bead("hx-1")}), noon)
	if !strings.Contains(report, "- Review: the review of hx-1") || !strings.Contains(report, "        The lock is never released.") {
		t.Errorf("the report:\n%s", report)
	}
}

// briefs is an executor that composes its own prompts.
type briefs struct{ executor.Executor }

func (briefs) Capabilities() executor.Capabilities { return executor.Capabilities{OwnPrompt: true} }

// recalls is a memory that knows three things.
type recalls struct{ failing }

func (*recalls) Recall(context.Context, Task) (Recalled, error) {
	return Recalled{Text: "[m1] one\n[m2] two\n[m3] three", IDs: []string{"m1", "m2", "m3"}}, nil
}

// TestBriefed: with an executor that composes its own prompts, only what reached the
// agent counts as shown.
func TestBriefed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, told string
		shown      int
	}{
		{"all of it", "[m1] one\n[m2] two\n[m3] three", 3}, {"the beginning", "[m1] one\n[m2]", 2}, {"nothing", "", 0},
	} {
		l, _ := memoryLoop(&recalls{})
		l.Executor, l.Prompts = briefs{}, simPrompts{newWorld(1)}
		req := executor.Request{Beads: []*tracker.Bead{bead("hx-1")}, AttemptID: "a"}
		if err := l.inform(t.Context(), &req); err != nil || req.Prompt != "" || req.Briefing == "" || req.Memory == "" {
			t.Errorf("%s: %+v, %v", tt.name, req, err)
		}
		if l.st.Memory.Recalled != 0 || l.trial.shown != nil {
			t.Errorf("%s: counted before the agent was told", tt.name)
		}
		l.informed(req, executor.Result{Told: tt.told})
		if l.st.Memory.Recalled != tt.shown || len(l.trial.shown) != tt.shown || l.trial.offered != nil {
			t.Errorf("%s: %d recalled, shown %v", tt.name, l.st.Memory.Recalled, l.trial.shown)
		}
	}
}
