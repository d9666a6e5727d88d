package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"helix/internal/tracker"
)

func (a *App) beadImportCmd() *cobra.Command {
	var from string
	var o tracker.ImportOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use: "import [FILE]", Short: "Read beads of bd, br, ddx or any JSON lines into the queue", Args: cobra.MaximumNArgs(1),
		Long: `Read beads from FILE, from standard input (-), or from .beads/issues.jsonl.

A row whose id is in the queue already is left alone, or with --update replaced
if the row is newer. A bad row is reported with its line and the others are
imported; the exit code is 1 then.

Of bd's dependencies, blocks and its kin stay dependencies, parent-child becomes
the parent, and related, discovered-from and others are kept under "links",
because in this queue every dependency blocks.`,
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) (err error) {
			if o.Format, err = tracker.ParseFormat(from); err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			in, name, err := b.openImport(args)
			if err != nil {
				return err
			}
			defer in.Close()
			o.Name = name
			report, err := b.store.Import(ctx, in, o)
			if err != nil {
				return err
			}
			return a.printImport(b, report, o.DryRun, asJSON)
		}),
	}
	fl := cmd.Flags()
	fl.StringVar(&from, "from", string(tracker.Auto), "format of the rows: ddx, bd (or br), jsonl, or auto to find out")
	fl.BoolVar(&o.Update, "update", false, "replace beads by rows with their id that are newer")
	fl.BoolVar(&o.DryRun, "dry-run", false, "say what would be imported")
	fl.BoolVar(&asJSON, "json", false, "print what was imported as JSON")
	return cmd
}

// beadsFile is where bd keeps its export: HELIX_BEADS_DIR, else .beads.
func (b *beads) beadsFile() string {
	dir := b.app.Getenv("HELIX_BEADS_DIR")
	if dir == "" {
		dir = ".beads"
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(b.root, dir)
	}
	return filepath.Join(dir, "issues.jsonl")
}

func (b *beads) openImport(args []string) (io.ReadCloser, string, error) {
	path := b.beadsFile()
	if len(args) == 1 {
		if args[0] == "-" {
			return io.NopCloser(b.app.Stdin), "standard input", nil
		}
		path = b.app.path(args[0])
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && len(args) == 0 {
		return nil, "", fmt.Errorf("bead import: name a file; %s does not exist", path)
	}
	if err != nil {
		return nil, "", fmt.Errorf("bead import: %w", err)
	}
	return f, path, nil
}

// path makes a file name of the command line absolute.
func (a *App) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.Dir, name)
}

func (a *App) printImport(b *beads, r *tracker.ImportReport, dryRun, asJSON bool) error {
	for _, w := range r.Warnings {
		b.warn(w)
	}
	for _, bad := range r.Bad {
		fmt.Fprintf(a.Stderr, "helix: %s\n", b.short(bad.Error()))
	}
	if asJSON {
		type badRow struct {
			Line   int    `json:"line"`
			Reason string `json:"reason"`
		}
		bad := []badRow{}
		for _, e := range r.Bad {
			bad = append(bad, badRow{e.Line, e.Reason})
		}
		out := struct {
			*tracker.ImportReport
			Bad    []badRow `json:"bad"`
			DryRun bool     `json:"dry_run"`
		}{r, bad, dryRun}
		if err := a.printJSON(out); err != nil {
			return err
		}
	} else {
		verb := "imported"
		if dryRun {
			verb = "would import"
		}
		fmt.Fprintf(a.Stdout, "%s %d, updated %d, left %d as they were (read as %s)\n", verb, len(r.Created), len(r.Updated), len(r.Unchanged), r.Format)
	}
	if n := len(r.Bad); n > 0 {
		return fmt.Errorf("bead import: %d of the rows are bad and were left out", n)
	}
	return nil
}

func (a *App) beadExportCmd() *cobra.Command {
	var format string
	var stdout bool
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write all beads as JSON lines", Args: cobra.MaximumNArgs(1),
		Long: `Write all beads to FILE, or to standard output. FILE is replaced in one step.

--format ddx writes the rows as they are stored, bd writes bd's names and
relations, jsonl flat rows with short names.`,
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			f, err := tracker.ParseFormat(format)
			if err == nil && f == tracker.Auto {
				err = errors.New("use ddx, bd or jsonl")
			}
			if err != nil {
				return fmt.Errorf("--format: %w", err)
			}
			toFile := !isStdout(args)
			if stdout && toFile {
				return fmt.Errorf("bead export: --stdout and the file %s exclude each other", args[0])
			}
			if _, err := b.load(ctx); err != nil { // warns of lines that will be missing
				return err
			}
			if !toFile {
				_, err := b.store.Export(ctx, a.Stdout, f)
				return err
			}
			var n int
			err = writeWhole(a.path(args[0]), 0o644, func(w io.Writer) (err error) {
				n, err = b.store.Export(ctx, w, f)
				return err
			})
			if err != nil {
				return fmt.Errorf("bead export: %w", err)
			}
			_, err = fmt.Fprintf(a.Stdout, "exported %d beads to %s\n", n, args[0])
			return err
		}),
	}
	cmd.Flags().StringVar(&format, "format", string(tracker.DDX), "ddx, bd or jsonl")
	cmd.Flags().BoolVar(&stdout, "stdout", false, "insist on standard output, which is also the default")
	return cmd
}
