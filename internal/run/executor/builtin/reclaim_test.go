package builtin

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helix/internal/run/executor"
)

// crash leaves the workspace of an attempt whose process died, after act was
// done in its work tree.
func (w *world) crash(act string) *workspace {
	w.Helper()
	w.n++
	s, err := w.exec.survey(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	req := w.request()
	ws, err := openWorkspace(w.Context(), s, owner{Root: w.root.Dir, Bead: "hx-1", Attempt: req.AttemptID, Branch: s.branch, Base: s.base, Created: time.Now()})
	if err != nil {
		w.Fatal(err)
	}
	w.write(ws.Temp, files{"scratch": "x"})
	cmd := exec.Command("sh", "-ec", act)
	cmd.Dir, cmd.Env = ws.Tree, append(os.Environ(), "ROOT="+w.root.Dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%v\n%s", err, out)
	}
	w.reown(ws, func(o *owner) { o.Start = "another life" })
	return ws
}

func (w *world) reown(ws *workspace, change func(*owner)) {
	w.Helper()
	o := ws.owner
	change(&o)
	data, err := json.Marshal(o)
	if err == nil {
		err = os.WriteFile(filepath.Join(ws.folder, ownerFile), data, 0o600)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) reclaim() Report {
	w.Helper()
	rep, err := w.exec.Reclaim(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return rep
}

func TestReclaim(t *testing.T) {
	t.Parallel()
	const ref = "refs/helix/preserved/hx-1/"
	for _, tc := range []struct {
		name string
		act  string
		why  string // empty: removed
		want files  // under the ref
	}{
		{"untouched", "true", "", nil},
		{"only ignored files", "echo x > x.log", "", nil},
		{"landed", "echo 2 > a; git commit -qam one; git -C $ROOT merge -q --ff-only $(git rev-parse HEAD)", "", nil},
		{"on a branch of its own", "git switch -q -c feature; echo 2 > a; git commit -qam one", "", nil},
		{"its folder gone, nothing in it", "rm -rf $PWD", "", nil},
		{"killed while git made it", "rm a; echo initializing > $(git rev-parse --git-dir)/locked", "", nil},
		{"dirty", "echo 2 > a; echo n > new", "uncommitted changes", files{"a": "2", "new": "n"}},
		{"dirty, without its .git file", "echo 2 > a; rm .git", "uncommitted changes", files{"a": "2"}},
		{"dirty, without its registration", "echo 2 > a; rm -r $(git rev-parse --git-dir)", "uncommitted changes", files{"a": "2"}},
		{"committed", "echo 2 > a; git commit -qam one", "commits that are on no branch", files{"a": "2"}},
		{"committed and dirty", "echo 2 > a; git commit -qam one; echo 3 > a", "uncommitted changes", files{"a": "3"}},
		{"its folder gone, but commits", "echo 2 > a; git commit -qam one; rm -rf $PWD", "commits that are on no branch", files{"a": "2"}},
		{"files of the queue", "mkdir .helix; echo x > .helix/x", "uncommitted changes", files{".helix/x": "x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1", ".gitignore": "*.log\n"})
			ws := w.crash(tc.act)
			tree := ws.Tree
			_, err := os.Stat(tree)
			existed := err == nil
			for range 2 { // the second time nothing is different
				rep := w.reclaim()
				if tc.why == "" {
					if len(rep.Kept) > 0 || rep.Live > 0 {
						t.Errorf("got %+v", rep)
					}
					w.nothingLeft()
					continue
				}
				if len(rep.Kept) != 1 || rep.Live > 0 || len(rep.Removed) > 0 {
					t.Fatalf("got %+v", rep)
				}
				k := rep.Kept[0]
				if k.Bead != "hx-1" || k.Ref != ref+ws.Attempt || !strings.Contains(k.Why, tc.why) || !strings.Contains(k.String(), k.Drop) {
					t.Errorf("got %+v", k)
				}
				w.wantAt(k.Ref, tc.want)
				if _, err := os.Stat(tree); existed != (err == nil) {
					t.Error("the work tree is gone")
				}
			}
			if _, err := os.Stat(ws.Temp); err == nil {
				t.Error("the temp folder is still there")
			}
		})
	}
}

// The commands that the report gives do what it says.
func TestReclaimCommands(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]string{
		"dirty":                    "echo 2 > a",
		"without its .git file":    "echo 2 > a; rm .git",
		"without its registration": "echo 2 > a; rm -r $(git rev-parse --git-dir)",
		"without its folder":       "echo 2 > a; git commit -qam one; rm -rf $PWD",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1"})
			w.crash(act)
			k := w.reclaim().Kept[0]
			out, err := exec.Command("sh", "-c", k.Look).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "+2") {
				t.Errorf("%s: %v, %s", k.Look, err, out)
			}
			if out, err := exec.Command("sh", "-c", k.Drop).CombinedOutput(); err != nil {
				t.Errorf("%s: %v, %s", k.Drop, err, out)
			}
			if rep := w.reclaim(); len(rep.Kept) > 0 {
				t.Errorf("got %+v", rep)
			}
			w.nothingLeft()
			w.wantAt(k.Ref, files{"a": "2"})
		})
	}
}

