package credit

import (
	"math"
	"time"
)

// Outcome is how a cycle ended.
type Outcome string

const (
	Landed             Outcome = "landed"               // no review found fault with it
	LandedWithFindings Outcome = "landed_with_findings" // of the review
	Failed             Outcome = "failed"
	Preserved          Outcome = "preserved" // there is work, and it was not good enough to land
	// PreservedUnjudged: there is work, and something else kept it from landing: the
	// branch moved into its way, the landing broke off, a review did not come about.
	PreservedUnjudged Outcome = "preserved_unjudged"
)

// Known reports whether o is one of the outcomes.
func (o Outcome) Known() bool {
	return o == Landed || o == LandedWithFindings || o == Failed || o == Preserved || o == PreservedUnjudged
}

// Effect is what an outcome does to an entry.
type Effect string

const (
	Helped Effect = "helped"
	Harmed Effect = "harmed"
	None   Effect = "none"
	Faded  Effect = "faded"  // no cycle: time alone made the entry's counts go down
	Folded Effect = "folded" // stands for older uses, which it counts
)

// preserved is what work that was not good enough to land weighs against the entries
// that its agent used; a failure weighs 1. The entry led to something that the next
// attempt can go on from, and what was wrong with it may have been anything, so it is a
// quarter of a failure: as many preserved attempts as a run makes at one bead before it
// gives up (four, unless set otherwise) amount to one failure, and a bead that lands at
// the last of them speaks for what was used all along, if barely (1 for, 3/4 against).
// The step of 1 for a clear outcome is the conjugate update of a Beta prior by one trial;
// a step below 1 counts the trial as one that was observed with that probability.
const preserved = 0.25

// EffectOf is what an outcome does to an entry that was shown, and how much of it. One
// that nobody used neither helped nor harmed. Work that landed with findings says
// nothing clear about what led to it, and work that something else kept from landing
// says nothing at all.
func EffectOf(o Outcome, used bool) (e Effect, weight float64) {
	switch {
	case !used:
		return None, 0
	case o == Landed:
		return Helped, 1
	case o == Failed:
		return Harmed, 1
	case o == Preserved:
		return Harmed, preserved
	}
	return None, 0
}

const (
	// HalfLife is the time in which evidence loses half of its weight.
	HalfLife = 90 * 24 * time.Hour
	// sourceChange is what a change of the source leaves of the evidence before it.
	sourceChange = 0.5
	// most is how many outcomes count altogether: a further one pushes older ones out.
	// An entry that has helped a hundred times must not need a hundred failures until
	// it is seen that it no longer does.
	most = 12
	// prior is both parameters of the prior: an entry of which nothing is known helps
	// as likely as not, and it takes a few cycles to be convinced of either.
	prior = 2
)

// Evidence is what speaks for and against an entry, as of a time.
type Evidence struct {
	Helped, Harmed float64
	At             time.Time
	Source         string // hash of the file that the entry is about; "" when not known
}

// Faded is the evidence as of now, with the source as it is now. A clock that went
// back changes nothing.
func (e Evidence) Faded(now time.Time, source string) Evidence {
	if age := now.Sub(e.At); age > 0 {
		e = e.scaled(math.Exp2(-float64(age) / float64(HalfLife)))
		e.At = now
	}
	if source != "" {
		if e.Source != "" && e.Source != source {
			e = e.scaled(sourceChange)
		}
		e.Source = source
	}
	return e
}

func (e Evidence) scaled(by float64) Evidence {
	e.Helped *= by
	e.Harmed *= by
	return e
}

// With is the evidence and one more effect of a weight from 0 to 1.
func (e Evidence) With(effect Effect, weight float64) Evidence {
	switch effect {
	case Helped:
		e.Helped += weight
	case Harmed:
		e.Harmed += weight
	}
	if sum := e.Helped + e.Harmed; sum > most {
		e = e.scaled(most / sum)
	}
	return e
}

// Counts are the whole numbers that an entry carries for its evidence.
func (e Evidence) Counts() (helped, harmed int) {
	return int(math.Round(e.Helped)), int(math.Round(e.Harmed))
}

// Posterior is the distribution of how likely the entry helps.
func (e Evidence) Posterior() Beta { return Beta{e.Helped + prior, e.Harmed + prior} }

// Beta is a Beta distribution.
type Beta struct {
	A float64 `json:"alpha"`
	B float64 `json:"beta"`
}

// Mean is the expected value, 0 to 1.
func (b Beta) Mean() float64 { return b.A / (b.A + b.B) }

// Deviation is the standard deviation.
func (b Beta) Deviation() float64 {
	n := b.A + b.B
	return math.Sqrt(b.A * b.B / (n * n * (n + 1)))
}
