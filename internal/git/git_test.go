package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newRepo is a repository with one commit, cut off from the machine's own
// git configuration.
func newRepo(t *testing.T, files map[string]string) *Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := (&Repo{Dir: dir}).Unattended().WithEnv(
		"HOME="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.com")
	mustGit(t, r, "init", "-q", "-b", "main")
	if files != nil {
		writeAll(t, r, files)
		commitAll(t, r, "first")
	}
	return r
}

func mustGit(t *testing.T, r *Repo, args ...string) string {
	t.Helper()
	out, err := r.Run(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func commitAll(t *testing.T, r *Repo, message string) string {
	t.Helper()
	mustGit(t, r, "add", "-A")
	mustGit(t, r, "commit", "-q", "--allow-empty", "-m", message)
	return mustGit(t, r, "rev-parse", "HEAD")
}

func writeAll(t *testing.T, r *Repo, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(r.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunSaysWhatFailed(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1"})
	_, err := r.Run(t.Context(), "show", "nonsense")
	var e *Error
	if !errors.As(err, &e) || e.Code != 128 || !strings.Contains(err.Error(), "git show nonsense: fatal: ") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Run(ctx, "status"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call gives %v", err)
	}
}

func TestRunEndsItsChildren(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1"})
	ctx, cancel := context.WithCancel(t.Context())
	pipe := filepath.Join(t.TempDir(), "pid")
	r = r.With("-c", "alias.wait=!echo $$ > "+pipe+"; exec sleep 600")
	done := make(chan error, 1)
	go func() { _, err := r.Run(ctx, "wait"); done <- err }()
	for !exists(pipe) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func exists(path string) bool { info, err := os.Stat(path); return err == nil && info.Size() > 0 }

func TestOutside(t *testing.T) {
	t.Parallel()
	got := Outside([]string{"A=1", "GIT_DIR=/x", "GIT_INDEX_FILE=/y", "GIT_AUTHOR_NAME=me", "GIT_CONFIG_GLOBAL=/z"})
	if diff := cmp.Diff([]string{"A=1", "GIT_AUTHOR_NAME=me", "GIT_CONFIG_GLOBAL=/z"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithDoesNotShare(t *testing.T) {
	t.Parallel()
	base := newRepo(t, nil)
	a, b := base.With("-c", "x.y=a"), base.With("-c", "x.y=b")
	if got := mustGit(t, a, "config", "x.y") + mustGit(t, b, "config", "x.y"); got != "ab" {
		t.Errorf("got %q", got)
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1"})
	ctx := t.Context()
	first := mustGit(t, r, "rev-parse", "HEAD")
	writeAll(t, r, map[string]string{"a": "2"})
	second := commitAll(t, r, "second")

	if id, err := r.Commit(ctx, "main~1"); id != first || err != nil {
		t.Errorf("main~1 is %s, %v", id, err)
	}
	for _, rev := range []string{"nope", "--help", "main:a"} {
		if _, err := r.Commit(ctx, rev); !errors.Is(err, ErrNoRev) {
			t.Errorf("%s: %v", rev, err)
		}
	}
	const ref = "refs/helix/x/y"
	if err := r.SetRef(ctx, ref, first, "", "new"); err != nil {
		t.Fatal(err)
	}
	if err := r.SetRef(ctx, ref, second, "", "new"); err == nil {
		t.Error("a ref that exists was created again")
	}
	if err := r.SetRef(ctx, ref, second, second, "move"); err == nil {
		t.Error("a ref moved from where it was not")
	}
	if err := r.DeleteRef(ctx, ref, second); err == nil {
		t.Error("a ref was deleted that stands elsewhere")
	}
	refs, err := r.Refs(ctx, "refs/helix", "refs/heads")
	if diff := cmp.Diff(map[string]string{ref: first, "refs/heads/main": second}, refs); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if refs, err := r.RefsContaining(ctx, first, "refs/heads", "refs/helix"); len(refs) != 2 || err != nil {
		t.Errorf("%v, %v", refs, err)
	}
	if err := r.DeleteRef(ctx, ref, first); err != nil {
		t.Error(err)
	}
	if yes, err := r.IsAncestor(ctx, first, second); !yes || err != nil {
		t.Error(yes, err)
	}
	if yes, err := r.IsAncestor(ctx, second, first); yes || err != nil {
		t.Error(yes, err)
	}
	if id, err := r.MergeBase(ctx, first, second); id != first || err != nil {
		t.Error(id, err)
	}
	tree := mustGit(t, r, "rev-parse", "HEAD^{tree}")
	lone, err := r.CommitTree(ctx, tree, "lone")
	if err != nil {
		t.Fatal(err)
	}
	if id, err := r.MergeBase(ctx, lone, second); id != "" || err != nil {
		t.Error(id, err)
	}
	if n, err := r.CountCommits(ctx, second, first, lone); n != 1 || err != nil {
		t.Error(n, err)
	}
}

func TestWorktrees(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1"})
	ctx := t.Context()
	head := mustGit(t, r, "rev-parse", "HEAD")
	path := filepath.Join(r.Dir, "..", "wt")
	path = filepath.Clean(path)
	if err := r.AddWorktree(ctx, path, "main"); err != nil {
		t.Fatal(err)
	}
	list, err := r.Worktrees(ctx)
	want := []Worktree{{Path: r.Dir, Head: head, Branch: "refs/heads/main"}, {Path: path, Head: head}}
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Error(diff, err)
	}
	w := &Repo{Dir: path}
	common, err := w.CommonDir(ctx)
	if common != filepath.Join(r.Dir, ".git") || err != nil {
		t.Errorf("common dir %s, %v", common, err)
	}
	own, err := w.GitDir(ctx)
	if filepath.Dir(own) != filepath.Join(common, "worktrees") || err != nil {
		t.Errorf("git dir %s, %v", own, err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "locked"), []byte("initializing"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.ForgetWorktree(ctx, path); err != nil {
		t.Fatal(err)
	}
	if list, _ := r.Worktrees(ctx); len(list) != 1 {
		t.Errorf("still registered: %v", list)
	}
}

// Work trees can be made and removed by several processes at once.
func TestWorktreesAtOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1"})
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			path := filepath.Join(dir, fmt.Sprint(i), "same")
			for range 3 {
				if err := r.AddWorktree(context.Background(), path, "main"); err != nil {
					t.Error(err)
				}
				if err := os.RemoveAll(path); err != nil {
					t.Error(err)
				}
				if err := r.ForgetWorktree(context.Background(), path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestOperations(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		begin []string
		want  Operation
	}{
		{"none", []string{"status"}, Operation{}},
		{"merge", []string{"merge", "-q", "side"}, Operation{Name: "merge"}},
		{"rebase", []string{"rebase", "-q", "side"}, Operation{Name: "rebase", Branch: "main"}},
		{"cherry-pick", []string{"cherry-pick", "side"}, Operation{Name: "cherry-pick"}},
		{"bisect", []string{"bisect", "start"}, Operation{Name: "bisect", Branch: "main"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, map[string]string{"a": "1\n"})
			mustGit(t, r, "checkout", "-q", "-b", "side")
			writeAll(t, r, map[string]string{"a": "side\n"})
			commitAll(t, r, "side")
			mustGit(t, r, "checkout", "-q", "main")
			writeAll(t, r, map[string]string{"a": "main\n"})
			commitAll(t, r, "main")
			_, _ = r.Run(t.Context(), tc.begin...) // a conflict is a failure
			dir := filepath.Join(r.Dir, ".git")
			if got := OperationIn(dir); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			on, where := OperationOn(dir, "main")
			if (on.Name != "") != (tc.want.Branch != "") || (where != "") != (on.Name != "") {
				t.Errorf("on main: %+v in %q", on, where)
			}
		})
	}
}

func TestCommitsAndIdentity(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1"})
	ctx := t.Context()
	base := mustGit(t, r, "rev-parse", "HEAD")
	mustGit(t, r, "checkout", "-q", "-b", "side")
	writeAll(t, r, map[string]string{"s": "1"})
	commitAll(t, r, "on the side")
	mustGit(t, r, "checkout", "-q", "main")
	writeAll(t, r, map[string]string{"a": "2"})
	one := commitAll(t, r, "one\n\nbody\n\nBead: hx-1")
	mustGit(t, r, "merge", "-q", "--no-ff", "-m", "joined", "side")
	list, err := r.FirstParentCommits(ctx, base, "HEAD")
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if list[0].ID != one || list[0].Message != "one\n\nbody\n\nBead: hx-1" || list[1].Message != "joined" || len(list[1].Parents) != 2 {
		t.Errorf("got %+v", list)
	}
	if none, err := r.FirstParentCommits(ctx, "HEAD", "HEAD"); len(none) != 0 || err != nil {
		t.Errorf("%v, %v", none, err)
	}
	if err := r.CheckIdentity(ctx); err != nil {
		t.Error(err)
	}
	nobody := r.WithEnv("GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL=")
	if err := nobody.CheckIdentity(ctx); !errors.Is(err, ErrNoIdentity) {
		t.Errorf("got %v", err)
	}
	mustGit(t, r, "config", "user.name", "N")
	mustGit(t, r, "config", "user.email", "n@example.com")
	configured := &Repo{Dir: r.Dir}
	configured = configured.WithEnv("GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if err := configured.CheckIdentity(ctx); err != nil {
		t.Error(err)
	}
}
