package builtin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
)

func TestLandsOnACleanCheckout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1", "gone": "x"})
	base := w.git("rev-parse", "HEAD")
	b := bead("hx-1")
	b.Title = strings.Repeat("long title ", 10)
	res := w.try(w.edit(files{"a": "2", "new/deep": "n", "gone": "-"}), w.request(b))
	w.wantOutcome(res, executor.Landed, "")
	w.wantFiles(files{"a": "2", "new/deep": "n", "gone": "-"})
	if w.git("rev-parse", "main") != res.LandedRev || w.git("rev-parse", "main^") != base || res.Commits["hx-1"] != res.LandedRev {
		t.Errorf("not one commit on the base: %+v", res)
	}
	if s := w.git("log", "-1", "--format=%s"); len([]rune(s)) > 72 || !strings.HasPrefix(s, "long title") {
		t.Errorf("subject %q", s)
	}
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("the checkout is dirty:\n%s", out)
	}
	if res.Usage.Total() != 10 || res.AgentText == "" || len(res.Gates) != 1 || !res.Gates[0].Passed || res.BaseRev != base {
		t.Errorf("got %+v", res)
	}
}

// Every way in which the checkout can be unlike the branch, and whether a change
// that edits "edit", adds "new" and "dir/new" and removes "gone" may land in it.
func TestDirtyCheckout(t *testing.T) {
	t.Parallel()
	start := files{"edit": "1", "gone": "1", "other": "1", "deep/other": "1", ".gitignore": "*.secret\n"}
	work := files{"edit": "2", "new": "n", "dir/new": "n", "gone": "-", "made.secret/x": "-"}
	for _, tc := range []struct {
		name  string
		dirt  func(w *world)
		lands bool
		named string
	}{
		{"unrelated edit", func(w *world) { w.write(w.root.Dir, files{"other": "mine"}) }, true, ""},
		{"unrelated staged edit, edited again", func(w *world) {
			w.write(w.root.Dir, files{"other": "mine"})
			w.git("add", "other")
			w.write(w.root.Dir, files{"other": "mine again"})
		}, true, ""},
		{"unrelated staged new file and removal", func(w *world) {
			w.write(w.root.Dir, files{"staged": "mine"})
			w.git("add", "staged")
			w.git("rm", "-q", "deep/other")
		}, true, ""},
		{"unrelated untracked and ignored files", func(w *world) {
			w.write(w.root.Dir, files{"mine": "x", "dir/mine": "x", "my.secret": "x"})
		}, true, ""},
		{"the same file edited", func(w *world) { w.write(w.root.Dir, files{"edit": "mine"}) }, false, "edit"},
		{"the same file staged", func(w *world) {
			w.write(w.root.Dir, files{"edit": "mine"})
			w.git("add", "edit")
		}, false, "edit"},
		{"the same file staged, and put back on disk", func(w *world) {
			w.write(w.root.Dir, files{"edit": "mine"})
			w.git("add", "edit")
			w.write(w.root.Dir, files{"edit": "1"})
		}, false, "edit"},
		{"the removed file edited", func(w *world) { w.write(w.root.Dir, files{"gone": "mine"}) }, false, "gone"},
		{"the edited file removed", func(w *world) { w.write(w.root.Dir, files{"edit": "-"}) }, false, "edit"},
		{"an untracked file in the way", func(w *world) { w.write(w.root.Dir, files{"new": "mine"}) }, false, "new"},
		{"a staged new file in the way", func(w *world) {
			w.write(w.root.Dir, files{"new": "mine"})
			w.git("add", "new")
		}, false, "new"},
		{"an untracked file where a folder must go", func(w *world) { w.write(w.root.Dir, files{"dir": "mine"}) }, false, "dir"},
		{"an untracked folder where a file must go", func(w *world) { w.write(w.root.Dir, files{"new/mine": "x"}) }, false, "new/mine"},
		{"a link where a folder must go", func(w *world) {
			w.write(w.root.Dir, files{"elsewhere/x": "1"})
			if err := os.Symlink("elsewhere", filepath.Join(w.root.Dir, "dir")); err != nil {
				w.Fatal(err)
			}
		}, false, "dir"},
		{"an ignored file in the way", func(w *world) {
			w.write(w.root.Dir, files{".gitignore": "*.secret\nnew\n", "new": "mine"})
		}, false, "new"},
		{"an edit hidden as unchanged", func(w *world) {
			w.git("update-index", "--assume-unchanged", "edit")
			w.write(w.root.Dir, files{"edit": "mine"})
		}, false, "edit"},
		{"an edit hidden as outside the sparse checkout", func(w *world) {
			w.git("update-index", "--skip-worktree", "edit")
			w.write(w.root.Dir, files{"edit": "mine"})
		}, false, "edit"},
		{"only newer file times", func(w *world) {
			data, _ := os.ReadFile(filepath.Join(w.root.Dir, "edit"))
			w.write(w.root.Dir, files{"edit": string(data)})
		}, true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, start)
			tc.dirt(w)
			before, status := w.state(), w.git("status", "--porcelain", "--ignored")
			res := w.try(w.edit(work), w.request())
			if !tc.lands {
				if w.wantOutcome(res, executor.Preserved, tc.named); !res.Unjudged {
					t.Error("the work is blamed for the state of the checkout")
				}
				if after := w.state(); after != before {
					t.Errorf("the checkout has changed:\n%s\n--- was\n%s", after, before)
				}
				w.wantAt(res.PreserveRef, files{"edit": "2", "new": "n", "dir/new": "n", "gone": "-"})
				return
			}
			w.wantOutcome(res, executor.Landed, "")
			w.wantFiles(files{"edit": "2", "new": "n", "dir/new": "n", "gone": "-"})
			after := strings.ReplaceAll(w.git("status", "--porcelain", "--ignored"), "!! .ddx/\n", "")
			if clean(after) != clean(status) {
				t.Errorf("the person's changes are different now:\n%s\n--- were\n%s", after, status)
			}
		})
	}
}

