package run

import "helix/internal/run/prompt"

// Drained is what the loop remembers between two attempts while the ready queue
// is empty; an attempt resets it.
type Drained struct {
	Aligned     bool `json:"aligned,omitempty"`
	Designed    bool `json:"designed,omitempty"`
	Polished    bool `json:"polished,omitempty"`
	EmptyBuilds int  `json:"empty_builds,omitempty"`
}

// Step is what a check's answer leads to.
type Step string

const (
	StepSelect  Step = "select"  // look for ready work again
	StepRecover Step = "recover" // BUILD again with nothing to select: free stale claims, then decide
	StepDesign  Step = "design"
	StepPolish  Step = "polish"
	StepAlign   Step = "align"
	StepStop    Step = "stop"
)

// Route turns a check's NEXT_ACTION into the next step (TD-002, Queue Drain).
// Each of DESIGN, POLISH and ALIGN runs once a drained queue; asked for again,
// it stops the loop. The stop is set only with StepStop.
func Route(next prompt.Next, d Drained, autoAlign bool) (Step, Drained, Stop) {
	if next != prompt.NextBuild {
		d.EmptyBuilds = 0
	}
	switch next {
	case prompt.NextBuild:
		d.EmptyBuilds++
		if d.EmptyBuilds >= 2 {
			return StepRecover, d, Stop{}
		}
		return StepSelect, d, Stop{}
	case prompt.NextDesign:
		if d.Designed {
			return StepStop, d, Stop{StopDesign, "stopping after check returned DESIGN again; continue by hand with: helix design"}
		}
		d.Designed = true
		return StepDesign, d, Stop{}
	case prompt.NextPolish:
		if d.Polished {
			return StepStop, d, Stop{StopPolish, "stopping after check returned POLISH again; continue by hand with: helix polish"}
		}
		d.Polished = true
		return StepPolish, d, Stop{}
	case prompt.NextAlign:
		if d.Aligned || !autoAlign {
			return StepStop, d, Stop{StopAlign, "stopping after check returned ALIGN; continue by hand with: helix align"}
		}
		d.Aligned = true
		return StepAlign, d, Stop{}
	case prompt.NextBackfill:
		return StepStop, d, Stop{StopBackfill, "stopping after check returned BACKFILL; rebuild the missing documents with: helix backfill <scope>"}
	case prompt.NextWait:
		return StepStop, d, Stop{StopWait, "stopping after check returned WAIT: the rest waits for claimed work or for something outside"}
	case prompt.NextGuidance:
		return StepStop, d, Stop{StopGuidance, "stopping after check returned GUIDANCE: a decision is needed from you, see the check's answer in the log"}
	case prompt.NextStop:
		return StepStop, d, Stop{StopDrained, "stopping after check returned STOP: nothing is left to do"}
	}
	return StepStop, d, Stop{StopUninterpreted, "unable to determine NEXT_ACTION from check output"}
}
