package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"helix/internal/git"
	"helix/internal/run/executor"
)

const (
	landingLock = "helix-landing.lock" // in the git folder; empty, never removed
	lockPoll    = 50 * time.Millisecond
	// lockWait bounds the wait for another landing, which runs gates under the
	// lock when the branch has moved.
	lockWait = time.Hour
	// landingRounds is how often the branch may move while its new state is
	// being verified.
	landingRounds = 3
	// moveTime bounds the change of the checkout itself, which is not cut short
	// by a cancellation.
	moveTime = 10 * time.Minute
)

// errMoved: the branch is no longer where it was when the work was verified.
var errMoved = errors.New("the branch has moved")

// verifyAndLand brings stored work to the branch, or leaves it preserved.
func (a *attempt) verifyAndLand(ctx context.Context, c chain) {
	red, err := a.verify(ctx, c)
	if err == nil && red != "" {
		a.preserve("%s", red)
		return
	}
	a.res.Unjudged = true // whatever keeps it from landing now is not the work itself
	if err != nil {
		a.stopped(ctx, err, "the gates ran")
		return
	}
	unlock, err := a.lock(ctx)
	if err != nil {
		a.stopped(ctx, err, "it waited to land")
		return
	}
	defer unlock()
	for range landingRounds {
		err := a.landOnTip(ctx, c)
		if !errors.Is(err, errMoved) {
			if err != nil {
				a.stopped(ctx, err, "it was landing")
			}
			return
		}
	}
	a.preserve("%s moved %d times while the work was verified on it", branchName(a.site.branch), landingRounds)
}

// stopped preserves work whose way to the branch was cut.
func (a *attempt) stopped(ctx context.Context, err error, when string) {
	if ctx.Err() != nil {
		a.preserve("interrupted while %s", when)
		return
	}
	a.preserve("%v", err)
}

// lock keeps every other landing in the repository out.
func (a *attempt) lock(ctx context.Context) (unlock func(), err error) {
	l := flock.New(filepath.Join(a.site.common, landingLock))
	limited, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if _, err := l.TryLockContext(limited, lockPoll); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("another landing held %s for %s", l.Path(), lockWait)
		}
		return nil, err
	}
	return func() { _ = l.Close() }, nil
}

// landOnTip lands the chain on the branch as it is now. Under the landing lock
// only a person or another program can still move the branch; then it is
// errMoved, and nothing has changed. Every other end is in the result.
func (a *attempt) landOnTip(ctx context.Context, c chain) error {
	tip, err := a.root.Commit(ctx, a.site.branch)
	if errors.Is(err, git.ErrNoRev) {
		a.preserve("the branch %s no longer exists", branchName(a.site.branch))
		return nil
	} else if err != nil {
		return err
	}
	if tip != c.base {
		moved, ok, err := a.rebase(ctx, c, tip)
		if err != nil || !ok {
			return err
		}
		c = moved
		red, err := a.verify(ctx, c)
		if err != nil {
			return err
		}
		if red != "" {
			a.preserve("after the rebase onto %s: %s", short(tip), red)
			return nil
		}
	}
	if a.req.Revalidate != nil {
		if err := a.req.Revalidate(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a.preserve("%v", err)
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), moveTime)
	defer cancel()
	if err := a.move(bg, c); err != nil {
		if errors.Is(err, errMoved) {
			return err
		}
		a.preserve("%v", err)
		return nil
	}
	a.landed(bg, c)
	return nil
}

// rebase replays the chain on the branch's tip. ok is false when that cannot be
// done; the result says why.
func (a *attempt) rebase(ctx context.Context, c chain, tip string) (moved chain, ok bool, err error) {
	a.notice("%s has moved to %s; rebasing", branchName(a.site.branch), short(tip))
	if err := a.ws.checkOut(ctx, tip); err != nil {
		return chain{}, false, err
	}
	r := a.ws.git()
	moved = chain{base: tip}
	parent := tip
	for _, bc := range c.commits {
		if _, err := r.Run(ctx, "cherry-pick", "--no-commit", "--allow-empty", bc.id); err != nil {
			if ctx.Err() != nil {
				return chain{}, false, err
			}
			paths, _ := r.Run(ctx, "diff", "--name-only", "--diff-filter=U", "-z", "--no-ext-diff")
			if paths == "" {
				return chain{}, false, fmt.Errorf("rebase onto %s: %w", short(tip), err)
			}
			a.preserve("conflict with %s at %s in %s", branchName(a.site.branch), short(tip), list(strings.Split(strings.TrimRight(paths, "\x00"), "\x00")))
			return chain{}, false, nil
		}
		tree, err := r.Run(ctx, "write-tree")
		if err != nil {
			return chain{}, false, err
		}
		if changes, err := a.root.Changes(ctx, parent, tree); err != nil {
			return chain{}, false, err
		} else if len(changes) == 0 {
			continue // the branch has this already
		}
		if bc.id, err = a.root.CommitTree(ctx, tree, bc.message, parent); err != nil {
			return chain{}, false, err
		}
		if _, err := r.Run(ctx, "reset", "--quiet", "--soft", bc.id); err != nil {
			return chain{}, false, err
		}
		parent = bc.id
		moved.commits = append(moved.commits, bc)
	}
	if len(moved.commits) == 0 {
		a.preserve("%s at %s has the same change already", branchName(a.site.branch), short(tip))
		return chain{}, false, nil
	}
	return moved, true, nil
}

// landed records what helix itself sees on the branch after the move.
func (a *attempt) landed(ctx context.Context, c chain) {
	tip, err := a.root.Commit(ctx, a.site.branch)
	if err == nil {
		var on bool
		if on, err = a.root.IsAncestor(ctx, c.tip(), tip); err == nil && !on {
			err = fmt.Errorf("it is at %s", short(tip))
		}
	}
	if err != nil {
		a.preserve("git moved %s to %s, but then it was not there: %v", branchName(a.site.branch), short(c.tip()), err)
		return
	}
	a.res.Outcome, a.res.Reason, a.res.LandedRev, a.res.Unjudged = executor.Landed, "", c.tip(), false
	a.res.Commits = map[string]string{}
	for _, bc := range c.commits {
		for _, id := range bc.beads {
			a.res.Landed = append(a.res.Landed, id)
			a.res.Commits[id] = bc.id
		}
	}
	if ref := a.res.PreserveRef; ref != "" {
		if err := a.root.DeleteRef(ctx, ref, a.work); err != nil {
			a.warn("the work landed, but %s is still there: %v", ref, err)
		}
		a.res.PreserveRef = ""
	}
}
