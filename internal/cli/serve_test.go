package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"helix/internal/kb/socket"
)

// serving is a helix serve in this process.
type serving struct {
	in     *io.PipeWriter
	out    *bufio.Scanner
	stderr *lockedBuffer
	stop   context.CancelFunc
	exit   chan int
}

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// startServe starts one and waits until it answers, by when it has its socket.
func startServe(t *testing.T, dir string) *serving {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	s := &serving{in: inW, out: bufio.NewScanner(outR), stderr: &lockedBuffer{}, stop: stop, exit: make(chan int, 1)}
	app := &App{Stdin: inR, Stdout: outW, Stderr: s.stderr, Dir: filepath.Dir(dir), Getenv: func(string) string { return "" }}
	go func() {
		s.exit <- app.Run(ctx, []string{"serve", dir})
		outW.Close()
	}()
	t.Cleanup(func() { stop(); inW.Close(); outR.Close() })
	s.ask(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	return s
}

func (s *serving) ask(t *testing.T, line string) string {
	t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
	if !s.out.Scan() {
		t.Fatalf("no answer; standard error: %s", s.stderr)
	}
	return s.out.Text()
}

func askSocket(t *testing.T, dir, line string) string {
	t.Helper()
	c, err := net.Dial("unix", filepath.Join(dir, "hook.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

// shortDir is a folder whose name leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "kb")
}

const openTheDoor = `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func TestServeAndItsSocket(t *testing.T) {
	dir := shortDir(t)
	first := startServe(t, dir)
	first.ask(t, openTheDoor)
	first.ask(t, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"store","arguments":{"topic":"auth","text":"gotcha: tokens live 15 minutes","source":"auth.go:3"}}}`)
	for request, want := range map[string]string{
		`{"op":"topics"}`:                    "auth (1)\n",
		`{"op":"search","query":"token"}`:    "[auth] gotcha: tokens live 15 minutes\n",
		`{"op":"ambient","path":"auth.go"}`:  "source-linked (auth.go):\n  [auth] gotcha: tokens live 15 minutes\n",
		`{"op":"something else","query":""}`: "\n",
	} {
		if got := askSocket(t, dir, request); got != want {
			t.Errorf("%s gets %q, want %q", request, got, want)
		}
	}
	for request, want := range map[string]string{
		`{"op":"hook_ambient","tool_name":"Read","tool_input":{"file_path":"auth.go"}}`: "tokens live 15 minutes",
		`{"op":"hook_ambient","type":"subagent-start"}`:                                 `"hookEventName":"SubagentStart"`,
	} {
		if got := askSocket(t, dir, request); !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s gets %q, want a line with %q", request, got, want)
		}
	}

	// A second server goes without, and leaves the first one's alone.
	second := startServe(t, dir)
	second.in.Close()
	if code := <-second.exit; code != ExitOK || second.stderr.String() != "" {
		t.Errorf("exit %d, %s", code, second.stderr)
	}
	if got := askSocket(t, dir, `{"op":"topics"}`); got != "auth (1)\n" {
		t.Errorf("then the first says %q", got)
	}

	first.in.Close()
	if code := <-first.exit; code != ExitOK {
		t.Errorf("exit %d, %s", code, first.stderr)
	}
	if got := first.stderr.String(); got != "" {
		t.Errorf("the first says %q", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "hook.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// TestServeSocketTakenOver: who waits for the socket has it when the other has gone.
func TestServeSocketTakenOver(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	other, err := socket.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done, stderr := make(chan struct{}), &lockedBuffer{}
	go func() {
		defer close(done)
		(&App{Stderr: stderr}).serveSocket(ctx, nil, socket.ErrTaken, dir, time.Millisecond, func(context.Context, []byte) []byte { return []byte("mine\n") })
	}()
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(filepath.Join(dir, "hook.sock")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody takes the socket over")
		}
	}
	if got := askSocket(t, dir, `{"op":"topics"}`); got != "mine\n" {
		t.Errorf("it says %q", got)
	}
	stop()
	<-done
	if _, err := os.Lstat(filepath.Join(dir, "hook.sock")); !errors.Is(err, os.ErrNotExist) || stderr.String() != "" {
		t.Errorf("the socket is still there: %v, %s", err, stderr)
	}
}

// TestServeStopped: a signal, which cancels the context, is an orderly end too.
func TestServeStopped(t *testing.T) {
	dir := shortDir(t)
	s := startServe(t, dir)
	s.stop()
	if code := <-s.exit; code != ExitOK {
		t.Errorf("exit %d, %s", code, s.stderr)
	}
	if _, err := os.Lstat(filepath.Join(dir, "hook.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// TestServeRefreshes: what hooks tell about a project is there soon after a server
// began, and for another one after a hook has asked.
func TestServeRefreshes(t *testing.T) {
	dir := shortDir(t)
	for _, d := range []string{filepath.Dir(dir), t.TempDir()} {
		if err := os.MkdirAll(filepath.Join(d, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		if d != filepath.Dir(dir) {
			startServe(t, dir)
			if got := askSocket(t, dir, `{"op":"refresh","root":`+strconv.Quote(d)+`}`); got != "\n" {
				t.Errorf("the request to refresh gets %q", got)
			}
		}
	}
	for _, nonsense := range []string{`{"op":"refresh"}`, `{"op":"refresh","root":5}`, `{"op":"refresh","root":"/none/such"}`} {
		if got := askSocket(t, dir, nonsense); got != "\n" {
			t.Errorf("%s gets %q", nonsense, got)
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(dir, "cache", "*.ctx"))
		if err == nil && len(files) == 2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("only %q are there", files)
		}
	}
}

// TestWaitIdle: requests and writes keep a server going.
func TestWaitIdle(t *testing.T) {
	t.Parallel()
	requests := make(chan struct{})
	looks := 0
	done := make(chan struct{})
	go func() {
		waitIdle(t.Context(), time.Millisecond, requests, func() time.Time {
			looks++
			return time.Unix(int64(min(looks, 4)), 0) // three writes
		})
		close(done)
	}()
	<-done
	if looks != 5 {
		t.Errorf("it looked %d times", looks)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for range 5 {
			requests <- struct{}{}
		}
		stop()
	}()
	waitIdle(ctx, time.Hour, requests, func() time.Time { return time.Time{} })
	if ctx.Err() == nil {
		t.Error("it ended while requests came")
	}
}
