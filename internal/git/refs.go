package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// ErrNoRev: a revision or ref names no commit.
var ErrNoRev = errors.New("no such commit")

// Commit resolves a revision to the full id of its commit, or ErrNoRev.
func (r *Repo) Commit(ctx context.Context, rev string) (string, error) {
	if strings.HasPrefix(rev, "-") {
		return "", fmt.Errorf("git: resolve %s: %w", rev, ErrNoRev)
	}
	id, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if isCode(err, 1) || isCode(err, 128) {
		return "", fmt.Errorf("git: resolve %s: %w", rev, ErrNoRev)
	}
	return id, err
}

// SetRef moves ref from commit old to commit id, or creates it when old is
// empty. It fails, and changes nothing, when ref is not at old.
func (r *Repo) SetRef(ctx context.Context, ref, id, old, why string) error {
	_, err := r.Run(ctx, "update-ref", "-m", why, ref, id, old)
	return err
}

// DeleteRef removes ref if it is still at commit old.
func (r *Repo) DeleteRef(ctx context.Context, ref, old string) error {
	_, err := r.Run(ctx, "update-ref", "-d", ref, old)
	return err
}

// Refs are the commits of all refs under the prefixes, by full ref name.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	out, err := r.Run(ctx, append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes...)...)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = id
	}
	return refs, nil
}

// RefsContaining lists the refs under the prefixes whose history holds rev.
func (r *Repo) RefsContaining(ctx context.Context, rev string, prefixes ...string) ([]string, error) {
	out, err := r.Run(ctx, append([]string{"for-each-ref", "--format=%(refname)", "--contains", rev}, prefixes...)...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(out), nil
}

// IsAncestor tells whether commit a is b or in the history of b.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", a, b)
	if isCode(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// MergeBase is the best common ancestor of two commits, "" when they have none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	id, err := r.Run(ctx, "merge-base", a, b)
	if isCode(err, 1) {
		return "", nil
	}
	return id, err
}

// CommonDir is the folder that all worktrees of the repository share, absolute.
func (r *Repo) CommonDir(ctx context.Context) (string, error) {
	return r.dirOf(ctx, "--git-common-dir")
}

// GitDir is the folder of this checkout's own HEAD and index, absolute.
func (r *Repo) GitDir(ctx context.Context) (string, error) {
	return r.dirOf(ctx, "--git-dir")
}

func (r *Repo) dirOf(ctx context.Context, which string) (string, error) {
	dir, err := r.Run(ctx, "rev-parse", which)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Dir, dir)
	}
	return filepath.Clean(dir), nil
}

func isCode(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
