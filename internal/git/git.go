package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	// ErrNotRepo: the folder is not inside a git work tree.
	ErrNotRepo = errors.New("not a git repository")
	// ErrNoCommits: the repository has no commit yet.
	ErrNoCommits = errors.New("the repository has no commits yet")
	// ErrDetached: HEAD is on no branch.
	ErrDetached = errors.New("HEAD is detached")
)

// Repo is one checkout, named by the top folder of its work tree.
type Repo struct {
	Dir string

	opts []string // before every subcommand
	env  []string
}

// With is the same checkout with global options, such as -c key=value, put
// before every subcommand.
func (r *Repo) With(opts ...string) *Repo {
	c := *r
	c.opts = append(slices.Clip(r.opts), opts...)
	return &c
}

// WithEnv is the same checkout with KEY=value added to git's environment.
func (r *Repo) WithEnv(kv ...string) *Repo {
	c := *r
	c.env = append(slices.Clip(r.env), kv...)
	return &c
}

// At is the work tree at dir, with the options and environment of r.
func (r *Repo) At(dir string) *Repo {
	c := *r
	c.Dir = dir
	return &c
}

// Unattended is the same checkout for changes that nobody asked git for: no
// hook of the person runs, nothing is left running in the background, no
// setting turns a plain step into more, and what is written is on the disk when
// the call returns.
func (r *Repo) Unattended() *Repo {
	return r.With(
		"-c", "core.hooksPath="+os.DevNull, "-c", "core.fsmonitor=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "core.safecrlf=false", "-c", "submodule.recurse=false", "-c", "rerere.enabled=false",
		"-c", "log.showSignature=false", "-c", "core.fsync=committed,reference",
	)
}

// Open finds the checkout that dir lies in.
func Open(ctx context.Context, dir string) (*Repo, error) {
	top, err := (&Repo{Dir: dir}).Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("git: open %s: %w", dir, ErrNotRepo)
	}
	return &Repo{Dir: top}, nil
}

// Error is a git command that failed: its exit code and what it said.
type Error struct {
	Args   []string
	Code   int
	Stderr string
}

func (e *Error) Error() string {
	first, _, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	return fmt.Sprintf("git %s: %s (exit %d)", strings.Join(e.Args, " "), first, e.Code)
}

// endGrace is how long git may take to remove its lock files when it is ended.
const endGrace = 10 * time.Second

// Run starts git in the checkout and returns its standard output without the
// final newline. A failure is an *Error, or wraps the context's error when that
// ended it. git is in a process group of its own: an interrupt from the keyboard
// cannot cut it in the middle of a change, only ctx can.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	return r.RunInput(ctx, "", args...)
}

// RunInput is Run with text on standard input.
func (r *Repo) RunInput(ctx context.Context, stdin string, args ...string) (string, error) {
	for tries := 0; ; tries++ {
		out, err := r.runOnce(ctx, stdin, args)
		if tries == halfMadeTries || !sawHalfMade(err) || ctx.Err() != nil {
			return out, err
		}
		time.Sleep(halfMadePause)
	}
}

// A git command that looks at all work trees fails when another process is just
// making one, before it has changed anything.
const (
	halfMadeTries = 40
	halfMadePause = 25 * time.Millisecond
)

var halfMade = regexp.MustCompile(`fatal: failed to read .*worktrees/[^/]+/commondir`)

func sawHalfMade(err error) bool {
	var e *Error
	return errors.As(err, &e) && halfMade.MatchString(e.Stderr)
}

func (r *Repo) runOnce(ctx context.Context, stdin string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clip(r.opts), args...)...)
	cmd.Dir = r.Dir
	cmd.Env = append(Env(), r.env...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), ctx.Err())
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return "", fmt.Errorf("git: start git %s: %w", strings.Join(args, " "), err)
		}
		return strings.TrimSuffix(out.String(), "\n"), &Error{Args: args, Code: exit.ExitCode(), Stderr: errOut.String()}
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// Env is the environment of every git call: the caller's, without the variables
// that would point git at another repository (a hook's environment has them).
func Env() []string {
	return append(Outside(os.Environ()), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=true")
}

// Outside is an environment without the variables that tie a program to one
// repository or change how git reads paths. Whatever helix starts in another
// work tree needs that too.
func Outside(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
			"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS":
			return true
		}
		return false
	})
}

// Head is the commit that HEAD names, in full.
func (r *Repo) Head(ctx context.Context) (string, error) {
	rev, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", fmt.Errorf("git: read HEAD of %s: %w", r.Dir, ErrNoCommits)
	}
	return rev, nil
}

// Branch is the short name of the branch that HEAD is on.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	name, err := r.Run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return "", fmt.Errorf("git: read the branch of %s: %w", r.Dir, ErrDetached)
	}
	return name, nil
}
