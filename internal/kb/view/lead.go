package view

import (
	"errors"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
)

// Lead is an entry that was found and is not read yet. To read one takes as long as to
// find several, so whoever shows only some of what he finds follows only their leads.
// It holds for the View that gave it.
type Lead struct {
	of  *index.Snapshot
	ref index.Ref
}

// ErrLead: the index was found to be damaged after it gave a Lead. The View goes on
// without it, so whoever asks again gets others.
var ErrLead = errors.New("kb/view: a lead from an index that was damaged")

// NewestLeads is Newest that reads nothing.
func (v *View) NewestLeads(n int, f Filter) (leads []Lead, err error) {
	err = v.guard(func() error {
		refs := v.newest(n, f)
		leads = make([]Lead, len(refs))
		for i, ref := range refs {
			leads[i] = Lead{v.snap, ref}
		}
		return nil
	})
	return leads, err
}

// Leads is Search that reads nothing and does not ask whether a file has changed.
func (v *View) Leads(q Query) (leads []Lead, fallback bool, err error) {
	p, err := v.parse(q)
	if err != nil || q.empty(p) {
		return nil, false, err
	}
	err = v.guard(func() (err error) {
		var found []index.Hit
		fallback, err = q.relaxed(p, func(orMode bool) (int, error) {
			var err error
			found, _, err = v.find(p, q.limit(), &q, orMode)
			return len(found), err
		})
		leads = make([]Lead, len(found))
		for i, f := range found {
			leads[i] = Lead{v.snap, f.Ref}
		}
		return err
	})
	return leads, fallback, err
}

// Follow reads the entry of a lead. Readable is false where its bytes in the log are
// not what was written.
func (v *View) Follow(l Lead) (e entry.Entry, readable bool, err error) {
	err = v.guard(func() (err error) {
		if l.of != v.snap {
			return ErrLead
		}
		e, err = v.load(l.ref)
		return err
	})
	if damaged(err) {
		return entry.Entry{}, false, nil
	}
	return e, err == nil, err
}
