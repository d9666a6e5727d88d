package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"helix/internal/git"
	"helix/internal/tracker"
)

// mergeDriver is what git calls the driver in its settings.
const mergeDriver = "helix-beads"

func (a *App) beadMergeCmd() *cobra.Command {
	var install bool
	cmd := &cobra.Command{
		Use: "merge [BASE OURS THEIRS]", Short: "Merge two versions of the queue bead by bead",
		Long: `Without arguments, resolve the conflict that a git merge left in the tracker file:
merge both sides bead by bead and field by field, and stage the result.

With three files, be a git merge driver: merge them into OURS. --install tells git
of this repository to use it, so that the file never conflicts:

  helix bead merge --install

Where both sides changed the same field of a bead, the later update wins. A bead
that one side deleted and the other changed stays. Labels and dependencies are
merged as sets, histories are joined.`,
		Args: func(_ *cobra.Command, args []string) error {
			if install && len(args) > 0 || len(args) != 0 && len(args) != 3 {
				return errors.New("bead merge: give no file, or three: BASE OURS THEIRS")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 3 {
				return a.mergeFiles(args)
			}
			return a.beadRun(func(ctx context.Context, b *beads, _ []string) error {
				if install {
					return b.installMerge(ctx)
				}
				return b.resolveConflict(ctx)
			})(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "make git merge the tracker file with helix, in this repository")
	return cmd
}

// mergeFiles is the driver: git gives it temporary files and takes the second
// one as the result, unless it fails.
func (a *App) mergeFiles(args []string) error {
	var sides [3][]byte
	for i, name := range args {
		data, err := os.ReadFile(a.path(name))
		if err != nil {
			return fmt.Errorf("bead merge: %w", err)
		}
		sides[i] = data
	}
	merged, notes, err := tracker.Merge(sides[0], sides[1], sides[2])
	if err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintf(a.Stderr, "helix: %s\n", n)
	}
	if err := renameio.WriteFile(a.path(args[1]), merged, 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("bead merge: %w", err)
	}
	return nil
}

// inRepo is the tracker file as git names it.
func (b *beads) inRepo(ctx context.Context) (*git.Repo, string, error) {
	repo, err := b.app.repo(ctx)
	if err != nil {
		return nil, "", err
	}
	rel, err := filepath.Rel(repo.Dir, b.store.Path())
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, "", fmt.Errorf("bead merge: the tracker %s is not in the repository %s", b.store.Path(), repo.Dir)
	}
	return repo, filepath.ToSlash(rel), nil
}

// installMerge names the driver in the repository's settings and assigns the
// tracker file to it in .gitattributes, which is to be committed.
func (b *beads) installMerge(ctx context.Context) error {
	repo, file, err := b.inRepo(ctx)
	if err != nil {
		return err
	}
	for key, value := range map[string]string{
		"name": "bead by bead", "driver": "helix bead merge %O %A %B",
	} {
		if _, err := repo.Run(ctx, "config", "merge."+mergeDriver+"."+key, value); err != nil {
			return fmt.Errorf("bead merge: %w", err)
		}
	}
	attributes := filepath.Join(repo.Dir, ".gitattributes")
	line := "/" + strings.ReplaceAll(file, " ", "[[:space:]]") + " merge=" + mergeDriver
	text, err := os.ReadFile(attributes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("bead merge: %w", err)
	}
	for _, l := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(l) == line {
			_, err := fmt.Fprintln(b.app.Stdout, "git merges the queue with helix already")
			return err
		}
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	text = append(text, line+"\n"...)
	if err := renameio.WriteFile(attributes, text, 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("bead merge: %w", err)
	}
	_, err = fmt.Fprintln(b.app.Stdout, "git merges the queue with helix from now on; commit .gitattributes, and run this once in every clone")
	return err
}

// resolveConflict merges the sides that a stopped git merge keeps in the index,
// or, when there are none, those between the markers in the file.
func (b *beads) resolveConflict(ctx context.Context) error {
	repo, file, err := b.inRepo(ctx)
	if err != nil {
		return err
	}
	base, ours, theirs, unmerged, err := indexSides(ctx, repo, file)
	if err != nil {
		return err
	}
	if !unmerged {
		text, err := os.ReadFile(b.store.Path())
		if err != nil {
			return fmt.Errorf("bead merge: %w", err)
		}
		if !bytes.Contains(text, []byte("<<<<<<<")) {
			return fmt.Errorf("bead merge: %s has no conflict", b.store.Path())
		}
		if base, ours, theirs, err = tracker.SplitConflict(text); err != nil {
			return fmt.Errorf("bead merge: %s: %w", b.store.Path(), err)
		}
	}
	merged, notes, err := tracker.Merge(base, ours, theirs)
	if err != nil {
		return err
	}
	if err := b.store.Replace(ctx, merged); err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintf(b.app.Stderr, "helix: %s\n", n)
	}
	if unmerged {
		if _, err := repo.Run(ctx, "add", "--", file); err != nil {
			return fmt.Errorf("bead merge: the file is merged, but not staged: %w", err)
		}
	}
	_, err = fmt.Fprintf(b.app.Stdout, "merged %s\n", file)
	return err
}

// indexSides reads the stages of an unmerged file: 1 base, 2 ours, 3 theirs.
func indexSides(ctx context.Context, repo *git.Repo, file string) (base, ours, theirs []byte, unmerged bool, err error) {
	list, err := repo.Run(ctx, "ls-files", "--unmerged", "-z", "--", ":(top,literal)"+file)
	if err != nil {
		return nil, nil, nil, false, fmt.Errorf("bead merge: %w", err)
	}
	for _, entry := range strings.Split(list, "\x00") {
		meta, _, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 {
			continue
		}
		blob, err := repo.Run(ctx, "cat-file", "blob", fields[1])
		if err != nil {
			return nil, nil, nil, false, fmt.Errorf("bead merge: %w", err)
		}
		unmerged = true
		switch data := []byte(blob + "\n"); fields[2] {
		case "1":
			base = data
		case "2":
			ours = data
		case "3":
			theirs = data
		}
	}
	return base, ours, theirs, unmerged, nil
}
