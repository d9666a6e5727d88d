package run

import (
	"fmt"
	"time"

	"helix/internal/tracker"
)

// Owner is the name under which helix claims beads.
const Owner = "helix"

// ClaimFacts is what recovery must know about the world to judge a claim.
type ClaimFacts struct {
	Now       time.Time
	Machine   string
	Threshold time.Duration
	Alive     func(pid int, start string) bool
	Requested bool // the operator asked for recovery by name: the age does not matter
}

// Reclaimable judges the claim of a bead in progress (TD-002, Recovery
// Algorithm). Only helix's own claims, taken on this machine, by a process that
// is gone, and older than the threshold are stale. The second result says why,
// or why not.
func Reclaimable(b *tracker.Bead, f ClaimFacts) (bool, string) {
	c := b.Claim()
	if b.Status != tracker.InProgress {
		return false, "it is not in progress"
	}
	if c.Owner != Owner {
		return false, fmt.Sprintf("it is claimed by %q", c.Owner)
	}
	if c.Machine != "" && c.Machine != f.Machine {
		return false, fmt.Sprintf("it was claimed on another machine (%s)", c.Machine)
	}
	if c.PID != 0 && f.Alive(c.PID, c.Start) {
		return false, fmt.Sprintf("its owner is alive (pid %d)", c.PID)
	}
	at := c.At
	if at.IsZero() {
		at = b.UpdatedAt
	}
	age := f.Now.Sub(at).Round(time.Second)
	if age <= f.Threshold && !f.Requested {
		return false, fmt.Sprintf("claimed %s ago (threshold %s), too fresh to reclaim", age, f.Threshold)
	}
	return true, fmt.Sprintf("age %s, pid %d dead", age, c.PID)
}
