package agent

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"helix/internal/proc"
)

// stage is a folder of stand-in programs and the surroundings to run them in.
type stage struct {
	t    *testing.T
	bin  string
	work string
	sys  System
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, bin: t.TempDir(), work: t.TempDir()}
	s.sys = System{
		Environ: []string{"PATH=" + s.bin + ":/usr/bin:/bin", "HOME=" + s.work},
		Grace:   20 * time.Millisecond,
	}
	return s
}

// program writes a stand-in, a shell script that finds recorded output in the
// file of its own name with .out.
func (s *stage) program(name, script, output string) {
	s.t.Helper()
	file := filepath.Join(s.bin, name)
	if err := os.WriteFile(file+".out", []byte(output), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) run(spec Spec, job Job) Result {
	s.t.Helper()
	return s.runWith(s.t.Context(), spec, job)
}

func (s *stage) runWith(ctx context.Context, spec Spec, job Job) Result {
	s.t.Helper()
	job.Dir = s.work
	if job.Prompt == "" {
		job.Prompt = "do it"
	}
	r, err := s.sys.Run(ctx, spec, job)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *stage) file(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.work, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// await waits until the agent has written a file.
func (s *stage) await(name string) {
	for {
		if b, err := os.ReadFile(filepath.Join(s.work, name)); err == nil && len(b) > 0 {
			return
		}
		if s.t.Context().Err() != nil {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (s *stage) gone(name string) {
	s.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(s.file(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	if start, err := proc.StartToken(pid); err == nil && proc.Same(pid, start) {
		if b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); !strings.Contains(string(b), ") Z ") {
			s.t.Errorf("process %d of %s is alive", pid, name)
		}
	}
}

func TestAgentsGetTheirCommandLinePromptAndFolder(t *testing.T) {
	t.Parallel()
	probe := `{ echo "$@"; pwd; cat; } > call; cat "$0.out"`
	for _, c := range []struct {
		spec Spec
		out  string
		args string
	}{
		{Spec{Kind: Claude}, ccInit + ccDone, "-p --output-format stream-json --verbose --permission-mode bypassPermissions --dangerously-skip-permissions"},
		{Spec{Kind: Claude, Model: "opus", Effort: "high"}, ccInit + ccDone, "-p --output-format stream-json --verbose --permission-mode bypassPermissions --dangerously-skip-permissions --model opus --effort high"},
		{Spec{Kind: Codex}, cxStart + cxSaid + cxDone, "exec --json --dangerously-bypass-approvals-and-sandbox -C DIR -"},
		{Spec{Kind: Codex, Model: "gpt", Effort: "low"}, cxStart + cxSaid + cxDone, "exec --json --dangerously-bypass-approvals-and-sandbox -C DIR -m gpt -c model_reasoning_effort=low -"},
		{Spec{Kind: Command, Command: []string{"mine", "a b", "c"}}, "fine", "a b c"},
	} {
		s := newStage(t)
		for _, name := range []string{"claude", "codex", "mine"} {
			s.program(name, probe, c.out)
		}
		var log strings.Builder
		r := s.run(c.spec, Job{Prompt: "first line\nsecond", Log: &log})
		if !r.OK || r.ExitCode != 0 || r.TimedOut || r.Cancelled {
			t.Errorf("%+v: %+v", c.spec, r)
		}
		real, err := filepath.EvalSymlinks(s.work)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(s.file("call"), real, "DIR")
		if want := strings.ReplaceAll(c.args, s.work, "DIR") + "\nDIR\nfirst line\nsecond"; strings.ReplaceAll(got, s.work, "DIR") != want {
			t.Errorf("called with\n%s\nwant\n%s", got, want)
		}
		if log.String() != c.out {
			t.Errorf("log %q, want %q", log.String(), c.out)
		}
	}
}

func TestSurroundingsAreCleaned(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.sys.Environ = append(s.sys.Environ, "GIT_DIR=/elsewhere", "GIT_INDEX_FILE=/elsewhere/i", "CLAUDECODE=1",
		"CLAUDE_CODE_SESSION_ID=outer", "CODEX_THREAD_ID=outer", "CODEX_HOME=/cx", "CLAUDE_CONFIG_DIR=/cc",
		"GIT_AUTHOR_NAME=me", "HELIX_RUN_ID=outer", "HELIX_AGENT_ID=outer", "PWD=/outer")
	r := s.run(Spec{Kind: Command, Command: []string{"env"}, Model: "m1", Effort: "low"}, Job{Env: []string{"HELIX_RUN_ID=r1", "HELIX_BEAD_ID=hx-1"}})
	env := strings.Split(r.Text, "\n")
	for _, want := range []string{"CODEX_HOME=/cx", "CLAUDE_CONFIG_DIR=/cc", "GIT_AUTHOR_NAME=me", "HELIX_RUN_ID=r1", "HELIX_BEAD_ID=hx-1", "HELIX_MODEL=m1", "HELIX_EFFORT=low", "PWD=" + s.work} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in\n%s", want, r.Text)
		}
	}
	for _, kv := range env {
		if strings.HasPrefix(kv, "GIT_DIR=") || strings.HasPrefix(kv, "GIT_INDEX_FILE=") || strings.HasPrefix(kv, "CLAUDECODE=") || strings.HasSuffix(kv, "=outer") {
			t.Errorf("the agent sees %s", kv)
		}
	}
}

func TestStreamingWhileTheAgentRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	// The stand-in goes on only when its progress was seen.
	s.program("claude", `head -n 3 "$0.out"; while [ ! -e seen ]; do sleep 0.01; done; tail -n +4 "$0.out"`, ccInit+ccText+ccTool+ccBack+ccDone)
	var once sync.Once
	var started Process
	r := s.run(Spec{Kind: Claude}, Job{
		Notice: func(line string) {
			once.Do(func() {
				if line != "→ Bash(make test)" {
					t.Errorf("notice %q", line)
				}
				if err := os.WriteFile(filepath.Join(s.work, "seen"), nil, 0o600); err != nil {
					t.Error(err)
				}
			})
		},
		Started: func(p Process) { started = p },
	})
	if !r.OK || r.SessionID != "s1" || r.Duration <= 0 {
		t.Errorf("%+v", r)
	}
	if started.PID == 0 || started.Start == "" {
		t.Errorf("started %+v", started)
	}
}

func TestTimeoutEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	// Nobody here heeds SIGTERM, and the grandchild holds the output open.
	s.program("claude", `trap "" TERM; cat "$0.out"; (trap "" TERM; while :; do sleep 0.05; done) & echo $! > child; echo $$ > leader; while :; do sleep 0.05; done`, ccInit+ccTool)
	r := s.run(Spec{Kind: Claude}, Job{Timeout: 3 * time.Second})
	if r.OK || !r.TimedOut || r.Cancelled || r.Trouble != NoTrouble || r.Reason != "agent timeout after 3s" || r.ExitCode != -1 {
		t.Errorf("%+v", r)
	}
	s.gone("child")
	s.gone("leader")
	if r.Usage.Input != 100 {
		t.Errorf("usage %+v", r.Usage)
	}
}

func TestTimeoutInARetryIsTheProviders(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.program("codex", `cat "$0.out"; exec sleep 1000`, cxStart+cxWait)
	r := s.run(Spec{Kind: Codex}, Job{Timeout: 3 * time.Second})
	if r.OK || !r.TimedOut || r.Trouble != Network || !strings.HasPrefix(r.Reason, "agent timeout after 3s; codex: Reconnecting... waiting for network") {
		t.Errorf("%+v", r)
	}
}

func TestLingeringAfterSuccessIsSuccess(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.program("claude", `cat "$0.out"; exec sleep 1000`, ccInit+ccDone)
	r := s.run(Spec{Kind: Claude}, Job{Timeout: 3 * time.Second})
	if !r.OK || r.TimedOut || r.Reason != "" || r.Text != "All done." {
		t.Errorf("%+v", r)
	}
}

func TestCancelEndsTheAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.program("codex", `cat "$0.out"; echo $$ > leader; exec sleep 1000`, cxStart+cxRetry)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		s.await("leader")
		cancel()
	}()
	r := s.runWith(ctx, Spec{Kind: Codex}, Job{Timeout: time.Hour})
	if r.OK || !r.Cancelled || r.TimedOut || r.Trouble != NoTrouble || !strings.HasPrefix(r.Reason, "the run was stopped") {
		t.Errorf("%+v", r)
	}
	s.gone("leader")
}

