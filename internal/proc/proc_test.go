package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// role makes the test binary play a process of a test.
const role = "HELIX_PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "escape": // leaves a stubborn child in a session of its own
		child := self("stubborn")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		child.Stdout = os.Stdout // keeps the pipe open
		must(child.Start())
		fmt.Println("child", child.Process.Pid)
		if os.Getenv("STAY") != "" {
			linger()
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		announce()
		linger()
	case "polite": // tidies up through another process when it is asked to end
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		announce()
		<-c
		out, err := exec.Command("sh", "-c", "sleep 0.2; echo tidied").CombinedOutput()
		fmt.Printf("%s%v\n", out, err)
		os.Exit(7)
	case "daemon": // leaves a stubborn process to init, as the leader of a session
		child := self("stubborn")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		must(child.Start())
	case "recoverer": // carries the marker itself, and so does its child
		ready := os.Getenv("READY") + "2"
		child := self("stubborn", "READY="+ready)
		must(child.Start())
		waitFile(ready)
		ended, err := EndOrphans(nil, os.Getenv("MARKER"), time.Millisecond)
		fmt.Println("ended", len(ended), err)
		_ = child.Process.Signal(syscall.SIGQUIT)
		fmt.Println("own child", child.Wait())
	case "outer": // carries the marker, starts a victim and a recoverer
		victim := self("stubborn", "READY="+os.Getenv("READY"))
		must(victim.Start())
		waitFile(os.Getenv("READY"))
		out, err := self("recoverer").Output()
		_ = victim.Process.Signal(syscall.SIGQUIT) // it ends in any case, but shows by whom
		fmt.Printf("%svictim %v %v\n", out, err, victim.Wait())
	}
	os.Exit(0)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}

// linger does not end. An empty select would: the runtime calls it a deadlock.
func linger() {
	for {
		time.Sleep(time.Hour)
	}
}

// announce says that the process is as it should be.
func announce() {
	if f := os.Getenv("READY"); f != "" {
		must(os.WriteFile(f, []byte(strconv.Itoa(os.Getpid())), 0o600))
	}
}

