package builtin

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"helix/internal/git"
	"helix/internal/proc"
)

// owner says whose a folder of work trees is. It lies beside the work tree, so
// that nothing in it can be mistaken for work.
type owner struct {
	proc.Process
	Machine string    `json:"machine"`
	Root    string    `json:"root"`
	Bead    string    `json:"bead"`
	Attempt string    `json:"attempt"`
	RunID   string    `json:"run_id,omitempty"`
	Branch  string    `json:"branch"` // full ref name
	Base    string    `json:"base"`
	Tree    string    `json:"tree"` // the work tree
	Temp    string    `json:"temp"` // TMPDIR of the agent and the gates
	Created time.Time `json:"created"`
}

const ownerFile = "owner.json"

// alive tells whether the process that made the folder may still use it. Of
// another machine nothing is known.
func (o owner) alive() bool {
	return o.Machine != proc.Machine() || proc.Same(o.PID, o.Start)
}

func readOwner(folder string) (owner, error) {
	var o owner
	data, err := os.ReadFile(filepath.Join(folder, ownerFile))
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err == nil && (o.Tree == "" || o.Base == "" || filepath.Dir(o.Tree) != folder) {
		err = fmt.Errorf("%s is incomplete", filepath.Join(folder, ownerFile))
	}
	return o, err
}

// workspace is the folder of one attempt: the work tree, the owner file, scratch
// files, and the temp folder of what runs in it.
type workspace struct {
	owner
	folder string
	root   *git.Repo
	common string
	gitDir string // of the work tree's registration
}

