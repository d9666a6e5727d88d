package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Change is how one path differs between two trees. Renames are a removal and
// an addition.
type Change struct {
	Path             string
	OldMode, NewMode string // octal; absent: the path does not exist on that side
	OldID, NewID     string // blob ids; of no meaning where the mode is absent

	unmerged bool // left in conflict
}

const (
	absent  = "000000"
	gitlink = "160000"
)

// Added: the path is new.
func (c Change) Added() bool { return c.OldMode == absent }

// Deleted: the path goes away.
func (c Change) Deleted() bool { return c.NewMode == absent }

// IsRepository: the path is, or was, a submodule or another repository inside.
func (c Change) IsRepository() bool { return c.OldMode == gitlink || c.NewMode == gitlink }

// Changes lists what differs between two commits or trees, by path.
func (r *Repo) Changes(ctx context.Context, from, to string) ([]Change, error) {
	out, err := r.Run(ctx, "diff-tree", "-r", "-z", "--no-renames", "--ignore-submodules=none", from, to)
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

// parseRaw reads git's raw diff format with NUL separators:
// ":oldmode newmode oldid newid status" NUL path NUL.
func parseRaw(raw string) ([]Change, error) {
	var list []Change
	for raw != "" {
		head, rest, ok := strings.Cut(raw, "\x00")
		path, rest, ok2 := strings.Cut(rest, "\x00")
		f := strings.Fields(strings.TrimPrefix(head, ":"))
		if !ok || !ok2 || path == "" || len(f) != 5 || !strings.HasPrefix(head, ":") {
			return nil, fmt.Errorf("git: cannot read raw diff at %.60q", raw)
		}
		list = append(list, Change{Path: path, OldMode: f[0], NewMode: f[1], OldID: f[2], NewID: f[3], unmerged: f[4] == "U"})
		raw = rest
	}
	return list, nil
}

// Paths are the paths of changes.
func Paths(changes []Change) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// Reversed turns changes around: what undoes them.
func Reversed(changes []Change) []Change {
	back := make([]Change, len(changes))
	for i, c := range changes {
		back[i] = Change{Path: c.Path, OldMode: c.NewMode, NewMode: c.OldMode, OldID: c.NewID, NewID: c.OldID}
	}
	return back
}

// ApplyToTree makes the tree that differs from tree by changes. index is the
// path of a scratch file.
func (r *Repo) ApplyToTree(ctx context.Context, index, tree string, changes []Change) (string, error) {
	s := r.WithEnv("GIT_INDEX_FILE=" + index)
	if _, err := s.Run(ctx, "read-tree", tree); err != nil {
		return "", err
	}
	// Removals first: a file may make room for a folder of the same name.
	var in strings.Builder
	for _, deleted := range []bool{true, false} {
		for _, c := range changes {
			if c.Deleted() != deleted {
				continue
			}
			id := c.NewID
			if deleted {
				id = strings.Repeat("0", len(c.OldID))
			}
			fmt.Fprintf(&in, "%s %s\t%s\x00", c.NewMode, id, c.Path)
		}
	}
	if _, err := s.RunInput(ctx, in.String(), "update-index", "-z", "--replace", "--index-info"); err != nil {
		return "", err
	}
	return s.Run(ctx, "write-tree")
}

// Dirty lists the tracked paths whose index entry or file differs from HEAD,
// submodules included. It does not write to the checkout.
func (r *Repo) Dirty(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, "--no-optional-locks", "status", "--porcelain=v1", "-z",
		"--untracked-files=no", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	var paths []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			paths = append(paths, entry[3:])
		}
	}
	return paths, nil
}

// Hidden lists the tracked paths whose changes git does not look for: those
// marked as unchanged, and those outside a sparse checkout.
func (r *Repo) Hidden(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, "ls-files", "-z", "-v")
	if err != nil {
		return nil, err
	}
	var paths []string
	for entry := range strings.SplitSeq(out, "\x00") {
		// A lower-case letter is assume-unchanged, S is skip-worktree.
		if len(entry) > 2 && (entry[0] >= 'a' && entry[0] <= 'z' || entry[0] == 'S') {
			paths = append(paths, entry[2:])
		}
	}
	return paths, nil
}

// FileIs tells whether the file at path holds the content of blob id, in the
// work tree's form or as it is stored. A file that does not exist holds nothing
// that could be lost, and counts as the same.
func (r *Repo) FileIs(ctx context.Context, path, id string) (bool, error) {
	full := filepath.Join(r.Dir, path)
	info, err := os.Lstat(full)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(full)
		if err != nil {
			return false, err
		}
		got, err := r.RunInput(ctx, target, "hash-object", "--stdin")
		return got == id, err
	}
	if !info.Mode().IsRegular() {
		return false, nil
	}
	if got, err := r.Run(ctx, "hash-object", "--no-filters", "--", path); err != nil || got == id {
		return err == nil, err
	}
	got, err := r.Run(ctx, "hash-object", "--", path)
	return got == id, err
}
