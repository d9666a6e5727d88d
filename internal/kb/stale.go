package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"helix/internal/kb/brief"
	"helix/internal/kb/entry"
	"helix/internal/kb/source"
	"helix/internal/kb/view"
)

// StaleItem is an entry whose source is not what it was.
type StaleItem struct {
	Item
	State string `json:"state"` // stale: the file has changed; gone: there is none
}

// StaleResult is the entries whose source is not what it was, by topic, the oldest
// first.
type StaleResult struct {
	Sources int         `json:"sources"` // that entries name
	Changed int         `json:"changed"` // entries
	Gone    int         `json:"gone"`    // entries
	Unknown int         `json:"unknown"` // entries whose source is no file that can be looked at
	Items   []StaleItem `json:"items"`
}

// staleShown is how many entries the text names.
const staleShown = 100

// Stale finds the entries whose source file has changed since they were written,
// or is gone. It ends early, with ctx's error, when ctx does.
func (m *Memory) Stale(ctx context.Context) (StaleResult, error) {
	v, err := m.View()
	if err != nil {
		return StaleResult{}, err
	}
	defer v.Close()
	sources, err := v.Sources()
	if err != nil {
		return StaleResult{}, err
	}
	out := StaleResult{Sources: len(sources), Items: []StaleItem{}}
	if len(sources) == 0 {
		return out, nil
	}
	files := source.NewChecker(m.root)
	for e, err := range v.Sourced() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return StaleResult{}, err
		}
		out.look(m, files, &e)
	}
	slices.SortFunc(out.Items, func(a, b StaleItem) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// look adds the entry if its source is not what it was.
func (r *StaleResult) look(m *Memory, files *source.Checker, e *entry.Entry) {
	state := m.sourceState(files, e)
	switch state {
	case source.Changed:
		r.Changed++
	case source.Gone:
		r.Gone++
	case source.Unknown:
		r.Unknown++
		return
	default:
		return
	}
	r.Items = append(r.Items, StaleItem{m.show(files, e), state.String()})
}

// sourceState says what became of an entry's source since its last wording.
func (m *Memory) sourceState(files *source.Checker, e *entry.Entry) source.State {
	if !view.Here(e, m.home) {
		return source.Unknown
	}
	written := e.Created
	if e.Modified.After(written) {
		written = e.Modified
	}
	return files.Check(e.Source.Path, e.Source.Hash, written)
}

// Text gives a line for each entry.
func (r StaleResult) Text() string {
	switch {
	case r.Sources == 0:
		return "no entry names a source: store with a source, path:line, to hear when it changes\n"
	case len(r.Items) == 0:
		return fmt.Sprintf("no entry is stale: of %s none has changed since\n", count(r.Sources, "source", "sources")) + r.notFiles()
	}
	var b strings.Builder
	for _, it := range r.Items[:min(staleShown, len(r.Items))] {
		fmt.Fprintf(&b, "  [%s] %s → %s (%s)\n", line(it.Topic), brief.Preview(it.Text, shortWidth), it.State, line(it.Source))
	}
	if more := len(r.Items) - staleShown; more > 0 {
		fmt.Fprintf(&b, "  … %d more; the JSON form has all\n", more)
	}
	fmt.Fprintf(&b, "%s with a changed source, %d with one that is gone: check them, then revise or delete\n", count(r.Changed, "entry", "entries"), r.Gone)
	return b.String() + r.notFiles()
}

func (r StaleResult) notFiles() string {
	if r.Unknown == 0 {
		return ""
	}
	return fmt.Sprintf("not looked at: %s whose source is no file of this project\n", count(r.Unknown, "entry", "entries"))
}
