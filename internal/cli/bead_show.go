package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/proc"
	"helix/internal/tracker"
)

func (a *App) beadShowCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show one bead and what it waits for", Args: cobra.ExactArgs(1),
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			q, err := b.load(ctx)
			if err != nil {
				return err
			}
			bead, err := b.find(ctx, q, args[0])
			if err != nil {
				return err
			}
			if !asJSON {
				return writeBead(a.Stdout, q, bead, time.Now())
			}
			row, err := bead.JSON()
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := json.Indent(&out, row, "", "  "); err != nil {
				return err
			}
			out.WriteByte('\n')
			_, err = a.Stdout.Write(out.Bytes())
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole row as JSON")
	return cmd
}

// find looks in the queue, then in the archive of closed beads.
func (b *beads) find(ctx context.Context, q *tracker.Queue, ref string) (*tracker.Bead, error) {
	bead, err := q.Resolve(ref)
	if !errors.Is(err, tracker.ErrNotFound) {
		return bead, err
	}
	archive, archiveErr := b.store.LoadArchive(ctx)
	if archiveErr != nil {
		return nil, archiveErr
	}
	if bead, ok := archive.Get(ref); ok {
		return bead, nil
	}
	return nil, err
}

func writeBead(w io.Writer, q *tracker.Queue, b *tracker.Bead, now time.Time) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s  %s\n", plain(b.ID), plain(b.Title))
	for _, f := range beadFacts(q, b, now) {
		if f.text != "" {
			fmt.Fprintf(&out, "  %-12s %s\n", f.name+":", plain(f.text))
		}
	}
	for _, f := range []fact{{"Description", b.Description}, {"Acceptance", b.Acceptance}, {"Design", b.Str("design")}, {"Notes", b.Notes}} {
		if strings.TrimSpace(f.text) == "" {
			continue
		}
		fmt.Fprintf(&out, "\n%s:\n", f.name)
		for _, line := range plainLines(f.text) {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

type fact struct{ name, text string }

func beadFacts(q *tracker.Queue, b *tracker.Bead, now time.Time) []fact {
	var deps, children []string
	for _, d := range b.Dependencies {
		deps = append(deps, withStatus(q, d.DependsOnID)+ofType(d.Type))
	}
	for _, c := range q.Children(b.ID) {
		children = append(children, withStatus(q, c.ID))
	}
	facts := []fact{
		{"Status", string(b.Status)},
		{"Type", b.Type},
		{"Priority", fmt.Sprint(b.Priority)},
		{"Claim", claimFact(b)},
		{"Owner", b.Owner},
		{"Labels", strings.Join(b.Labels, ", ")},
		{"Parent", b.Parent},
		{"Children", strings.Join(children, ", ")},
		{"Waits for", strings.Join(deps, ", ")},
		{"Created", stamp(b.CreatedAt)},
		{"Updated", stamp(b.UpdatedAt)},
	}
	facts = append(facts, extraFacts(b)...)
	if _, inQueue := q.Get(b.ID); inQueue && b.Status != tracker.Closed && b.Status != tracker.Cancelled {
		var why []string
		for _, r := range q.Why(b.ID, now) {
			why = append(why, r.Detail)
		}
		if len(why) == 0 {
			why = []string{"yes"}
		} else {
			why[0] = "no: " + why[0]
		}
		facts = append(facts, fact{"Executable", strings.Join(why, "; ")})
	}
	return facts
}

// extraFacts are the other keys of the row that are short; the history is only
// counted.
func extraFacts(b *tracker.Bead) []fact {
	var facts []fact
	keys := sortedKeys(b.Extra)
	for _, key := range keys {
		text := b.Str(key)
		switch {
		case key == "schema_version" || key == "design" || key == "assignee" || strings.HasPrefix(key, "claimed-"):
			continue
		case key == "events":
			var events []json.RawMessage
			if json.Unmarshal(b.Extra[key], &events) == nil {
				text = fmt.Sprintf("%d in the history", len(events))
			}
		case text == "":
			text = string(b.Extra[key])
		}
		facts = append(facts, fact{plain(key), cut(plain(text), 200)})
	}
	return facts
}

func claimFact(b *tracker.Bead) string {
	if b.Status != tracker.InProgress {
		return ""
	}
	c := b.Claim()
	text := c.String()
	switch {
	case c.PID == 0 || c.Machine != "" && c.Machine != proc.Machine():
		return text
	case proc.Same(c.PID, c.Start):
		return text + " (alive)"
	}
	return text + " (that process is gone)"
}

func withStatus(q *tracker.Queue, id string) string {
	if b, ok := q.Get(id); ok {
		return id + " (" + string(b.Status) + ")"
	}
	return id + " (not in the queue)"
}

func ofType(typ string) string {
	if typ == "" || typ == "blocks" {
		return ""
	}
	return " as " + typ
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// beadFilter is what helix bead list selects by; empty fields select all.
type beadFilter struct {
	statuses, labels, types, where []string
	parent                         string
}

func (a *App) beadListCmd() *cobra.Command {
	var asJSON bool
	var f beadFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List beads of every status", Args: cobra.NoArgs,
		RunE: a.beadRun(func(ctx context.Context, b *beads, _ []string) error {
			for i, s := range f.statuses {
				status, err := tracker.ParseStatus(s)
				if err != nil {
					return fmt.Errorf("--status: %w", err)
				}
				f.statuses[i] = string(status)
			}
			q, err := b.load(ctx)
			if err != nil {
				return err
			}
			if f.parent != "" {
				parent, err := q.Resolve(f.parent)
				if err != nil {
					return fmt.Errorf("--parent: %w", err)
				}
				f.parent = parent.ID
			}
			found, err := f.apply(q.All())
			if err != nil {
				return err
			}
			if !asJSON {
				return a.printBeads(found, "no beads")
			}
			rows, err := rowsOf(found)
			if err != nil {
				return err
			}
			return a.printRows(rows)
		}),
	}
	fl := cmd.Flags()
	fl.BoolVar(&asJSON, "json", false, "print whole rows as a JSON array")
	fl.StringSliceVar(&f.statuses, "status", nil, "only these statuses: open, in_progress, closed, blocked, proposed, cancelled")
	fl.StringSliceVar(&f.labels, "label", nil, "only beads that carry all of these labels")
	fl.StringSliceVar(&f.types, "type", nil, "only these types")
	fl.StringVar(&f.parent, "parent", "", "only children of this bead")
	fl.StringArrayVar(&f.where, "where", nil, "only beads whose `key=value` is so, such as spec-id=FEAT-001; repeatable")
	return cmd
}

func (f beadFilter) apply(all []*tracker.Bead) ([]*tracker.Bead, error) {
	for _, w := range f.where {
		if key, _, ok := strings.Cut(w, "="); !ok || key == "" {
			return nil, fmt.Errorf("--where %s: give it as key=value", w)
		}
	}
	return slices.DeleteFunc(all, func(b *tracker.Bead) bool { return !f.matches(b) }), nil
}

func (f beadFilter) matches(b *tracker.Bead) bool {
	if len(f.statuses) > 0 && !slices.Contains(f.statuses, string(b.Status)) ||
		len(f.types) > 0 && !slices.Contains(f.types, b.Type) ||
		f.parent != "" && b.Parent != f.parent {
		return false
	}
	for _, label := range f.labels {
		if !b.HasLabel(label) {
			return false
		}
	}
	for _, w := range f.where {
		key, value, _ := strings.Cut(w, "=")
		if valueOf(b, key) != value {
			return false
		}
	}
	return true
}

// valueOf is the text of any key of a bead.
func valueOf(b *tracker.Bead, key string) string {
	switch key {
	case "id":
		return b.ID
	case "title":
		return b.Title
	case "status":
		return string(b.Status)
	case "priority":
		return fmt.Sprint(b.Priority)
	case "issue_type":
		return b.Type
	case "owner":
		return b.Owner
	case "parent":
		return b.Parent
	case "created_by":
		return b.CreatedBy
	}
	return b.Str(key)
}
