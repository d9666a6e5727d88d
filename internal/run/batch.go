package run

import (
	"slices"

	"helix/internal/tracker"
)

// Batch returns primary and up to size-1 related beads out of ready, in ready's
// order: those that share its parent or its spec-id, and only when there are
// none, those that share an area label. Epics and skipped beads never join
// (TD-002, Batch Selection).
func Batch(primary *tracker.Bead, ready []*tracker.Bead, skip map[string]string, size int) []*tracker.Bead {
	batch := []*tracker.Bead{primary}
	for _, related := range []func(*tracker.Bead) bool{
		func(b *tracker.Bead) bool {
			return primary.Parent != "" && b.Parent == primary.Parent ||
				primary.SpecID() != "" && b.SpecID() == primary.SpecID()
		},
		func(b *tracker.Bead) bool { return shareArea(primary, b) },
	} {
		for _, b := range ready {
			if len(batch) >= size {
				return batch
			}
			if _, skipped := skip[b.ID]; !skipped && b.ID != primary.ID && !b.IsEpic() && related(b) {
				batch = append(batch, b)
			}
		}
		if len(batch) > 1 {
			break
		}
	}
	return batch
}

func shareArea(a, b *tracker.Bead) bool {
	return slices.ContainsFunc(a.Areas(), func(area string) bool { return slices.Contains(b.Areas(), area) })
}
