package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helix/internal/git"
)

// move brings the branch from the chain's base to its tip. An error other than
// errMoved says for people why it did not; then neither the branch nor anybody's
// file has changed.
func (a *attempt) move(ctx context.Context, c chain) error {
	branch := branchName(a.site.branch)
	gitDir, err := a.root.GitDir(ctx)
	if err != nil {
		return err
	}
	if op := git.OperationIn(gitDir); op.Name != "" {
		return fmt.Errorf("the checkout is in the middle of a %s; finish it first", op.Name)
	}
	if op, dir := git.OperationOn(a.site.common, branch); op.Name != "" {
		return fmt.Errorf("%s is in the middle of a %s (%s)", branch, op.Name, dir)
	}
	worktrees, err := a.root.Worktrees(ctx)
	if err != nil {
		return err
	}
	here := false
	for _, w := range worktrees {
		switch {
		case w.Branch != a.site.branch || w.Bare:
		case resolved(w.Path) == resolved(a.root.Dir):
			here = true
		default:
			return fmt.Errorf("%s is checked out in another work tree, %s", branch, w.Path)
		}
	}
	if here {
		return a.fastForward(ctx, c)
	}
	return a.moved(ctx, c, a.root.SetRef(ctx, a.site.branch, c.tip(), c.base, "helix: attempt "+a.req.AttemptID))
}

// moved turns the failure of a move into errMoved if that is what it was.
func (a *attempt) moved(ctx context.Context, c chain, err error) error {
	if err == nil {
		return nil
	}
	if tip, e := a.root.Commit(ctx, a.site.branch); e == nil && tip != c.base {
		return errMoved
	}
	return err
}

// fastForward moves the branch that is checked out at the root, together with
// the root's files and index. It refuses when that would touch anything of the
// person's: a changed, staged, untracked or ignored file. git itself refuses
// most of that too, but overwrites ignored files, and hides those that are
// marked as unchanged.
func (a *attempt) fastForward(ctx context.Context, c chain) error {
	changes, err := a.root.Changes(ctx, c.base, c.tip())
	if err != nil {
		return err
	}
	way, err := a.inTheWay(ctx, changes)
	if err != nil {
		return err
	}
	if len(way) > 0 {
		return fmt.Errorf("landing would disturb changed files of the checkout: %s", list(way))
	}
	saved, err := a.save(changes)
	if err != nil {
		return err
	}
	err = a.mergeFF(ctx, c.tip())
	if err == nil {
		return nil
	}
	if tip, e := a.root.Commit(ctx, a.site.branch); e == nil && tip == c.tip() {
		return nil // moved, and then something else failed
	}
	if left := a.putBack(ctx, changes, saved); len(left) > 0 {
		return fmt.Errorf("%w; these files of the checkout are not as they were before: %s", err, list(left))
	}
	return a.moved(ctx, c, err)
}

const (
	indexLockPoll = 100 * time.Millisecond
	indexLockWait = 5 * time.Second
)

// mergeFF fast-forwards the root. While another git command holds its index, it
// is tried again for a short time.
func (a *attempt) mergeFF(ctx context.Context, to string) error {
	r := a.root.With("-c", "merge.autoStash=false", "-c", "merge.verifySignatures=false", "-c", "branch."+branchName(a.site.branch)+".mergeOptions=")
	for waited := time.Duration(0); ; waited += indexLockPoll {
		_, err := r.Run(ctx, "merge", "--ff-only", "--no-overwrite-ignore", "--no-stat", "--quiet", to)
		var e *git.Error
		if !errors.As(err, &e) || !strings.Contains(e.Stderr, "index.lock") || waited >= indexLockWait {
			return err
		}
		time.Sleep(indexLockPoll)
	}
}

