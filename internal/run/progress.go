package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// stagnantLimit is how many cycles in a row may move nothing.
const stagnantLimit = 2

// Position is everything whose movement counts as progress. A cycle here is all
// the attempts at one bead, or one pass over the drained queue: the retries that
// back-off grants to a bead are bounded on their own.
type Position struct {
	Head  string `json:"head"`
	Tree  string `json:"tree"`
	Beads string `json:"beads"`
	Gates string `json:"gates"`
	Kept  int    `json:"kept"` // trees that attempts made and that did not land
}

// BeadsDigest covers which beads exist, their states and their structure; not
// who claimed them when, nor the notes and labels that the loop itself writes.
func BeadsDigest(q *tracker.Queue) string {
	h := sha256.New()
	for _, b := range q.All() {
		state := b.Status
		if state == tracker.InProgress {
			state = tracker.Open // a claim is not progress
		}
		fmt.Fprintf(h, "%q %q %q %q %+v\n", b.ID, state, b.Title, b.Acceptance, FingerprintOf(b))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// GatesDigest covers the last result of every gate of every bead tried.
func GatesDigest(last map[string][]GateResult) string {
	var lines []string
	for bead, gates := range last {
		for _, g := range gates {
			lines = append(lines, fmt.Sprintf("%s %s %t", bead, g.Name, g.Passed))
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}

// GateResult is the part of a gate that progress looks at.
type GateResult struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
}

func gateResults(gates []executor.Gate) []GateResult {
	out := make([]GateResult, len(gates))
	for i, g := range gates {
		out[i] = GateResult{Name: g.Name, Passed: g.Passed}
	}
	return out
}
