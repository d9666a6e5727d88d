package run

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"helix/internal/git"
)

// newRepo is a git repository with one commit of one file.
func newRepo(t *testing.T) *git.Repo {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": dir,
		"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.com", "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.com",
	} {
		t.Setenv(name, value)
	}
	r := &git.Repo{Dir: dir}
	mustGit(t, r, "init", "-q", "-b", "main")
	write(t, dir, "a.txt", "one\n")
	mustGit(t, r, "add", "-A")
	mustGit(t, r, "commit", "-q", "-m", "first")
	return r
}

func mustGit(t *testing.T, r *git.Repo, args ...string) string {
	t.Helper()
	out, err := r.Run(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCheckoutTree(t *testing.T) {
	r := newRepo(t)
	c := Checkout{r}
	tree := func() string {
		t.Helper()
		s, err := c.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	clean := tree()
	write(t, r.Dir, ".ddx/beads.jsonl", "{}\n")
	write(t, r.Dir, ".helix/context.md", "x")
	if tree() != clean {
		t.Error("helix's own files are not a change")
	}
	write(t, r.Dir, "new.txt", "x")
	untracked := tree()
	if untracked == clean {
		t.Error("a new file is a change")
	}
	write(t, r.Dir, "a.txt", "two\n")
	if tree() == untracked {
		t.Error("an edit is a change")
	}
}

func TestCheckoutCommits(t *testing.T) {
	r := newRepo(t)
	c := Checkout{r}
	ctx := t.Context()
	first := mustGit(t, r, "rev-parse", "HEAD")
	write(t, r.Dir, "a.txt", "one\ntwo\nthree\n")
	write(t, r.Dir, "b.txt", "new\n")
	mustGit(t, r, "add", "-A")
	mustGit(t, r, "commit", "-q", "-m", "work\n\nBead: hx-1\nHelix-Attempt: A1")
	second := mustGit(t, r, "rev-parse", "HEAD")
	mustGit(t, r, "checkout", "-q", "-b", "side", first)
	// The person has switched branches since the work landed.
	if on, err := c.Contains(ctx, second); err != nil || !on {
		t.Errorf("got %t, %v", on, err)
	}
	if rev, err := c.AttemptCommit(ctx, "hx-1", "A1"); err != nil || rev != second {
		t.Errorf("got %q, %v, want %q", rev, err, second)
	}
	lost := mustGit(t, r, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "on no branch")
	if on, err := c.Contains(ctx, lost); err != nil || on {
		t.Errorf("a commit that is on no branch is contained: %t, %v", on, err)
	}
	mustGit(t, r, "checkout", "-q", "main")
	if on, err := c.Contains(ctx, second); err != nil || !on {
		t.Errorf("got %t, %v", on, err)
	}
	if rev, err := c.AttemptCommit(ctx, "hx-1", "A1"); err != nil || rev != second {
		t.Errorf("got %q, %v, want %q", rev, err, second)
	}
	if rev, _ := c.AttemptCommit(ctx, "hx-2", "A1"); rev != "" {
		t.Errorf("another bead's commit is found: %q", rev)
	}
	if lines, files, err := c.ChangeSize(ctx, first, second); lines != 3 || files != 2 || err != nil {
		t.Errorf("%d lines in %d files, %v, want 3 in 2", lines, files, err)
	}
	if _, err := c.Contains(ctx, "nonsense"); err == nil {
		t.Error("a revision that does not exist is an error")
	}
}
