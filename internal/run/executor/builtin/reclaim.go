package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"helix/internal/git"
)

// Report is what Reclaim found of attempts whose process is gone.
type Report struct {
	Removed []string // folders in which nothing was left to lose
	Kept    []Kept
	Live    int // attempts that are still going on
}

// Kept is a folder with work that has not landed. helix never deletes it.
type Kept struct {
	Folder  string
	Bead    string
	Attempt string
	Why     string
	Ref     string // keeps all of the work too; empty when it could not be stored
	Look    string // command that shows the work
	Drop    string // command that gives it up
}

func (k Kept) String() string {
	text := fmt.Sprintf("%s holds work of %s that did not land (%s)", k.Folder, k.Bead, k.Why)
	if k.Ref != "" {
		text += ", also kept at " + k.Ref
	}
	return fmt.Sprintf("%s; look at it with: %s; give it up with: %s", text, k.Look, k.Drop)
}

// ownerless is how old a folder without a readable owner file must be before it
// is judged: a younger one may just be in the making.
const ownerless = time.Hour

// Reclaim removes what attempts that died left behind: work trees without work
// in them, their registrations and temp folders. A work tree that is dirty, or
// has commits that are on no branch, is stored under the attempt's ref and
// stays. What belongs to a living process is not touched.
func (e *Executor) Reclaim(ctx context.Context) (Report, error) {
	var rep Report
	common, err := e.root.CommonDir(ctx)
	if err != nil {
		return rep, fmt.Errorf("builtin: reclaim: %w", err)
	}
	work, err := e.workDir()
	if err != nil {
		return rep, fmt.Errorf("builtin: reclaim: %w", err)
	}
	lock := flock.New(filepath.Join(common, "helix-reclaim.lock"))
	if got, err := lock.TryLock(); err != nil || !got {
		return rep, err // somebody else is at it
	}
	defer lock.Close()
	entries, err := os.ReadDir(work)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return rep, fmt.Errorf("builtin: reclaim: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		folder := filepath.Join(work, entry.Name())
		kept, live, err := e.reclaim(ctx, common, folder)
		switch {
		case ctx.Err() != nil:
			return rep, ctx.Err()
		case err != nil:
			errs = append(errs, fmt.Errorf("builtin: reclaim %s: %w", folder, err))
		case live:
			rep.Live++
		case kept != nil:
			rep.Kept = append(rep.Kept, *kept)
		default:
			rep.Removed = append(rep.Removed, folder)
		}
	}
	errs = append(errs, e.forgetLost(ctx, work))
	return rep, errors.Join(errs...)
}

// reclaim judges one folder and removes it if nothing in it can be lost.
func (e *Executor) reclaim(ctx context.Context, common, folder string) (kept *Kept, live bool, err error) {
	o, err := readOwner(folder)
	if err != nil {
		return reclaimOwnerless(folder)
	}
	if o.alive() {
		return nil, true, nil
	}
	w := &workspace{owner: o, folder: folder, root: e.root, common: common, gitDir: registration(common, o.Tree)}
	if filepath.Dir(w.Temp) != filepath.Clean(os.TempDir()) || !strings.HasPrefix(filepath.Base(w.Temp), tempPrefix) {
		w.Temp = "" // not one that helix makes here
	}
	why, ref, err := e.unlanded(ctx, w)
	if err != nil {
		return nil, false, err
	}
	if why == "" {
		return nil, false, errors.Join(e.dropLanded(ctx, o), w.remove(ctx))
	}
	kept = &Kept{Folder: folder, Bead: o.Bead, Attempt: o.Attempt, Why: why, Ref: ref}
	kept.Look, kept.Drop = "ls -la "+shellQuote(w.Tree), "rm -r "+shellQuote(folder)
	root := "git -C " + shellQuote(e.root.Dir)
	if ref != "" {
		kept.Look = fmt.Sprintf("%s diff %s %s", root, short(o.Base), ref)
	}
	if w.registered() {
		kept.Drop = fmt.Sprintf("%s worktree remove --force %s", root, shellQuote(w.Tree))
		if w.exists() {
			err = w.mendLink() // without it git does not do that
		}
	}
	return kept, false, errors.Join(err, w.settleKept())
}

// dropLanded removes the ref of an attempt that died between landing its work
// and that.
func (e *Executor) dropLanded(ctx context.Context, o owner) error {
	ref := preservedRef(o.Bead, o.Attempt)
	id, err := e.root.Commit(ctx, ref)
	if err != nil {
		return ctx.Err() // there is none
	}
	if on, err := e.onBranch(ctx, id, ""); err != nil || !on {
		return err
	}
	return e.root.DeleteRef(ctx, ref, id)
}

