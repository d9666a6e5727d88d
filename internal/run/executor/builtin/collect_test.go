package builtin

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
)

// Whatever state the agent leaves git in, its work lands as one commit, or is
// kept and the reason says what is wrong with it.
func TestCollect(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		script  string
		outcome executor.Outcome
		reason  string
		want    files // on the branch, or else under the ref
		subject string
	}{
		{"uncommitted", "echo 2 > a; mkdir d; echo n > d/new; rm gone", executor.Landed, "", files{"a": "2", "d/new": "n", "gone": "-"}, "Title of hx-1"},
		{"staged", "echo 2 > a; git add a; echo 3 > a", executor.Landed, "", files{"a": "3"}, "Title of hx-1"},
		{"one commit keeps its message", "echo 2 > a; git commit -qam 'fix: the a\n\nBecause.'", executor.Landed, "", files{"a": "2"}, "fix: the a"},
		{"one commit and more", "echo 2 > a; git commit -qam 'fix: the a'; echo n > new", executor.Landed, "", files{"a": "2", "new": "n"}, "fix: the a"},
		{"several commits", "echo 2 > a; git commit -qam one; echo n > new; git add new; git commit -qm two", executor.Landed, "", files{"a": "2", "new": "n"}, "Title of hx-1"},
		{"a commit and its undoing", "echo 2 > a; git commit -qam one; git revert --no-edit HEAD; echo n > new", executor.Landed, "", files{"a": "1", "new": "n"}, "Title of hx-1"},
		{"a branch of its own", "git switch -q -c feature; echo 2 > a; git commit -qam one", executor.Landed, "", files{"a": "2"}, "one"},
		{"merged from a branch of its own", "git switch -q -c feature; echo 2 > a; git commit -qam one; git checkout -q --detach main; echo n > new; git add new; git commit -qm two; git merge -q --no-edit feature", executor.Landed, "", files{"a": "2", "new": "n"}, "Title of hx-1"},
		{"amended", "echo 2 > a; git commit -qam one; echo 3 > a; git commit -qam better --amend", executor.Landed, "", files{"a": "3"}, "better"},
		{"an ignored file, by force", "echo x > keep.log; git add -f keep.log; echo y > drop.log", executor.Landed, "", files{"keep.log": "x", "drop.log": "-"}, "Title of hx-1"},
		{"a half-finished rebase that changes nothing more", "echo 2 > a; git commit -qam one; mkdir $(git rev-parse --git-dir)/rebase-merge; echo n > new", executor.Landed, "", files{"a": "2", "new": "n"}, "one"},
		{"without its .git file", "echo 2 > a; rm .git", executor.Landed, "", files{"a": "2"}, "Title of hx-1"},
		{"with a repository of its own in place of it", "echo 2 > a; rm .git; git init -q; git add -A; git commit -qm mine", executor.Landed, "", files{"a": "2"}, "Title of hx-1"},
		{"with a broken index", "echo 2 > a; echo broken > $(git rev-parse --git-dir)/index", executor.Landed, "", files{"a": "2"}, "Title of hx-1"},
		{"with stale locks", "echo 2 > a; touch $(git rev-parse --git-dir)/index.lock", executor.Landed, "", files{"a": "2"}, "Title of hx-1"},
		{"the branch's progress taken in by a rebase", "git -C $ROOT commit -q --allow-empty -m theirs; echo 2 > a; git commit -qam one; git rebase -q main", executor.Landed, "", files{"a": "2"}, "one"},
		{"the branch's progress taken in by a merge", "echo 2 > a; git commit -qam one; (cd $ROOT; echo t > theirs; git add theirs; git commit -qm theirs); git merge -q --no-edit main", executor.Landed, "", files{"a": "2", "theirs": "t"}, "Title of hx-1"},
		{"preserved work taken up again", "git reset -q --hard refs/helix/preserved/hx-1/before; echo n > new", executor.Landed, "", files{"a": "kept", "new": "n"}, "kept"},

		{"nothing", "true", executor.NoChanges, "Nothing else to say.", nil, ""},
		{"an empty commit", "git commit -q --allow-empty -m nothing", executor.NoChanges, "Nothing else to say.", nil, ""},
		{"only ignored files", "echo x > drop.log", executor.NoChanges, "Nothing else to say.", nil, ""},
		{"looked at an older commit", "git checkout -q HEAD^", executor.NoChanges, "Nothing else to say.", nil, ""},
		{"only files of the queue", "mkdir -p .ddx; echo x > .ddx/beads.jsonl", executor.NoChanges, "Nothing else to say.", nil, ""},

		{"committed and left", "echo 2 > a; git commit -qam one; git checkout -q --detach main", executor.Preserved, "and then left it", files{"a": "2"}, ""},
		{"committed on a branch and left", "git switch -q -c feature; echo 2 > a; git commit -qam one; git checkout -q --detach main", executor.Preserved, "and then left it", files{"a": "2"}, ""},
		{"worked on an older commit", "git checkout -q HEAD^; echo 2 > a", executor.Preserved, "is not built on", files{"a": "2", "second": "-"}, ""},
		{"committed on an older commit", "git checkout -q HEAD^; echo 2 > a; git commit -qam one", executor.Preserved, "is not built on", files{"a": "2", "second": "-"}, ""},
		{"a history of its own", "git checkout -q --orphan lone; echo 2 > a; git commit -qam lone", executor.Preserved, "is not built on", files{"a": "2"}, ""},
		{"an unborn branch", "git checkout -q --orphan lone; echo 2 > a", executor.Preserved, "branch without commits", files{"a": "2"}, ""},
		{"an unresolved merge", "echo 2 > a; git commit -qam one; git merge -q other || true", executor.Preserved, "conflict unresolved in a", nil, ""},
		{"somebody else's commits", "echo n > new; git add new; git commit -qm new; git merge -q --no-edit -X ours other", executor.Preserved, "1 commits that are not its own", files{"new": "n"}, ""},
		{"its registration removed", "echo 2 > a; rm -r $(git rev-parse --git-dir)", executor.Preserved, "removed the registration", files{"a": "2"}, ""},
		{"its folder removed after a commit", "echo 2 > a; git commit -qam one; rm -rf $PWD", executor.Preserved, "removed its work folder", files{"a": "2"}, ""},
		{"its folder removed", "echo 2 > a; rm -rf $PWD", executor.NoChanges, "Nothing else to say.", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1\n", "gone": "1\n", ".gitignore": "*.log\n"})
			w.write(w.root.Dir, files{"second": "1"})
			w.commit("second")
			w.git("switch", "-q", "-c", "other")
			w.write(w.root.Dir, files{"a": "other\n"})
			w.commit("other")
			w.git("switch", "-q", "-c", "kept", "main")
			w.write(w.root.Dir, files{"a": "kept\n"})
			w.git("update-ref", "refs/helix/preserved/hx-1/before", w.commit("kept"))
			w.git("switch", "-q", "main")
			w.git("branch", "-q", "-D", "kept")

			res := w.try(w.sh("ROOT="+w.root.Dir+"\n"+tc.script), w.request())
			w.wantOutcome(res, tc.outcome, tc.reason)
			rev := res.LandedRev
			if tc.outcome == executor.Preserved {
				rev = res.PreserveRef
			}
			if rev != "" {
				w.wantAt(rev, tc.want)
			}
			if tc.outcome == executor.Landed {
				if s := w.git("log", "-1", "--format=%s", "main"); s != tc.subject {
					t.Errorf("subject %q, want %q", s, tc.subject)
				}
				if w.git("rev-list", "--merges", "main") != "" {
					t.Error("a merge landed")
				}
				w.wantFiles(files{"drop.log": "-"})
			}
			if out := w.git("status", "--porcelain", "--untracked-files=no"); out != "" {
				t.Errorf("the checkout is dirty:\n%s", out)
			}
		})
	}
}

func TestOwnBranchIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	res := w.try(w.sh("git switch -q -c feature; echo 2 > a; git commit -qam one"), w.request())
	w.wantOutcome(res, executor.Landed, "")
	if !slices.ContainsFunc(res.Warnings, func(s string) bool { return strings.Contains(s, "git branch -D feature") }) {
		t.Errorf("warnings %q", res.Warnings)
	}
	w.git("rev-parse", "feature")
}

func TestHousekeepingDoesNotLand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1", ".ddx/beads.jsonl": "{}\n", ".ddx/config.yaml": "x: 1\n", ".helix/config.yaml": "y: 1\n"})
	res := w.try(w.sh("echo 2 > a; echo changed > .ddx/beads.jsonl; echo x: 2 > .ddx/config.yaml; git commit -qam all; echo y: 2 > .helix/config.yaml; mkdir .helix-logs; echo log > .helix-logs/l"), w.request())
	w.wantOutcome(res, executor.Landed, "")
	w.wantAt("main", files{"a": "2", ".ddx/beads.jsonl": "{}", ".ddx/config.yaml": "x: 2", ".helix/config.yaml": "y: 1", ".helix-logs/l": "-"})
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], ".ddx/beads.jsonl, .helix-logs/l, .helix/config.yaml") {
		t.Errorf("warnings %q", res.Warnings)
	}
	patch, err := os.ReadFile(filepath.Join(w.root.Dir, res.EvidenceDir, droppedFile))
	if err != nil || !strings.Contains(string(patch), "+changed") || strings.Contains(string(patch), "config.yaml\n+x") {
		t.Errorf("%v, %s", err, patch)
	}
}