func waitFile(name string) {
	for {
		if b, err := os.ReadFile(name); err == nil && len(b) > 0 {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func self(as string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(cmd.Environ(), role+"="+as), env...)
	return cmd
}

func sh(script string) *exec.Cmd { return exec.Command("/bin/sh", "-c", script) }

func gone(t *testing.T, pid int) {
	t.Helper()
	table, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	if r, alive := table[pid]; alive {
		t.Errorf("process %d is alive: %+v", pid, r)
	}
}

func TestRunGivesOutputAndExitCode(t *testing.T) {
	t.Parallel()
	cmd := sh("cat; echo problem >&2; exit 3")
	var out, errOut strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("hello"), &out, &errOut
	g, err := Start(cmd, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if g.Leader.Start == "" || !Same(g.Leader.PID, g.Leader.Start) {
		t.Errorf("leader %+v is not identified", g.Leader)
	}
	err = g.Wait(t.Context())
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || g.ExitCode() != 3 {
		t.Errorf("Wait: %v, exit code %d, want 3", err, g.ExitCode())
	}
	if out.String() != "hello" || errOut.String() != "problem\n" {
		t.Errorf("output %q, errors %q", out.String(), errOut.String())
	}
}

func TestOneWriterGetsBothStreams(t *testing.T) {
	t.Parallel()
	cmd := sh("echo a; echo b >&2; echo c")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := Run(t.Context(), cmd, Options{}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "a\nb\nc\n" {
		t.Errorf("output %q", out.String())
	}
}

func TestStartOfNothingFails(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(filepath.Join(t.TempDir(), "none"))
	cmd.Stdin, cmd.Stdout = strings.NewReader("x"), io.Discard
	if err := Run(t.Context(), cmd, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want not exist", err)
	}
}

func TestCommandMayIgnoreItsInput(t *testing.T) {
	t.Parallel()
	cmd := sh("exit 0")
	cmd.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	if err := Run(t.Context(), cmd, Options{}); err != nil {
		t.Error(err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestBrokenWriterDoesNotBlockTheCommand(t *testing.T) {
	t.Parallel()
	cmd := sh("head -c 300000 /dev/zero; echo end >&2")
	var errOut strings.Builder
	cmd.Stdout, cmd.Stderr = brokenWriter{}, &errOut
	if err := Run(t.Context(), cmd, Options{}); err != nil || errOut.String() != "end\n" {
		t.Errorf("error %v, output %q", err, errOut.String())
	}
}

// The leader ends by itself and leaves a child behind that holds its output open.
func TestStraysEndWithTheLeader(t *testing.T) {
	t.Parallel()
	cmd := sh("sleep 1000 & echo $!")
	var out strings.Builder
	cmd.Stdout = &out
	if err := Run(t.Context(), cmd, Options{Grace: time.Second}); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
}

func TestCancelEndsAGroupThatIgnoresSIGTERM(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := sh(`trap "" TERM; (trap "" TERM; while :; do sleep 0.1; done) & echo $! > "$READY"; while :; do sleep 0.1; done`)
	cmd.Env = append(os.Environ(), "READY="+ready)
	cmd.Stdout = io.Discard
	g, err := Start(cmd, Options{Grace: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	waitFile(ready)
	tooLong := errors.New("too long")
	cancel(tooLong)
	if err := g.Wait(ctx); !errors.Is(err, tooLong) {
		t.Errorf("error %v, want the cause", err)
	}
	if g.ExitCode() != -1 {
		t.Errorf("exit code %d, want -1", g.ExitCode())
	}
	gone(t, g.Leader.PID)
	child, _ := os.ReadFile(ready)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(child)))
	gone(t, pid)
}

// What a process starts to tidy up is left alone during the grace.
func TestGraceLetsTheLeaderTidyUp(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := self("polite", "READY="+ready)
	var out strings.Builder
	cmd.Stdout = &out
	g, err := Start(cmd, Options{Grace: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waitFile(ready)
	cancel()
	if err := g.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if g.ExitCode() != 7 || out.String() != "tidied\n<nil>\n" {
		t.Errorf("exit code %d, output %q", g.ExitCode(), out.String())
	}
}

// A child that moved to a session of its own is found through its parent while
// that lives, and through the marker when it does not.
func TestEscapedChildrenAreFound(t *testing.T) {
	t.Parallel()
	for _, stay := range []string{"", "yes"} {
		t.Run("leader stays="+stay, func(t *testing.T) {
			t.Parallel()
			if stay == "" && runtime.GOOS != "linux" {
				t.Skip("markers can be read on Linux only")
			}
			ready := filepath.Join(t.TempDir(), "ready")
			cmd := self("escape", "STAY="+stay, "READY="+ready)
			r, w := io.Pipe()
			cmd.Stdout = w
			opt := Options{Grace: time.Millisecond}
			if stay == "" {
				opt.Marker = "HELIX_PROC_TEST=" + t.Name()
			}
			g, err := Start(cmd, opt)
			if err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(r).ReadString('\n')
			go io.Copy(io.Discard, r)
			var pid int
			if _, err := fmt.Sscanf(line, "child %d", &pid); err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if stay != "" {
				waitFile(ready)
				cancel()
			}
			defer cancel()
			if err := g.Wait(ctx); err != nil && stay == "" {
				t.Error(err)
			}
			gone(t, pid)
			gone(t, g.Leader.PID)
		})
	}
}

func TestEndOrphansEndsOnlyWhatIsProven(t *testing.T) {
	t.Parallel()
	begin := func(env ...string) *exec.Cmd {
		ready := filepath.Join(t.TempDir(), "ready")
		cmd := self("daemon", append(env, "READY="+ready)...)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		waitFile(ready)
		b, _ := os.ReadFile(ready)
		pid, _ := strconv.Atoi(string(b))
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		return &exec.Cmd{Process: &os.Process{Pid: pid}}
	}
	token := func(cmd *exec.Cmd) Process {
		start, err := StartToken(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return Process{cmd.Process.Pid, start}
	}
	marker := "HELIX_RUN_ID=" + t.Name()
	recorded, carrier := token(begin()), token(begin(marker))
	other, prefix := token(begin()), token(begin(marker+"-2"))

	if runtime.GOOS == "linux" {
		if got, err := Marked(marker); err != nil || !slices.Equal(got, []Process{carrier}) {
			t.Errorf("Marked: %v %v, want %v", got, err, carrier)
		}
	}
	ended, err := EndOrphans([]Process{
		recorded,
		{other.PID, ""},                      // no token was recorded
		{other.PID, other.Start + "0"},       // the pid is another's now
		{os.Getpid(), mustToken(t)},          // this process
		{os.Getppid(), ""}, {1, ""}, {0, ""}, // nonsense
	}, marker, 10*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	want := []Process{recorded}
	if runtime.GOOS == "linux" {
		want = append(want, carrier)
	}
	slices.SortFunc(want, func(a, b Process) int { return a.PID - b.PID })
	if !slices.Equal(ended, want) {
		t.Errorf("ended %v, want %v", ended, want)
	}
	gone(t, recorded.PID)
	for _, p := range []Process{other, prefix} {
		if !Same(p.PID, p.Start) {
			t.Errorf("%v was ended", p)
		}
	}
}

func mustToken(t *testing.T) string {
	token, err := StartToken(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestEndOrphansSparesItselfAndItsAncestors(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("markers can be read on Linux only")
	}
	marker := "HELIX_RUN_ID=" + t.Name()
	out, err := self("outer", marker, "MARKER="+marker, "READY="+filepath.Join(t.TempDir(), "ready")).CombinedOutput()
	if err != nil || string(out) != "ended 1 <nil>\nown child exit status 2\nvictim <nil> signal: killed\n" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestSameNeedsTheToken(t *testing.T) {
	t.Parallel()
	token := mustToken(t)
	for _, c := range []struct {
		pid   int
		start string
		want  bool
	}{
		{os.Getpid(), token, true},
		{os.Getpid(), "", true},
		{os.Getpid(), token + "0", false},
		{0, token, false},
		{-1, "", false},
	} {
		if got := Same(c.pid, c.start); got != c.want {
			t.Errorf("Same(%d, %q) = %v", c.pid, c.start, got)
		}
	}
}
