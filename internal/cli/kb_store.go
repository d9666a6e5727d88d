package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/kb"
)

func (a *App) kbStoreCmd(f *kbFlags) *cobra.Command {
	var r kb.StoreRequest
	var confidence float64
	const use = "store TOPIC [TEXT | -]"
	cmd := &cobra.Command{
		Use: use, Short: "Store one finding", Args: topicAnd(use),
		Long: `Store one finding under a topic. The text is the rest of the arguments, or standard
input. Its first word may say what it is: gotcha:, decision:, invariant:, how-to: …
What looks like a secret is replaced by a marker. In a git checkout the entry belongs to
its project, that of the main checkout in a linked work tree: it is no rule elsewhere.`,
		Example: `  helix kb store auth "gotcha: tokens live 15 minutes" --source auth.go:42
  helix kb store git "preference: no merge commits" --project none
  git log -1 --format=%B | helix kb store release -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (_ kbResult, err error) {
				r.Topic = args[0]
				if r.Text, err = a.textOf(args[1:]); err != nil {
					return nil, err
				}
				if cmd.Flags().Changed("confidence") {
					r.Confidence = &confidence
				}
				return m.Store(ctx, r)
			})(cmd, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Kind, "kind", "", "fact (default), decision, procedure, finding, preference, snippet, …")
	fl.StringSliceVar((*[]string)(&r.Tags), "tags", nil, "tags, separated by commas; without, they are found from the first words")
	fl.StringVar(&r.Source, "source", "", "file that it comes from, as `path:line`")
	fl.Float64Var(&confidence, "confidence", 1, "how sure it is, 0 to 1")
	fl.StringVar(&r.Project, "project", "", storeProject)
	fl.StringSliceVar((*[]string)(&r.Links), "link", nil, "entry that belongs to it: its id, or topic:index; repeatable")
	fl.BoolVar(&r.Force, "force", false, "do not look for entries that say nearly the same")
	fl.BoolVar(&r.AllowSecrets, "allow-secrets", false, "store what looks like a secret as it is")
	return cmd
}

func (a *App) kbBatchCmd(f *kbFlags) *cobra.Command {
	var r kb.BatchRequest
	cmd := &cobra.Command{
		Use: "batch [FILE | -]", Short: "Store several findings at once", Args: cobra.MaximumNArgs(1),
		Long: `Store several findings with one write, all or none: JSON objects with topic and
text and, if you like, kind, tags, source, confidence, links, project; one a line, or in an array.
Those without topic or text, and those that say nearly the same as an earlier one of the
batch, are left out and named.`,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			text, name, err := a.fileOf(args)
			if err != nil {
				return nil, fmt.Errorf("batch: %w", err)
			}
			if r.Entries, err = parseBatch(text, name); err != nil {
				return nil, err
			}
			return m.Batch(ctx, r)
		}),
	}
	cmd.Flags().StringVar(&r.Project, "project", "", storeProject)
	cmd.Flags().BoolVar(&r.Verbose, "verbose", false, "print a line for each entry")
	cmd.Flags().BoolVar(&r.AllowSecrets, "allow-secrets", false, "store what looks like a secret as it is")
	return cmd
}

// parseBatch reads an array of entries, or one after the other.
func parseBatch(text, name string) ([]kb.StoreRequest, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	where := func(err error) error {
		if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			err = fmt.Errorf("unknown field %s: there are topic, text, kind, tags, source, confidence, links, project, force", field)
		}
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			err = fmt.Errorf("the value of %q cannot be a %s", wrong.Field, wrong.Value)
		}
		return fmt.Errorf("batch: %s:%d: %w", name, 1+strings.Count(text[:min(d.InputOffset(), int64(len(text)))], "\n"), err)
	}
	var all []kb.StoreRequest
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		if err := d.Decode(&all); err != nil {
			return nil, where(err)
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, where(errors.New("there is something behind the array"))
		}
		return all, nil
	}
	for {
		var e kb.StoreRequest
		switch err := d.Decode(&e); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, where(err)
		}
		all = append(all, e)
	}
}
