package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/tracker"
)

const beadLong = `Manage the queue of work: beads, one JSON object a line in .ddx/beads.jsonl, the
file that ddx uses too. An id may be shortened to any beginning that is unique,
with or without the prefix before its dash.

The folder is .ddx of the repository, HELIX_TRACKER_DIR or DDX_BEAD_DIR.`

func (a *App) beadCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "bead", Aliases: []string{"tracker"}, Short: "Manage the queue of work", Long: beadLong, GroupID: "work",
		Args: noSuchCommand, RunE: showHelp,
	}
	cmd.AddCommand(
		a.beadCreateCmd(), a.beadShowCmd(), a.beadListCmd(), a.beadUpdateCmd(), a.beadCloseCmd(), a.beadReopenCmd(),
		a.beadReadyCmd(), a.beadBlockedCmd(), a.beadStatusCmd(), a.beadDepCmd(),
		a.beadImportCmd(), a.beadExportCmd(), a.beadMergeCmd(), a.beadDoctorCmd(),
	)
	return cmd
}

// beads is the tracker that a bead command works on.
type beads struct {
	app   *App
	root  string // of the repository
	store *tracker.Store
}

// beads finds the tracker. It does not start git: these commands are run often.
func (a *App) beads() (*beads, error) {
	root, err := projectRoot(a.Dir)
	if err != nil {
		return nil, err
	}
	return &beads{app: a, root: root, store: a.openStore(root)}, nil
}

// openStore is the tracker of a checkout, with the settings of the environment.
func (a *App) openStore(root string) *tracker.Store {
	warn := (&beads{app: a, root: root}).warn
	return tracker.OpenStore(a.trackerDir(root), tracker.WithEnvironment(a.Getenv), tracker.WithWarnings(warn))
}

// projectRoot is the top of the repository that dir lies in or, outside of any,
// the nearest folder that holds a tracker.
func projectRoot(dir string) (string, error) {
	for _, mark := range []string{".git", filepath.Join(".ddx", "beads.jsonl")} {
		for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, mark)); err == nil {
				return at, nil
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "", fmt.Errorf("%s is not in a git repository; run helix inside one, or start one with: git init", dir)
}

// workRoot is the repository, or the working folder outside of any.
func (a *App) workRoot() string {
	if root, err := projectRoot(a.Dir); err == nil {
		return root
	}
	return a.Dir
}

// beadRun makes a command function that gets the tracker and whose errors name
// files as seen from the repository's top.
func (a *App) beadRun(run func(ctx context.Context, b *beads, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		b, err := a.beads()
		if err != nil {
			return err
		}
		if err := run(cmd.Context(), b, args); err != nil {
			return &shownError{err: err, text: b.short(err.Error())}
		}
		return nil
	}
}

// shownError is an error under a shorter text.
type shownError struct {
	err  error
	text string
}

func (e *shownError) Error() string { return e.text }
func (e *shownError) Unwrap() error { return e.err }

// short writes paths as seen from the repository's top.
func (b *beads) short(text string) string {
	return strings.ReplaceAll(text, b.root+string(filepath.Separator), "")
}

func (b *beads) warn(text string) {
	fmt.Fprintf(b.app.Stderr, "helix: warning: %s\n", b.short(text))
}

// load reads the queue and warns of lines that are left out.
func (b *beads) load(ctx context.Context) (*tracker.Queue, error) {
	q, err := b.store.Load(ctx)
	if err != nil {
		return nil, err
	}
	problems := q.Problems()
	const most = 3
	for _, p := range problems[:min(most, len(problems))] {
		b.warn(p.Error() + "; the line is left out, see: helix bead doctor")
	}
	if n := len(problems) - most; n > 0 {
		b.warn(fmt.Sprintf("%d more lines are left out", n))
	}
	return q, nil
}

// resolve finds the full id that a person means.
func (b *beads) resolve(ctx context.Context, ref string) (string, error) {
	q, err := b.load(ctx)
	if err != nil {
		return "", err
	}
	bead, err := q.Resolve(ref)
	if err != nil {
		return "", err
	}
	return bead.ID, nil
}

// withID runs change on a bead. Only when no bead has exactly this id is the
// queue searched for what it may be short for.
func (b *beads) withID(ctx context.Context, ref string, change func(id string) error) error {
	err := change(ref)
	var missing *tracker.NotFoundError
	if !errors.As(err, &missing) || missing.ID != ref {
		return err
	}
	id, err := b.resolve(ctx, ref)
	if err != nil {
		return err
	}
	return change(id)
}