func TestTrackerElsewhere(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		".ddx/beads.jsonl": true, "plan/queue/beads.jsonl": true, "plan/queue/executions/x/y": true, "plan/queue/helix-journal.jsonl": true,
		"plan/queue/notes.md": false, "beads.jsonl": false, "helix/x": false, ".helix/x": true, ".ddxx/beads.jsonl": false, ".ddx/helix.pid": true,
	} {
		if got := (housekeeper{tracker: "plan/queue/"}).owns(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
	w := newWorld(t, files{"a": "1"})
	for dir, want := range map[string]string{
		filepath.Join(w.root.Dir, "plan", "queue"): "plan/queue/", w.root.Dir: "", filepath.Join(w.root.Dir, "..", "x"): "",
	} {
		w.exec.TrackerDir = dir
		if got := w.exec.housekeeper().tracker; got != want {
			t.Errorf("%s: %q", dir, got)
		}
	}
}

// A repository inside the work tree cannot be stored: the folder stays.
func TestRepositoryInside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	const inner = "mkdir -p vendor/in; cd vendor/in; git init -q; echo x > x; git add x; git commit -qm inner; cd ../..; "
	for _, tc := range []struct {
		name, script string
		outcome      executor.Outcome
	}{
		{"beside other work", inner + "echo 2 > a", executor.Preserved},
		{"added as a submodule would be", inner + "git add vendor/in 2>/dev/null; git commit -qm sub", executor.Preserved},
		{"alone", inner, executor.Failed},
		{"without commits", "mkdir in; cd in; git init -q; echo x > x", executor.Failed},
	} {
		res := w.try(w.sh(tc.script), w.request())
		w.wantOutcome(res, tc.outcome, "was kept, because it holds a repository")
		rep, err := w.exec.Reclaim(t.Context())
		if err != nil || rep.Live != 1 {
			t.Errorf("%s: %+v, %v", tc.name, rep, err)
		}
		trees, _ := filepath.Glob(filepath.Join(w.work, "*", "root", "*", "*", "x"))
		more, _ := filepath.Glob(filepath.Join(w.work, "*", "root", "in", "x"))
		if len(trees)+len(more) != 1 {
			t.Errorf("%s: the repository is gone: %v", tc.name, trees)
		}
		folders, _ := filepath.Glob(filepath.Join(w.work, "*"))
		for _, f := range folders {
			os.RemoveAll(f)
		}
		if _, err := w.exec.Reclaim(t.Context()); err != nil {
			t.Error(err)
		}
		w.nothingLeft()
	}
}

