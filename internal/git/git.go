package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
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
type Repo struct{ Dir string }

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

// Run starts git in the checkout and returns its standard output without the
// final newline. A failure is an *Error.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	return r.RunInput(ctx, "", args...)
}

// RunInput is Run with text on standard input.
func (r *Repo) RunInput(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.Dir
	cmd.Env = Env()
	cmd.Stdin = strings.NewReader(stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
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
	var env []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "LC_ALL":
		default:
			env = append(env, kv)
		}
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=true")
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
