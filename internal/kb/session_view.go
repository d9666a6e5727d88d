package kb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helix/internal/kb/source"
	"helix/internal/kb/view"
)

// SessionResult is what was stored in a session, the newest last.
type SessionResult struct {
	Stored int    `json:"stored"` // altogether
	Items  []Item `json:"items"`  // the last of them that are still there
}

// sessionShown is how many entries a session tells of.
const sessionShown = 50

// sessionLookBack is how many of the newest entries are searched for those of a
// session that other processes stored.
const sessionLookBack = 5000

// SessionOf lists what was stored in the session with this id, by any process.
func (m *Memory) SessionOf(ctx context.Context, id string) (SessionResult, error) {
	if id == "" {
		return SessionResult{}, refuse("session: which one? name it, or set HELIX_SESSION")
	}
	v, err := m.View()
	if err != nil {
		return SessionResult{}, err
	}
	defer v.Close()
	newest, err := v.Newest(sessionLookBack, view.Filter{})
	if err != nil {
		return SessionResult{}, err
	}
	out := SessionResult{Items: []Item{}}
	files := source.NewChecker(m.root)
	for i := range newest {
		if newest[i].Session != id {
			continue
		}
		if out.Stored++; len(out.Items) < sessionShown {
			out.Items = append(out.Items, m.show(files, &newest[i]))
		}
	}
	slices.Reverse(out.Items)
	return out, nil
}

// Session lists what this process has stored since it opened the memory.
func (m *Memory) Session(_ context.Context) (SessionResult, error) {
	ids, total := m.session.stored()
	out := SessionResult{Stored: total, Items: []Item{}}
	if len(ids) == 0 {
		return out, nil
	}
	v, err := m.View()
	if err != nil {
		return SessionResult{}, err
	}
	defer v.Close()
	files, now := source.NewChecker(m.root), m.now()
	for _, id := range ids[max(0, len(ids)-sessionShown):] {
		e, err := v.Get(id)
		switch {
		case errors.Is(err, ErrNotFound): // deleted since
		case err != nil:
			return SessionResult{}, err
		case e.Active(now):
			out.Items = append(out.Items, m.show(files, &e))
		}
	}
	return out, nil
}

// Text gives a line for each entry.
func (r SessionResult) Text() string {
	if r.Stored == 0 {
		return "nothing was stored in this session yet\n"
	}
	var b strings.Builder
	for i := range r.Items {
		r.Items[i].short(&b)
	}
	fmt.Fprintf(&b, "%s stored in this session", count(r.Stored, "entry", "entries"))
	if shown := len(r.Items); shown < r.Stored {
		fmt.Fprintf(&b, ", the last %d that are still there shown", shown)
	}
	b.WriteByte('\n')
	return b.String()
}
