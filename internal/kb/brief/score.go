package brief

import (
	"math"
	"slices"
	"strings"
	"time"

	"helix/internal/kb/entry"
)

const (
	// HalfLife is the time after which an entry counts half.
	HalfLife = 7 * 24 * time.Hour
	// LinkIn is added to the score for each reference from another entry.
	LinkIn = 2.0
)

// Score weighs an entry: relevance × freshness × confidence, and LinkIn for each
// of the links that other entries have to it.
func Score(relevance, freshness, confidence float64, linksIn int) float64 {
	return relevance*freshness*confidence + LinkIn*float64(linksIn)
}

// Freshness is 1 for what was written now and half of it after each HalfLife. How
// a system is built and what must hold does not fade.
func Freshness(e *entry.Entry, now time.Time) float64 {
	lasting := func(tag string) bool {
		return strings.EqualFold(tag, "invariant") || strings.EqualFold(tag, "architecture")
	}
	if slices.ContainsFunc(e.Tags, lasting) {
		return 1
	}
	age := now.Sub(when(e))
	if age <= 0 {
		return 1
	}
	return math.Exp2(-float64(age) / float64(HalfLife))
}

// when is the time of an entry's last wording.
func when(e *entry.Entry) time.Time {
	if e.Modified.After(e.Created) {
		return e.Modified
	}
	return e.Created
}

// linksIn counts, by id, the references that other candidates have to each.
func linksIn(in []Candidate) map[string]int {
	n := map[string]int{}
	for _, c := range in {
		links := slices.Sorted(slices.Values(c.Links))
		for _, id := range slices.Compact(links) {
			if id != c.Entry.ID {
				n[id]++
			}
		}
	}
	return n
}
