package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"helix/internal/git"
	"helix/internal/run/executor/builtin/gate"
	"helix/internal/tracker"
)

const commitLong = `Commit the staged changes (all changes of tracked files when nothing is staged),
after the project's gates have passed. With a bead's id the commit carries its
trailer, the bead is closed, and the queue's file is committed after it when git
tracks it. Nothing is pushed unless --push is given.`

func (a *App) commitCmd() *cobra.Command {
	var push, noGate bool
	cmd := &cobra.Command{
		Use: "commit [id]", Short: "Run the gates, commit, and close a bead", Long: commitLong, GroupID: "work", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.project(cmd.Context())
			if err != nil {
				return err
			}
			c := committer{app: a, project: p, noGate: noGate}
			if len(args) == 1 {
				q, err := p.store.Load(cmd.Context())
				if err != nil {
					return err
				}
				if c.bead, err = q.Resolve(args[0]); err != nil {
					return err
				}
				if c.bead.Status == tracker.Closed {
					return fmt.Errorf("bead %s is closed already; reopen it with: helix bead reopen %s", c.bead.ID, c.bead.ID)
				}
			}
			if err := c.commit(cmd.Context()); err != nil {
				return err
			}
			if push {
				if _, err := p.repo.Run(cmd.Context(), "push"); err != nil {
					return fmt.Errorf("committed, but not pushed: %w", err)
				}
				fmt.Fprintln(a.Stderr, "helix: pushed")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&push, "push", false, "push the branch afterwards")
	cmd.Flags().BoolVar(&noGate, "no-gate", false, "commit without running the gates")
	return cmd
}

type committer struct {
	app     *App
	project *project
	bead    *tracker.Bead // nil: none
	noGate  bool
}

func (c *committer) commit(ctx context.Context) error {
	repo := c.project.repo
	if err := c.stage(ctx); err != nil {
		return err
	}
	message, err := c.message(ctx)
	if err != nil {
		return err
	}
	if !c.noGate {
		if err := c.gates(ctx); err != nil {
			return err
		}
	}
	if _, err := repo.RunInput(ctx, message, "commit", "-q", "-F", "-"); err != nil {
		return fmt.Errorf("the commit failed: %w", err)
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.app.Stdout, head)
	if c.bead == nil {
		return nil
	}
	if err := c.project.store.Close(ctx, c.bead.ID, tracker.Closing{Commit: head}); err != nil {
		return fmt.Errorf("committed as %s, but the bead was not closed: %w", short(head), err)
	}
	return c.commitQueue(ctx)
}

// stage refuses when there is nothing to commit.
func (c *committer) stage(ctx context.Context) error {
	repo := c.project.repo
	_, err := repo.Run(ctx, "diff", "--cached", "--quiet")
	if err != nil {
		return nil // something is staged
	}
	if _, err := repo.Run(ctx, "diff", "--quiet"); err == nil {
		return errors.New("nothing to commit: no file that git tracks has changed; stage new files with: git add")
	}
	fmt.Fprintln(c.app.Stderr, "helix: no staged changes — staging all modified files")
	if _, err := repo.Run(ctx, "add", "-u"); err != nil {
		return fmt.Errorf("the changes cannot be staged: %w", err)
	}
	return nil
}

// subjectLength is where the subject line is cut.
const subjectLength = 72

func (c *committer) message(ctx context.Context) (string, error) {
	stat, err := c.project.repo.Run(ctx, "diff", "--cached", "--stat")
	if err != nil {
		return "", fmt.Errorf("the staged changes cannot be read: %w", err)
	}
	summary := strings.TrimSpace(stat[strings.LastIndexByte(stat, '\n')+1:])
	if c.bead != nil {
		return fmt.Sprintf("%s\n\n%s\n\nBead: %s\n", cutTo(c.bead.ID+" "+plain(c.bead.Title), subjectLength), summary, c.bead.ID), nil
	}
	names, err := c.project.repo.Run(ctx, "diff", "--cached", "--name-only")
	if err != nil {
		return "", fmt.Errorf("the staged changes cannot be read: %w", err)
	}
	list := strings.Split(names, "\n")
	return fmt.Sprintf("%s\n\n%s\n", cutTo("update "+strings.Join(list[:min(3, len(list))], ","), subjectLength), summary), nil
}

func cutTo(s string, n int) string {
	for len(s) > n {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

// gates run in the checkout itself, on what is about to be committed and
// whatever else lies there.
func (c *committer) gates(ctx context.Context) error {
	runner := gate.Runner{Dir: c.project.repo.Dir, Env: git.Env(), Timeout: c.project.config.GateTimeout, Output: c.app.Stderr}
	for _, spec := range c.project.gates() {
		fmt.Fprintf(c.app.Stderr, "helix: gate: %s\n", spec.Command)
		g, err := runner.Run(ctx, spec)
		if err != nil {
			return err
		}
		if !g.Passed {
			return fmt.Errorf("BUILD GATE FAILED — fix before committing: %s (exit %d)", g.Command, g.ExitCode)
		}
	}
	return nil
}

// commitQueue commits the queue's file after the bead was closed in it, alone,
// so that what else is staged by then stays staged.
func (c *committer) commitQueue(ctx context.Context) error {
	repo := c.project.repo
	path, err := filepath.Rel(repo.Dir, c.project.store.Path())
	if err != nil || strings.HasPrefix(path, "..") {
		return nil // the queue lies outside the repository
	}
	if _, err := repo.Run(ctx, "ls-files", "--error-unmatch", "--", path); err != nil {
		return nil // git does not track it
	}
	if _, err := os.Stat(c.project.store.Path()); err != nil {
		return nil
	}
	if _, err := repo.Run(ctx, "commit", "-q", "-m", c.bead.ID+" close tracker bead", "--only", "--", path); err != nil {
		return fmt.Errorf("the closed bead was not committed: %w", err)
	}
	return nil
}
