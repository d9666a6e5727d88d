package codetree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helix/internal/git"
)

// list is the files of the project, relative to root and in order: what git tracks
// and what it does not ignore. Outside of git the same rules hold, with git reading
// the .gitignore files on behalf of an empty repository in the cache folder. Where
// nothing that decides about it has changed, it is the list of the last time.
func list(ctx context.Context, root, file string, now time.Time) ([]string, error) {
	cache := strings.TrimSuffix(file, filepath.Ext(file)) + ".list"
	if l := readListing(cache, root); l != nil && l.current() {
		return l.paths, nil
	}
	v := &visit{ctx: ctx, root: root, repo: &git.Repo{Dir: root}}
	out, err := v.repo.Run(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	var refused *git.Error
	if errors.As(err, &refused) {
		if _, not := git.Open(ctx, root); errors.Is(not, git.ErrNotRepo) {
			if v.repo, err = emptyRepo(ctx, root, filepath.Dir(file)); err == nil {
				out, err = v.repo.Run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("codetree: list the files of %s: %w", root, err)
	}
	paths := strings.Split(out, "\x00")
	slices.SortFunc(paths, comparePaths)
	v.paths = slices.Compact(paths)
	// A repository within this one is listed as a folder, with a slash at its end.
	paths = slices.DeleteFunc(slices.Clone(v.paths), func(p string) bool { return p == "" || strings.HasSuffix(p, "/") })
	v.remember(paths, cache, now)
	return paths, nil
}

// emptyRepo is a repository with nothing in it that has root as its work tree.
func emptyRepo(ctx context.Context, root, cache string) (*git.Repo, error) {
	empty := filepath.Join(cache, "empty.git")
	if _, err := os.Stat(filepath.Join(empty, "HEAD")); err != nil {
		if _, err := (&git.Repo{Dir: cache}).Run(ctx, "init", "-q", "--bare", empty); err != nil {
			return nil, err
		}
	}
	return (&git.Repo{Dir: root}).With("--git-dir="+empty, "--work-tree="+root), nil
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
