package codetree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helix/internal/git"
)

// list is the files of the project, relative to root: what git tracks and what it
// does not ignore. Outside of git the same rules hold, with git reading the
// .gitignore files on behalf of an empty repository in the cache folder.
func list(ctx context.Context, root, cache string) ([]string, error) {
	repo := &git.Repo{Dir: root}
	args := []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard"}
	out, err := repo.Run(ctx, args...)
	var refused *git.Error
	if errors.As(err, &refused) {
		if _, not := git.Open(ctx, root); errors.Is(not, git.ErrNotRepo) {
			out, err = listPlain(ctx, root, cache, args)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("codetree: list the files of %s: %w", root, err)
	}
	// A repository within this one is listed as a folder, with a slash at its end.
	paths := slices.DeleteFunc(strings.Split(out, "\x00"), func(p string) bool { return p == "" || strings.HasSuffix(p, "/") })
	slices.SortFunc(paths, comparePaths)
	return slices.Compact(paths), nil
}

// listPlain lists a folder that is in no repository.
func listPlain(ctx context.Context, root, cache string, args []string) (string, error) {
	empty := filepath.Join(cache, "empty.git")
	if _, err := os.Stat(filepath.Join(empty, "HEAD")); err != nil {
		if _, err := (&git.Repo{Dir: cache}).Run(ctx, "init", "-q", "--bare", empty); err != nil {
			return "", err
		}
	}
	return (&git.Repo{Dir: root}).With("--git-dir="+empty, "--work-tree="+root).Run(ctx, args...)
}

// comparePaths orders files by folder, then by name: those of one folder are
// together.
func comparePaths(a, b string) int {
	dirA, nameA := splitPath(a)
	dirB, nameB := splitPath(b)
	if c := strings.Compare(dirA, dirB); c != 0 {
		return c
	}
	return strings.Compare(nameA, nameB)
}

// splitPath gives the folder, "" for the root, and the name.
func splitPath(p string) (dir, name string) {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i], p[i+1:]
	}
	return "", p
}
