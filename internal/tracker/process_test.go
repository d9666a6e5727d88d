package tracker

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"helix/internal/proc"
)

// The test binary plays other processes too: with this variable set it runs one
// of the roles below instead of tests.
const roleVariable = "TRACKER_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](OpenStore(os.Args[1], WithPrefix("hx"), WithLock(time.Minute, 5*time.Millisecond)), os.Args[2:]); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(s *Store, args []string) error{
	// create files beads once it is told to begin and prints their ids.
	"create": func(s *Store, args []string) error {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		waitForEnd(os.Stdin)
		for range n {
			b, err := s.Create(ctx, New{Title: "t"})
			if err != nil {
				return err
			}
			fmt.Println(b.ID)
		}
		return nil
	},
	// claim tries to take a bead once it is told to begin.
	"claim": func(s *Store, args []string) error {
		start, err := proc.StartToken(os.Getpid())
		if err != nil {
			return err
		}
		waitForEnd(os.Stdin)
		b, err := s.Claim(ctx, args[0], Claim{Owner: "p", PID: os.Getpid(), Start: start, Machine: proc.Machine()})
		if err != nil {
			fmt.Println("lost:", err)
			return nil
		}
		fmt.Println("won", b.Claim().PID)
		return nil
	},
	// write changes a bead again and again until it is killed.
	"write": func(s *Store, args []string) error {
		for n := 1; ; n++ {
			if _, err := s.Edit(ctx, args[0], func(b *Bead) error { b.Set("n", strconv.Itoa(n)); return nil }); err != nil {
				return err
			}
			fmt.Println(n)
		}
	},
	// hold takes the lock and keeps it until it is killed.
	"hold": func(s *Store, _ []string) error {
		if _, err := s.acquire(ctx); err != nil {
			return err
		}
		fmt.Println("held")
		waitForEnd(os.Stdin)
		return nil
	},
	// full creates a bead where no file may grow beyond a limit, as on a full disk.
	"full": func(s *Store, args []string) error {
		limit, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
		_, err = s.Create(ctx, New{Title: "t"})
		return err
	},
}

func waitForEnd(r io.Reader) { _, _ = io.Copy(io.Discard, r) }

// process is another process that plays a role.
type process struct {
	*exec.Cmd
	begin io.Closer
	lines *bufio.Scanner
}

func startRole(t *testing.T, s *Store, role string, args ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append([]string{s.Dir()}, args...)...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return &process{cmd, in, bufio.NewScanner(out)}
}

// rest reads what the process still prints and waits for its end.
func (p *process) rest(t *testing.T) []string {
	t.Helper()
	var lines []string
	for p.lines.Scan() {
		lines = append(lines, p.lines.Text())
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, lines)
	}
	return lines
}

func TestManyProcessesCreateAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ processes, each int }{{8, 4}, {30, 1}} {
		createAtOnce(t, newStore(t), c.processes, c.each)
	}
}

func createAtOnce(t *testing.T, s *Store, processes, each int) {
	var all []*process
	for range processes {
		all = append(all, startRole(t, s, "create", strconv.Itoa(each)))
	}
	for _, p := range all {
		p.begin.Close()
	}
	filed := map[string]bool{}
	for _, p := range all {
		for _, id := range p.rest(t) {
			filed[id] = true
		}
	}
	q := load(t, s)
	if len(filed) != processes*each || q.Len() != processes*each || len(q.Problems()) > 0 {
		t.Errorf("%d filed, %d there", len(filed), q.Len())
	}
	for id := range filed {
		if _, ok := q.Get(id); !ok {
			t.Errorf("%s is lost", id)
		}
	}
	// No process died with the lock, so none may have set out to break it: not
	// even when its owner ended right after it gave the lock back.
	if _, err := os.Stat(filepath.Join(s.Dir(), lockName+".stale-break.lock")); err == nil {
		t.Error("a lock was taken for stale")
	}
}

