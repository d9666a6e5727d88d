package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Worktree is one registered work tree of a repository.
type Worktree struct {
	Path   string
	Head   string // commit; "" when the branch is unborn
	Branch string // full ref name; "" when HEAD is detached
	Bare   bool
}

// Worktrees lists the work trees of the repository, the main one first. A
// registered folder need not exist any more.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.Run(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	return parseWorktrees(out), nil
}

func parseWorktrees(porcelain string) []Worktree {
	var list []Worktree
	for line := range strings.Lines(porcelain) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if key == "worktree" {
			list = append(list, Worktree{Path: value})
			continue
		}
		if len(list) == 0 {
			continue
		}
		w := &list[len(list)-1]
		switch key {
		case "HEAD":
			if strings.Trim(value, "0") != "" {
				w.Head = value
			}
		case "branch":
			w.Branch = value
		case "bare":
			w.Bare = true
		}
	}
	return list
}

// AddWorktree checks rev out into a new, registered folder with a detached HEAD.
func (r *Repo) AddWorktree(ctx context.Context, path, rev string) error {
	_, err := r.Run(ctx, "worktree", "add", "--quiet", "--detach", path, rev)
	return err
}

// Registrations are the folders in which git keeps HEAD and index of each work
// tree beside the main one. The file gitdir in each leads back to the work tree.
func Registrations(commonDir string) []string {
	dir := filepath.Join(commonDir, "worktrees")
	entries, _ := os.ReadDir(dir) // without work trees it does not exist
	var dirs []string
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(dir, e.Name()))
	}
	return dirs
}

// ForgetWorktree removes the registration of a work tree whose folder is gone
// already, whatever state it was in. Only this one: pruning would also forget
// worktrees on a disk that is not mounted now.
func (r *Repo) ForgetWorktree(ctx context.Context, path string) error {
	_, err := r.Run(ctx, "worktree", "remove", "--force", "--force", path)
	return err
}

// Operation is something that a person, or an agent, has begun in a work tree
// and not finished.
type Operation struct {
	Name   string // "merge", "rebase", …; empty: none
	Branch string // short name of the branch that it will come back to; may be empty
}

// OperationIn finds an unfinished operation by the files that git keeps in the
// work tree's git folder.
func OperationIn(gitDir string) Operation {
	for _, o := range []struct{ file, name, branch string }{
		{"rebase-merge", "rebase", "rebase-merge/head-name"},
		{"rebase-apply", "rebase", "rebase-apply/head-name"},
		{"MERGE_HEAD", "merge", ""},
		{"CHERRY_PICK_HEAD", "cherry-pick", ""},
		{"REVERT_HEAD", "revert", ""},
		{"sequencer", "cherry-pick or revert", ""},
		{"BISECT_START", "bisect", "BISECT_START"},
	} {
		if _, err := os.Stat(filepath.Join(gitDir, o.file)); err != nil {
			continue
		}
		op := Operation{Name: o.name}
		if o.branch != "" {
			text, _ := os.ReadFile(filepath.Join(gitDir, o.branch))
			op.Branch = strings.TrimPrefix(strings.TrimSpace(string(text)), "refs/heads/")
		}
		return op
	}
	return Operation{}
}

// OperationOn finds a work tree of the repository in which an unfinished
// operation will come back to the branch, and names its git folder.
func OperationOn(commonDir, branch string) (op Operation, gitDir string) {
	dirs := append([]string{commonDir}, Registrations(commonDir)...)
	for _, dir := range dirs {
		if op := OperationIn(dir); op.Branch == branch {
			return op, dir
		}
	}
	return Operation{}, ""
}
