package hook

import (
	"errors"
	"slices"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// known is what is shown of an entry, and decides whether it is.
type known struct {
	id, topic, text, source string
	created                 time.Time
}

func knownOf(e *entry.Entry) known { return known{e.ID, e.Topic, e.Text, e.Source.Path, e.Created} }

// followed is an entry that was read; nothing is known of one that cannot be.
type followed struct {
	lead view.Lead
	known
}

// twice asks again where the index turned out to be damaged on the way.
func twice[T any](do func() (T, error)) (T, error) {
	out, err := do()
	if errors.Is(err, view.ErrLead) {
		out, err = do()
	}
	return out, err
}

// entry reads an entry, once. nil is one that cannot be read.
func (a *about) entry(l view.Lead) (*known, error) {
	i := slices.IndexFunc(a.read, func(f followed) bool { return f.lead == l })
	if i < 0 {
		e, ok, err := a.mem.Follow(l)
		if err != nil {
			return nil, err
		}
		f := followed{lead: l}
		if ok {
			f.known = knownOf(&e)
		}
		i, a.read = len(a.read), append(a.read, f)
	}
	if a.read[i].id == "" {
		return nil, nil
	}
	return &a.read[i].known, nil
}

// which gives the leads up to n whose entries fit.
func (a *about) which(leads []view.Lead, n int, fits func(*known) bool) ([]view.Lead, error) {
	out := make([]view.Lead, 0, min(n, len(leads)))
	for _, l := range leads {
		if len(out) == n {
			break
		}
		e, err := a.entry(l)
		if err != nil {
			return nil, err
		}
		if e != nil && fits(e) {
			out = append(out, l)
		}
	}
	return out, nil
}
