package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"helix/internal/proc"
	"helix/internal/run/executor"
)

// Runner runs gates in one folder.
type Runner struct {
	Dir     string
	Env     []string      // the whole environment
	Timeout time.Duration // of each gate; 0: none
	Output  io.Writer     // receives what the gates print; its errors are not the gate's
	Marker  string        // KEY=value by which the processes of one gate are known; may be empty
	Started func(proc.Process)
}

// maxOutput is how much of one gate's output is passed on; its end is always
// kept for the tail.
const maxOutput = 4 << 20

// Run runs one gate to its end. The error is that of ctx, which ended the gate
// before it had a result; how the gate went is in the result.
func (r Runner) Run(ctx context.Context, s Spec) (executor.Gate, error) {
	g := executor.Gate{Name: s.Name, Command: s.Command, ExitCode: -1}
	if err := ctx.Err(); err != nil {
		return g, err
	}
	shell := s.Shell
	if shell == "" {
		shell = "sh"
	}
	cmd := exec.Command(shell, "-c", s.Command)
	cmd.Dir, cmd.Env = r.Dir, append(slices.Clip(r.Env), "PWD="+r.Dir)
	out := &output{to: r.Output, left: maxOutput}
	cmd.Stdout, cmd.Stderr = out, out

	began := time.Now()
	group, err := proc.Start(cmd, proc.Options{Marker: r.Marker})
	if err != nil {
		g.Tail = fmt.Sprintf("helix: %v", err)
		fmt.Fprintln(out, g.Tail)
		return g, nil
	}
	if r.Started != nil {
		r.Started(group.Leader)
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if r.Timeout > 0 {
		limited, cancel = context.WithTimeoutCause(ctx, r.Timeout, errTimeout)
	}
	defer cancel()
	err = group.Wait(limited)
	g.Duration = time.Since(began)
	g.Passed = err == nil
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return g, ctx.Err()
	case errors.Is(err, errTimeout):
		fmt.Fprintf(out, "\nhelix: ended after %s, the time that a gate may take\n", r.Timeout)
	case err != nil && !errors.As(err, &exit):
		g.ExitCode = group.ExitCode()
		fmt.Fprintf(out, "\nhelix: %v\n", err)
	default:
		g.ExitCode = group.ExitCode()
	}
	out.finish()
	if !g.Passed {
		g.Tail = out.tail()
	}
	return g, nil
}

var errTimeout = errors.New("timeout")

// output passes the first bytes on and remembers the last.
type output struct {
	to      io.Writer
	left    int
	dropped int64
	last    []byte
}

const (
	tailLines = 40
	tailWidth = 400 // bytes of a line
	tailBytes = 64 << 10
)

func (o *output) Write(p []byte) (int, error) {
	pass := p[:min(len(p), o.left)]
	o.left -= len(pass)
	o.dropped += int64(len(p) - len(pass))
	if o.to != nil && len(pass) > 0 {
		_, _ = o.to.Write(pass)
	}
	o.last = append(o.last, p...)
	if len(o.last) > 2*tailBytes {
		o.last = append(o.last[:0], o.last[len(o.last)-tailBytes:]...)
	}
	return len(p), nil
}

// finish passes the end of the output on where its middle was left out.
func (o *output) finish() {
	if o.to == nil || o.dropped == 0 {
		return
	}
	fmt.Fprintf(o.to, "\nhelix: … output left out, it ends with …\n%s\n", o.tail())
}

// escapes are terminal control sequences.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])`)

func (o *output) tail() string {
	text := escapes.ReplaceAll(o.last, nil)
	lines := bytes.Split(bytes.TrimRight(text, "\r\n\t "), []byte("\n"))
	lines = lines[max(0, len(lines)-tailLines):]
	for i, line := range lines {
		if at := bytes.LastIndexByte(bytes.TrimRight(line, "\r"), '\r'); at >= 0 {
			line = line[at+1:] // a progress bar: what stood there last
		}
		if len(line) > tailWidth {
			line = append(bytes.Clone(line[:tailWidth]), "…"...)
		}
		lines[i] = line
	}
	return strings.ToValidUTF8(string(bytes.Join(lines, []byte("\n"))), "�")
}

// shellWords are commands that are part of the shell.
var shellWords = map[string]bool{
	"test": true, "[": true, "[[": true, "cd": true, "set": true, "export": true, "if": true, "for": true,
	"while": true, "command": true, "type": true, "eval": true, "exec": true, "exit": true, ".": true, "source": true,
	"echo": true, "printf": true, "true": true, "false": true, "trap": true, "unset": true, "ulimit": true, "{": true,
}

// ShellWord tells whether word is a command of the shell itself.
func ShellWord(word string) bool { return shellWords[word] }
