package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
)

func TestRedGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	w.exec.Gates = []string{"true", "echo what is wrong; exit 7", "echo more; exit 1"}
	before := w.state()
	res := w.try(w.edit(files{"a": "2"}), w.request())
	w.wantOutcome(res, executor.Preserved, `gate "echo what is wrong; exit 7" failed (exit 7), and so did "echo more; exit 1"`)
	w.wantAt(res.PreserveRef, files{"a": "2"})
	if w.state() != before {
		t.Error("the checkout has changed")
	}
	if g := res.Gates; len(g) != 3 || !g[0].Passed || g[0].Tail != "" || g[1].Passed || g[1].ExitCode != 7 || g[1].Tail != "what is wrong" {
		t.Errorf("got %+v", g)
	}
	log, _ := os.ReadFile(filepath.Join(w.root.Dir, res.EvidenceDir, gatesLog))
	if !strings.Contains(string(log), "$ echo what is wrong; exit 7\nwhat is wrong\n→ failed (exit 7)") {
		t.Errorf("gates.log: %s", log)
	}
	if !strings.Contains(w.log.output.String(), "what is wrong") || !slices.ContainsFunc(w.log.notices, func(s string) bool { return strings.HasPrefix(s, "gate true: passed") }) {
		t.Errorf("told %q, %q", w.log.output.String(), w.log.notices)
	}
}

func TestGateTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	w.exec.Gates = []string{"echo begins; sleep 600"}
	w.exec.GateTimeout = 50 * time.Millisecond
	res := w.try(w.edit(files{"a": "2"}), w.request())
	w.wantOutcome(res, executor.Preserved, "did not finish")
	if g := res.Gates[0]; g.ExitCode != -1 || !strings.Contains(g.Tail, "helix: ended after 50ms") {
		t.Errorf("got %+v", g)
	}
}

// A gate that was red before the work is not the work's fault alone, and the
// person is told; it stays red.
func TestGateRedAtBase(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, gate string
		want       string
		not        string
	}{
		{"in the same way", "echo ran >> $COUNT; echo 'FAIL: TestOld (0.3s) in '$PWD; exit 1", "was already red at base ", "with other output"},
		{"in another way", "echo ran >> $COUNT; cat a; test -e nothing", "already red at base ", "in the same way"},
		{"green before", "echo ran >> $COUNT; grep -q 1 a", "failed (exit 1)", "already red"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1\n"})
			count := filepath.Join(filepath.Dir(w.work), "count")
			w.exec.Gates = []string{"COUNT=" + count + "; " + tc.gate}
			for range 2 {
				res := w.try(w.edit(files{"a": "another text\n"}), w.request())
				w.wantOutcome(res, executor.Preserved, tc.want)
				if strings.Contains(res.Reason, tc.not) {
					t.Errorf("reason %q", res.Reason)
				}
				if len(res.Gates) != 1 || res.Gates[0].Passed {
					t.Errorf("gates %+v", res.Gates)
				}
			}
			if data, _ := os.ReadFile(count); string(data) != "ran\nran\nran\n" {
				t.Errorf("the base was not tried just once: %q", data)
			}
		})
	}
}

func TestGatesDoNotChangeWhatLands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1\n", "b": "1\n"})
	w.exec.Gates = []string{"echo changed > a; echo made > made; rm b", "grep -q changed a"}
	res := w.try(w.edit(files{"a": "2\n", "c": "1\n"}), w.request())
	w.wantOutcome(res, executor.Landed, "")
	w.wantFiles(files{"a": "2\n", "b": "1\n", "c": "1\n", "made": "-"})
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "these changes did not land: a, b") {
		t.Errorf("warnings %q", res.Warnings)
	}
}

// Gates see the committed work, and nothing of git's or helix's surroundings
// that would lead them elsewhere.
func TestGateSurroundings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	base := w.git("rev-parse", "main")
	w.exec.Gates = []string{
		`test "$(git log -1 --format=%s)" = "Title of hx-1"`, `test -z "$(git status --porcelain)"`,
		`test "$HELIX_BASE_REV" = ` + base, `test "$HELIX_RUN_ID" = run-1`, `test "$HELIX_BEAD_ID" = hx-1`, `test "$CI" = true`,
		`test -z "$DDX_BEAD_DIR$HELIX_AGENT_SESSION"`, `test -d "$TMPDIR" && touch "$TMPDIR/left"`, `test "$PWD" = "$(pwd -P)" && ! test "$PWD" = ` + w.root.Dir,
		`! read line`,
	}
	w.wantOutcome(w.try(w.edit(files{"a": "2"}), w.request()), executor.Landed, "")
}

