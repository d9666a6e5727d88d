package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// dir is a folder whose name leaves room for a socket's; t.TempDir has the name of
// the test in it, too long on macOS.
func dir(t testing.TB) string {
	t.Helper()
	d, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(d) })
	return d
}

func listen(t *testing.T, dir string) *Socket {
	t.Helper()
	s, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serve answers until the test ends.
func serve(t *testing.T, s *Socket, answer func(context.Context, []byte) []byte) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.Serve(ctx, answer) })
	t.Cleanup(func() { cancel(); done.Wait() })
}

func ask(t *testing.T, path, line string) string {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, line); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

func echo(_ context.Context, in []byte) []byte { return append([]byte("got "), in...) }

func TestExchange(t *testing.T) {
	t.Parallel()
	s := listen(t, dir(t))
	serve(t, s, echo)
	if got := ask(t, s.Path(), "{}\nmore\n"); got != "got {}\n" {
		t.Errorf("got %q", got)
	}
	if got := ask(t, s.Path(), "\n"); got != "\n" {
		t.Errorf("an empty line gets %q", got)
	}
	// A line without an end is answered when its time is up.
	if got := ask(t, s.Path(), "{}"); got != "\n" {
		t.Errorf("half a line gets %q", got)
	}
	var all sync.WaitGroup
	for i := range 3 * maxAtOnce {
		all.Go(func() {
			if got, want := ask(t, s.Path(), fmt.Sprint(i)+"\n"), fmt.Sprintf("got %d\n", i); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	all.Wait()
}

func TestTooLongARequest(t *testing.T) {
	t.Parallel()
	s := listen(t, dir(t))
	serve(t, s, func(context.Context, []byte) []byte {
		t.Error("it was answered")
		return nil
	})
	c, err := net.Dial("unix", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The server hangs up on the rest: writing may fail.
	_, _ = io.Copy(c, io.LimitReader(endless{}, maxRequest+1<<20))
	_, _ = io.ReadAll(c)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestMode(t *testing.T) {
	d := filepath.Join(dir(t), "made", "by listen")
	old := syscall.Umask(0)
	s, err := Listen(d)
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for path, want := range map[string]os.FileMode{
		s.Path(): os.ModeSocket | 0o600, s.Path() + ".lock": 0o600, d: os.ModeDir | 0o700,
	} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
	left, err := os.ReadDir(d)
	if err != nil || len(left) != 2 {
		t.Errorf("in the folder: %v %v", left, err)
	}
}

func TestSecondServer(t *testing.T) {
	t.Parallel()
	d := dir(t)
	first := listen(t, d)
	serve(t, first, echo)
	if _, err := Listen(d); !errors.Is(err, ErrTaken) {
		t.Fatalf("the second gets %v, want ErrTaken", err)
	}
	if got := ask(t, first.Path(), "1\n"); got != "got 1\n" {
		t.Errorf("the first answers %q", got)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(first.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	serve(t, listen(t, d), echo)
	if got := ask(t, first.Path(), "2\n"); got != "got 2\n" {
		t.Errorf("the next one answers %q", got)
	}
}

// TestForeignServer: a socket that something without our lock answers is not ours
// to take.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	d := dir(t)
	other, err := net.Listen("unix", filepath.Join(d, Name))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := Listen(d); !errors.Is(err, ErrTaken) {
		t.Errorf("got %v, want ErrTaken", err)
	}
	if _, err := os.Lstat(filepath.Join(d, Name)); err != nil {
		t.Error(err)
	}
}

func TestDeadServer(t *testing.T) {
	t.Parallel()
	d := dir(t)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(d, Name), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	s := listen(t, d)
	serve(t, s, echo)
	if got := ask(t, s.Path(), "1\n"); got != "got 1\n" {
		t.Errorf("got %q", got)
	}
}

func TestNotASocket(t *testing.T) {
	t.Parallel()
	d := dir(t)
	path := filepath.Join(d, Name)
	if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(d); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(path); string(text) != "precious" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// TestReplaced: what another program put in the socket's place stays at our end.
func TestReplaced(t *testing.T) {
	t.Parallel()
	d := dir(t)
	s := listen(t, d)
	if err := os.Remove(s.Path()); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("unix", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(d, Name)); err != nil {
		t.Errorf("the other's socket: %v", err)
	}
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	d := filepath.Join(dir(t), strings.Repeat("d", 100))
	if _, err := Listen(d); !errors.Is(err, ErrTooLong) {
		t.Errorf("got %v, want ErrTooLong", err)
	}
	if _, err := os.Lstat(d); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

// memory is a folder with a few entries.
func memory(t testing.TB) string {
	t.Helper()
	d := dir(t)
	l := log.Open(d)
	defer l.Close()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var ops []log.Op
	for i, e := range []struct{ topic, text, source string }{
		{"auth", "tokens live\n15 minutes \x1b[31m", "src/auth.go"},
		{"auth", "Login checks the password twice", ""},
		{"build", strings.Repeat("make needs bash ", 30), ""},
	} {
		made := entry.New(e.topic, e.text, now.Add(time.Duration(i)*time.Minute))
		made.ID = fmt.Sprintf("mem_%d", i)
		made.Source.Path = e.source
		ops = append(ops, log.Put(made))
	}
	if _, err := l.Append(t.Context(), ops...); err != nil {
		t.Fatal(err)
	}
	return d
}

func answerer(d string) *Answerer {
	return &Answerer{
		Open: func() (Memory, error) { return view.Open(d) },
		Hook: func(_ context.Context, event string, input []byte) []byte {
			return []byte("{\n \"event\": \"" + event + "\" }\n")
		},
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	a := answerer(memory(t))
	for in, want := range map[string]string{
		`{"op":"topics"}`:                                     "auth (2), build (1)",
		`{"op":"search","query":"tokens"}`:                    "[auth] tokens live 15 minutes [31m",
		`{"op":"search","query":"nothinghere"}`:               "",
		`{"op":"search","query":"tokens","limit":-1}`:         "[auth] tokens live 15 minutes [31m",
		`{"op":"search","query":"tokens","limit":"x"}`:        "[auth] tokens live 15 minutes [31m",
		`{"op":"search"}`:                                     "",
		`{"op":"ambient","path":"src/auth.go"}`:               "source-linked (src/auth.go):\n  [auth] tokens live 15 minutes [31m\n",
		`{"op":"ambient","stem":"password","syms":["Login"]}`: "symbol context:\n  [auth] Login checks the password twice\n",
		`{"op":"ambient"}`:                                    "",
		`{"op":"hook_ambient","tool_name":"Read"}`:            `{"event":"PreToolUse"}`,
		`{"op":"hook_ambient","type":"subagent-start"}`:       `{"event":"SubagentStart"}`,
		`{"op":"hook_ambient","hook_event_name":"Stop"}`:      `{"event":"Stop"}`,
		`{"op":"none"}`:                                       "",
		`{}`:                                                  "",
		`[]`:                                                  "",
		`hello`:                                               "",
		`{"op":7}`:                                            "",
	} {
		if got := string(a.Answer(t.Context(), []byte(in))); got != want {
			t.Errorf("%s gives %q, want %q", in, got, want)
		}
	}
	long := string(a.Answer(t.Context(), []byte(`{"op":"search","query":"bash"}`)))
	if len(long) > maxLine || !strings.HasSuffix(long, "…") {
		t.Errorf("a long entry gives %d bytes: %q", len(long), long)
	}
}

// FuzzAnswer: whatever is asked, the answer is bounded, and that to a search has one
// line a hit.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"op":"search","query":"tokens -login \"live 15\" topic:a*","limit":99999}`, `{"op":"topics"}`,
		`{"op":"ambient","stem":"auth","path":"../auth.go:7","syms":["a","b"]}`, `{"op":"hook_ambient"}`, "{", "\x00", `{"op":"search","query":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	a := answerer(memory(f))
	f.Fuzz(func(t *testing.T, in []byte) {
		got := a.Answer(t.Context(), in)
		if len(got) > maxHits*(maxLine+1) {
			t.Errorf("%d bytes", len(got))
		}
		var r request
		if json.Unmarshal(in, &r) == nil && r.Op == "search" {
			for line := range strings.Lines(string(got)) {
				if !strings.HasPrefix(line, "[") {
					t.Errorf("a line of %q is no hit", got)
				}
			}
		}
		if r.Op == "hook_ambient" && bufio.NewScanner(strings.NewReader(string(got))).Scan() && strings.Contains(string(got), "\n") {
			t.Errorf("the answer to a hook has several lines: %q", got)
		}
	})
}
