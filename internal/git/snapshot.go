package git

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// Snapshot is what a work tree held at one moment.
type Snapshot struct {
	Tree     string
	Unmerged []string // paths left in conflict; Tree has them as they are on disk
	Nested   []string // repositories inside the work tree whose content Tree cannot hold
}

// Snapshot stores every tracked file and every untracked file that is not
// ignored, as they are on disk, and touches neither the work tree nor its index.
// scratch is the path of a file that may be written. What counts as tracked is
// taken from a copy of the index file seed, or from commit rev when seed cannot
// be read.
func (r *Repo) Snapshot(ctx context.Context, seed, rev, scratch string) (Snapshot, error) {
	s := r.WithEnv("GIT_INDEX_FILE=" + scratch)
	if err := copyIndex(seed, scratch); err == nil {
		if snap, err := s.snapshot(ctx); err == nil || ctx.Err() != nil {
			return snap, err
		}
	}
	if err := os.Remove(scratch); err != nil && !os.IsNotExist(err) {
		return Snapshot{}, fmt.Errorf("git: snapshot of %s: %w", r.Dir, err)
	}
	if _, err := s.Run(ctx, "read-tree", rev); err != nil {
		return Snapshot{}, err
	}
	return s.snapshot(ctx)
}

// copyIndex keeps the file's time: git takes an entry that is as young as its
// index for possibly changed, and looks at the content.
func copyIndex(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if e := dst.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

func (r *Repo) snapshot(ctx context.Context) (Snapshot, error) {
	var snap Snapshot
	raw, err := r.Run(ctx, "diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return snap, err
	}
	gone, present, unmerged, err := sortRaw(raw)
	if err != nil {
		return snap, err
	}
	snap.Unmerged = unmerged
	untracked, err := r.Run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return snap, err
	}
	for path := range strings.SplitSeq(untracked, "\x00") {
		switch {
		case path == "":
		case strings.HasSuffix(path, "/"):
			snap.Nested = append(snap.Nested, strings.TrimSuffix(path, "/"))
		default:
			present = append(present, path)
		}
	}
	// First the removals, by name alone: a folder of theirs may be a symlink now.
	if err := r.updateIndex(ctx, gone, "--force-remove"); err != nil {
		return snap, err
	}
	if err := r.updateIndex(ctx, present, "--add", "--remove", "--replace"); err != nil {
		return snap, err
	}
	if raw, err = r.Run(ctx, "diff-files", "--raw", "-z", "--no-renames", "--ignore-submodules=none"); err != nil {
		return snap, err
	}
	// What still differs is a submodule with changes of its own.
	_, dirty, _, err := sortRaw(raw)
	if err != nil {
		return snap, err
	}
	snap.Nested = append(snap.Nested, dirty...)
	snap.Tree, err = r.Run(ctx, "write-tree")
	return snap, err
}

// sortRaw tells the paths that are gone from those that are there. A path in
// conflict may be listed twice: for the conflict and for its file.
func sortRaw(raw string) (gone, present, unmerged []string, err error) {
	changes, err := parseRaw(raw)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, c := range changes {
		if c.unmerged {
			unmerged = append(unmerged, c.Path)
		}
		if c.Deleted() {
			gone = append(gone, c.Path)
		} else {
			present = append(present, c.Path)
		}
	}
	return gone, present, unmerged, nil
}

func (r *Repo) updateIndex(ctx context.Context, paths []string, flags ...string) error {
	if len(paths) == 0 {
		return nil
	}
	args := append([]string{"update-index", "-z"}, flags...)
	_, err := r.RunInput(ctx, strings.Join(paths, "\x00")+"\x00", append(args, "--stdin")...)
	return err
}
