package ddx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"helix/internal/run/agent"
)

// ErrNotInstalled: there is no ddx on PATH.
var ErrNotInstalled = errors.New("ddx is not installed")

// Mode is the way in which a ddx makes one attempt.
type Mode string

const (
	Try         Mode = "try"                // ddx try <id>: claims, lands and closes
	ExecuteBead Mode = "agent execute-bead" // v0.6: lands; neither claims nor closes
	ExecuteLoop Mode = "agent execute-loop" // v0.6 before execute-bead: chooses the bead itself
	WorkOnce    Mode = "work"               // chooses the bead itself
)

// Surface is what an installed ddx can do.
type Surface struct {
	Program string
	Mode    Mode
	help    string // of the mode's subcommand: which flags it takes
}

// probeTime bounds one call of ddx --help.
const probeTime = 15 * time.Second

// Probe finds out by its subcommands what the ddx called program can do. Modes
// that can work on a chosen bead come first.
func Probe(ctx context.Context, program string) (Surface, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return Surface{}, fmt.Errorf("%w: %w; install it, or use --executor builtin", ErrNotInstalled, err)
	}
	for _, mode := range []Mode{Try, ExecuteBead, ExecuteLoop, WorkOnce} {
		if help, ok := helpOf(ctx, path, mode); ok {
			return Surface{Program: path, Mode: mode, help: help}, nil
		}
	}
	return Surface{}, fmt.Errorf("%s has neither try, work nor agent execute-bead: it is older than v0.6; update it, or use --executor builtin", path)
}

// helpOf is the help of a subcommand. A parent command answers for a child that
// it does not have with its own help and exit code 0, so the usage line must
// name the child.
func helpOf(ctx context.Context, path string, mode Mode) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append(strings.Fields(string(mode)), "--help")...)
	cmd.Env = append(cmd.Environ(), "DDX_DISABLE_UPDATE_CHECK=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", false
	}
	return out.String(), strings.Contains(out.String(), "ddx "+string(mode))
}

// claims tells whether ddx claims and closes the bead itself; it must then not
// be claimed before.
func (s Surface) claims() bool { return s.Mode != ExecuteBead }

// args are the arguments of one attempt. Flags are only given to a ddx that has
// them.
func (s Surface) args(id string, spec agent.Spec) []string {
	args := strings.Fields(string(s.Mode))
	switch s.Mode {
	case Try:
		args = append(args, id)
	case ExecuteBead:
		args = append(args, id, "--json")
	case ExecuteLoop, WorkOnce:
		args = append(args, "--once", "--json")
		for _, flag := range []string{"--local", "--no-review"} { // without --local v0.6 wants a server; helix reviews
			if s.has(flag) {
				args = append(args, flag)
			}
		}
	}
	harness := ""
	if spec.Kind != agent.Command {
		harness = string(spec.Kind)
	}
	for _, f := range []struct{ flag, value string }{{"--harness", harness}, {"--model", spec.Model}, {"--effort", spec.Effort}} {
		if f.value != "" && s.has(f.flag) {
			args = append(args, f.flag, f.value)
		}
	}
	return args
}

func (s Surface) has(flag string) bool {
	for _, word := range strings.Fields(s.help) {
		if strings.TrimRight(word, ",=") == flag {
			return true
		}
	}
	return false
}