// clean leaves out helix's own evidence, and how git folds untracked folders.
func clean(status string) string {
	var keep []string
	for line := range strings.Lines(status) {
		if !strings.Contains(line, ".ddx/") {
			keep = append(keep, strings.TrimSuffix(strings.TrimSpace(line), "dir/mine"))
		}
	}
	return strings.ReplaceAll(strings.Join(keep, "\n"), "?? dir/", "?? ")
}

func TestMovedTip(t *testing.T) {
	t.Parallel()
	start := files{"a": "1\n2\n3\n4\n5\n", "b": "1\n"}
	for _, tc := range []struct {
		name    string
		theirs  files
		ours    files
		outcome executor.Outcome
		reason  string
		want    files
	}{
		{"disjoint files", files{"b": "2\n"}, files{"a": "one\n2\n3\n4\n5\n"}, executor.Landed, "", files{"a": "one\n2\n3\n4\n5", "b": "2"}},
		{"other lines of the file", files{"a": "1\n2\n3\n4\nfive\n"}, files{"a": "one\n2\n3\n4\n5\n"}, executor.Landed, "", files{"a": "one\n2\n3\n4\nfive"}},
		{"the same line", files{"a": "eins\n2\n3\n4\n5\n"}, files{"a": "one\n2\n3\n4\n5\n", "c": "1"}, executor.Preserved, "conflict with main at", files{"a": "eins\n2\n3\n4\n5", "c": "-"}},
		{"removed under an edit", files{"a": "-"}, files{"a": "one\n2\n3\n4\n5\n"}, executor.Preserved, "in a", files{"a": "-"}},
		{"the very same change", files{"b": "2\n"}, files{"b": "2\n"}, executor.Preserved, "has the same change already", files{"b": "2"}},
		{"red together", files{"RED": "1"}, files{"b": "2\n"}, executor.Preserved, "after the rebase onto", files{"b": "1", "RED": "1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, start)
			var theirs string
			res := w.try(w.act(func(dir string) {
				w.write(dir, tc.ours)
				w.write(w.root.Dir, tc.theirs)
				theirs = w.commit("theirs")
			}), w.request())
			w.wantOutcome(res, tc.outcome, tc.reason)
			w.wantAt("main", tc.want)
			if tc.outcome == executor.Landed && w.git("rev-parse", "main^") != theirs {
				t.Error("it is not one commit on top of theirs")
			}
			if res.Unjudged != (tc.outcome == executor.Preserved) {
				t.Errorf("unjudged is %t", res.Unjudged)
			}
			if tc.outcome == executor.Preserved {
				for path, text := range tc.ours {
					w.wantAt(res.PreserveRef, files{path: strings.TrimSuffix(text, "\n")})
				}
				if out := w.git("status", "--porcelain", "--untracked-files=no"); out != "" {
					t.Errorf("the checkout is dirty:\n%s", out)
				}
			}
		})
	}
}