// inTheWay lists the person's files that landing the changes would touch.
func (a *attempt) inTheWay(ctx context.Context, changes []git.Change) ([]string, error) {
	touched := map[string]git.Change{}
	for _, c := range changes {
		touched[c.Path] = c
	}
	dirty, err := a.root.Dirty(ctx)
	if err != nil {
		return nil, err
	}
	var way []string
	for _, path := range dirty {
		if _, ok := touched[path]; ok {
			way = append(way, path)
		}
	}
	hidden, err := a.root.Hidden(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range hidden {
		c, ok := touched[path]
		if !ok {
			continue
		}
		if same, err := a.root.FileIs(ctx, path, c.OldID); err != nil || !same {
			way = append(way, path)
		}
	}
	for _, c := range changes {
		if c.Added() {
			way = append(way, a.untrackedAt(c.Path, touched)...)
		}
	}
	return way, nil
}

// untrackedAt lists what stands at the place of a new file: a file that git does
// not track, or a folder with such files, or a file where a folder must go.
func (a *attempt) untrackedAt(path string, touched map[string]git.Change) []string {
	leaves := func(p string) bool { c, ok := touched[p]; return ok && c.Deleted() }
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(a.root.Dir, dir))
		if err == nil && !info.IsDir() && !leaves(dir) {
			return []string{dir}
		}
	}
	full := filepath.Join(a.root.Dir, path)
	info, err := os.Lstat(full)
	switch {
	case err != nil: // nothing there
		return nil
	case !info.IsDir():
		return []string{path}
	}
	var way []string
	_ = filepath.WalkDir(full, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(a.root.Dir, p)
		if err != nil || !d.IsDir() && !leaves(rel) {
			way = append(way, rel)
		}
		return nil
	})
	return way
}

// savedFile is a file of the root from before the move.
type savedFile struct {
	mode fs.FileMode
	data []byte // of a link: its target
}

// save keeps the files that the move will replace or remove.
func (a *attempt) save(changes []git.Change) (map[string]savedFile, error) {
	saved := map[string]savedFile{}
	for _, c := range changes {
		if c.Added() || c.IsRepository() {
			continue
		}
		f, err := readAny(filepath.Join(a.root.Dir, c.Path))
		if errors.Is(err, fs.ErrNotExist) {
			continue // outside a sparse checkout
		}
		if err != nil {
			return nil, fmt.Errorf("read %s before landing: %w", c.Path, err)
		}
		saved[c.Path] = f
	}
	return saved, nil
}

func readAny(path string) (savedFile, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return savedFile{}, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		return savedFile{info.Mode(), []byte(target)}, err
	}
	data, err := os.ReadFile(path)
	return savedFile{info.Mode(), data}, err
}

// putBack undoes what a move that failed half-way did to the root's files: a
// full disk or a failing filter can stop git in the middle. Only a file that is
// gone or that holds what was being landed is touched; any other that changed is
// named.
func (a *attempt) putBack(ctx context.Context, changes []git.Change, saved map[string]savedFile) (left []string) {
	for _, c := range changes {
		path := filepath.Join(a.root.Dir, c.Path)
		was, had := saved[c.Path]
		now, err := readAny(path)
		gone := errors.Is(err, fs.ErrNotExist)
		switch {
		case gone && !had, err == nil && had && now.mode == was.mode && bytes.Equal(now.data, was.data):
			continue
		case !gone && !a.isLanded(ctx, c):
			left = append(left, c.Path)
			continue
		}
		if !gone {
			err = os.Remove(path)
		} else {
			err = nil
		}
		if err == nil && had {
			err = was.write(path)
		}
		if err != nil {
			left = append(left, c.Path)
		}
	}
	_, _ = a.root.Run(ctx, "update-index", "-q", "--refresh") // only file times
	return left
}

// isLanded tells whether the root's file holds what the change was to bring.
func (a *attempt) isLanded(ctx context.Context, c git.Change) bool {
	if c.Deleted() {
		return false
	}
	same, err := a.root.FileIs(ctx, c.Path, c.NewID)
	return err == nil && same
}

func (f savedFile) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if f.mode&fs.ModeSymlink != 0 {
		return os.Symlink(string(f.data), path)
	}
	return os.WriteFile(path, f.data, f.mode.Perm())
}