// Where the work cannot be stored, the work folder is the only copy, and stays.
func TestUnstoredWorkStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	// A ref where refs/helix/preserved/hx-1/… needs a folder.
	res := w.try(w.sh("git update-ref refs/helix/preserved/hx-1 HEAD; echo 2 > a"), w.request())
	w.wantOutcome(res, executor.Failed, "the work could not be stored")
	kept, _ := filepath.Glob(filepath.Join(w.work, "*", "root", "a"))
	if len(kept) != 1 || !strings.Contains(res.Reason, filepath.Dir(kept[0])+" was kept") {
		t.Fatalf("kept %v, reason %q", kept, res.Reason)
	}
	if data, err := os.ReadFile(kept[0]); string(data) != "2\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// A sparse checkout has a sparse work tree; what is outside is neither lost nor
// in the way.
func TestSparseCheckout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"in/a": "1", "out/b": "1", "out/c": "1"})
	w.git("sparse-checkout", "set", "--cone", "in")
	res := w.try(w.edit(files{"in/a": "2", "in/new": "n", "out/new": "n"}), w.request())
	w.wantOutcome(res, executor.Landed, "")
	w.wantAt("main", files{"in/a": "2", "in/new": "n", "out/b": "1", "out/c": "1", "out/new": "n"})
	w.wantFiles(files{"in/a": "2", "out/b": "-"})
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("the checkout is dirty:\n%s", out)
	}
}

// A submodule that the agent does not touch is no obstacle.
func TestSubmodule(t *testing.T) {
	t.Parallel()
	lib := newWorld(t, files{"l": "1"})
	w := newWorld(t, files{"a": "1"})
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.root.Dir, "lib")
	w.commit("with a submodule")
	w.write(w.root.Dir, files{"lib/l": "the person's"})
	res := w.try(w.edit(files{"a": "2"}), w.request())
	w.wantOutcome(res, executor.Landed, "")
	w.wantFiles(files{"a": "2", "lib/l": "the person's"})
	res = w.try(w.sh("git -c protocol.file.allow=always submodule --quiet update --init; echo 2 > lib/l"), w.request())
	w.wantOutcome(res, executor.Failed, "lib")
}

// What the agent says of itself decides whether its work may land.
func TestAgentFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		result   agent.Result
		edits    bool
		outcome  executor.Outcome
		reason   string
		trouble  agent.Trouble
		hasRetry bool
	}{
		{"failed without work", agent.Result{Reason: "gave up", ExitCode: 1}, false, executor.Failed, "gave up", "", false},
		{"failed with work", agent.Result{Reason: "gave up", ExitCode: 1}, true, executor.Preserved, "gave up", "", false},
		{"failed without a word", agent.Result{ExitCode: 3}, true, executor.Preserved, "exit 3", "", false},
		{"timeout with work", agent.Result{TimedOut: true, Reason: "agent timeout after 5s", ExitCode: -1}, true, executor.Preserved, "agent timeout after 5s", "", false},
		{"timeout without work", agent.Result{TimedOut: true, ExitCode: -1}, false, executor.Failed, "timeout of 5s", "", false},
		{"rate limit", agent.Result{Trouble: agent.RateLimit, Reason: "429", RetryAfter: time.Minute}, false, executor.Failed, "429", agent.RateLimit, true},
		{"rate limit with work", agent.Result{Trouble: agent.RateLimit, Reason: "429"}, true, executor.Preserved, "429", agent.RateLimit, false},
		{"missing", agent.Result{Trouble: agent.Missing, Reason: "codex: not found", ExitCode: -1}, false, executor.Failed, "codex: not found", agent.Missing, false},
		{"silent success without work", agent.Result{OK: true}, false, executor.NoChanges, "said nothing", "", false},
		{"long last words", agent.Result{OK: true, Text: strings.Repeat("word ", 200)}, false, executor.NoChanges, "…", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1"})
			before := w.state()
			req := w.request()
			req.Timeout = 5 * time.Second
			res := w.try(func(_ context.Context, job agent.Job) agent.Result {
				if tc.edits {
					w.write(job.Dir, files{"a": "2"})
				}
				return tc.result
			}, req)
			w.wantOutcome(res, tc.outcome, tc.reason)
			if res.Trouble != tc.trouble || res.RetryAfter.IsZero() == tc.hasRetry || len(res.Reason) > 400 {
				t.Errorf("got %+v", res)
			}
			if tc.edits {
				w.wantAt(res.PreserveRef, files{"a": "2"})
			}
			if w.state() != before {
				t.Error("the checkout has changed")
			}
			if len(res.Gates) > 0 {
				t.Error("gates ran")
			}
		})
	}
}