func TestExactlyOneOfManyClaimsWins(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	var all []*process
	for range 8 {
		all = append(all, startRole(t, s, "claim", "hx-a"))
	}
	for _, p := range all {
		p.begin.Close()
	}
	var winner string
	for _, p := range all {
		said := strings.Join(p.rest(t), " ")
		switch {
		case strings.HasPrefix(said, "won") && winner == "":
			winner = said
		case strings.HasPrefix(said, "lost: tracker: claim hx-a: already claimed by p, pid"):
		default:
			t.Errorf("a process says %q, the winner %q", said, winner)
		}
	}
	if got := fmt.Sprint("won ", get(t, s, "hx-a").Claim().PID); got != winner {
		t.Errorf("the row says %q, the winner %q", got, winner)
	}
}

// Processes that find the lock of a dead one break it exactly once between them,
// or some of what they file would be lost.
func TestManyProcessesTakeOverOneStaleLock(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	holder := startRole(t, s, "hold")
	if !holder.lines.Scan() {
		t.Fatal("no lock was taken")
	}
	holder.Process.Kill()
	holder.Wait()
	var all []*process
	for range 8 {
		all = append(all, startRole(t, s, "create", "2"))
	}
	for _, p := range all {
		p.begin.Close()
	}
	for _, p := range all {
		p.rest(t)
	}
	if q := load(t, s); q.Len() != 16 {
		t.Errorf("%d of 16 beads are there", q.Len())
	}
}

// A process that is killed in the middle of whatever it does leaves a file that
// reads, in a state that it had told of or was about to.
func TestKilledWriterLeavesASoundFile(t *testing.T) {
	t.Parallel()
	lines := []string{rowText("hx-a")}
	for i := range 1500 {
		lines = append(lines, rowText(fmt.Sprintf("hx-b%04d", i), "description", string(quote(strings.Repeat("text ", 100)))))
	}
	s := newStore(t, lines...)
	s.warn = func(string) {}
	for round := range 6 {
		p := startRole(t, s, "write", "hx-a")
		told := 0
		for told < 2+round && p.lines.Scan() {
			n, err := strconv.Atoi(p.lines.Text())
			if err != nil {
				t.Fatal(p.lines.Text())
			}
			told = n
		}
		p.Process.Kill()
		var after bytes.Buffer
		for p.lines.Scan() { // what it said before the signal came
			after.WriteString(p.lines.Text() + " ")
			if n, err := strconv.Atoi(p.lines.Text()); err == nil {
				told = n
			}
		}
		p.Wait()
		q := load(t, s)
		if q.Len() != len(lines) || len(q.Problems()) > 0 {
			t.Fatalf("%d beads, problems %v", q.Len(), q.Problems())
		}
		b, _ := q.Get("hx-a")
		if n, err := strconv.Atoi(b.Str("n")); err != nil || n != told && n != told+1 {
			t.Fatalf("it told of change %d, the file has %d (%v)", told, n, err)
		}
		if _, err := s.Edit(ctx, "hx-a", func(b *Bead) error { b.Set("round", strconv.Itoa(round)); return nil }); err != nil {
			t.Fatalf("its lock is not taken over: %v", err)
		}
		temps, err := filepath.Glob(filepath.Join(s.Dir(), ".*.tmp"))
		if err != nil || len(temps) > 0 {
			t.Fatalf("left behind: %v (%v)", temps, err)
		}
	}
}

func TestFullDiskKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a", "description", string(quote(strings.Repeat("x", 1<<16)))))
	before := readFile(t, s.Path())
	p := startRole(t, s, "full", "10000")
	var said []string
	for p.lines.Scan() {
		said = append(said, p.lines.Text())
	}
	p.Wait()
	if text := strings.Join(said, " "); p.ProcessState.ExitCode() != 1 || !strings.Contains(text, "nothing was changed") {
		t.Errorf("exit %d: %s", p.ProcessState.ExitCode(), text)
	}
	if readFile(t, s.Path()) != before {
		t.Error("the file changed")
	}
	left, err := os.ReadDir(s.Dir())
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