func TestDetectedGates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1", "Makefile": "test:\n\tgrep -q good a\n"})
	w.exec.Gates = nil
	res := w.try(w.edit(files{"a": "bad\n"}), w.request())
	if w.wantOutcome(res, executor.Preserved, `gate "make test" failed (exit 2)`); res.Unjudged {
		t.Error("a red gate says nothing about the work")
	}
	res = w.try(w.edit(files{"a": "good\n", "package.json": `{"scripts":{"test":"true"},"packageManager":"no-such-manager@1"}`, "mix.exs": ""}), w.request())
	w.wantOutcome(res, executor.Landed, "")
	if !slices.ContainsFunc(res.Warnings, func(s string) bool { return strings.Contains(s, "mix is not installed") }) {
		t.Errorf("warnings %q", res.Warnings)
	}
}

func TestNoGates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1"})
	w.exec.Gates = nil
	res := w.try(w.edit(files{"a": "2"}), w.request())
	w.wantOutcome(res, executor.Landed, "")
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "no gates") || len(res.Gates) != 0 {
		t.Errorf("warnings %q", res.Warnings)
	}
	b := bead("hx-1")
	b.Acceptance = "- `test -e a` passes"
	if res = w.try(w.edit(files{"a": "3"}), w.request(b)); len(res.Warnings) != 0 || len(res.Gates) != 1 {
		t.Errorf("warnings %q, gates %+v", res.Warnings, res.Gates)
	}
}

func TestAcceptance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, files{"a": "1\n"})
	b := bead("hx-1")
	b.Acceptance = "It works.\n\n- `grep -q 2 a` passes\n- `./check.sh`\n- `TestFoo` passes\n- the file `a` is right"
	b.Extra = map[string]json.RawMessage{acceptanceKey: json.RawMessage(`["test -e a", "grep -q 2 a"]`)}
	edit := w.act(func(dir string) {
		w.write(dir, files{"a": "2\n", "check.sh": "#!/bin/sh\ntest -e a\n"})
		if err := os.Chmod(filepath.Join(dir, "check.sh"), 0o755); err != nil {
			t.Error(err)
		}
	})
	res := w.try(edit, w.request(b))
	w.wantOutcome(res, executor.Landed, "")
	var names []string
	for _, g := range res.Gates {
		names = append(names, g.Name)
	}
	want := "test ! -e RED|acceptance of hx-1: grep -q 2 a|acceptance of hx-1: ./check.sh|acceptance of hx-1: test -e a"
	if strings.Join(names, "|") != want {
		t.Errorf("gates %q", names)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "`TestFoo` passes") {
		t.Errorf("warnings %q", res.Warnings)
	}

	b.Acceptance, b.Extra[acceptanceKey] = "", json.RawMessage(`{"no": 1}`)
	res = w.try(w.edit(files{"a": "3"}), w.request(b))
	if !slices.ContainsFunc(res.Warnings, func(s string) bool { return strings.Contains(s, "neither a string nor an array") }) {
		t.Errorf("warnings %q", res.Warnings)
	}
	// A red acceptance is never excused by the base.
	b.Acceptance = "$ test -e nothing"
	res = w.try(w.edit(files{"a": "4"}), w.request(b))
	w.wantOutcome(res, executor.Preserved, "acceptance of hx-1: test -e nothing")
	if strings.Contains(res.Reason, "already red") {
		t.Errorf("reason %q", res.Reason)
	}
}

