package kb

import (
	"context"
	"strings"

	"helix/internal/kb/view"
)

// StoreNew is Store for one who stores without being asked: an entry that says
// nearly the same as another of its topic is left out. Skipped then says so,
// Duplicate which one it is, and ID is empty.
func (m *Memory) StoreNew(ctx context.Context, r StoreRequest) (Stored, error) {
	return m.store(ctx, r, true)
}

// sameText finds the entry with that very text: duplicateOf does not judge short
// ones.
func sameText(v *view.View, topic, text string) (*Duplicate, error) {
	newest, err := newestOf(v, topic)
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