// A child that left the agent's group is found by the marker.
func TestStraysOfAFinishedAgentEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("markers can be read on Linux only")
	}
	s := newStage(t)
	s.program("claude", `setsid sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 0.05; done' & while [ ! -s child ]; do sleep 0.01; done; cat "$0.out"`, ccInit+ccDone)
	if r := s.run(Spec{Kind: Claude}, Job{}); !r.OK {
		t.Errorf("%+v", r)
	}
	s.gone("child")
}

func TestGiantLinesAreReadAndLogged(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	// 5 MB are read, 20 MB only logged.
	s.program("claude", `head -n 1 "$0.out"
printf '{"type":"user","message":{"content":"'; head -c 20000000 /dev/zero | tr '\0' x; printf '"},"session_id":"s1"}\n'
printf '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"Write","input":{"file_path":"big.txt","content":"'; head -c 5000000 /dev/zero | tr '\0' y; printf '"}}]},"session_id":"s1"}\n'
tail -n 1 "$0.out"`, ccInit+ccDone)
	var notices []string
	log := &counter{}
	r := s.run(Spec{Kind: Claude}, Job{Log: log, Notice: func(l string) { notices = append(notices, l) }})
	if !r.OK || !slices.Equal(notices, []string{"→ Write(big.txt)"}) {
		t.Errorf("%q %+v", notices, r)
	}
	if log.n < 25_000_000 {
		t.Errorf("%d bytes were logged", log.n)
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

func TestEveryWayToFail(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.program("claude", `cat "$0.out"; echo noise >&2; exit 1`, ccFailed("overloaded", "529", "API Error: 529 Overloaded", ""))
	s.program("codex", `cat > /dev/null; echo "error: unexpected argument" >&2; exit 2`, "")
	s.program("kills-itself", `kill -9 $$`, "")
	s.program("bad-interpreter", "", "")
	if err := os.WriteFile(filepath.Join(s.bin, "bad-interpreter"), []byte("#!/no/such/program\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.bin, "no-permission"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec    Spec
		trouble Trouble
		reason  string
		code    int
	}{
		{Spec{Kind: Claude}, Overload, "claude: API Error: 529", 1},
		{Spec{Kind: Codex}, Setup, "codex refused to start (exit code 2): error: unexpected argument", 2},
		{Spec{Kind: Command, Command: []string{"kills-itself"}}, NoTrouble, "signal", -1},
		{Spec{Kind: Command, Command: []string{"bad-interpreter"}}, Setup, "bad-interpreter cannot be started: no such file", -1},
		{Spec{Kind: Command, Command: []string{"no-permission"}}, Missing, "no-permission: not found on PATH", -1},
		{Spec{Kind: Command, Command: []string{"./nowhere"}}, Missing, "./nowhere: does not exist", -1},
		{Spec{Kind: Command, Command: []string{"/"}}, Missing, "/: is not an executable file", -1},
		{Spec{Kind: Command, Command: []string{"sh", "-c", "exec no-such-agent"}}, Missing, "exit code 127", 127},
	} {
		r := s.run(c.spec, Job{})
		if r.OK || r.Trouble != c.trouble || !strings.Contains(r.Reason, c.reason) || r.ExitCode != c.code {
			t.Errorf("%v: %+v, want trouble %q, %q, exit code %d", c.spec, r, c.trouble, c.reason, c.code)
		}
	}
}

func TestWrongCallsAreErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		spec Spec
		job  Job
	}{
		"unsupported agent: gemini": {Spec{Kind: "gemini"}, Job{Dir: dir, Prompt: "x"}},
		"the prompt is empty":       {Spec{Kind: Claude}, Job{Dir: dir, Prompt: " \n"}},
		"no such file":              {Spec{Kind: Claude}, Job{Dir: filepath.Join(dir, "none"), Prompt: "x"}},
		"is not a folder":           {Spec{Kind: Claude}, Job{Dir: file, Prompt: "x"}},
		"no command is configured":  {Spec{Kind: Command}, Job{Dir: dir, Prompt: "x"}},
	} {
		_, err := System{}.Run(t.Context(), c.spec, c.job)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestWhichAgents(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.sys.Environ = []string{"PATH=.::" + s.bin}
	for _, c := range []struct {
		install   string
		installed []Kind
		first     Kind
		alternate Kind // of the first
	}{
		{"", nil, Codex, ""},
		{"claude", []Kind{Claude}, Claude, ""},
		{"codex", []Kind{Codex, Claude}, Codex, Claude},
	} {
		if c.install != "" {
			s.program(c.install, "", "")
		}
		installed := s.sys.Installed()
		first := Default(installed)
		other, ok := Alternate(first, installed)
		if !slices.Equal(installed, c.installed) || first != c.first || ok != (c.alternate != "") || (ok && other != c.alternate) {
			t.Errorf("%q: installed %v, default %v, alternate %v %v", c.install, installed, first, other, ok)
		}
	}
	if other, ok := Alternate(Claude, []Kind{Codex, Claude}); other != Codex || !ok {
		t.Errorf("alternate of Claude: %v %v", other, ok)
	}
	if _, ok := Alternate(Command, []Kind{Codex, Claude}); ok {
		t.Error("a command has no alternate")
	}
}
