package precompute

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helix/internal/hook/handover"
)

func write(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// places are a memory and a project, whose files are of yesterday.
func places(t *testing.T) (dir, root string) {
	t.Helper()
	dir, root = filepath.Join(t.TempDir(), "kb"), t.TempDir()
	yesterday := time.Now().Add(-24 * time.Hour)
	write(t, filepath.Join(dir, "data.log"), "log", yesterday)
	write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n", yesterday)
	return dir, root
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir, root := places(t)
	at := time.Unix(1706940000, 5)
	if err := Write(dir, root, Content{"# Project context\n\n<a> \"b\"\n", []string{"src/main.rs", "src/lib.rs"}, 5}, at); err != nil {
		t.Fatal(err)
	}
	path := handover.Context(dir, handover.Project(root))
	got, err := os.ReadFile(path)
	want := `{"timestamp":1706940000,"project_hash":"` + handover.Project(root) + `","context":"# Project context\n\n<a> \"b\"\n","nodes_included":["src/main.rs","src/lib.rs"],"experience_count":5}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for p, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
}

// TestTooLarge: whatever there is to say, the file has at most 16 KB and is whole.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	dir, root := places(t)
	for name, c := range map[string]Content{
		"lines":    {Context: strings.Repeat("a line of the context\n", 5000)},
		"one line": {Context: strings.Repeat("word ", 10000)},
		"escapes":  {Context: strings.Repeat("\x01\x02\"\\\n", 10000)},
		"nodes":    {Context: "short\n", Nodes: strings.Split(strings.Repeat("a/path/of/some/length.go ", 5000), " ")},
	} {
		if err := Write(dir, root, c, time.Now()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(handover.Context(dir, handover.Project(root)))
		var f file
		if err != nil || len(text) > handover.MaxContext || json.Unmarshal(text, &f) != nil {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
		if !strings.HasPrefix(c.Context, f.Context) || name == "lines" && len(f.Context) < handover.MaxContext/2 || name == "nodes" && f.Context != c.Context {
			t.Errorf("%s: %d bytes of context are left", name, len(f.Context))
		}
	}
}

func TestNeeded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, tt := range map[string]struct {
		change func(t *testing.T, dir, root string)
		now    time.Time
		want   bool
	}{
		"nothing new":     {want: false},
		"an hour later":   {now: now.Add(time.Hour), want: true},
		"from the future": {now: now.Add(-time.Hour), want: true},
		"memory":          {change: func(t *testing.T, dir, root string) { write(t, filepath.Join(dir, "data.log"), "more", now) }, want: true},
		"HEAD":            {change: func(t *testing.T, dir, root string) { write(t, filepath.Join(root, ".git", "HEAD"), "x", now) }, want: true},
		"a commit": {change: func(t *testing.T, dir, root string) {
			write(t, filepath.Join(root, ".git", "logs", "HEAD"), "x", now)
		}, want: true},
		"rules": {change: func(t *testing.T, dir, root string) { write(t, filepath.Join(root, "AGENTS.md"), "x", now) }, want: true},
		"old rule": {change: func(t *testing.T, dir, root string) {
			write(t, filepath.Join(root, "AGENTS.md"), "x", now.Add(-time.Hour))
		}},
		"a rule in the folder": {change: func(t *testing.T, dir, root string) {
			write(t, filepath.Join(root, ".claude", "rules", "a.md"), "x", now)
		}, want: true},
		"other file": {change: func(t *testing.T, dir, root string) { write(t, filepath.Join(root, "main.go"), "x", now) }},
		"gone":       {change: func(t *testing.T, dir, root string) { os.RemoveAll(handover.Folder(dir)) }, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, root := places(t)
			if err := Write(dir, root, Content{Context: "x\n"}, now.Add(-time.Minute)); err != nil {
				t.Fatal(err)
			}
			if tt.change != nil {
				tt.change(t, dir, root)
			}
			if tt.now.IsZero() {
				tt.now = now
			}
			if got := Needed(dir, root, tt.now); got != tt.want {
				t.Errorf("needed: %v", got)
			}
		})
	}
}

// TestLinkedWorkTree: the HEAD that counts is that of the work tree.
func TestLinkedWorkTree(t *testing.T) {
	t.Parallel()
	dir, root := places(t)
	linked := t.TempDir()
	own := filepath.Join(root, ".git", "worktrees", "a")
	now := time.Now()
	write(t, filepath.Join(linked, ".git"), "gitdir: "+own+"\n", now)
	write(t, filepath.Join(own, "HEAD"), "x", now.Add(-time.Hour))
	if err := Write(dir, linked, Content{}, now.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, ".git", "HEAD"), "y", now)
	if Needed(dir, linked, now) {
		t.Error("the HEAD of the main work tree counts")
	}
	write(t, filepath.Join(own, "HEAD"), "y", now)
	if !Needed(dir, linked, now) {
		t.Error("its own HEAD does not count")
	}
}

// TestRun: a server writes at its start, after a change, and for a project that it is
// asked about; what fails is said, and the next one is tried.
func TestRun(t *testing.T) {
	t.Parallel()
	dir, root := places(t)
	_, other := places(t)
	written, failed := make(chan string, 100), make(chan error, 100)
	var broken atomic.Bool
	r := New(dir, root, func(_ context.Context, root string) (Content, error) {
		if broken.Load() {
			return Content{}, errors.New("broken")
		}
		written <- root
		return Content{Context: "x\n"}, nil
	}, func(err error) { failed <- err })
	r.lookEvery, r.spacing = time.Millisecond, 0
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	if got := <-written; got != root {
		t.Errorf("at the start: %s", got)
	}
	for {
		if _, ok := Written(dir, root); ok {
			break
		}
		time.Sleep(time.Millisecond)
	}
	write(t, filepath.Join(root, "CLAUDE.md"), "new", time.Now().Add(time.Hour)) // is newer each time
	<-written
	r.Ask(other)
	for got := range written {
		if got == other {
			break
		}
	}
	broken.Store(true)
	if err := <-failed; err.Error() != "broken" {
		t.Error(err)
	}
	broken.Store(false)
	<-written
	stop()
	<-done
	if _, ok := Written(dir, other); !ok {
		t.Error("nothing was written for the project that was asked about")
	}
}

// TestAskDoesNotWait: requests that nobody takes, and such as make no sense, cost
// nothing.
func TestAskDoesNotWait(t *testing.T) {
	t.Parallel()
	r := New(t.TempDir(), t.TempDir(), nil, nil)
	for _, root := range []string{"", "relative", "/a\x00b", "/" + strings.Repeat("x", 5000)} {
		r.Ask(root)
	}
	if len(r.asked) != 0 {
		t.Errorf("%d requests were taken", len(r.asked))
	}
	for range 10 * maxAsked {
		r.Ask("/some/project/")
	}
	if len(r.asked) != maxAsked || <-r.asked != "/some/project" {
		t.Errorf("%d requests wait", len(r.asked))
	}
}

// TestNoProject: outside of a repository nothing is written.
func TestNoProject(t *testing.T) {
	t.Parallel()
	dir, root := t.TempDir(), t.TempDir()
	r := New(dir, root, func(context.Context, string) (Content, error) {
		t.Error("a context was put together")
		return Content{}, nil
	}, nil)
	if err := r.refresh(t.Context(), root); err != nil {
		t.Error(err)
	}
}

// TestClean: projects that were left are forgotten in time.
func TestClean(t *testing.T) {
	t.Parallel()
	dir, root := places(t)
	now := time.Now()
	cache := handover.Folder(dir)
	for name, age := range map[string]time.Duration{
		"old.ctx": maxAge + time.Hour, "recent.ctx": time.Hour, "settings": 2 * maxAge, "old.settings": 2 * maxAge,
		"new-1": 2 * time.Hour, "new-2": time.Minute,
	} {
		write(t, filepath.Join(cache, name), "x", now.Add(-age))
	}
	if err := Write(dir, root, Content{}, now); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"old.ctx": false, "recent.ctx": true, "settings": true, "old.settings": true, "new-1": false, "new-2": true} {
		if _, err := os.Stat(filepath.Join(cache, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
