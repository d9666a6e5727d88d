package kb

import (
	"context"
	"strings"

	"helix/internal/kb/entry"
)

// StoreNew is Store for one who stores without being asked: an entry that says
// nearly the same as another of its topic and project, or of none, is left out.
// Skipped then says so, Duplicate which one it is, and ID is empty.
func (m *Memory) StoreNew(ctx context.Context, r StoreRequest) (Stored, error) {
	return m.store(ctx, r, true)
}

// sameText finds the entry with that very text: duplicateOf does not judge short
// ones.
func sameText(earlier []entry.Entry, e *entry.Entry) *Duplicate {
	for i := range earlier {
		if old := &earlier[i]; old.Topic == e.Topic && strings.EqualFold(strings.TrimSpace(old.Text), strings.TrimSpace(e.Text)) {
			return duplicate(old, e, 1)
		}
	}
	return nil
}
