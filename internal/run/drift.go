package run

import (
	"slices"
	"strings"

	"helix/internal/tracker"
)

// Fingerprint is what gives a bead its authority to be executed. If any of it
// changes under an attempt, the attempt's result no longer answers the bead
// (TD-002, Material Queue Drift).
type Fingerprint struct {
	SpecID, Parent, SupersededBy, Replaces string
	Dependencies                           string // sorted ids
	Eligible                               bool
}

// FingerprintOf takes a bead's fingerprint.
func FingerprintOf(b *tracker.Bead) Fingerprint {
	deps := make([]string, 0, len(b.Dependencies))
	for _, d := range b.Dependencies {
		deps = append(deps, d.DependsOnID)
	}
	slices.Sort(deps)
	return Fingerprint{
		SpecID: b.SpecID(), Parent: b.Parent, SupersededBy: b.SupersededBy(), Replaces: b.Replaces(),
		Dependencies: strings.Join(deps, " "), Eligible: b.Eligible(),
	}
}

// Drift names the fields in which b differs from the fingerprint that was taken
// of it, empty when it is still the same; a nil bead has disappeared.
func Drift(was Fingerprint, b *tracker.Bead) string {
	if b == nil {
		return "the bead disappeared"
	}
	now := FingerprintOf(b)
	var changed []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"spec-id", was.SpecID == now.SpecID},
		{"parent", was.Parent == now.Parent},
		{"superseded-by", was.SupersededBy == now.SupersededBy},
		{"replaces", was.Replaces == now.Replaces},
		{"dependencies", was.Dependencies == now.Dependencies},
		{"execution-eligible", was.Eligible == now.Eligible},
	} {
		if !f.same {
			changed = append(changed, f.name)
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return "changed while it was worked on: " + strings.Join(changed, ", ")
}
