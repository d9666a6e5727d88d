package run

// StopReason is why a run ended. The values are stable: they stand in the run
// state, the journal and status --json.
type StopReason string

const (
	StopDrained       StopReason = "stop"        // check said STOP
	StopWait          StopReason = "wait"        // check said WAIT
	StopGuidance      StopReason = "guidance"    // check said GUIDANCE
	StopAlign         StopReason = "align"       // check still says ALIGN, or alignment is off
	StopBackfill      StopReason = "backfill"    // check said BACKFILL
	StopDesign        StopReason = "design"      // check said DESIGN again
	StopPolish        StopReason = "polish"      // check said POLISH again
	StopEmptyBuild    StopReason = "empty_build" // BUILD twice with nothing to select
	StopMaxCycles     StopReason = "max_cycles"
	StopMaxDuration   StopReason = "max_duration"
	StopMaxTokens     StopReason = "max_tokens"
	StopMaxCost       StopReason = "max_cost"
	StopNoProgress    StopReason = "no_progress"
	StopProvider      StopReason = "provider_trouble"
	StopUninterpreted StopReason = "uninterpretable" // an answer that cannot be acted on safely
	StopActionFailed  StopReason = "action_failed"   // check, align, design or polish failed
	StopError         StopReason = "error"           // the tracker, the checkout or a file cannot be used
	StopOnce          StopReason = "once"            // the one attempt that was asked for has ended
	StopInterrupted   StopReason = "interrupted"
)

// Stop ends a run.
type Stop struct {
	Reason StopReason
	Detail string // one line for people, with what to do where there is something to do
}

// Orderly tells whether the run ended as runs should: exit code 0.
func (s Stop) Orderly() bool {
	switch s.Reason {
	case StopUninterpreted, StopActionFailed, StopError, StopInterrupted, StopNoProgress, StopProvider:
		return false
	}
	return true
}

// NeedsPerson tells whether the loop gave up in a way that only a person can
// mend: exit code 3.
func (s Stop) NeedsPerson() bool {
	return s.Reason == StopNoProgress || s.Reason == StopProvider
}
