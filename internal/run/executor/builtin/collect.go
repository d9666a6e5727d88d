package builtin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helix/internal/git"
)

// work is what an agent left behind, however it left it: uncommitted, in
// commits, on a branch of its own, or beside all of these.
type work struct {
	base    string           // the changes are relative to this commit
	tree    string           // base with the changes
	changes []git.Change     // of the project's files
	commits []git.CommitInfo // the agent's own, oldest first, along the first parents
	stray   string           // a commit that the agent made and left, when there are no changes
	dropped []git.Change     // of housekeeping files; they never land
	nested  []string         // repositories inside, whose content no commit here can hold
	cannot  string           // why the work must not land; empty: it may
}

// none: there is nothing to land and nothing to keep.
func (w work) none() bool { return len(w.changes) == 0 && w.stray == "" && len(w.nested) == 0 }

// refsBefore are the refs that existed before the agent: by them its own commits
// are told from others that it brought in.
type refsBefore map[string]string

// collect stores all that is in the work tree as objects and says what it is.
// It changes nothing else.
func (a *attempt) collect(ctx context.Context) (work, error) {
	var w work
	head, err := a.agentHead(ctx, &w)
	if err != nil {
		return w, err
	}
	tree, err := a.snapshot(ctx, head, &w)
	if err != nil {
		return w, err
	}
	if err := a.findBase(ctx, head, &w); err != nil {
		return w, err
	}
	all, err := a.root.Changes(ctx, w.base, tree)
	if err != nil {
		return w, err
	}
	w.changes, w.dropped = a.house.split(all)
	w.tree = tree
	if len(w.dropped) > 0 {
		a.keepDropped(ctx, w.base, w.dropped)
		if w.tree, err = a.root.ApplyToTree(ctx, a.ws.index(), tree, git.Reversed(w.dropped)); err != nil {
			return w, err
		}
	}
	for _, c := range w.changes {
		if c.IsRepository() {
			w.refuse(fmt.Sprintf("it changes %s, a submodule or a repository inside the work tree, which helix does not land", c.Path))
			w.nested = append(w.nested, c.Path)
		}
	}
	if len(w.nested) > 0 {
		w.refuse(fmt.Sprintf("the agent left a repository inside the work tree (%s), which helix cannot commit", list(w.nested)))
	}
	if w.commits, err = a.root.FirstParentCommits(ctx, w.base, head); err != nil {
		return w, err
	}
	return w, a.findStray(ctx, head, &w)
}

// refuse records the first reason why the work must not land.
func (w *work) refuse(why string) {
	if w.cannot == "" {
		w.cannot = why
	}
}

// agentHead is the commit that the agent left checked out.
func (a *attempt) agentHead(ctx context.Context, w *work) (string, error) {
	if !a.ws.registered() {
		w.refuse("the agent removed the registration of its work tree, and with it what it had committed")
		return a.site.base, nil
	}
	head, err := a.ws.head(ctx)
	if err != nil && ctx.Err() == nil {
		w.refuse("the agent left its work tree on a branch without commits")
		return a.site.base, nil
	}
	return head, err
}

func (a *attempt) snapshot(ctx context.Context, head string, w *work) (string, error) {
	if !a.ws.exists() {
		w.refuse("the agent removed its work folder")
		return a.root.Run(ctx, "rev-parse", head+"^{tree}")
	}
	snap, err := a.ws.snapshot(ctx, head)
	if len(snap.Unmerged) > 0 {
		w.refuse(fmt.Sprintf("the agent left a conflict unresolved in %s", list(snap.Unmerged)))
	}
	w.nested = snap.Nested
	return snap.Tree, err
}

// findBase settles what the work is relative to. That is where the attempt began,
// or a later commit of the branch when the agent took that in by itself.
func (a *attempt) findBase(ctx context.Context, head string, w *work) error {
	start := a.site.base
	built, err := a.root.IsAncestor(ctx, start, head)
	if err != nil {
		return err
	}
	if !built {
		return a.findOtherBase(ctx, head, w)
	}
	w.base = start
	tip, err := a.root.Commit(ctx, a.site.branch)
	if err != nil {
		return ctx.Err() // the branch is gone: landing will say so
	}
	meet, err := a.root.MergeBase(ctx, head, tip)
	if err != nil {
		return err
	}
	if later, err := a.root.IsAncestor(ctx, start, meet); err != nil {
		return err
	} else if later {
		w.base = meet
	}
	all, err := a.root.CountCommits(ctx, head, w.base)
	if err != nil {
		return err
	}
	own, err := a.root.CountCommits(ctx, head, append(a.before.tips(), w.base)...)
	if err == nil && own < all {
		w.refuse(fmt.Sprintf("the agent brought in %d commits that are not its own, by a merge or a rebase", all-own))
	}
	return err
}

