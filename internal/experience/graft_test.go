package experience

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/kb"
	"helix/internal/run/agent"
)

// memory is a real one in a new folder.
func memory(t testing.TB) *kb.Memory {
	t.Helper()
	return open(t, t.TempDir())
}

func open(t testing.TB, dir string) *kb.Memory {
	t.Helper()
	m := kb.Open(dir, kb.WithRoot(filepath.Join(dir, "no-project")))
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func journal(t testing.TB, dir string) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, JournalName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewScanner(strings.NewReader(string(text))); in.Scan(); {
		var r row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatalf("%v in %s", err, in.Text())
		}
		rows = append(rows, r)
	}
	return rows
}

func TestGraft(t *testing.T) {
	t.Parallel()
	m := memory(t)
	found := Extract(read(t, "claude.jsonl", Auto))
	origin := Origin{Session: "s1", Bead: "hx-12", Commit: "0123456789abcdef0123", Outcome: "success", Now: time.Unix(1_700_000_000, 0)}
	planned, err := Check(t.Context(), m, origin, found)
	if err != nil || !planned.DryRun || len(planned.Stored) != 7 {
		t.Fatalf("%v, %+v", err, planned)
	}
	if rows := journal(t, m.Dir()); rows != nil {
		t.Fatalf("the check wrote %v", rows)
	}
	g, err := Graft(t.Context(), m, m.Dir(), origin, found)
	if err != nil || len(g.Stored) != 7 || g.Known != 0 || g.Redacted != 1 || g.DryRun {
		t.Fatalf("%v, %s", err, g.Text())
	}
	entries, err := m.EntriesOf(t.Context(), kb.EntriesRequest{Topic: "session"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries.Items {
		got = append(got, e.Kind+" "+e.Source+" "+strings.Join(e.Tags, ","))
	}
	const refresh = "internal/session/refresh.go"
	if diff := cmp.Diff([]string{
		"finding " + refresh + ":42 bead-hx-12,commit-0123456789ab,finding,grafted",
		"finding " + refresh + ":42 bead-hx-12,commit-0123456789ab,finding,grafted",
		"procedure " + refresh + ":42 bead-hx-12,commit-0123456789ab,grafted,how-to",
		"finding " + refresh + ":42 bead-hx-12,commit-0123456789ab,grafted,root-cause",
		"decision " + refresh + ":42 bead-hx-12,commit-0123456789ab,decision,grafted",
		"finding internal/session/refresh_test.go bead-hx-12,commit-0123456789ab,gotcha,grafted",
		"episode " + refresh + " bead-hx-12,commit-0123456789ab,episode,grafted",
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	rows := journal(t, m.Dir())
	if len(rows) != 7 {
		t.Fatalf("%d rows", len(rows))
	}
	want := row{
		Timestamp: time.Date(2026, 3, 4, 9, 0, 30, 0, time.UTC).Unix(), SessionID: "s1", Outcome: "success",
		Decision:  "I decided to keep the expiry as a Unix timestamp everywhere. The reason is that the wire format has no zone.",
		Rationale: "The reason is that the wire format has no zone",
		Files:     []string{refresh, "internal/session/refresh_test.go"},
		Kind:      "decision", Entry: g.Stored[4].ID, Bead: "hx-12", Commit: "0123456789abcdef0123",
	}
	if diff := cmp.Diff(want, rows[4]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(m.Dir(), JournalName))
	if err != nil || strings.Contains(string(text), "ghp_0123") {
		t.Errorf("%v, or a secret in %s", err, text)
	}

	again, err := Graft(t.Context(), m, m.Dir(), origin, found)
	if err != nil || len(again.Stored) != 0 || again.Known != 7 {
		t.Errorf("%v, %s", err, again.Text())
	}
	if n := len(journal(t, m.Dir())); n != 7 {
		t.Errorf("%d rows after the second time", n)
	}
}

// TestGraftTwice: whatever was found, the second graft stores nothing.
func TestGraftTwice(t *testing.T) {
	t.Parallel()
	all := slices.Concat(snippets(t, "snippets.jsonl"), snippets(t, "snippets-2.jsonl"))
	m := memory(t)
	rapid.Check(t, func(rt *rapid.T) {
		var found []Experience
		for range rapid.IntRange(1, 8).Draw(rt, "n") {
			text := rapid.SampledFrom(all).Draw(rt, "snippet").Text
			if rapid.Bool().Draw(rt, "odd") {
				text = rapid.String().Draw(rt, "text")
			}
			found = append(found, Experience{
				Rule: rapid.SampledFrom([]Rule{Trailer, Decided, Worked, Happened}).Draw(rt, "rule"), Text: text, Confidence: 0.5,
				Topic: rapid.SampledFrom([]string{"", "auth", "a\nb", "x:y"}).Draw(rt, "topic"),
				Files: rapid.SliceOfN(rapid.SampledFrom([]string{"a.go", "a b/c:d.go", "x\x00y", "c:12"}), 0, 2).Draw(rt, "files"), Line: rapid.IntRange(0, 9).Draw(rt, "line"),
			})
		}
		origin := Origin{Bead: rapid.SampledFrom([]string{"", "hx-1", "a,b"}).Draw(rt, "bead")}
		first, err := Graft(t.Context(), m, m.Dir(), origin, found)
		if err != nil {
			rt.Fatal(err)
		}
		second, err := Graft(t.Context(), m, m.Dir(), origin, found)
		if err != nil || len(second.Stored) != 0 || second.Known != first.Known+len(first.Stored) {
			rt.Fatalf("%v: first %s, then %s", err, first.Text(), second.Text())
		}
	})
}

// TestGraftAtOnce: of many that graft the same at the same time, each entry is
// stored by one.
func TestGraftAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	found := Extract(read(t, "codex-exec.jsonl", Auto))
	var wg sync.WaitGroup
	var mu sync.Mutex
	stored := 0
	for range 6 {
		m := open(t, dir)
		wg.Go(func() {
			g, err := Graft(t.Context(), m, dir, Origin{}, found)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			stored += len(g.Stored)
		})
	}
	wg.Wait()
	if stored != len(found) || len(journal(t, dir)) != len(found) {
		t.Errorf("%d stored and %d rows of %d", stored, len(journal(t, dir)), len(found))
	}
}

// TestTornJournal: a line that a dying process left does not spoil the next one.
func TestTornJournal(t *testing.T) {
	t.Parallel()
	m := memory(t)
	path := filepath.Join(m.Dir(), JournalName)
	if err := os.WriteFile(path, []byte(`{"timestamp":1`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Graft(t.Context(), m, m.Dir(), Origin{}, []Experience{{Rule: Decided, Text: "We chose A over B because of C and D", Confidence: 1}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err != nil || len(lines) != 2 || !json.Valid([]byte(lines[1])) {
		t.Errorf("%v: %s", err, text)
	}
}

// refusing is a memory that takes nothing.
type refusing struct{ *kb.Memory }

func (refusing) Batch(context.Context, kb.BatchRequest) (kb.Batched, error) {
	return kb.Batched{}, errors.New("disk full")
}

func TestGraftFails(t *testing.T) {
	t.Parallel()
	m := memory(t)
	found := []Experience{{Rule: Decided, Text: "We chose A over B because of C and D", Confidence: 1}}
	g, err := Graft(t.Context(), refusing{m}, m.Dir(), Origin{}, found)
	if err == nil || len(g.Stored) != 0 || journal(t, m.Dir()) != nil {
		t.Errorf("%v, %s", err, g.Text())
	}
	if g, err = Graft(t.Context(), m, m.Dir(), Origin{}, found); err != nil || len(g.Stored) != 1 {
		t.Errorf("%v, %s", err, g.Text())
	}
}

// said is a line of a session file.
func said(text string) string {
	b, err := json.Marshal(map[string]any{"type": "assistant", "sessionId": "s9", "cwd": "/srv/app", "message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": text}}}})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

func TestFollow(t *testing.T) {
	t.Parallel()
	m := memory(t)
	path := filepath.Join(t.TempDir(), "s9.jsonl")
	write := func(text string, flag int) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var seen []int
	follow := func(want ...string) {
		t.Helper()
		g, err := Follow(t.Context(), m, m.Dir(), path, Auto, Origin{}, func(tr *Transcript) []Experience {
			seen = append(seen, len(tr.Steps))
			return Extract(*tr)
		})
		var got []string
		for _, s := range g.Stored {
			got = append(got, s.Text)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: stored %q, want %q", err, got, want)
		}
	}
	const a, b, c = "We chose SQLite over Postgres because the tool runs without a daemon.",
		"I decided to keep offsets as varints, because the index then fits a page.",
		"Gotcha: the mock clock does not advance timers from before the install."
	write(said(a), os.O_APPEND)
	follow(a)
	follow()
	half := said(b)
	write(said("Go on.")+half[:20], os.O_APPEND)
	follow()
	write(half[20:], os.O_APPEND)
	follow(b)
	// Each line was read once, and half a line not at all.
	if !slices.Equal(seen, []int{1, 1, 1}) {
		t.Errorf("steps read: %v", seen)
	}
	// Another file under the same name is read from its beginning.
	write(said(c)+said(a)+said("And so on, and so on, and so on, until it is longer than the first one was."), os.O_TRUNC)
	follow(c)
	if rows := journal(t, m.Dir()); len(rows) != 3 || rows[0].SessionID != "s9" {
		t.Errorf("%+v", rows)
	}
	// A mark that cannot be read is none.
	marks, err := filepath.Glob(filepath.Join(m.Dir(), StateDir, "graft-*.json"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("%v, %v", marks, err)
	}
	if err := os.WriteFile(marks[0], []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	follow()
	if _, err := Follow(t.Context(), m, m.Dir(), path+".gone", Auto, Origin{}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// TestFollowAtOnce: of several calls while a transcript grows, nothing is lost and
// nothing stored twice.
func TestFollowAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := snippets(t, "snippets.jsonl")
	want := map[string]bool{}
	for i, s := range all {
		if len(s.Want) > 0 && i%3 == 0 {
			for _, e := range Extract(Transcript{Steps: []Step{{Kind: Said, Text: s.Text}}}) {
				want[e.Text] = true
			}
		}
	}
	var wg sync.WaitGroup
	for i, s := range all {
		if len(s.Want) == 0 || i%3 != 0 {
			continue
		}
		if _, err := file.WriteString(said(s.Text)); err != nil {
			t.Fatal(err)
		}
		m := open(t, dir)
		wg.Go(func() {
			if _, err := Follow(t.Context(), m, dir, path, Auto, Origin{}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := map[string]bool{}
	for _, r := range journal(t, dir) {
		if got[r.Decision] {
			t.Errorf("stored twice: %s", r.Decision)
		}
		got[r.Decision] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// answering is an agent that says one thing.
type answering struct {
	result agent.Result
	prompt string
	env    []string
}

func (a *answering) Run(_ context.Context, _ agent.Spec, j agent.Job) (agent.Result, error) {
	a.prompt, a.env = j.Prompt, j.Env
	return a.result, nil
}

func TestAsk(t *testing.T) {
	t.Parallel()
	tr := read(t, "claude.jsonl", Auto)
	found := Extract(tr)
	for _, c := range []struct {
		name   string
		result agent.Result
		want   []string // added
		err    string
	}{
		{"an answer", agent.Result{OK: true, Text: "Here:\n```json\n" + `{"findings":[
			{"kind":"decision","text":"Times are compared in UTC only.","rationale":"zones differ","file":"internal/clock/clock.go"},
			{"kind":"finding","text":"sqlite needs the build tag purego on machines without a C compiler"},
			{"kind":"rumour","text":"Sessions of the web client are not affected."},
			{"text":"too short"}, 7, {"text":7}]}` + "\n```"}, []string{
			"decision clock internal/clock/clock.go Times are compared in UTC only.",
			"finding session internal/session/refresh.go Sessions of the web client are not affected.",
		}, ""},
		{"nothing found", agent.Result{OK: true, Text: `{"findings":[]}`}, nil, ""},
		{"no JSON", agent.Result{OK: true, Text: "I could not find anything."}, nil, "not the JSON"},
		{"no list", agent.Result{OK: true, Text: `{"found":[]}`}, nil, "no list of findings"},
		{"failed", agent.Result{Reason: "429 too many requests"}, nil, "429 too many requests"},
		{"timed out", agent.Result{TimedOut: true}, nil, "did not end in time"},
	} {
		a := &answering{result: c.result}
		all, err := Ask(t.Context(), a, agent.Spec{Kind: agent.Claude}, t.TempDir(), tr, found)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var got []string
		for _, e := range all[len(found):] {
			g, _ := prepare(Origin{}, e)
			got = append(got, g.Kind+" "+g.Topic+" "+g.Files[0]+" "+g.Text)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %q", c.name, err, got)
		}
		if !strings.Contains(a.prompt, "RAN: go test -tags purego") || strings.Contains(a.prompt, "ghp_0123") || len(a.prompt) > maxDigest+2000 || !slices.Contains(a.env, "HELIX_NO_GRAFT=1") {
			t.Errorf("%s: asked with %q: %s", c.name, a.env, a.prompt)
		}
	}
}