// Died after the branch had moved: the ref that kept the work until then goes.
func TestReclaimAfterLanding(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	w.crash("echo 2 > a; git commit -qam one; git update-ref refs/helix/preserved/hx-1/$(basename $(dirname $PWD)) HEAD; git -C $ROOT merge -q --ff-only $(git rev-parse HEAD)")
	if rep := w.reclaim(); len(rep.Removed) != 1 {
		t.Errorf("got %+v", rep)
	}
	if refs := w.git("for-each-ref", "refs/helix"); refs != "" {
		t.Errorf("left: %s", refs)
	}
	w.nothingLeft()
}

func TestReclaimLeavesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	mine := w.crash("true")
	w.reown(mine, func(*owner) {}) // this very process
	foreign := w.crash("true")
	w.reown(foreign, func(o *owner) { o.Machine, o.PID, o.Start = "elsewhere", 1, "x" })
	young := filepath.Join(w.work, "young")
	if err := os.Mkdir(young, 0o700); err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(filepath.Dir(w.work), "theirs")
	w.git("worktree", "add", "-q", "--detach", theirs)
	if err := os.RemoveAll(theirs); err != nil { // on a disk that is not there now
		t.Fatal(err)
	}
	before := w.git("worktree", "list")
	if rep := w.reclaim(); rep.Live != 3 || len(rep.Removed)+len(rep.Kept) > 0 {
		t.Errorf("got %+v", rep)
	}
	if after := w.git("worktree", "list"); after != before {
		t.Errorf("got %s, was %s", after, before)
	}
	for _, ws := range []*workspace{mine, foreign} {
		if _, err := os.Stat(ws.Temp); err != nil {
			t.Error(err)
		}
		if err := ws.remove(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestReclaimOwnerless(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	empty, full := filepath.Join(w.work, "empty"), filepath.Join(w.work, "full")
	w.write(w.work, files{"full/owner.json": "{", "full/root/a": "2"})
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * ownerless)
	for _, dir := range []string{empty, full} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	rep := w.reclaim()
	if len(rep.Removed) != 1 || rep.Removed[0] != empty || len(rep.Kept) != 1 || rep.Kept[0].Folder != full {
		t.Errorf("got %+v", rep)
	}
}

// Somebody emptied the cache: the registrations go, the commits do not.
func TestReclaimAfterTheCacheWasDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	w.crash("true")
	ws := w.crash("echo 2 > a; git commit -qam one")
	trees, _ := filepath.Glob(filepath.Join(w.work, "*"))
	for _, dir := range trees {
		data, _ := os.ReadFile(filepath.Join(dir, ownerFile))
		var o owner
		if json.Unmarshal(data, &o) == nil {
			os.RemoveAll(o.Temp)
		}
	}
	if err := os.RemoveAll(w.work); err != nil {
		t.Fatal(err)
	}
	w.reclaim()
	w.nothingLeft()
	w.wantAt("refs/helix/preserved/lost/"+ws.Attempt, files{"a": "2"})
}

// The work of an attempt that was killed after its agent is under the ref
// already; reclaiming it makes no second copy.
func TestReclaimAfterTheWorkWasStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	ws := w.crash("echo 2 > a; git commit -qam stored; git update-ref refs/helix/preserved/hx-1/$(basename $(dirname $PWD)) HEAD")
	w.reclaim()
	if refs := w.git("for-each-ref", "--format=%(refname)", "refs/helix"); refs != preservedRef("hx-1", ws.Attempt) {
		t.Errorf("refs %q", refs)
	}
	// The gates, or the person, changed something in it.
	w.write(ws.Tree, files{"coverage": "x"})
	k := w.reclaim().Kept[0]
	if k.Ref != preservedRef("hx-1", ws.Attempt)+"-left" {
		t.Errorf("got %+v", k)
	}
	w.wantAt(k.Ref, files{"a": "2", "coverage": "x"})
}

// killedRoot and killedWork tell the process to be killed where to work.
const killedRoot, killedWork = "BUILTIN_TEST_ROOT", "BUILTIN_TEST_WORK"

// helix itself is killed in the middle of an attempt.
func TestReclaimAfterAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperKilled$")
	cmd.Env = append(os.Environ(), killedRoot+"="+w.root.Dir, killedWork+"="+w.work)
	if err := cmd.Run(); err == nil {
		t.Fatal("the helper was not killed")
	}
	rep := w.reclaim()
	if len(rep.Kept) != 1 {
		t.Fatalf("got %+v", rep)
	}
	w.wantAt(rep.Kept[0].Ref, files{"a": "2"})
	w.n++ // the attempt that was killed
	w.exec.Runner = w.edit(files{"b": "2"})
	res, err := w.exec.Execute(t.Context(), w.request())
	if err != nil {
		t.Fatal(err)
	}
	w.wantOutcome(res, executor.Landed, "")
}

// TestHelperKilled is the process that TestReclaimAfterAKill kills: its agent
// does some work, and then everything ends at once.
func TestHelperKilled(t *testing.T) {
	root := os.Getenv(killedRoot)
	if root == "" {
		t.Skip("only for TestReclaimAfterAKill")
	}
	w := &world{T: t, root: repoAt(root), work: os.Getenv(killedWork), log: &recorder{}}
	e := w.executor(w.act(func(dir string) {
		w.write(dir, files{"a": "2"})
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}))
	_, _ = e.Execute(context.Background(), w.request())
}
