package guide

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/contextpack"
	"helix/internal/kb"
)

func TestMostChanged(t *testing.T) {
	t.Parallel()
	const log = "a.go\x00b.go\x00b.go\x00\nc d.go\x00.helix/config.yaml\x00.helix/config.yaml\x00c d.go\x00b.go\x00a.go\x00once.go\x00"
	want := []contextpack.Active{{Path: "b.go", Why: "3 recent changes"}, {Path: "a.go", Why: "2 recent changes"}}
	if diff := cmp.Diff(want, mostChanged(log, 2)); diff != "" {
		t.Error(diff)
	}
	if got := mostChanged("", 3); got != nil {
		t.Error(got)
	}
}

// TestOverview: what the project's history and the memory say, within the budget, and
// the same each time.
func TestOverview(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	m := kb.Open(filepath.Join(t.TempDir(), "kb"), kb.WithRoot(root))
	defer m.Close()
	g := &Guide{Root: root, Memory: m, Now: func() time.Time { return time.Now().Add(time.Hour + time.Minute) }}
	if p, err := g.Overview(t.Context()); err != nil || p.Text != "" {
		t.Errorf("an empty folder: %q, %v", p.Text, err)
	}
	git("init", "-q")
	if p, err := g.Overview(t.Context()); err != nil || p.Text != "" {
		t.Errorf("no commits: %q, %v", p.Text, err)
	}
	for i := range 3 {
		for name, text := range map[string]string{"CLAUDE.md": "- Wrap errors.\n", "client/retry.go": fmt.Sprint("package client // ", i)} {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "-m", "x")
	}
	var ids []any
	for _, r := range []kb.StoreRequest{
		{Topic: "auth", Text: "Tokens rotate.", Kind: "decision"},
		{Topic: "client", Text: "The server closes after 5 s.", Source: "client/retry.go:3"},
	} {
		s, err := m.Store(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
	}
	want := fmt.Sprintf(`# Project context

## Rules

### CLAUDE.md

- Wrap errors.

## Recent decisions

- [auth] Tokens rotate. (%s, 1 h ago)

# Focus

## Active files

### client/retry.go (3 recent changes)

## What is remembered of them

- [client] The server closes after 5 s. (%s, 1 h ago, client/retry.go)
`, ids...)
	for range 2 {
		p, err := g.Overview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Text); diff != "" {
			t.Error(diff)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "AGENTS.md"), []byte(strings.Repeat("- one more rule of many\n", 2000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if p, err := g.Overview(t.Context()); err != nil || p.Tokens > OverviewTokens || !strings.Contains(p.Text, "client/retry.go") {
		t.Errorf("%d tokens, %v: %s", p.Tokens, err, p.Text)
	}
}
