package contextpack

import "helix/internal/tracker"

// OfBead is the task that a bead describes.
func OfBead(b *tracker.Bead) Task {
	return Task{
		ID: b.ID, Title: b.Title, Description: b.Description, Acceptance: b.Acceptance, Notes: b.Notes, Spec: b.SpecID(),
	}
}