func reclaimOwnerless(folder string) (*Kept, bool, error) {
	info, err := os.Stat(folder)
	if err != nil || time.Since(info.ModTime()) < ownerless {
		return nil, err == nil, err
	}
	if os.Remove(folder) == nil { // it was empty
		return nil, false, nil
	}
	return &Kept{
		Folder: folder, Bead: "an unknown bead", Why: "its owner file cannot be read",
		Look: "ls -la " + shellQuote(folder), Drop: "rm -r " + shellQuote(folder),
	}, false, nil
}

// unlanded tells why a dead attempt's work tree must stay, and stores its work;
// why is empty when there is none.
func (e *Executor) unlanded(ctx context.Context, w *workspace) (why, ref string, err error) {
	if w.unfinished() {
		return "", "", nil
	}
	head := w.Base
	if w.registered() {
		if head, err = w.head(ctx); errors.Is(err, git.ErrNoRev) {
			head, err = w.Base, nil
		}
	}
	if err != nil {
		return "", "", err
	}
	was, err := e.root.Run(ctx, "rev-parse", head+"^{tree}")
	if err != nil {
		return "", "", err
	}
	snap := git.Snapshot{Tree: was}
	if w.exists() {
		if snap, err = w.snapshot(ctx, head); err != nil {
			return "it cannot be read: " + err.Error(), "", ctx.Err()
		}
	}
	on, err := e.onBranch(ctx, head, w.Base)
	switch {
	case err != nil:
		return "", "", err
	case snap.Tree != was:
		why = "it has uncommitted changes"
	case !on:
		why = "it has commits that are on no branch"
	case len(snap.Nested) > 0:
		return "it holds a repository inside: " + list(snap.Nested), "", nil
	default:
		return "", "", nil
	}
	ref, err = e.keepDead(ctx, w, head, snap.Tree)
	return why, ref, err
}

// unfinished: git was still making the work tree when the process died, so that
// no agent has seen it.
func (w *workspace) unfinished() bool {
	text, err := os.ReadFile(filepath.Join(w.gitDir, "locked"))
	return w.gitDir != "" && err == nil && strings.TrimSpace(string(text)) == "initializing"
}

// onBranch tells whether a commit is the base of the attempt, or in the history
// of a branch.
func (e *Executor) onBranch(ctx context.Context, commit, base string) (bool, error) {
	if commit == base {
		return true, nil
	}
	refs, err := e.root.RefsContaining(ctx, commit, "refs/heads")
	return len(refs) > 0, err
}

// keepDead stores the state of a dead attempt's work tree under its ref, or
// beside it if that holds something else. It returns "" when that failed.
func (e *Executor) keepDead(ctx context.Context, w *workspace, head, tree string) (string, error) {
	ref := preservedRef(w.Bead, w.Attempt)
	for _, name := range []string{ref, ref + "-left"} {
		has, err := e.root.Run(ctx, "rev-parse", "--verify", "--quiet", name+"^{tree}")
		if err == nil && has == tree {
			return name, nil
		}
		if err == nil {
			continue
		}
		commit := head
		if same, err := e.root.Run(ctx, "rev-parse", head+"^{tree}"); err != nil || same != tree {
			message := git.WithTrailers("Left in its work tree by a dead attempt", git.Trailer{Key: beadTrailer, Value: w.Bead}, git.Trailer{Key: attemptTrailer, Value: w.Attempt})
			if commit, err = e.root.CommitTree(ctx, tree, message, head); err != nil {
				return "", ctx.Err()
			}
		}
		if e.root.SetRef(ctx, name, commit, "", "helix: left by attempt "+w.Attempt) == nil {
			return name, nil
		}
	}
	return "", ctx.Err()
}

// forgetLost removes the registrations of work trees whose folders somebody
// deleted. Commits that only they still name are kept under a ref.
func (e *Executor) forgetLost(ctx context.Context, work string) error {
	trees, err := e.root.Worktrees(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, t := range trees {
		if _, err := os.Stat(t.Path); !errors.Is(err, os.ErrNotExist) || !inside(t.Path, work) {
			continue
		}
		folder := filepath.Dir(t.Path)
		if _, err := os.Stat(folder); err == nil {
			continue // a folder that reclaim has judged
		}
		if on, err := e.onBranch(ctx, t.Head, ""); err != nil || !on {
			ref := "refs/helix/preserved/lost/" + refName(filepath.Base(folder))
			if err := e.root.SetRef(ctx, ref, t.Head, "", "helix: its work tree was deleted"); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		errs = append(errs, e.root.ForgetWorktree(ctx, t.Path))
	}
	return errors.Join(errs...)
}

// shellQuote writes a word so that a shell reads it as one.
func shellQuote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:@") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
