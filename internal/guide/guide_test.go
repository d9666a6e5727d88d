package guide

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helix/internal/kb"
)

func write(t *testing.T, root, name, body string) {
	t.Helper()
	full := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newGuide(t *testing.T) *Guide {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	write(t, root, "auth/login.go", "// Package auth logs people in.\npackage auth\n\nimport \"x/clock\"\n\nfunc Login() { clock.Now() }\n")
	write(t, root, "auth/login_test.go", "package auth\n\nfunc TestLogin() { Login() }\n")
	write(t, root, "clock/clock.go", "package clock\n\nfunc Now() {}\n")
	write(t, root, "go.mod", "module x\n")
	m := kb.Open(filepath.Join(t.TempDir(), "kb"), kb.WithRoot(root))
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, text := range []string{"decision: the clock is set by the caller", "gotcha: Login is slow at night"} {
		if _, err := m.Store(t.Context(), kb.StoreRequest{Topic: "auth", Text: text, Source: "auth/login.go:6"}); err != nil {
			t.Fatal(err)
		}
	}
	return &Guide{Root: root, Memory: m, Tree: PatientCode(root)}
}

func TestContextOfCode(t *testing.T) {
	g := newGuide(t)
	r, err := g.Context(t.Context(), ContextRequest{Task: "make `Login` faster"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### auth/login.go (defines Login)", "### auth/login_test.go (of auth/login.go)", "### clock/clock.go (of auth/login.go)",
		"gotcha: Login is slow at night", "decision: the clock", "- auth/ — Package auth logs people in. [expand: node_",
	} {
		if !strings.Contains(r.Text(), want) {
			t.Errorf("%q is missing in\n%s", want, r.Text())
		}
	}
	if r.Tokens > r.Budget || len(r.Memories) != 2 {
		t.Errorf("%d of %d tokens, memories %v", r.Tokens, r.Budget, r.Memories)
	}
}

// TestOtherProjects: what was decided elsewhere is in no context, and in an answer
// with a name.
func TestOtherProjects(t *testing.T) {
	g := newGuide(t)
	if err := os.Mkdir(filepath.Join(g.Root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := kb.Open(g.Memory.Dir(), kb.WithProject("/other/shop", "/"))
	defer m.Close()
	for _, r := range []kb.StoreRequest{
		{Topic: "auth", Text: "decision: Login has no timeout in auth/login.go", Source: "auth/login.go:6"},
		{Topic: "habits", Text: "decision: login pages have no images", Project: kb.NoProject},
	} {
		if _, err := m.Store(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	r, err := g.Context(t.Context(), ContextRequest{Task: "give `Login` in auth/login.go a timeout"})
	if err != nil {
		t.Fatal(err)
	}
	over, err := g.Overview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{r.Text(), over.Text} {
		if strings.Contains(text, "no timeout") || !strings.Contains(text, "no images") || !strings.Contains(text, "the clock is set by the caller") {
			t.Error(text)
		}
	}
	a, err := g.Ask(t.Context(), AskRequest{Question: "why has Login no timeout"})
	if err != nil || !strings.Contains(a.Text(), "[auth] @shop decision: Login has no timeout") {
		t.Errorf("%s, %v", a.Text(), err)
	}
	// Outside of any project only what holds for all is a rule.
	r, err = (&Guide{Root: t.TempDir(), Memory: m}).Context(t.Context(), ContextRequest{Task: "give Login a timeout"})
	if err != nil || strings.Contains(r.Text(), "no timeout") || !strings.Contains(r.Text(), "no images") {
		t.Errorf("%s, %v", r.Text(), err)
	}
}

func TestExpandAndAsk(t *testing.T) {
	g := newGuide(t)
	ctx := t.Context()
	r, err := g.Context(ctx, ContextRequest{Task: "x"})
	if err != nil {
		t.Fatal(err)
	}
	_, id, _ := strings.Cut(r.Text(), "- auth/ — Package auth logs people in. [expand: ")
	id, _, _ = strings.Cut(id, "]")
	dir, err := g.Expand(ctx, ExpandRequest{Node: id})
	if err != nil || dir.Kind != "dir" || len(dir.Children) != 2 || !strings.Contains(dir.Text(), "login.go") {
		t.Fatalf("%+v, %v", dir, err)
	}
	file, err := g.Expand(ctx, ExpandRequest{Node: dir.Children[0]})
	if err != nil || file.Kind != "file" || len(file.Children) != 1 {
		t.Fatalf("%+v, %v", file, err)
	}
	symbol, err := g.Expand(ctx, ExpandRequest{Node: file.Children[0]})
	if err != nil || symbol.Detail != "func Login() { clock.Now() }\n" || !strings.HasPrefix(symbol.Text(), "auth/login.go (symbol, lines 6 to 6") {
		t.Fatalf("%q, %v", symbol.Text(), err)
	}

	a, err := g.Ask(ctx, AskRequest{Question: "what calls Login"})
	if err != nil || a.Intent != "structural" || len(a.Found) == 0 || a.Found[0].Path != "auth/login_test.go" || a.Found[0].Line != 3 {
		t.Fatalf("%+v, %v", a, err)
	}
	if a, err = g.Ask(ctx, AskRequest{Question: "why is the clock set by the caller"}); err != nil || len(a.Found) == 0 || a.Found[0].Topic != "auth" {
		t.Fatalf("%+v, %v", a, err)
	}
	if a, err = g.Ask(ctx, AskRequest{Question: "clock", Limit: 1}); err != nil || len(a.Found) != 1 || !a.More {
		t.Fatalf("%+v, %v", a, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	g := &Guide{Root: t.TempDir()}
	ctx := context.Background()
	for name, do := range map[string]func() error{
		"no task":       func() error { _, err := g.Context(ctx, ContextRequest{}); return err },
		"two tasks":     func() error { _, err := g.Context(ctx, ContextRequest{Task: "x", Bead: "y"}); return err },
		"no queue":      func() error { _, err := g.Context(ctx, ContextRequest{Bead: "y"}); return err },
		"many tokens":   func() error { _, err := g.Context(ctx, ContextRequest{Task: "x", MaxTokens: 1 << 30}); return err },
		"no node":       func() error { _, err := g.Expand(ctx, ExpandRequest{}); return err },
		"no tree":       func() error { _, err := g.Expand(ctx, ExpandRequest{Node: "node_1"}); return err },
		"no question":   func() error { _, err := g.Ask(ctx, AskRequest{}); return err },
		"too many":      func() error { _, err := g.Ask(ctx, AskRequest{Question: "x", Limit: 1000}); return err },
		"less than one": func() error { _, err := g.Ask(ctx, AskRequest{Question: "x", Limit: -1}); return err },
	} {
		if err := do(); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if a, err := g.Ask(ctx, AskRequest{Question: "x"}); err != nil || !strings.HasPrefix(a.Text(), "nothing found") {
		t.Errorf("%+v, %v", a, err)
	}
}
