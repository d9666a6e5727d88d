package run

import "time"

// Backoff is how long the loop waits after failures. Fixed, when set, replaces
// every computed delay (HELIX_BACKOFF_SLEEP).
type Backoff struct{ Fixed *time.Duration }

// Bead is the delay after the nth failed attempt at a bead, n from 1:
// min(5·2^(n-1), 40) seconds (TD-002, Exponential Backoff).
func (b Backoff) Bead(n int) time.Duration {
	if b.Fixed != nil {
		return *b.Fixed
	}
	return doubling(5*time.Second, 40*time.Second, n)
}

// Provider is the pause of the whole queue after the nth provider failure in a
// row, n from 1: 30 s doubling to 15 min. The provider's own advice counts when
// it asks for longer, up to six hours.
func (b Backoff) Provider(n int, advice time.Duration) time.Duration {
	if b.Fixed != nil {
		return *b.Fixed
	}
	return max(doubling(30*time.Second, 15*time.Minute, n), min(advice, 6*time.Hour))
}

func doubling(first, most time.Duration, n int) time.Duration {
	d := first
	for ; n > 1 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}