// openWorkspace makes a work tree at s.base. On an error nothing is left of it.
func openWorkspace(ctx context.Context, s site, o owner) (_ *workspace, err error) {
	w := &workspace{owner: o, folder: filepath.Join(s.work, o.Attempt), root: s.root, common: s.common}
	if err := os.MkdirAll(s.work, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for work trees: %w", err)
	}
	if err := os.Mkdir(w.folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of attempt %s: %w", o.Attempt, err)
	}
	defer func() {
		if err != nil {
			ctx, cancel := settled(ctx)
			defer cancel()
			_ = w.remove(ctx)
		}
	}()
	w.Temp = filepath.Join(os.TempDir(), tempPrefix+rand.Text()[:10])
	w.Tree = filepath.Join(w.folder, treeName(s.root.Dir))
	w.Process.PID, w.Machine = os.Getpid(), proc.Machine()
	if w.Process.Start, err = proc.StartToken(w.PID); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(w.owner, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := renameio.WriteFile(filepath.Join(w.folder, ownerFile), data, 0o600, renameio.WithTempDir(w.folder)); err != nil {
		return nil, fmt.Errorf("write the owner file: %w", err)
	}
	if err := os.Mkdir(w.Temp, 0o700); err != nil {
		return nil, fmt.Errorf("make a temp folder: %w", err)
	}
	if err := w.root.AddWorktree(ctx, w.Tree, s.base); err != nil {
		return nil, fmt.Errorf("make a work tree for attempt %s: %w", o.Attempt, err)
	}
	if w.gitDir = registration(s.common, w.Tree); w.gitDir == "" {
		return nil, fmt.Errorf("make a work tree for attempt %s: git did not register %s", o.Attempt, w.Tree)
	}
	return w, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// treeName is the name of the checkout's folder, which some build tools take for
// the project's name.
func treeName(root string) string {
	if name := filepath.Base(root); plainName.MatchString(name) && name != ownerFile && name != scratchIndex && name != baselineDir {
		return name
	}
	return "tree"
}

// registration finds the folder in which git keeps a work tree's HEAD and index;
// "" when the work tree is not registered.
func registration(common, tree string) string {
	for _, dir := range git.Registrations(common) {
		link, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		if err == nil && resolved(filepath.Dir(strings.TrimSpace(string(link)))) == resolved(tree) {
			return dir
		}
	}
	return ""
}

// git is the work tree as git sees it, whatever became of its .git file.
func (w *workspace) git() *git.Repo {
	dir := w.gitDir
	if !w.registered() {
		dir = w.common
	}
	return w.root.At(w.Tree).With("--git-dir="+dir, "--work-tree="+w.Tree)
}

// registered tells whether git still knows the work tree.
func (w *workspace) registered() bool {
	if w.gitDir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(w.gitDir, "HEAD"))
	return err == nil
}

// head is the commit that is checked out in the work tree.
func (w *workspace) head(ctx context.Context) (string, error) {
	return w.root.With("--git-dir="+w.gitDir).Commit(ctx, "HEAD")
}

// snapshot stores all that the work tree holds; head is what it was made from.
func (w *workspace) snapshot(ctx context.Context, head string) (git.Snapshot, error) {
	index := "" // of an unregistered work tree nothing is known
	if w.registered() {
		index = filepath.Join(w.gitDir, "index")
	}
	return w.git().Snapshot(ctx, index, head, w.index())
}

// exists tells whether the work tree's folder is there.
func (w *workspace) exists() bool {
	info, err := os.Stat(w.Tree)
	return err == nil && info.IsDir()
}

const (
	scratchIndex = "index"
	baselineDir  = "base"
	tempPrefix   = "helix-"
)

func (w *workspace) index() string { return filepath.Join(w.folder, scratchIndex) }

// checkOut makes the work tree exactly commit, but for ignored files. All that
// it held must have been stored.
func (w *workspace) checkOut(ctx context.Context, commit string) error {
	if err := w.mendLink(); err != nil {
		return err
	}
	for _, left := range []string{"rebase-merge", "rebase-apply", "sequencer", "index.lock", "HEAD.lock"} {
		if err := os.RemoveAll(filepath.Join(w.gitDir, left)); err != nil {
			return err
		}
	}
	r := w.git()
	if _, err := r.Run(ctx, "checkout", "--quiet", "--force", "--detach", commit); err != nil {
		// An index that cannot be read; it is rebuilt from the commit.
		if os.Remove(filepath.Join(w.gitDir, "index")) != nil {
			return err
		}
		if _, err := r.Run(ctx, "checkout", "--quiet", "--force", "--detach", commit); err != nil {
			return err
		}
	}
	_, err := r.Run(ctx, "clean", "--quiet", "--force", "-d")
	return err
}

// mendLink restores the .git file by which programs find the repository. What
// an agent put in its place goes away with the attempt's folder.
func (w *workspace) mendLink() error {
	link := filepath.Join(w.Tree, ".git")
	want := "gitdir: " + w.gitDir + "\n"
	if text, err := os.ReadFile(link); err == nil && string(text) == want {
		return nil
	}
	if _, err := os.Lstat(link); err == nil {
		if err := os.Rename(link, filepath.Join(w.folder, "replaced.git")); err != nil {
			return err
		}
	}
	return os.WriteFile(link, []byte(want), 0o644)
}

// remove takes the whole workspace away, registrations included. Everything in
// it must have been stored or be worthless.
func (w *workspace) remove(ctx context.Context) error {
	var errs []error
	for _, dir := range []string{w.Tree, w.Temp, w.folder} {
		if dir != "" {
			errs = append(errs, removeAll(dir))
		}
	}
	list, err := w.root.Worktrees(ctx)
	errs = append(errs, err)
	for _, t := range list {
		if inside(t.Path, w.folder) {
			errs = append(errs, w.root.ForgetWorktree(ctx, t.Path))
		}
	}
	return errors.Join(errs...)
}

// settleKept leaves just what must stay of a workspace that is not removed.
func (w *workspace) settleKept() error {
	return errors.Join(removeAll(w.Temp), os.RemoveAll(w.index()), removeAll(filepath.Join(w.folder, baselineDir)))
}

// removeAll is os.RemoveAll that also gets into folders that are closed to
// their owner, as module caches are.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
