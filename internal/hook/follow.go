package hook

import (
	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// followed is an entry that was read. The text is "" of one that cannot be.
type followed struct {
	lead  view.Lead
	entry entry.Entry
}

// entry reads an entry, once. nil is one that cannot be read.
func (a *about) entry(l view.Lead) (*entry.Entry, error) {
	for i := range a.read {
		if a.read[i].lead == l {
			return a.read[i].found(), nil
		}
	}
	e, ok, err := a.mem.Follow(l)
	if err != nil {
		return nil, err
	}
	if !ok {
		e = entry.Entry{}
	}
	if a.read == nil {
		a.read = make([]followed, 0, 16)
	}
	a.read = append(a.read, followed{l, e})
	return a.read[len(a.read)-1].found(), nil
}

func (f *followed) found() *entry.Entry {
	if f.entry.ID == "" {
		return nil
	}
	return &f.entry
}

// which gives the leads up to n whose entries fit.
func (a *about) which(leads []view.Lead, n int, fits func(*entry.Entry) bool) ([]view.Lead, error) {
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