// findOtherBase is findBase for a work tree that the agent left somewhere else:
// on another branch, on an older commit, or without common history.
func (a *attempt) findOtherBase(ctx context.Context, head string, w *work) error {
	w.base = head
	w.refuse(fmt.Sprintf("the agent left its work tree on commit %s, which is not built on %s", short(head), short(a.site.base)))
	own, err := a.root.CountCommits(ctx, head, append(a.before.tips(), a.site.base)...)
	if err != nil || own == 0 {
		return err
	}
	meet, err := a.root.MergeBase(ctx, head, a.site.base)
	if meet == "" {
		w.stray = head
		return err
	}
	w.base = meet
	return nil
}

// findStray looks for commits that the agent made, and then left for a state
// without changes.
func (a *attempt) findStray(ctx context.Context, head string, w *work) error {
	if len(w.changes) > 0 || w.stray != "" {
		return nil
	}
	known := append(a.before.tips(), a.site.base, head)
	if tip, err := a.root.Commit(ctx, a.site.branch); err == nil {
		known = append(known, tip)
	}
	for _, id := range slices.Backward(a.visited()) {
		n, err := a.root.CountCommits(ctx, id, known...)
		if ctx.Err() != nil {
			return err
		}
		if err != nil || n == 0 {
			continue
		}
		if changes, err := a.root.Changes(ctx, a.site.base, id); err == nil && len(changes) > 0 {
			w.stray = id
			w.refuse(fmt.Sprintf("the agent made commit %s and then left it, so that nothing is changed in the end", short(id)))
			return nil
		}
	}
	return nil
}

// visited are the commits that the work tree's HEAD was on, oldest first, from
// its reflog.
func (a *attempt) visited() []string {
	text, _ := os.ReadFile(filepath.Join(a.ws.gitDir, "logs", "HEAD"))
	var ids []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && (len(ids) == 0 || ids[len(ids)-1] != f[1]) {
			ids = append(ids, f[1])
		}
	}
	return ids
}

func (b refsBefore) tips() []string {
	var tips []string
	for _, id := range b {
		tips = append(tips, id)
	}
	slices.Sort(tips)
	return slices.Compact(tips)
}

// ownRefs are the namespaces in which an agent may find or make commits. helix's
// preserved work is not among them: to take it up again is the agent's own work.
var ownRefs = []string{"refs/heads", "refs/remotes", "refs/tags"}

// warnOfBranches names the branches that the agent made. They are the person's
// to delete.
func (a *attempt) warnOfBranches(ctx context.Context) {
	now, err := a.root.Refs(ctx, "refs/heads")
	if err != nil {
		return
	}
	visited := a.visited()
	for ref, id := range now {
		if _, old := a.before[ref]; !old && slices.Contains(visited, id) {
			a.warn("the agent made the branch %s, which is still there; delete it with: git branch -D %s", branchName(ref), branchName(ref))
		}
	}
}

// keepDropped saves what does not land in the evidence, and says so.
func (a *attempt) keepDropped(ctx context.Context, base string, dropped []git.Change) {
	where := "saved as " + filepath.Join(a.ev.rel, droppedFile)
	patch, err := a.root.ApplyToTree(ctx, a.ws.index(), base, dropped)
	if err == nil {
		patch, err = a.root.Run(ctx, "diff-tree", "-p", "--binary", "--no-ext-diff", "--no-textconv", base, patch)
	}
	if err == nil {
		a.ev.write(droppedFile, []byte(patch+"\n"))
	} else {
		where = fmt.Sprintf("not saved: %v", err)
	}
	a.warn("changes of files that belong to the queue or to helix were left out (%s); they are %s", list(git.Paths(dropped)), where)
}

// list names paths for people, the first few of many.
func list(paths []string) string {
	const most = 5
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	if len(paths) > most {
		return strings.Join(paths[:most], ", ") + fmt.Sprintf(" and %d more", len(paths)-most)
	}
	return strings.Join(paths, ", ")
}
