package run

import (
	"fmt"
	"time"
)

// Bounds end a run however well it goes. Zero means no limit.
type Bounds struct {
	Cycles   int           // completed cycles
	Duration time.Duration // wall time since the run started
	Tokens   int64         // of all agents together
	CostUSD  float64       // as far as the agents report it
}

// Exceeded returns the stop that a bound asks for, or nil. It is asked before
// anything that costs is started.
func (b Bounds) Exceeded(s *State, now time.Time) *Stop {
	switch {
	case b.Cycles > 0 && s.Completed >= b.Cycles:
		return &Stop{Reason: StopMaxCycles, Detail: fmt.Sprintf("reached max cycles (%d)", b.Cycles)}
	case b.Duration > 0 && now.Sub(s.StartedAt) >= b.Duration:
		return &Stop{Reason: StopMaxDuration, Detail: fmt.Sprintf("reached max duration (%s)", b.Duration)}
	case b.Tokens > 0 && s.Usage.Total() >= b.Tokens:
		return &Stop{Reason: StopMaxTokens, Detail: fmt.Sprintf("reached max tokens (%d of %d)", s.Usage.Total(), b.Tokens)}
	case b.CostUSD > 0 && s.Usage.CostUSD >= b.CostUSD:
		return &Stop{Reason: StopMaxCost, Detail: fmt.Sprintf("reached max cost ($%.2f of $%.2f)", s.Usage.CostUSD, b.CostUSD)}
	}
	return nil
}

// Within cuts a timeout down to what is left of the wall-time bound, so that an
// agent started in time cannot outlive it.
func (b Bounds) Within(timeout time.Duration, s *State, now time.Time) time.Duration {
	if b.Duration == 0 {
		return timeout
	}
	left := s.StartedAt.Add(b.Duration).Sub(now)
	if timeout == 0 || left < timeout {
		return max(left, time.Second)
	}
	return timeout
}
