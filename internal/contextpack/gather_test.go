package contextpack

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

var now = time.Date(2026, 6, 18, 12, 0, 0, 0, time.UTC)

// shelf is a memory with a fixed answer.
type shelf struct {
	hits, newest []entry.Entry
	asked        []view.Query
	err          error
}

func (s *shelf) Search(q view.Query) (view.Result, error) {
	s.asked = append(s.asked, q)
	var r view.Result
	for _, e := range s.hits {
		if q.Filter.Kind == "" || q.Filter.Kind == string(e.Kind) {
			r.Hits = append(r.Hits, view.Hit{Entry: e})
		}
	}
	return r, s.err
}

func (s *shelf) Newest(int, view.Filter) ([]entry.Entry, error) { return s.newest, s.err }

// plan is a tree with a fixed answer.
type plan struct{}

func (plan) Define(name string) []Symbol {
	if name == "parseToken" {
		return []Symbol{{Path: "auth/parse.go", Line: 3}}
	}
	return nil
}

func (plan) Outline(p string) []Symbol {
	switch p {
	case "auth/parse.go", "clock/clock.go":
		return []Symbol{{Path: p, Line: 3, End: 9, Signature: "func parse" + strings.TrimSuffix(filepath.Base(p), ".go") + "()"}}
	}
	return nil
}

func (plan) Ending(p string) []string {
	switch p {
	case "clock.go":
		return []string{"clock/clock.go"}
	case "gone.go":
		return []string{"old/gone.go"}
	case "doc.go":
		return []string{"auth/login.go", "auth/parse.go", "clock/clock.go", "auth/login_test.go", "docs/login.md"}
	case "login":
		return []string{"auth/login.go", "docs/login.md"}
	}
	return nil
}

func (plan) Imports(p string) []string {
	if p == "auth/login.go" {
		return []string{"clock/clock.go", "auth/parse.go"}
	}
	return nil
}

func (plan) Tests(p string) []string {
	if p == "auth/login.go" {
		return []string{"auth/login_test.go"}
	}
	return nil
}

func (plan) Modules() []Module {
	return []Module{
		{ID: "node_1", Path: "auth", Doc: "Package auth logs people in.", Public: []string{"func Login(name string) error"}},
		{ID: "node_2", Path: "clock"},
	}
}

func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, body := range map[string]string{
		"CLAUDE.md":          "- Always wrap errors.\n",
		"AGENTS.md":          "- Always wrap errors.\n",
		".helix/rules.md":    "- No globals.\n",
		".claude/rules/a.md": "- Tests first.\n",
		"auth/login.go":      "package auth\n\n// Login logs in.\nfunc Login(name string) error { return nil }\n",
		"auth/login_test.go": "package auth\n",
		"auth/parse.go":      "package auth\n\nfunc parseToken() {}\n",
		"clock/clock.go":     "package clock\n",
		"docs/login.md":      "# Login\n\nA login takes a name.\n",
		"data.bin":           "a\x00b",
	} {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func memories() *shelf {
	mk := func(id, topic, text string, kind entry.Kind, days int, source string) entry.Entry {
		e := entry.New(topic, text, now.AddDate(0, 0, -days))
		e.ID, e.Kind, e.Source.Path = id, kind, source
		return e
	}
	jwt := mk("mem_jwt", "auth", "decision: JWT over sessions", entry.Decision, 1, "")
	return &shelf{
		hits: []entry.Entry{
			mk("mem_clock", "clock", "gotcha: the clock of the test\nmust be set", entry.Fact, 70, "clock/clock.go"),
			jwt,
		},
		newest: []entry.Entry{mk("mem_db", "db", "one connection", entry.Decision, 0, ""), jwt},
	}
}

var login = Task{
	ID: "hx-1", Title: "Reject empty names in `Login`",
	Description: "See auth/login.go:4 and data.bin; call parseToken() first. Not ../outside.go, not https://example.org/x.go.",
	Acceptance:  "Verify: go test ./auth", Spec: "docs/login.md",
}

func TestGather(t *testing.T) {
	t.Parallel()
	root := project(t)
	build := func(budget int) Pack {
		p, err := Build(context.Background(), login, Sources{Root: root, Tree: plan{}, Memory: memories(), Now: now}, budget)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, budget := range map[string]int{"whole": 4000, "tight": 260} {
		p := build(budget)
		if p.Tokens > budget || build(budget).Text != p.Text {
			t.Errorf("%s: %d tokens of %d, or not the same again", name, p.Tokens, budget)
		}
		path := filepath.Join("testdata", name+".md")
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(p.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if p.Text != string(want) {
			t.Errorf("%s is\n%s", name, p.Text)
		}
	}
}

func TestGatherWithLittle(t *testing.T) {
	t.Parallel()
	p, err := Build(context.Background(), Task{Title: "Do it"}, Sources{Root: t.TempDir(), Now: now}, 500)
	if err != nil || p.Text != "# Project context\n\n## Task\n\nDo it\n" {
		t.Errorf("%q, %v", p.Text, err)
	}
	if _, err := Build(context.Background(), login, Sources{Root: project(t), Memory: &shelf{err: errors.New("broken")}, Now: now}, 500); err == nil {
		t.Error("a memory that fails is not noticed")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, login, Sources{Root: project(t)}, 500); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestReadStaysInside(t *testing.T) {
	t.Parallel()
	root := project(t)
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	g := &gatherer{Sources: Sources{Root: root}}
	for _, name := range []string{"../secret.txt", secret, "link.txt", "data.bin", "auth", "nothing", ""} {
		if body, err := g.read(name, 100); err == nil {
			t.Errorf("%s: %q", name, body)
		}
	}
	if body, err := g.read("./auth/../auth/parse.go", 7); err != nil || body != "package" {
		t.Errorf("%q, %v", body, err)
	}
}

// TestPaths: a file is named by its path, or by the end of it.
func TestPaths(t *testing.T) {
	t.Parallel()
	g := &gatherer{Sources: Sources{Root: project(t), Tree: plan{}}}
	for title, want := range map[string]string{
		"fix auth/login.go:3, then clock.go:12.":      "auth/login.go 1 clock/clock.go 1",
		"auth/login.go auth/login.go ./auth/login.go": "auth/login.go 1",
		"doc.go":                            "",
		"x/../login":                        "auth/login.go 0.5 docs/login.md 0.5",
		"gone.go and e.g. nothing.go":       "",
		"clock/clock.go, which is clock.go": "clock/clock.go 1",
	} {
		g.task = Task{Title: title}
		var got []string
		for _, n := range g.paths() {
			got = append(got, n.path, fmt.Sprint(n.share))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %q, want %q", title, got, want)
		}
	}
	g.Tree = nil
	g.task = Task{Title: "clock.go"}
	if got := g.paths(); len(got) != 0 {
		t.Errorf("without a tree: %v", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	g := &gatherer{task: Task{Title: "call fooBar() and `quoted`, snake_case, plainCall(), HTTPServer; not Plain, URL, or 12"}}
	if got := strings.Join(g.names(), " "); got != "fooBar quoted snake_case plainCall HTTPServer" {
		t.Errorf("%s", got)
	}
}

func TestCutTokens(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of some words\n", 100)
	got := forms(long, 300, 50)
	if len(got) != 2 || !strings.HasSuffix(got[1], "[… cut]\n") || len(got[1]) >= len(got[0]) {
		t.Errorf("%d forms, %q", len(got), got[len(got)-1])
	}
	if got := forms("short\n", 300, 50); len(got) != 1 || got[0] != "short\n" {
		t.Errorf("%q", got)
	}
}
