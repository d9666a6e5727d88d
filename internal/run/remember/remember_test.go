package remember

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb"
	"helix/internal/kb/entry"
	"helix/internal/run"
	"helix/internal/run/executor"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func newMemory(t *testing.T) *Memory {
	t.Helper()
	m := &Memory{Root: t.TempDir(), Now: func() time.Time { return noon.AddDate(0, 0, 3) }}
	m.KB = kb.Open(filepath.Join(t.TempDir(), "kb"), kb.WithRoot(m.Root), kb.WithProject(m.Root, m.Root), kb.WithClock(m.now))
	t.Cleanup(func() {
		if err := m.KB.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func store(t *testing.T, m *Memory, r kb.StoreRequest) string {
	t.Helper()
	r.Force = true
	if r.Created.IsZero() {
		r.Created = noon
	}
	s, err := m.KB.Store(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

func bead(id, title, description string) *tracker.Bead {
	return &tracker.Bead{ID: id, Title: title, Description: description, Status: tracker.Open, Type: "task"}
}

func task(beads ...*tracker.Bead) run.Task {
	return run.Task{Run: "run-2", Action: prompt.Implementation, Beads: beads}
}

func recall(t *testing.T, m *Memory, task run.Task) run.Recalled {
	t.Helper()
	r, err := m.Recall(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecallChooses(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	if err := os.WriteFile(filepath.Join(m.Root, "port.go"), []byte("package x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	alike := store(t, m, kb.StoreRequest{Topic: "net", Text: "the staging server listens on port 7443"})
	file := store(t, m, kb.StoreRequest{Topic: "misc", Text: "generated, do not edit", Source: "port.go:1"})
	past := store(t, m, kb.StoreRequest{Topic: "misc", Text: "nothing in common", Tags: []string{beadTag("hx-0s")}})
	own := store(t, m, kb.StoreRequest{Topic: "misc", Text: "an earlier run tried that", Kind: "episode", Tags: []string{beadTag("hx-1")}, Session: "run-1/a"})
	same := store(t, m, kb.StoreRequest{Topic: "misc", Text: "this run tried that", Kind: "episode", Tags: []string{beadTag("hx-1")}, Session: "run-2/a"})
	everywhere := store(t, m, kb.StoreRequest{Topic: "net", Text: "a staging server of any project has its port above 7000", Project: kb.NoProject})
	other := &Memory{KB: kb.Open(m.KB.Dir(), kb.WithProject("/elsewhere", "/elsewhere"))}
	var foreign string
	for range 60 { // more than are looked at
		foreign = store(t, other, kb.StoreRequest{Topic: "net", Text: "another project's staging server port", Source: "port.go"})
	}
	if err := other.KB.Close(); err != nil {
		t.Fatal(err)
	}
	unlike := store(t, m, kb.StoreRequest{Topic: "cooking", Text: "onions go first"})

	b := bead("hx-1", "Use the port of the staging server", "Change port.go")
	b.Dependencies = []tracker.Dependency{{IssueID: "hx-1", DependsOnID: "hx-0s", Type: "blocks"}}
	r := recall(t, m, task(b))
	for id, want := range map[string]bool{alike: true, file: true, past: true, own: true, everywhere: true, same: false, foreign: false, unlike: false} {
		if got := slices.Contains(r.IDs, id); got != want {
			t.Errorf("%s is recalled: %t\n%s", id, got, r.Text)
		}
		if strings.Contains(r.Text, "["+id+"]") != want {
			t.Errorf("%s is shown: %t", id, !want)
		}
	}
	if !strings.Contains(r.Text, "] fact, 3 days old, about port.go:1\n") {
		t.Errorf("age and source are not shown:\n%s", r.Text)
	}
	if diff := cmp.Diff(r, recall(t, m, task(b))); diff != "" {
		t.Errorf("the same memory gave something else:\n%s", diff)
	}
	// A review is about landed work: what this run did is news to it.
	review := task(b)
	review.Action = prompt.Review
	if !slices.Contains(recall(t, m, review).IDs, same) {
		t.Error("the review is not told what this run did")
	}
	if err := os.WriteFile(filepath.Join(m.Root, "port.go"), []byte("package y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := recall(t, m, task(bead("hx-1", "Use the generated", "edit"))).Text; !strings.Contains(text, "which has changed since") {
		t.Errorf("it is not said that the source has changed:\n%s", text)
	}
}

func TestRecallIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	for i := range 40 {
		store(t, m, kb.StoreRequest{Topic: "net", Text: fmt.Sprintf("staging server note %d %s", i, strings.Repeat("é and more ", 100))})
	}
	r := recall(t, m, task(bead("hx-1", "staging server note", "")))
	if len(r.IDs) == 0 || len(r.IDs) > mostEntries || len(r.Text) > mostBytes+mostEntries {
		t.Errorf("%d entries, %d bytes", len(r.IDs), len(r.Text))
	}
}

// TestRecallTakesAnyText: nothing in a bead is a command of the search.
func TestRecallTakesAnyText(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	id := store(t, m, kb.StoreRequest{Topic: "net", Text: "the parser of flags"})
	for _, title := range []string{`-parser "flags`, "topic: since:never parser", "\x00parser", strings.Repeat("parser ", 5000)} {
		if r := recall(t, m, task(bead("hx-1", title, ""))); !slices.Contains(r.IDs, id) {
			t.Errorf("%.40q recalls %v", title, r.IDs)
		}
	}
	for _, title := range []string{"", "   ", "the of and", "---"} {
		recall(t, m, task(bead("hx-1", title, "")))
	}
	if r := recall(t, m, run.Task{}); len(r.IDs) != 0 {
		t.Errorf("no bead recalls %v", r.IDs)
	}
}

func TestRecallOfNothing(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	if r := recall(t, m, task(bead("hx-1", "Anything", ""))); r.Text != "" || r.IDs != nil {
		t.Errorf("an empty memory recalls %+v", r)
	}
	if _, err := os.Stat(m.KB.Dir()); !os.IsNotExist(err) {
		t.Errorf("asking made the folder: %v", err)
	}
}

func record(t *testing.T, m *Memory, l run.Lesson) []kb.Item {
	t.Helper()
	ids, err := m.Record(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	var items []kb.Item
	for _, id := range ids {
		r, err := m.KB.Read(t.Context(), kb.ReadRequest{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, r.Items...)
	}
	return items
}

func TestRecordFindings(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	b := bead("hx-1", "x", "")
	b.Labels = []string{"area:Auth Tokens"}
	l := run.Lesson{
		Deed:     run.Deed{Run: "run-1", Attempt: "a1", Beads: []*tracker.Bead{b}, Files: []string{"auth/token.go", "auth/token_test.go"}},
		Findings: []string{"token.go:12 rounds lifetimes up", "the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a and must not be logged", "use make"},
	}
	items := record(t, m, l)
	if len(items) != 3 {
		t.Fatalf("%d entries", len(items))
	}
	first := items[0]
	if first.Topic != "auth-tokens" || first.Kind != "finding" || first.Source != "auth/token.go:12" || !slices.Equal(first.Tags, []string{"bead-hx-1"}) {
		t.Errorf("the entry: %+v", first)
	}
	if strings.Contains(items[1].Text, "ghp_") {
		t.Errorf("a secret was stored: %s", items[1].Text)
	}
	v, err := m.KB.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	e, err := v.Get(first.ID)
	if err != nil || e.Session != "run-1/a1" || e.Project != m.Root {
		t.Errorf("session %q, project %q, %v", e.Session, e.Project, err)
	}
	if again := record(t, m, l); len(again) != 0 {
		t.Errorf("the same findings were stored again: %+v", again)
	}
}

func TestStory(t *testing.T) {
	beads := []*tracker.Bead{bead("hx-1", "Fix it", "")}
	for _, tt := range []struct {
		name string
		deed run.Deed
		want string
	}{
		{"failed", run.Deed{
			Beads: beads, Number: 2, Outcome: executor.Preserved, Reason: "gate test is red", Answer: "I changed the lock.\nMEASURE_STATUS: PASS\n",
			Gate: "go test ./...", Cause: "a_test.go:3: deadlock\nFAIL", Ref: "refs/helix/preserved/hx-1/a",
		}, `Attempt 2 at hx-1 (Fix it) did not land (preserved): gate test is red
What the agent did: I changed the lock.
Why it failed: go test ./...:
a_test.go:3: deadlock
FAIL
The work is kept at: refs/helix/preserved/hx-1/a`},
		{"landed at last", run.Deed{
			Beads: beads, Number: 2, Outcome: executor.Landed, Answer: "Took the other lock.", Commit: "abc",
			Earlier: []run.Failure{{Reason: "gate test is red"}},
		}, `hx-1 (Fix it) landed at attempt 2, after 1 that did not.
Before: gate test is red
What the agent did: Took the other lock.
Commit: abc`},
		{"reviewed", run.Deed{Beads: beads, Outcome: executor.Landed, Review: "The lock leaks.", Commit: "abc", Answer: "The lock leaks."}, `hx-1 (Fix it) landed, and its review found fault with it.
What the review found: The lock leaks.
Commit: abc`},
	} {
		if diff := cmp.Diff(tt.want, story(tt.deed)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

func TestTopicOf(t *testing.T) {
	spec := bead("hx-1", "", "")
	spec.Set("spec-id", "FEAT-7 Login")
	for _, tt := range []struct {
		name string
		deed run.Deed
		want string
	}{
		{"nothing", run.Deed{}, "project"},
		{"the spec", run.Deed{Beads: []*tracker.Bead{spec}, Files: []string{"a/b.go"}}, "feat-7-login"},
		{"the folder of most", run.Deed{Files: []string{"a/1.go", "b/1.go", "b/2.go", "main.go"}}, "b"},
		{"files at the top", run.Deed{Files: []string{"main.go"}}, "project"},
	} {
		if got := topicOf(tt.deed); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSourceOf(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	if err := os.WriteFile(filepath.Join(m.Root, "Makefile.am"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	two := []string{"a/token.go", "b/lock.go"}
	for _, tt := range []struct {
		finding string
		files   []string
		want    string
	}{
		{"a/token.go:7 is wrong", two, "a/token.go:7"},
		{"look at lock.go.", two, "b/lock.go"},
		{"see ./Makefile.am for it", two, "Makefile.am"},
		{"see ../../etc/passwd and /etc/passwd", two, ""},
		{"nothing is named", two, ""},
		{"nothing is named", two[:1], "a/token.go"},
		{"no such file.go, e.g. here", nil, ""},
	} {
		if got := m.sourceOf(run.Deed{Files: tt.files}, tt.finding); got != tt.want {
			t.Errorf("%q of %v: %q, want %q", tt.finding, tt.files, got, tt.want)
		}
	}
}

func TestUsed(t *testing.T) {
	entries := []entry.Entry{{ID: "mem_answer"}, {ID: "mem_call"}, {ID: "mem_codex"}, {ID: "mem_tool"}, {ID: "mem_file", Source: entry.Source{Path: "a.go"}}, {ID: "mem_other", Source: entry.Source{Path: "b.go"}}}
	transcript := strings.Join([]string{
		`{"type":"system","text":"mem_tool"}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"read","input":{"id":"mem_call"}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":"mem_tool says so"}]}}`,
		`{"type":"item.completed","item":{"type":"command_execution","command":"helix kb read --id mem_codex","aggregated_output":"mem_tool"}}`,
		`mem_tool in plain text`, `{"type":"assistant",`,
	}, "\n")
	got := used(entries, "I went by [mem_answer].", []byte(transcript), []string{"a.go"})
	if want := []string{"mem_answer", "mem_call", "mem_codex", "mem_file"}; !slices.Equal(got, want) {
		t.Errorf("used %v, want %v", got, want)
	}
}

func TestCredit(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	a, b := store(t, m, kb.StoreRequest{Topic: "x", Text: "named in the log"}), store(t, m, kb.StoreRequest{Topic: "x", Text: "not named"})
	dir := filepath.Join(m.Root, ".ddx", "executions", "a1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent.log"), []byte(`{"type":"assistant","message":{"content":"`+a+`"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	use := run.Use{
		Deed:  run.Deed{Run: "run-1", Cycle: 2, Attempt: "a1", Beads: []*tracker.Bead{bead("hx-1", "", "")}, Evidence: ".ddx/executions/a1"},
		Shown: []string{a, b, "mem_gone"}, Verdict: run.VerdictClean,
	}
	for verdict, want := range map[run.Verdict][]string{run.VerdictClean: {a}, run.VerdictIssues: nil, run.VerdictFailed: {a}, run.VerdictPreserved: {a}, run.VerdictUnjudged: nil} {
		use.Verdict = verdict
		if ids, err := m.Credit(t.Context(), use); err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s credits %v, %v; want %v", verdict, ids, err, want)
		}
	}
	why, err := m.KB.Why(t.Context(), kb.WhyRequest{ID: b})
	if err != nil || why.Shown != 5 || why.Used != 0 || why.Uses[0].Bead != "hx-1" || why.Uses[0].Run != "run-1" {
		t.Errorf("%+v, %v", why, err)
	}
}

func FuzzOwnWords(f *testing.F) {
	f.Add([]byte(`{"type":"assistant","message":{"content":"x"}}` + "\n{"))
	f.Add([]byte("plain\n\x00\xff"))
	f.Fuzz(func(t *testing.T, transcript []byte) {
		if got := ownWords(transcript); len(got) > 2*len(transcript)+2 {
			t.Fatalf("%d bytes of %d", len(got), len(transcript))
		}
	})
}
