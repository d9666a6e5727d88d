package kb

import (
	"context"
	"fmt"
	"strings"

	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// StoreNew is Store for one who stores without being asked: an entry that says
// nearly the same as another of its topic is left out. Skipped then says so,
// Duplicate which one it is, and ID is empty.
func (m *Memory) StoreNew(ctx context.Context, r StoreRequest) (Stored, error) {
	d, err := m.drafter().draft(r)
	if err != nil {
		return Stored{}, at("store", err)
	}
	var out Stored
	err = m.write(ctx, func(v *view.View) (*plan, error) {
		out = d.stored()
		e := d.entry
		var err error
		if e.Links, err = resolveLinks(v, d.links); err != nil {
			return nil, err
		}
		if out.Duplicate, err = duplicateOf(v, &e); err != nil {
			return nil, err
		}
		if out.Duplicate == nil {
			if out.Duplicate, err = sameText(v, e.Topic, e.Text); err != nil {
				return nil, err
			}
		}
		if out.Duplicate != nil {
			out.Skipped = fmt.Sprintf("it says nearly the same as %s", out.Duplicate.ID)
			return nil, nil
		}
		return &plan{topics: map[string]bool{e.Topic: true}, ops: func(taken func(string) bool) []log.Op {
			id, op := put(e, taken)
			out.ID = id
			return []log.Op{op}
		}}, nil
	})
	if err != nil {
		return Stored{}, at("store", err)
	}
	if out.ID != "" {
		m.wrote([]string{out.ID})
	}
	return out, nil
}

// sameText finds the entry with that very text: duplicateOf does not judge short
// ones.
func sameText(v *view.View, topic, text string) (*Duplicate, error) {
	newest, err := v.Newest(maxCompared, view.Filter{Topic: topic})
	if err != nil {
		return nil, err
	}
	for _, old := range newest {
		if old.Topic == topic && strings.EqualFold(strings.TrimSpace(old.Text), strings.TrimSpace(text)) {
			return &Duplicate{ID: old.ID, Similarity: 1, Preview: preview(old.Text)}, nil
		}
	}
	return nil, nil
}