func TestBranchElsewhere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		during func(w *world)
		lands  bool
		reason string
	}{
		{"the person switched to another branch", func(w *world) { w.git("switch", "-q", "-c", "mine") }, true, ""},
		{"detached meanwhile", func(w *world) { w.git("checkout", "-q", "--detach") }, true, ""},
		{"switched, and the branch moved", func(w *world) {
			w.write(w.root.Dir, files{"theirs": "1"})
			w.commit("theirs")
			w.git("switch", "-q", "-c", "mine", "HEAD^")
		}, true, ""},
		{"checked out in another work tree", func(w *world) {
			w.git("checkout", "-q", "--detach")
			w.git("worktree", "add", "-q", filepath.Join(filepath.Dir(w.work), "second"), "main")
		}, false, "checked out in another work tree"},
		{"deleted", func(w *world) {
			w.git("switch", "-q", "-c", "mine")
			w.git("branch", "-q", "-D", "main")
		}, false, "no longer exists"},
		{"in the middle of a merge", func(w *world) {
			w.conflict()
			if _, err := w.root.Run(context.Background(), "merge", "side"); err == nil {
				w.Error("no conflict")
			}
		}, false, "in the middle of a merge"},
		{"in the middle of a rebase", func(w *world) {
			w.conflict()
			if _, err := w.root.Run(context.Background(), "rebase", "side"); err == nil {
				w.Error("no conflict")
			}
		}, false, "in the middle of a rebase"},
		{"in the middle of a bisect", func(w *world) { w.git("bisect", "start") }, false, "in the middle of a bisect"},
		{"rebased in another work tree", func(w *world) {
			w.conflict()
			second := filepath.Join(filepath.Dir(w.work), "second")
			w.git("checkout", "-q", "--detach")
			w.git("worktree", "add", "-q", second, "main")
			if _, err := w.root.At(second).Run(context.Background(), "rebase", "side"); err == nil {
				w.Error("no conflict")
			}
		}, false, "main is in the middle of a rebase"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1\n", "c": "1\n"})
			var before string
			res := w.try(w.act(func(dir string) {
				w.write(dir, files{"a": "2\n"})
				tc.during(w)
				before = w.filesOnly()
			}), w.request())
			if after := w.filesOnly(); after != before {
				t.Errorf("the checkout has changed:\n%s\n--- was\n%s", after, before)
			}
			if !tc.lands {
				w.wantOutcome(res, executor.Preserved, tc.reason)
				w.wantAt(res.PreserveRef, files{"a": "2"})
				return
			}
			w.wantOutcome(res, executor.Landed, "")
			w.wantAt("main", files{"a": "2"})
		})
	}
}

// conflict makes a branch side that cannot be merged into main.
func (w *world) conflict() {
	w.Helper()
	w.git("switch", "-q", "-c", "side")
	w.write(w.root.Dir, files{"c": "side\n"})
	w.commit("side")
	w.git("switch", "-q", "main")
	w.write(w.root.Dir, files{"c": "main\n"})
	w.commit("main")
}

// filesOnly is the state without HEAD.
func (w *world) filesOnly() string {
	w.Helper()
	_, rest, _ := strings.Cut(w.state(), "\n")
	return rest
}