// What the agent is told.
func TestJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	req := w.request()
	req.Timeout = time.Minute
	var job agent.Job
	res := w.try(func(_ context.Context, j agent.Job) agent.Result {
		job = j
		if _, err := j.Log.Write([]byte("agent speaking\n")); err != nil {
			t.Error(err)
		}
		j.Notice("→ Edit(a)")
		if inside(j.Dir, w.root.Dir) || w.gitIn(j.Dir, "rev-parse", "HEAD") != w.git("rev-parse", "main") || filepath.Base(j.Dir) != "root" {
			t.Errorf("works in %s", j.Dir)
		}
		temp := valueOf(j.Env, "TMPDIR")
		if info, err := os.Stat(temp); err != nil || !info.IsDir() {
			t.Error(err)
		}
		// A read-only folder, as a module cache has them, goes away too.
		w.write(temp, files{"cache/x": "1"})
		if err := os.Chmod(filepath.Join(temp, "cache"), 0o500); err != nil {
			t.Error(err)
		}
		return agent.Result{OK: true}
	}, req)
	for name, want := range map[string]string{
		"HELIX_RUN_ID": "run-1", "HELIX_ATTEMPT_ID": req.AttemptID, "HELIX_BEAD_ID": "hx-1",
		"DDX_BEAD_DIR": filepath.Join(w.root.Dir, ".ddx"), "HELIX_AGENT_SESSION": "1",
	} {
		if got := valueOf(job.Env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if job.Prompt != req.Prompt || job.Timeout != time.Minute {
		t.Errorf("got %+v", job)
	}
	if _, err := os.Stat(valueOf(job.Env, "TMPDIR")); err == nil {
		t.Error("the temp folder is still there")
	}
	log, _ := os.ReadFile(filepath.Join(w.root.Dir, res.EvidenceDir, agentLog))
	if string(log) != "agent speaking\n" || w.log.output.String() != "agent speaking\n" || !slices.Contains(w.log.notices, "→ Edit(a)") {
		t.Errorf("log %q, %q, %q", log, w.log.output.String(), w.log.notices)
	}
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("the evidence does not ignore itself: %s", out)
	}
}

func valueOf(env []string, name string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	req := w.request()
	req.Beads = nil
	if _, err := w.exec.Execute(t.Context(), req); err == nil {
		t.Error("no bead")
	}
	req = w.request(bead(""))
	if _, err := w.exec.Execute(t.Context(), req); err == nil {
		t.Error("a bead without an id")
	}
	for _, id := range []string{"", "../x", "a/b", ".x", "a..b"} {
		req = w.request()
		req.AttemptID = id
		if _, err := w.exec.Execute(t.Context(), req); err == nil {
			t.Errorf("attempt id %q", id)
		}
	}
	w.nothingLeft()
}

func TestRefName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	for _, id := range []string{"hx-1", "bd-a3f8.1", "a..b", "x.lock", ".x", "a b~^:?*[\\", "é", "x.", "a...b", "-x", "@{", ".lock", "..."} {
		w.git("check-ref-format", preservedRef(id, "20260601T120000-00000001"))
	}
}
