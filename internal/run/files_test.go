package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/run/agent"
)

func TestStateFileRoundTrip(t *testing.T) {
	f := StateFile{Dir: t.TempDir()}
	if s, err := f.Load(); s != nil || err != nil {
		t.Fatalf("a missing state is none: %v, %v", s, err)
	}
	want := State{Writer: StateWriter, RunID: "r", Process: agent.Process{PID: 7, Start: "x"}, Phase: PhaseExecuting, Attempts: map[string]int{"a": 2}, StartedAt: noon}
	if err := f.Save(want); err != nil {
		t.Fatal(err)
	}
	got, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
	if !got.Unfinished() {
		t.Error("a state that is not stopped is unfinished")
	}
}

func TestStateFileLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	foreign := []byte(`{"queue":"ddx"}`)
	path := filepath.Join(dir, "run-state.json")
	if err := os.WriteFile(path, foreign, 0o644); err != nil {
		t.Fatal(err)
	}
	f := StateFile{Dir: dir}
	if err := f.Save(State{Writer: StateWriter, RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); !bytes.Equal(data, foreign) {
		t.Errorf("somebody else's file was changed to %s", data)
	}
	if got := f.Path(); filepath.Base(got) != "helix-run-state.json" {
		t.Errorf("ours is at %s", got)
	}
	if s, err := f.Load(); err != nil || s.RunID != "r" {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestStateFileOfTheOriginal(t *testing.T) {
	dir := t.TempDir()
	old := `{"agent":"codex","attempted_cycles":6,"ddx_delegation_success_count":1,"stop_reason":"blocked"}`
	if err := os.WriteFile(filepath.Join(dir, "run-state.json"), []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	f := StateFile{Dir: dir}
	if s, err := f.Load(); s != nil || err != nil {
		t.Errorf("the original's state starts afresh: %v, %v", s, err)
	}
	if filepath.Base(f.Path()) != "run-state.json" {
		t.Errorf("the original's state is taken over, not avoided: %s", f.Path())
	}
}

func TestStateFileDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "run-state.json"), []byte(`{"writer":"helix","attempted_cycles":"x"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (StateFile{Dir: dir}).Load(); err == nil || !strings.Contains(err.Error(), "run-state.json") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}

func TestJournalSurvivesATornLine(t *testing.T) {
	j := JournalIn(t.TempDir())
	first := Event{Time: noon, Run: "r1", Kind: EventRunStart}
	second := Event{Time: noon, Run: "r2", Kind: EventClosed, Bead: "hx-1", Commit: "abc"}
	if err := j.Append(first); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(j.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"time":"2026-06-01T12`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := j.Append(second); err != nil {
		t.Fatal(err)
	}
	events, damaged, err := j.Read()
	if err != nil || damaged != 1 {
		t.Fatalf("%d damaged lines, %v", damaged, err)
	}
	if diff := cmp.Diff([]Event{first, second}, events); diff != "" {
		t.Error(diff)
	}
}

func FuzzJournalRead(f *testing.F) {
	f.Add([]byte(`{"time":"2026-06-01T12:00:00Z","run":"r","kind":"run.start"}` + "\n"))
	f.Add([]byte("{\n\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j := JournalIn(t.TempDir())
		if err := os.WriteFile(j.Path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		events, _, err := j.Read()
		if err != nil {
			t.Fatal(err)
		}
		Runs(events)
	})
}

func TestRuns(t *testing.T) {
	usage := agent.Usage{Input: 10, Output: 5}
	total := agent.Usage{Input: 20, Output: 5}
	got := Runs([]Event{
		{Time: noon, Run: "r1", Kind: EventRunStart},
		{Time: noon, Run: "r1", Kind: EventAttempt, Cycle: 1, Bead: "a", Attempt: "x"},
		{Time: noon.Add(time.Minute), Run: "r1", Kind: EventOutcome, Bead: "a", Attempt: "x", Result: "landed", Commit: "c", Seconds: 60, Usage: &usage},
		{Time: noon.Add(time.Minute), Run: "r1", Kind: EventClosed, Bead: "a"},
		{Time: noon.Add(time.Minute), Run: "r1", Kind: EventReview, Bead: "a", Result: "clean"},
		{Time: noon.Add(2 * time.Minute), Run: "r1", Kind: EventRunStop, Result: "stop", Detail: "done", Usage: &total},
		{Time: noon.Add(time.Hour), Run: "r2", Kind: EventAttempt, Cycle: 1, Bead: "b", Attempt: "y"},
	})
	want := []RunRecord{
		{ID: "r1", Start: noon, Seconds: 120, StopReason: "stop", StopDetail: "done", Closed: 1, Usage: total,
			Cycles: []CycleRecord{{Cycle: 1, Bead: "a", Attempt: "x", Outcome: "landed", Commit: "c", Seconds: 60, Review: "clean"}}},
		{ID: "r2", Start: noon.Add(time.Hour), Cycles: []CycleRecord{{Cycle: 1, Bead: "b", Attempt: "y"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConsoleCountsLogLines(t *testing.T) {
	root := t.TempDir()
	var screen bytes.Buffer
	c, err := OpenConsole(root, &screen, noon, true, false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Line("one")
	c.Detail("only in the log")
	c.Notice("a tool")
	if _, err := c.Write([]byte("raw\nhalf")); err != nil {
		t.Fatal(err)
	}
	path, line := c.Position()
	if line != 5 {
		t.Errorf("the half line is line %d, want 5", line)
	}
	c.Line("two")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "helix: one\nhelix: only in the log\nhelix: a tool\nraw\nhalf\nhelix: two\n"; string(data) != want {
		t.Errorf("the log holds %q, want %q", data, want)
	}
	if _, line = c.Position(); line != 6 {
		t.Errorf("the last line is %d, want 6", line)
	}
	if want := "helix: one\nhelix: two\n"; screen.String() != want {
		t.Errorf("the screen shows %q, want %q", screen.String(), want)
	}
	if ignore, _ := os.ReadFile(filepath.Join(LogDir(root), ".gitignore")); string(ignore) != "*\n" {
		t.Errorf(".gitignore holds %q", ignore)
	}
	second, err := OpenConsole(root, &screen, noon, false, true)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if again, _ := second.Position(); again == path {
		t.Error("two sessions of one second share a log")
	}
}
