package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"helix/internal/kb"
)

// importGC has an import collect garbage half as often: it makes much, and keeps little.
const importGC = 200 // percent

func (a *App) kbImportCmd(f *kbFlags) *cobra.Command {
	var r kb.ImportRequest
	cmd := &cobra.Command{
		Use: "import [FILE | -]", Short: "Read entries from a file", Args: cobra.MaximumNArgs(1),
		Long: `Read entries: what helix kb export wrote, or the JSON export of the original helix
(--format original-json). Entries that are there already, with the
same content, are left alone; with other content they refuse the import unless you
say --replace. Nothing is written if anything is wrong. An import that was broken off is
completed by doing it again: what is there already, by its id or by its topic, text and
time of creation, is left alone.`,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			if len(args) == 0 && a.atTerminal() {
				return nil, fmt.Errorf("import: the file is missing: name it, or - to read standard input")
			}
			name := "standard input"
			r.Reader = a.Stdin
			if len(args) == 1 && args[0] != "-" {
				file, err := os.Open(a.kbPath(args[0]))
				if err != nil {
					return nil, fmt.Errorf("import: %w", err)
				}
				defer file.Close()
				r.Reader, name = file, args[0]
			}
			defer debug.SetGCPercent(debug.SetGCPercent(importGC))
			imported, err := m.Import(ctx, r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return imported, nil
		}),
	}
	cmd.Flags().StringVar(&r.Format, "format", "jsonl", "jsonl, markdown or original-json")
	cmd.Flags().BoolVar(&r.Replace, "replace", false, "replace entries that have the same id and other content")
	cmd.Flags().BoolVar(&r.AllowSecrets, "allow-secrets", false, "store what looks like a secret as it is")
	return cmd
}

func (a *App) kbExportCmd(f *kbFlags) *cobra.Command {
	var r kb.ExportRequest
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write the entries to a file or to standard output", Args: cobra.MaximumNArgs(1),
		Long: `Write all entries, or those of one topic, as JSON lines or Markdown. Without FILE
they go to standard output, and nothing else does.`,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			if isStdout(args) {
				_, err := m.Export(ctx, r, a.Stdout)
				return nil, err
			}
			var exported kb.Exported
			// Only the user can read a new file: the memory is private.
			err := writeWhole(a.kbPath(args[0]), 0o600, func(w io.Writer) (err error) {
				exported, err = m.Export(ctx, r, w)
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("export: %w", err)
			}
			return exported, nil
		}),
	}
	cmd.Flags().StringVar(&r.Format, "format", "jsonl", "jsonl or markdown")
	cmd.Flags().StringVar(&r.Topic, "topic", "", "only this topic")
	return cmd
}