func TestRevalidate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	before := w.state()
	req := w.request()
	asked := 0
	req.Revalidate = func(context.Context) error { asked++; return errors.New("hx-1 was superseded") }
	res := w.try(w.edit(files{"a": "2"}), req)
	w.wantOutcome(res, executor.Preserved, "hx-1 was superseded")
	if asked != 1 || w.state() != before {
		t.Errorf("asked %d times, or the checkout has changed", asked)
	}
	w.wantAt(res.PreserveRef, files{"a": "2"})

	// It is asked after the gates and before the branch moves.
	req = w.request()
	req.Revalidate = func(context.Context) error {
		if len(w.log.notices) == 0 || w.state() != before {
			t.Error("asked too early or too late")
		}
		return nil
	}
	w.wantOutcome(w.try(w.edit(files{"a": "3"}), req), executor.Landed, "")
}

// Whoever commits between verification and landing makes it start over.
func TestBranchMovesWhileLanding(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	req := w.request()
	asked := 0
	req.Revalidate = func(context.Context) error {
		if asked++; asked == 1 {
			w.write(w.root.Dir, files{"theirs": "1"})
			w.commit("theirs")
		}
		return nil
	}
	res := w.try(w.edit(files{"a": "2"}), req)
	w.wantOutcome(res, executor.Landed, "")
	w.wantAt("main", files{"a": "2", "theirs": "1"})
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}

	req = w.request()
	n := 0
	req.Revalidate = func(context.Context) error {
		n++
		w.write(w.root.Dir, files{"theirs": strings.Repeat("x", n)})
		w.commit("theirs")
		return nil
	}
	w.wantOutcome(w.try(w.edit(files{"a": "3"}), req), executor.Preserved, "moved 3 times")
}

// A filter that fails stops git in the middle of its work on the checkout.
func TestHalfAMoveIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1", "z.bad": "1", "gone": "1", ".gitattributes": "*.bad filter=broken\n"})
	req := w.request()
	req.Revalidate = func(context.Context) error {
		w.git("config", "filter.broken.smudge", "false")
		w.git("config", "filter.broken.clean", "cat")
		w.git("config", "filter.broken.required", "true")
		return nil
	}
	before := w.state()
	res := w.try(w.edit(files{"a": "2", "b": "new", "z.bad": "2", "gone": "-"}), req)
	w.wantOutcome(res, executor.Preserved, "git merge")
	w.git("config", "--unset", "filter.broken.smudge")
	w.git("config", "filter.broken.required", "false")
	if after := w.state(); after != before {
		t.Errorf("the checkout has changed:\n%s\n--- was\n%s", after, before)
	}
	if out := w.git("status", "--porcelain", "--untracked-files=no"); out != "" {
		t.Errorf("the checkout is dirty:\n%s", out)
	}
}

// Settings and hooks of the person that would make a plain landing into more.
func TestPersonalGitSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1", "mine": "1"})
	for key, value := range map[string]string{
		"merge.autoStash": "true", "merge.ff": "false", "branch.main.mergeOptions": "--no-ff --squash", "merge.verifySignatures": "true",
		"commit.gpgSign": "true", "core.autocrlf": "true", "core.safecrlf": "true", "status.showUntrackedFiles": "no",
		"diff.noprefix": "true", "diff.external": "false", "core.quotePath": "false", "core.fsmonitor": "false",
	} {
		w.git("config", key, value)
	}
	for _, hook := range []string{"post-merge", "post-checkout", "pre-commit", "reference-transaction", "post-index-change"} {
		path := filepath.Join(w.root.Dir, ".git", "hooks", hook)
		w.write(w.root.Dir, files{filepath.Join(".git", "hooks", hook): "#!/bin/sh\necho " + hook + " >> " + filepath.Join(w.root.Dir, "HOOKED") + "\nexit 1\n"})
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.write(w.root.Dir, files{"mine": "dirty"})
	res := w.try(w.edit(files{"a": "2\n", "ü": "name"}), w.request())
	w.wantOutcome(res, executor.Landed, "")
	w.wantFiles(files{"mine": "dirty", "HOOKED": "-", "ü": "name"})
	if w.git("rev-list", "--count", "main") != "2" {
		t.Error("it is not one commit")
	}
	if out := w.git("stash", "list"); out != "" {
		t.Errorf("stashed: %s", out)
	}
}

func TestRootIsALinkedWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	linked := filepath.Join(filepath.Dir(w.work), "linked")
	w.git("worktree", "add", "-q", "-b", "feature", linked)
	w.root.Dir = linked
	w.exec = w.executor(nil)
	w.wantOutcome(w.try(w.edit(files{"a": "2"}), w.request()), executor.Landed, "")
	w.wantAt("feature", files{"a": "2"})
	w.wantAt("main", files{"a": "1"})
}

func TestTwoExecutorsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	const n = 5
	results := make([]executor.Result, n)
	var started atomic.Int32
	all := make(chan struct{}) // closed when all have started from the same commit, or one could not
	release := sync.OnceFunc(func() { close(all) })
	var done sync.WaitGroup
	for i := range n {
		name := "f" + string(rune('a'+i))
		req := w.request(bead("hx-" + name))
		done.Go(func() {
			e := w.executor(func(_ context.Context, job agent.Job) agent.Result {
				w.write(job.Dir, files{name: "1"})
				if started.Add(1) == n {
					release()
				}
				<-all
				return agent.Result{OK: true}
			})
			var err error
			if results[i], err = e.Execute(context.Background(), req); err != nil {
				t.Error(err)
				release()
			}
		})
	}
	done.Wait()
	for _, res := range results {
		w.wantOutcome(res, executor.Landed, "")
	}
	w.wantFiles(files{"fa": "1", "fb": "1", "fc": "1", "fd": "1", "fe": "1"})
	if w.git("rev-list", "--count", "main") != "6" || w.git("rev-list", "--merges", "main") != "" {
		t.Error("not one commit for each, in a row")
	}
	w.nothingLeft()
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(w *world)
		want string
	}{
		{"fine", func(*world) {}, ""},
		{"detached", func(w *world) { w.git("checkout", "-q", "--detach") }, "HEAD is detached"},
		{"no commits", func(w *world) { w.git("switch", "-q", "--orphan", "empty") }, "no commits yet"},
		{"no identity", func(w *world) {
			w.exec.root = w.exec.root.WithEnv("GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL=")
		}, "git config user.name"},
		{"a file where the work trees go", func(w *world) { w.write(filepath.Dir(w.work), files{"work": "x"}) }, "is not a folder"},
		{"a file above where the work trees go", func(w *world) {
			w.write(filepath.Dir(w.work), files{"f": "x"})
			w.exec.WorkDir = filepath.Join(filepath.Dir(w.work), "f", "work")
		}, "cannot be used"},
		{"a file where the tracker goes", func(w *world) { w.write(w.root.Dir, files{".ddx": "x"}) }, "is not a folder"},
		{"work trees in the checkout", func(w *world) { w.exec.WorkDir = filepath.Join(w.root.Dir, "trees") }, "lies in the checkout"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1"})
			w.exec.Runner = agentFunc(func(context.Context, agent.Job) agent.Result {
				t.Error("the agent was started")
				return agent.Result{}
			})
			tc.do(w)
			before := w.state()
			err := w.exec.Check(t.Context())
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			_, err2 := w.exec.Execute(t.Context(), w.request())
			for _, e := range []error{err, err2} {
				if e == nil || !strings.Contains(e.Error(), tc.want) || strings.Contains(e.Error(), "\n") {
					t.Errorf("got %v, want one line with %q", e, tc.want)
				}
			}
			if after := w.state(); after != before {
				t.Errorf("something has changed:\n%s\n--- was\n%s", after, before)
			}
			if _, err := os.Stat(filepath.Join(w.root.Dir, ".ddx", "executions")); err == nil {
				t.Error("evidence was written")
			}
		})
	}
}
