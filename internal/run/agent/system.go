package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"helix/internal/proc"
)

// System runs the agents that are installed on this machine.
type System struct {
	Environ []string      // KEY=value; nil: this process's environment
	Grace   time.Duration // between SIGTERM and SIGKILL; 0: proc.DefaultGrace
}

var _ Runner = System{}

// Environment variables that every agent gets. The marker is unique to one run
// of an agent: by it the processes are found that left the agent's group. The
// other two tell a Command what Spec asks for.
const (
	envMarker = "HELIX_AGENT_ID"
	envModel  = "HELIX_MODEL"
	envEffort = "HELIX_EFFORT"
)

// Run implements Runner. It returns when the agent and everything it started
// have ended, and no later than the grace after job.Timeout or the end of ctx.
func (s System) Run(ctx context.Context, spec Spec, job Job) (Result, error) {
	args, err := checked(spec, &job)
	if err != nil {
		return Result{}, err
	}
	env := append(s.environ(), job.Env...)
	if spec.Kind == Command {
		env = append(env, envModel+"="+spec.Model, envEffort+"="+spec.Effort)
	}
	name := filepath.Base(args[0])
	program, err := lookPath(args[0], job.Dir, env)
	if err != nil {
		r := fail(Missing, 0, "%s: %v", args[0], err)
		r.ExitCode = -1
		return r, nil
	}
	cmd := exec.Command(program, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Dir, cmd.Env, cmd.Stdin = job.Dir, append(env, "PWD="+job.Dir), strings.NewReader(job.Prompt)
	return s.follow(ctx, name, cmd, newTranscript(spec.Kind, job.Notice), job), nil
}

// checked refuses calls that cannot work and gives the command line.
func checked(spec Spec, job *Job) ([]string, error) {
	dir, err := filepath.Abs(job.Dir)
	if err != nil {
		return nil, fmt.Errorf("agent: working folder %q: %w", job.Dir, err)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("agent: working folder: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("agent: working folder %s is not a folder", dir)
	}
	job.Dir = dir
	if strings.TrimSpace(job.Prompt) == "" {
		return nil, errors.New("agent: the prompt is empty")
	}
	if _, err := ParseKind(string(spec.Kind)); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	args := CommandLine(spec, dir)
	if len(args) == 0 || args[0] == "" {
		return nil, errors.New("agent: no command is configured for agent \"command\"")
	}
	return args, nil
}

func newTranscript(k Kind, notice func(string)) transcript {
	switch k {
	case Claude:
		return &claudeTranscript{notice: notice}
	case Codex:
		return &codexTranscript{notice: notice}
	}
	return &textTranscript{claude: claudeTranscript{notice: notice}, codex: codexTranscript{notice: notice}}
}

var errTimeout = errors.New("timeout")

// follow runs the command to its end and judges it.
func (s System) follow(ctx context.Context, name string, cmd *exec.Cmd, t transcript, job Job) Result {
	log := &journal{w: job.Log}
	logOut, logErr := &stream{journal: log}, &stream{journal: log}
	read := &lineReader{each: t.line, max: maxLine}
	out, errOut := &tail{max: maxText}, &tail{max: maxErrors}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(logOut, out, read), io.MultiWriter(logErr, errOut)

	began := time.Now()
	group, err := proc.Start(cmd, proc.Options{Grace: s.Grace, Marker: envMarker + "=" + rand.Text()})
	if err != nil {
		r := fail(Setup, 0, "%s cannot be started: %v", name, cause(err))
		r.ExitCode = -1
		return r
	}
	if job.Started != nil {
		job.Started(group.Leader)
	}
	if job.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, job.Timeout, errTimeout)
		defer cancel()
	}
	err = group.Wait(ctx)
	read.end()
	logOut.end()
	logErr.end()

	cut := ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
	r := t.judge(ending{
		name: name, code: group.ExitCode(), cut: cut,
		out: out.String(), errOut: errOut.String(), now: time.Now(),
	})
	r.ExitCode, r.Duration = group.ExitCode(), time.Since(began)
	if cut {
		r.stopped(context.Cause(ctx), job.Timeout)
	}
	return r
}

// stopped completes the result of a run that helix ended. An agent that had
// finished by then, and only lingered over something in the background, has
// done its work.
func (r *Result) stopped(why error, limit time.Duration) {
	reason := "the run was stopped"
	switch {
	case !errors.Is(why, errTimeout):
		r.Cancelled = true
	case r.OK:
		return
	default:
		r.TimedOut = true
		reason = fmt.Sprintf("agent timeout after %gs", limit.Seconds())
	}
	if r.OK {
		return
	}
	if r.Cancelled {
		r.Trouble, r.RetryAfter = NoTrouble, 0
	}
	if r.Reason != "" {
		reason += "; " + r.Reason
	}
	r.Reason = oneLine(reason)
}

// cause is the innermost message of an error: "exec format error" without the
// steps on the way there.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
