package experience

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// read is a transcript of testdata.
func read(t testing.TB, name string, format Format) Transcript {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tr, err := Read(file, format)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// brief is an experience in a line.
func brief(e Experience) string {
	place := e.Topic
	if len(e.Files) > 0 {
		place += " " + e.Files[0]
	}
	if e.Line > 0 {
		place += fmt.Sprintf(":%d", e.Line)
	}
	return fmt.Sprintf("%s | %s | %s | %s", e.Rule, strings.TrimSpace(place), e.Outcome, e.Text)
}

func TestExtract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file   string
		format Format
		want   []string
	}{
		{"claude.jsonl", Claude, []string{
			"findings | session internal/session/refresh.go:42 | success | gotcha: sqlite needs the build tag purego on machines without a C compiler",
			"findings | session internal/session/refresh.go:42 | success | the staging token is ghp_0123456789abcdefABCDEF0123456789abcd",
			"how-to | session internal/session/refresh.go:42 | success | `go test -tags purego ./internal/session/` works; `go test ./internal/session/` failed (ld: undefined symbol: _sqlite3_open)",
			"root-cause | session internal/session/refresh.go:42 | success | The failure was caused by `Refresh` comparing local time with the UTC expiry of the token, so it fires an hour late in winter.",
			"decision | session internal/session/refresh.go:42 | success | I decided to keep the expiry as a Unix timestamp everywhere. The reason is that the wire format has no zone.",
			"gotcha | session internal/session/refresh_test.go | success | Note that the mobile app caches the expiry, so `refresh_test.go` must cover a token that was issued before the change.",
			"episode | session internal/session/refresh.go | success | Changed internal/session/refresh.go, internal/session/refresh_test.go for: The login of the mobile app fails after an hour. " +
				"It came to: The refresh now compares UTC with UTC, and a test pins it. Outcome: the last tests passed (`go test -tags purego ./...`)",
		}},
		{"claude-stream.jsonl", Claude, []string{
			"decision | ring src/ring/ring.rs:12 | failure | We chose a ring buffer over a channel because the writer must never block.",
			"episode | ring src/ring/ring.rs | failure | Changed src/ring/ring.rs. It came to: The ring buffer is in; one test still fails. Outcome: the last tests failed (`cargo test 2>&1 | tail -5`)",
		}},
		{"codex-exec.jsonl", Codex, []string{
			"how-to | cart web/cart/total.ts | success | `npm test` failed (Error: Cannot find module './generated/schema') until `npm run codegen` was run",
			"root-cause | cart web/cart/total.ts | success | Root cause: `total.ts` summed floats, so three items of 0.10 gave 0.30000000000000004.",
			"decision | cart web/cart/total.ts | success | I went with integer cents instead of a decimal library because the bundle is already large.",
			"episode | cart web/cart/total.ts | success | Changed web/cart/total.ts, web/cart/total.test.ts. It came to: Totals are computed in cents now. Outcome: the last tests passed (`npm test`)",
		}},
		{"codex-rollout.jsonl", Codex, []string{
			"how-to | importer importer/rows.py | interrupted | `PYTHONPATH=. pytest -p no:cacheprovider tests/test_import.py` works; `pytest tests/test_import.py` failed (ERROR: usage: unrecognized arguments)",
			"gotcha | importer importer/rows.py | interrupted | It turns out that the csv module yields an empty list for a blank line, not a row of empty strings.",
			"episode | importer importer/rows.py | interrupted | Changed importer/rows.py, tests/test_rows.py for: Make the importer survive empty rows. It came to: It turns out that the csv module yields an empty list for a blank line, not a row of empty strings. Outcome: interrupted",
		}},
		{"plain.txt", Plain, []string{
			"findings |  | unknown | how-to: run `make fixtures` before the export tests",
			"decision |  | unknown | Decision: the export is written to a temporary file and renamed, because readers poll the folder.",
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			tr := read(t, c.file, Auto)
			if tr.Format != c.format {
				t.Errorf("read as %s", tr.Format)
			}
			if c.file == "codex-exec.jsonl" {
				tr.Dir = "/srv/app" // Codex does not say it there
			}
			var got []string
			for _, e := range Extract(tr) {
				got = append(got, brief(e))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	tr := read(t, "claude.jsonl", Auto)
	if tr.Session != "5f2d8c1e-3b7a-4c59-9e21-6d1f0a9b8c77" || tr.Dir != "/home/dev/shop" || tr.Broken != 1 || tr.Cut || tr.End != Open {
		t.Errorf("%q in %q, %d broken, cut %t, end %q", tr.Session, tr.Dir, tr.Broken, tr.Cut, tr.End)
	}
	if tr := read(t, "codex-rollout.jsonl", Auto); tr.Session != "019b-12" || tr.End != Interrupted {
		t.Errorf("%q, end %q", tr.Session, tr.End)
	}
	for _, c := range []struct {
		name, text string
		format     Format
		end        End
		steps      int
	}{
		{"nothing", "", Auto, Open, 0},
		{"interrupted", `{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, Auto, Interrupted, 0},
		{"interrupted, then told to go on", `{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}` + "\n" +
			`{"type":"user","sessionId":"s","message":{"role":"user","content":"go on"}}`, Auto, Open, 1},
		{"provider away", `{"type":"result","subtype":"success","is_error":true,"session_id":"s","result":"API Error: 529"}`, Auto, Failed, 0},
		{"only a result", `{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"Done."}`, Auto, Open, 1},
		{"turn failed", `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.failed","error":{"message":"m"}}`, Auto, Failed, 0},
		{"JSON of another program is text", `{"level":"info","msg":"hello there"}`, Auto, Open, 1},
		{"text before the client's lines", "warning: x\n" + `{"type":"thread.started","thread_id":"t"}`, Auto, Open, 0},
		{"plain, although it is JSON", `{"type":"thread.started","thread_id":"t"}`, Plain, Open, 1},
		{"so is the summary of a compaction", `{"type":"user","isCompactSummary":true,"sessionId":"s","message":{"role":"user","content":"This session goes on"}}`, Auto, Open, 0},
		{"meta is nobody's words", `{"type":"user","isMeta":true,"sessionId":"s","message":{"role":"user","content":"Caveat"}}`, Auto, Open, 0},
	} {
		tr, err := Read(strings.NewReader(c.text), c.format)
		if err != nil || tr.End != c.end || len(tr.Steps) != c.steps {
			t.Errorf("%s: end %q, %d steps, %v", c.name, tr.End, len(tr.Steps), err)
		}
	}
}

// TestReadBounds: a line that is too long is skipped, and what follows is read.
func TestReadBounds(t *testing.T) {
	t.Parallel()
	long := `{"type":"user","sessionId":"s","message":{"role":"user","content":"` + strings.Repeat("x", maxLine) + `"}}`
	short := `{"type":"assistant","sessionId":"s","message":{"role":"assistant","content":[{"type":"text","text":"` + strings.Repeat("y", 2*maxSaid) + `"}]}}`
	deep := `{"type":"user","sessionId":"s","message":` + strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300) + "}"
	tr, err := Read(strings.NewReader(long+"\n"+deep+"\n"+short+"\n"), Claude)
	if err != nil || tr.Broken != 2 || len(tr.Steps) != 1 {
		t.Fatalf("%d broken, %d steps, %v", tr.Broken, len(tr.Steps), err)
	}
	if n := len(tr.Steps[0].Text); n > maxSaid+10 {
		t.Errorf("a message of %d bytes was kept", n)
	}
}

// TestTrailerWins: what the agent lists itself is neither doubled nor changed by
// the rules.
func TestTrailerWins(t *testing.T) {
	t.Parallel()
	got := Extract(Transcript{Steps: []Step{{Kind: Said, Text: "Note that the cache must be warmed before the first request, otherwise it times out.\n\n" +
		"I decided to store offsets as varints, because the index then fits a page.\n\nFINDINGS:\n- the cache must be warmed before the first request, otherwise it times out\n- I decided to look at nothing else\n"}}})
	var lines []string
	for _, e := range got {
		lines = append(lines, fmt.Sprintf("%s %.2f %s", e.Rule, e.Confidence, e.Text))
	}
	if diff := cmp.Diff([]string{
		"findings 0.90 the cache must be warmed before the first request, otherwise it times out",
		"findings 0.90 I decided to look at nothing else",
		"decision 0.75 I decided to store offsets as varints, because the index then fits a page.",
	}, lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// do is a call of a command with its result.
func do(command, output string, failed bool) []Step {
	id := fmt.Sprintf("%p", &command)
	return []Step{{Kind: Call, Tool: "Bash", ID: id, Command: command}, {Kind: Result, ID: id, Text: output, Failed: failed}}
}

func TestProcedures(t *testing.T) {
	t.Parallel()
	edit := []Step{{Kind: Call, Tool: "Edit", ID: "e", Files: []File{{Path: "a.go", Changed: true}}}, {Kind: Result, ID: "e"}}
	for _, c := range []struct {
		name  string
		steps [][]Step
		want  []string
	}{
		{"a pipe hides the failure", [][]Step{do("go test ./a", "error: x", true), do("go test ./a | tail", "FAIL\tx", false)}, nil},
		{"a flag was missing", [][]Step{do("go test ./a", "error: cgo missing", true), do("CGO_ENABLED=0 go test ./a", "ok", false)}, []string{"`CGO_ENABLED=0 go test ./a` works; `go test ./a` failed (error: cgo missing)"}},
		{"another had to run first", [][]Step{do("go build ./...", "no such package gen", true), do("ls", "a", false), do("go generate ./...", "", false), do("go build ./...", "", false)},
			[]string{"`go build ./...` failed (no such package gen) until `go generate ./...` was run"}},
		{"the code was fixed", [][]Step{do("go test ./a", "FAIL", true), edit, do("go test -v ./a", "ok", false)}, nil},
		{"another package", [][]Step{do("go test ./a", "FAIL", true), do("go test ./b", "ok", false)}, nil},
		{"it just worked the second time", [][]Step{do("npm test", "Error: flaky", true), do("npm test", "ok", false)}, nil},
		{"looking around", [][]Step{do("grep -r x .", "", true), do("grep -rn y .", "b", false)}, nil},
		{"never worked", [][]Step{do("npm test", "Error", true), do("npm test --x", "Error", true)}, nil},
		{"the last failure counts", [][]Step{do("npm test", "error one two", true), do("npm test --x", "error two", true), do("npm test --y", "ok", false)}, []string{"`npm test --y` works; `npm test --x` failed (error two)"}},
	} {
		var tr Transcript
		for i, steps := range c.steps {
			for _, s := range steps {
				s.ID += fmt.Sprint(i)
				tr.Steps = append(tr.Steps, s)
			}
		}
		var got []string
		for _, e := range procedures(walk(&tr).actions) {
			got = append(got, e.Text)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTopicOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"internal/auth/token.go": "auth", "src/main/java/shop/Cart.java": "shop", "main.go": "", "src/lib.rs": "", "web/cart/tests/a.ts": "cart", "../x/y.go": "x",
	} {
		if got := topicOf(path); got != want {
			t.Errorf("topicOf(%s) = %q, want %q", path, got, want)
		}
	}
}

// TestExtractProperties: whatever is said and done, extraction is deterministic,
// bounded, and says nothing twice.
func TestExtractProperties(t *testing.T) {
	t.Parallel()
	all := snippets(t, "snippets.jsonl")
	rapid.Check(t, func(rt *rapid.T) {
		var tr Transcript
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			s := Step{Kind: Kind(rapid.IntRange(0, 3).Draw(rt, "kind")), ID: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "id"), Failed: rapid.Bool().Draw(rt, "failed")}
			switch rapid.IntRange(0, 2).Draw(rt, "text") {
			case 0:
				s.Text = rapid.SampledFrom(all).Draw(rt, "snippet").Text
			case 1:
				s.Text = rapid.String().Draw(rt, "any")
			}
			if s.Kind == Call {
				s.Command = rapid.SampledFrom([]string{"", "go test ./a", "go test -v ./a", "make gen", "cd x && npm test"}).Draw(rt, "command")
				s.Files = []File{{Path: rapid.SampledFrom([]string{"a/b.go", "/p/c/d.go", "../e", ""}).Draw(rt, "path"), Changed: rapid.Bool().Draw(rt, "changed")}}
			}
			tr.Steps = append(tr.Steps, s)
		}
		got := Extract(tr)
		if diff := cmp.Diff(got, Extract(tr), cmp.AllowUnexported(Experience{})); diff != "" {
			rt.Fatalf("not deterministic:\n%s", diff)
		}
		if len(got) > maxExperiences {
			rt.Fatalf("%d experiences", len(got))
		}
		for i, e := range got {
			if e.Text == "" || len(e.Text) > maxText || e.Confidence <= 0 || e.Confidence > 1 {
				rt.Fatalf("bad experience %+v", e)
			}
			for _, other := range got[:i] {
				if wordsOf(e.Text).saidBy(wordsOf(other.Text)) {
					rt.Fatalf("said twice: %q and %q", other.Text, e.Text)
				}
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"claude.jsonl", "claude-stream.jsonl", "codex-exec.jsonl", "codex-rollout.jsonl", "plain.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(`{"type":"response_item","payload":{"type":"function_call","arguments":"{\"cmd\":[1,null]}"}}`)
	f.Add("```\nNote that\n`a\n(((")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{Auto, Claude, Codex, Plain} {
			tr, err := Read(strings.NewReader(text), format)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range Extract(tr) {
				if e.Text == "" || len(e.Text) > maxText || !utf8.ValidString(e.Text) {
					t.Fatalf("%+v", e)
				}
			}
		}
	})
}

// TestOfAttempt: Codex does not say where it works, so the files of the attempt do.
func TestOfAttempt(t *testing.T) {
	t.Parallel()
	for files, want := range map[string]string{"web/cart/total.ts": "cart web/cart/total.ts", "other.ts": ""} {
		file, err := os.Open(filepath.Join("testdata", "codex-exec.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		found, err := OfAttempt(file, []string{files})
		if err != nil {
			t.Fatal(err)
		}
		var rules []Rule
		for _, e := range found {
			rules = append(rules, e.Rule)
			if got := strings.TrimSpace(e.Topic + " " + strings.Join(e.Files[:min(1, len(e.Files))], "")); got != want {
				t.Errorf("%s: %q, want %q", e.Rule, got, want)
			}
		}
		if diff := cmp.Diff([]Rule{Worked, Cause, Decided}, rules); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}
