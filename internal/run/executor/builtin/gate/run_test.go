package gate

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helix/internal/proc"
)

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, command, shell string
		passed               bool
		code                 int
		tail, output         string
	}{
		{"green", "echo fine", "", true, 0, "", "fine\n"},
		{"red", "echo out; echo err >&2; exit 3", "", false, 3, "out\nerr", "out\nerr\n"},
		{"not a command", "no-such-program-here", "", false, 127, "not found", ""},
		{"killed by a signal", "kill -9 $$", "", false, -1, "", ""},
		{"no such shell", "true", "no-such-shell-here", false, -1, "no-such-shell-here", ""},
		{"reads nothing", "! read x", "", true, 0, "", ""},
		{"colours and progress", `printf '\033[31mred\033[0m\n10%%\r100%%\n\377\n'; false`, "", false, 1, "red\n100%\n�", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			var led []proc.Process
			r := Runner{Dir: t.TempDir(), Env: os.Environ(), Timeout: time.Minute, Output: &out, Started: func(p proc.Process) { led = append(led, p) }}
			g, err := r.Run(t.Context(), Spec{Name: "n", Command: tc.command, Shell: tc.shell})
			if err != nil || g.Passed != tc.passed || g.ExitCode != tc.code || g.Name != "n" || g.Command != tc.command {
				t.Errorf("got %+v, %v", g, err)
			}
			if !strings.Contains(g.Tail, tc.tail) || tc.passed && g.Tail != "" {
				t.Errorf("tail %q", g.Tail)
			}
			if tc.output != "" && out.String() != tc.output {
				t.Errorf("output %q", out.String())
			}
			if tc.shell == "" && len(led) != 1 {
				t.Errorf("started %v", led)
			}
		})
	}
}

func TestRunIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := Runner{Dir: dir, Env: os.Environ(), Timeout: 50 * time.Millisecond, Marker: "GATE_TEST=" + filepath.Base(dir)}
	g, err := r.Run(t.Context(), Spec{Command: "sleep 600 & sleep 600"})
	if err != nil || g.Passed || g.ExitCode != -1 || !strings.Contains(g.Tail, "ended after 50ms") {
		t.Errorf("got %+v, %v", g, err)
	}
	if left, err := proc.Marked(r.Marker); len(left) > 0 || err != nil {
		t.Errorf("still running: %v, %v", left, err)
	}
}

func TestRunIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := Runner{Dir: t.TempDir(), Env: os.Environ(), Started: func(proc.Process) { cancel() }}
	if _, err := r.Run(ctx, Spec{Command: "sleep 600"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Run(ctx, Spec{Command: "true"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRunOfAFlood(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := Runner{Dir: t.TempDir(), Env: os.Environ(), Timeout: time.Minute, Output: &out}
	g, err := r.Run(t.Context(), Spec{Command: "head -c 9000000 /dev/zero | tr '\\0' x | fold -w 1000; seq 1 60; exit 1"})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(g.Tail, "\n")
	if len(lines) != tailLines || lines[len(lines)-1] != "60" || lines[0] != "21" {
		t.Errorf("tail %q", g.Tail)
	}
	if out.Len() > maxOutput+tailBytes || !strings.HasSuffix(out.String(), "59\n60\n") || !strings.Contains(out.String(), "output left out") {
		t.Errorf("%d bytes passed on, ending with %q", out.Len(), out.String()[out.Len()-40:])
	}
}
