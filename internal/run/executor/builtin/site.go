package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"

	"helix/internal/git"
)

var attemptID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// site is the repository as an attempt finds it.
type site struct {
	root   *git.Repo
	common string // folder that all work trees of the repository share
	branch string // that the work is to land on, full ref name
	base   string // its commit at the start
	work   string // folder for work trees
}

// survey refuses what cannot work, before anything is changed.
func (e *Executor) survey(ctx context.Context) (site, error) {
	s := site{root: e.root}
	fail := func(err error) (site, error) {
		if errors.Is(err, context.Canceled) {
			return site{}, err
		}
		return site{}, fmt.Errorf("builtin: %w", err)
	}
	branch, err := e.root.Branch(ctx)
	switch {
	case errors.Is(err, git.ErrDetached):
		return fail(fmt.Errorf("%w in %s, so work has no branch to land on; check one out with: git switch <branch>", git.ErrDetached, e.root.Dir))
	case err != nil:
		return fail(err)
	}
	s.branch = "refs/heads/" + branch
	if s.base, err = e.root.Commit(ctx, "HEAD"); errors.Is(err, git.ErrNoRev) {
		return fail(fmt.Errorf("%w (%s); make the first one, then run helix again", git.ErrNoCommits, e.root.Dir))
	} else if err != nil {
		return fail(err)
	}
	if err := e.root.CheckIdentity(ctx); err != nil {
		return fail(err)
	}
	if s.common, err = e.root.CommonDir(ctx); err != nil {
		return fail(err)
	}
	if s.work, err = e.workDir(); err != nil {
		return fail(err)
	}
	for _, dir := range []string{e.root.Dir, s.common, filepath.Join(s.common, "objects"), e.TrackerDir, s.work} {
		if err := writable(dir); err != nil {
			return fail(err)
		}
	}
	return s, nil
}

// workDir is where work trees go: outside the checkout, one folder a checkout.
func (e *Executor) workDir() (string, error) {
	if e.WorkDir != "" {
		dir, err := filepath.Abs(e.WorkDir)
		if err == nil && inside(dir, e.root.Dir) {
			err = fmt.Errorf("the folder for work trees, %s, lies in the checkout; choose one outside", dir)
		}
		return dir, err
	}
	sum := sha256.Sum256([]byte(resolved(e.root.Dir)))
	name := hex.EncodeToString(sum[:6])
	if cache, err := os.UserCacheDir(); err == nil {
		if dir := filepath.Join(cache, "helix", "worktrees", name); !inside(dir, e.root.Dir) {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("helix-worktrees-%d", os.Getuid()), name)
	if inside(dir, e.root.Dir) {
		return "", fmt.Errorf("both the cache folder and the temp folder lie in the checkout %s; set XDG_CACHE_HOME or TMPDIR to a folder outside", e.root.Dir)
	}
	return dir, nil
}

// inside tells whether path is dir or below it, whatever links lead there.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved follows the links of the part of path that exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}

// writable tells whether files can be made in dir, or in the folder in which it
// would be made.
func writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is not a folder", dir)
		case err == nil:
			if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
				return fmt.Errorf("%s is not writable: %w", dir, err)
			}
			return nil
		case !errors.Is(err, os.ErrNotExist) || filepath.Dir(dir) == dir:
			return fmt.Errorf("%s cannot be used: %w", dir, errors.Unwrap(err))
		}
		dir = filepath.Dir(dir)
	}
}

// short is a commit id for people.
func short(id string) string { return id[:min(len(id), 8)] }

// branchName is a ref for people.
func branchName(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