// A gate for what is staged, as before a commit, sees the work as staged; the
// gates after it see it committed.
func TestStagedGate(t *testing.T) {
	w := newWorld(t, files{"a": "1\n"})
	w.exec.Gates = nil
	bin := t.TempDir()
	w.write(bin, files{"lefthook": "#!/bin/sh\ntest \"$*\" = 'run --help' && echo '  --no-auto-install' && exit\ntest \"$*\" = 'run pre-commit --no-auto-install' || exit 9\ngit diff --cached --quiet && exit 8\n! git diff --cached | grep -q BAD\n"})
	if err := os.Chmod(filepath.Join(bin, "lefthook"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	b := bead("hx-1")
	b.Acceptance = "$ test \"$(git log -1 --format=%s)\" = 'Title of hx-1'"
	res := w.try(w.edit(files{"a": "2\n", "lefthook.yml": "pre-commit:\n  jobs: []\n"}), w.request(b))
	w.wantOutcome(res, executor.Landed, "")
	if len(res.Gates) != 2 || res.Gates[0].Name != "lefthook" {
		t.Errorf("gates %+v", res.Gates)
	}
	res = w.try(w.edit(files{"a": "BAD\n"}), w.request())
	w.wantOutcome(res, executor.Preserved, `gate "lefthook" failed (exit 1)`)
}

// A cancellation ends the attempt in each of its phases, with the work kept and
// nothing left running or lying about.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		setup   func(w *world, req *executor.Request, cancel func())
		run     func(w *world, cancel func()) agentFunc
		outcome executor.Outcome
		reason  string
	}{
		{
			"before", func(_ *world, _ *executor.Request, cancel func()) { cancel() },
			func(w *world, _ func()) agentFunc { return w.edit(files{"a": "2"}) }, executor.Failed, "before the agent was started",
		},
		{
			"while the agent works", nil,
			func(w *world, cancel func()) agentFunc {
				return func(_ context.Context, job agent.Job) agent.Result {
					w.write(job.Dir, files{"a": "2"})
					cancel()
					return agent.Result{Cancelled: true, ExitCode: -1}
				}
			}, executor.Preserved, "interrupted while the agent worked",
		},
		{
			"while the agent works, without work", nil,
			func(_ *world, cancel func()) agentFunc {
				return func(context.Context, agent.Job) agent.Result {
					cancel()
					return agent.Result{Cancelled: true, ExitCode: -1}
				}
			}, executor.Failed, "interrupted while the agent worked",
		},
		{
			"just after the agent", nil,
			func(w *world, cancel func()) agentFunc {
				return w.act(func(dir string) { w.write(dir, files{"a": "2"}); cancel() })
			},
			executor.Preserved, "interrupted while the gates ran",
		},
		{
			"while a gate runs", func(w *world, req *executor.Request, cancel func()) {
				w.exec.Gates = []string{"sleep 600 & sleep 600"}
				req.Started = func(agent.Process) { cancel() }
			},
			func(w *world, _ func()) agentFunc { return w.edit(files{"a": "2"}) }, executor.Preserved, "interrupted while the gates ran",
		},
		{
			"while it lands", func(_ *world, req *executor.Request, cancel func()) {
				req.Revalidate = func(context.Context) error { cancel(); return nil }
			},
			func(w *world, _ func()) agentFunc { return w.edit(files{"a": "2"}) }, executor.Preserved, "interrupted while it was landing",
		},
		{
			"while it waits to land", func(w *world, _ *executor.Request, cancel func()) {
				l := w.holdLock()
				w.Cleanup(l)
				w.exec.Gates = []string{"true"}
				w.log.onNotice = cancel
			},
			func(w *world, _ func()) agentFunc { return w.edit(files{"a": "2"}) }, executor.Preserved, "interrupted while it waited to land",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1"})
			before := w.state()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			req := w.request()
			if tc.setup != nil {
				tc.setup(w, &req, cancel)
			}
			w.exec.Runner = tc.run(w, cancel)
			res, err := w.exec.Execute(ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			w.wantOutcome(res, tc.outcome, tc.reason)
			if res.Outcome == executor.Preserved {
				w.check(req, res)
				w.wantAt(res.PreserveRef, files{"a": "2"})
			}
			if w.state() != before {
				t.Error("the checkout has changed")
			}
			w.nothingLeft()
		})
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		before, now string
		want        bool
	}{
		{"", "", true},
		{"--- FAIL: TestX (0.01s)\n/tmp/1/x.go:12: bad\nFAIL", "--- FAIL: TestX (1.23s)\n/tmp/2/x.go:12: bad\nFAIL", true},
		{"sh: jest: not found", "Tests: 1 failed", false},
		{"", "something", false},
		{"something", "", false},
		{"FAIL\nA", "FAIL\nB\nC", false},
	} {
		if got := alike(tc.before, tc.now); got != tc.want {
			t.Errorf("%q, %q: %t", tc.before, tc.now, got)
		}
	}
}
