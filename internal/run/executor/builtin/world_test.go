package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"testing"

	"github.com/gofrs/flock"

	"helix/internal/git"
	"helix/internal/run/agent"
	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// TestMain cuts the tests off from the machine's configuration and fails when
// they leave anything in the temp folder.
func TestMain(m *testing.M) {
	if os.Getenv(killedRoot) != "" { // the process that a test kills
		os.Exit(m.Run())
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given { // each check of TestNothingIsEverLost is a whole attempt
		if err := flag.Set("rapid.checks", "30"); err != nil {
			panic(err)
		}
	}
	dir, err := os.MkdirTemp("", "builtin-test-")
	if err != nil {
		panic(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": dir, "TMPDIR": filepath.Join(dir, "tmp"), "XDG_CACHE_HOME": filepath.Join(dir, "cache"),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.com", "GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.com",
	} {
		os.Setenv(name, value)
	}
	for _, name := range []string{"CI", "DDX_BEAD_DIR", "HELIX_AGENT_SESSION"} {
		os.Unsetenv(name)
	}
	if err := os.Mkdir(os.Getenv("TMPDIR"), 0o755); err != nil {
		panic(err)
	}
	code := m.Run()
	left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
	if len(left) > 0 && code == 0 {
		fmt.Println("left in the temp folder:", left)
		code = 1
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// world is a checkout with an executor whose agent is a function.
type world struct {
	*testing.T
	root *git.Repo
	exec *Executor
	work string // folder for work trees
	log  *recorder
	n    int
}

// agentFunc is a scripted stand-in for a coding agent.
type agentFunc func(ctx context.Context, job agent.Job) agent.Result

func (f agentFunc) Run(ctx context.Context, _ agent.Spec, job agent.Job) (agent.Result, error) {
	return f(ctx, job), nil
}

// recorder is a Log that remembers.
type recorder struct {
	mu      sync.Mutex
	notices []string
	output  strings.Builder

	onNotice func() // may be nil
}

func (r *recorder) Notice(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notices = append(r.notices, line)
	if r.onNotice != nil {
		r.onNotice()
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.output.Write(p)
}

type files map[string]string

// newWorld is a repository whose branch main has the given files; its gate is
// that no file is named RED.
func newWorld(t *testing.T, start files) *world {
	t.Helper()
	dir := resolved(t.TempDir())
	w := &world{T: t, root: &git.Repo{Dir: filepath.Join(dir, "root")}, work: filepath.Join(dir, "work"), log: &recorder{}}
	if err := os.Mkdir(w.root.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q", "-b", "main")
	w.write(w.root.Dir, start)
	w.commit("first")
	w.exec = w.executor(nil)
	return w
}

func (w *world) executor(run agentFunc) *Executor {
	return New(Options{Root: w.root, Runner: run, Gates: []string{"test ! -e RED"}, WorkDir: w.work, RunID: "run-1"})
}

func (w *world) git(args ...string) string { w.Helper(); return w.gitIn(w.root.Dir, args...) }

func (w *world) gitIn(dir string, args ...string) string {
	w.Helper()
	out, err := (&git.Repo{Dir: dir}).Unattended().Run(context.Background(), args...)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *world) commit(message string) string {
	w.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", message)
	return w.git("rev-parse", "HEAD")
}

// write makes files below dir; a text of "-" removes one.
func (w *world) write(dir string, fs files) {
	w.Helper()
	for name, text := range fs {
		path := filepath.Join(dir, name)
		if text == "-" {
			if err := os.RemoveAll(path); err != nil {
				w.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			w.Fatal(err)
		}
	}
}

// edit is an agent that makes files and says that it is done.
func (w *world) edit(fs files) agentFunc {
	return w.act(func(dir string) { w.write(dir, fs) })
}

// act is an agent that does something in its folder and says that it is done.
func (w *world) act(do func(dir string)) agentFunc {
	return func(_ context.Context, job agent.Job) agent.Result {
		do(job.Dir)
		return agent.Result{OK: true, Text: "All done.\n\nNothing else to say.", Usage: agent.Usage{Input: 7, Output: 3}}
	}
}

// sh is an agent that runs a shell script in its folder.
func (w *world) sh(script string) agentFunc {
	return w.act(func(dir string) {
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			w.Errorf("agent script: %v\n%s", err, out)
		}
	})
}

func bead(id string) *tracker.Bead { return &tracker.Bead{ID: id, Title: "Title of " + id} }

func (w *world) request(beads ...*tracker.Bead) executor.Request {
	if len(beads) == 0 {
		beads = []*tracker.Bead{bead("hx-1")}
	}
	w.n++
	return executor.Request{
		Beads: beads, AttemptID: fmt.Sprintf("20260601T120000-%08x", w.n), Attempt: 1, Prompt: "do it\n", Log: w.log,
		Agent: agent.Spec{Kind: agent.Command, Model: "m"},
	}
}

// try executes one request with an agent, and checks what must hold of every
// attempt: nothing is left behind, the evidence is there, and the result is
// consistent.
func (w *world) try(run agentFunc, req executor.Request) executor.Result {
	w.Helper()
	return w.tryOn(w.Context(), run, req)
}

func (w *world) tryOn(ctx context.Context, run agentFunc, req executor.Request) executor.Result {
	w.Helper()
	w.exec.Runner = run
	res, err := w.exec.Execute(ctx, req)
	if err != nil {
		w.Fatal(err)
	}
	w.check(req, res)
	return res
}

func (w *world) check(req executor.Request, res executor.Result) {
	w.Helper()
	if (res.Reason == "") != (res.Outcome == executor.Landed) {
		w.Errorf("outcome %s with reason %q", res.Outcome, res.Reason)
	}
	if strings.Contains(res.Reason, "\n") {
		w.Errorf("the reason has several lines: %q", res.Reason)
	}
	if (res.PreserveRef != "") != (res.Outcome == executor.Preserved) {
		w.Errorf("outcome %s with preserve ref %q", res.Outcome, res.PreserveRef)
	}
	if res.Outcome == executor.Landed {
		for _, id := range res.Landed {
			body := w.git("log", "-1", "--format=%B", res.Commits[id])
			if !slices.Contains(git.Trailers(body, "Bead"), id) || !slices.Equal(git.Trailers(body, "Helix-Attempt"), []string{req.AttemptID}) {
				w.Errorf("the commit of %s has not its trailers:\n%s", id, body)
			}
		}
	}
	if ref := w.git("for-each-ref", "--format=%(refname)", "refs/helix/preserved/*/"+req.AttemptID); ref != res.PreserveRef {
		w.Errorf("the ref of the attempt is %q, the result says %q", ref, res.PreserveRef)
	}
	if !strings.Contains(res.Reason, "was kept") {
		w.nothingLeft()
	}
	w.checkEvidence(req, res)
}

// holdLock is another landing in the repository.
func (w *world) holdLock() (release func()) {
	w.Helper()
	l := flock.New(filepath.Join(w.root.Dir, ".git", landingLock))
	if err := l.Lock(); err != nil {
		w.Fatal(err)
	}
	return func() { l.Close() }
}

func (w *world) nothingLeft() {
	w.Helper()
	if left, _ := os.ReadDir(w.work); len(left) > 0 {
		w.Errorf("left among the work trees: %v", left)
	}
	if list := w.git("worktree", "list"); strings.Contains(list, w.work) {
		w.Errorf("still registered: %s", list)
	}
	if left, _ := filepath.Glob(filepath.Join(w.root.Dir, ".git", "*.lock")); slices.ContainsFunc(left, func(p string) bool {
		return !strings.HasPrefix(filepath.Base(p), "helix-")
	}) {
		w.Errorf("left in the git folder: %v", left)
	}
}

func (w *world) checkEvidence(req executor.Request, res executor.Result) {
	w.Helper()
	if want := filepath.Join(".ddx", "executions", req.AttemptID); res.EvidenceDir != want {
		w.Errorf("evidence in %q, want %q", res.EvidenceDir, want)
	}
	dir := filepath.Join(w.root.Dir, res.EvidenceDir)
	var rec result
	data, err := os.ReadFile(filepath.Join(dir, resultFile))
	if err == nil {
		err = json.Unmarshal(data, &rec)
	}
	if err != nil || rec.Outcome != res.Outcome || rec.Reason != res.Reason || rec.PreserveRef != res.PreserveRef || rec.LandedRev != res.LandedRev {
		w.Errorf("result.json: %v, %+v", err, rec)
	}
	for _, name := range []string{promptFile, manifestFile, usageFile, agentLog} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			w.Error(err)
		}
	}
}

// wantOutcome fails the test with the whole result when it is another.
func (w *world) wantOutcome(res executor.Result, want executor.Outcome, reason string) {
	w.Helper()
	if res.Outcome != want || !strings.Contains(res.Reason, reason) {
		w.Fatalf("got %s (%q), want %s (%q)\nwarnings %q\ngates %+v", res.Outcome, res.Reason, want, reason, res.Warnings, res.Gates)
	}
}

// at reads a file of a commit; "-" when it does not exist there.
func (w *world) at(rev, path string) string {
	w.Helper()
	out, err := w.root.Run(context.Background(), "cat-file", "blob", rev+":"+path)
	if err != nil {
		return "-"
	}
	return out
}

// wantAt compares files of a commit.
func (w *world) wantAt(rev string, want files) {
	w.Helper()
	for path, text := range want {
		if got := w.at(rev, path); got != text {
			w.Errorf("%s at %s is %q, want %q", path, short(rev), got, text)
		}
	}
}

// wantFiles compares files of the checkout; "-" for one that must not exist.
func (w *world) wantFiles(want files) {
	w.Helper()
	for path, text := range want {
		data, err := os.ReadFile(filepath.Join(w.root.Dir, path))
		if errors.Is(err, fs.ErrNotExist) {
			data = []byte("-")
		}
		if string(data) != text {
			w.Errorf("%s is %q, want %q", path, data, text)
		}
	}
}

// state is everything of the checkout that belongs to the person: branch, index
// and every file but the evidence.
func (w *world) state() string {
	w.Helper()
	var b strings.Builder
	head, _ := os.ReadFile(filepath.Join(w.root.Dir, ".git", "HEAD"))
	fmt.Fprintln(&b, strings.TrimSpace(string(head)), w.git("rev-parse", "--revs-only", "HEAD"))
	fmt.Fprintln(&b, w.git("ls-files", "--stage"))
	err := filepath.WalkDir(w.root.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.root.Dir, path)
		if rel == ".git" || rel == ".ddx" {
			return filepath.SkipDir
		}
		if d.Type()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(path)
			fmt.Fprintln(&b, rel, "->", target)
		} else if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s %s %q\n", rel, d.Type(), data)
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return b.String()
}

func repoAt(dir string) *git.Repo { return &git.Repo{Dir: dir} }
