package proc

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Options say how a Group is run.
type Options struct {
	Grace  time.Duration // between SIGTERM and SIGKILL; 0: DefaultGrace
	Marker string        // KEY=value, unique to this command; added to its environment
}

// Group is a running command and everything that it started.
type Group struct {
	Leader Process

	cmd     *exec.Cmd
	family  family
	grace   time.Duration
	exited  chan struct{} // closed when the leader is reaped; waitErr is set before
	waitErr error
	pipes   pipes
}

// Start runs cmd as the leader of a session, and so of a process group, of its
// own: a signal to the caller's group does not reach it, it has no terminal that
// it could wait on, and it can be ended as a whole. cmd must not be started and
// not be made with a context. Its Stdin, Stdout and Stderr are honoured as by
// os/exec, and each writer is used by one goroutine at a time.
//
// Wait must be called.
func Start(cmd *exec.Cmd, opt Options) (*Group, error) {
	g := &Group{cmd: cmd, grace: opt.Grace, exited: make(chan struct{})}
	if g.grace == 0 {
		g.grace = DefaultGrace
	}
	if opt.Marker != "" {
		if cmd.Env == nil {
			cmd.Env = cmd.Environ()
		}
		cmd.Env = append(cmd.Env, opt.Marker)
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	if err := g.pipes.attach(cmd); err != nil {
		return nil, fmt.Errorf("proc: start %s: %w", cmd.Path, err)
	}
	if err := cmd.Start(); err != nil {
		g.pipes.discard()
		return nil, fmt.Errorf("proc: start %s: %w", cmd.Path, err)
	}
	g.pipes.run()
	g.Leader.PID = cmd.Process.Pid
	g.Leader.Start, _ = StartToken(g.Leader.PID) // cannot fail: nobody has reaped it yet
	g.family = family{
		group: g.Leader.PID, marker: opt.Marker, spared: spareSelf,
		known: map[Process]bool{g.Leader: true},
	}
	go func() {
		g.waitErr = cmd.Wait()
		close(g.exited)
	}()
	return g, nil
}

// Wait waits until the leader ends or ctx is done, then ends everything that is
// left, and returns when all output has been written. The error is nil for exit
// code 0, wraps an *exec.ExitError for another end, and wraps the cause of ctx
// when that came first.
func (g *Group) Wait(ctx context.Context) error {
	var cause error
	select {
	case <-g.exited:
	case <-ctx.Done():
		select {
		case <-g.exited: // both at once: it ended by itself
		default:
			cause = context.Cause(ctx)
		}
	}
	err := g.end()
	g.pipes.drain()
	switch {
	case cause != nil:
		return fmt.Errorf("proc: %s was ended: %w", g.name(), cause)
	case err != nil:
		return err
	case g.waitErr != nil:
		return fmt.Errorf("proc: %s: %w", g.name(), g.waitErr)
	}
	return nil
}

// end leaves nothing of the group running and reaps the leader.
func (g *Group) end() error {
	_, err := g.family.end(g.grace)
	if errors.Is(err, ErrSurvived) {
		return err
	}
	if err != nil { // the process table cannot be read: the group is all that is known
		select {
		case <-g.exited:
		default:
			_ = syscall.Kill(-g.Leader.PID, syscall.SIGKILL)
		}
	}
	<-g.exited
	return err
}

func (g *Group) name() string {
	name, _, _ := strings.Cut(strings.Join(g.cmd.Args, " "), "\n")
	return name
}

// ExitCode is the leader's exit code, -1 when a signal ended it. It is known
// after Wait.
func (g *Group) ExitCode() int {
	select {
	case <-g.exited:
		return g.cmd.ProcessState.ExitCode()
	default:
		return -1
	}
}

// Run is Start and Wait.
func Run(ctx context.Context, cmd *exec.Cmd, opt Options) error {
	g, err := Start(cmd, opt)
	if err != nil {
		return err
	}
	return g.Wait(ctx)
}
