package run

import (
	"time"

	"helix/internal/run/agent"
)

// RunRecord is one run as the journal tells it.
type RunRecord struct {
	ID         string        `json:"id"`
	Start      time.Time     `json:"start"`
	Seconds    float64       `json:"seconds"`
	StopReason StopReason    `json:"stop_reason"` // empty: it is running, or it died
	StopDetail string        `json:"stop_detail,omitempty"`
	Closed     int           `json:"beads_closed"`
	Usage      agent.Usage   `json:"usage"`
	Cycles     []CycleRecord `json:"cycles"`
}

// CycleRecord is one attempt of a run.
type CycleRecord struct {
	Cycle   int          `json:"cycle"`
	Bead    string       `json:"bead"`
	Beads   []string     `json:"beads"`
	Attempt string       `json:"attempt"`
	Outcome string       `json:"outcome"` // empty: it never ended
	Detail  string       `json:"detail,omitempty"`
	Commit  string       `json:"commit,omitempty"`
	Ref     string       `json:"preserve_ref,omitempty"`
	Seconds float64      `json:"seconds"`
	Review  string       `json:"review,omitempty"`
	Memory  MemoryCounts `json:"memory,omitzero"`
}

// Runs folds the journal into runs and their cycles, oldest first.
func Runs(events []Event) []RunRecord {
	runs := []RunRecord{}
	at := map[string]int{}
	for _, e := range events {
		i, known := at[e.Run]
		if !known {
			i = len(runs)
			at[e.Run] = i
			runs = append(runs, RunRecord{ID: e.Run, Start: e.Time, Cycles: []CycleRecord{}})
		}
		runs[i].take(e)
	}
	return runs
}

func (r *RunRecord) take(e Event) {
	r.Seconds = e.Time.Sub(r.Start).Seconds()
	var last *CycleRecord
	if n := len(r.Cycles); n > 0 {
		last = &r.Cycles[n-1]
	}
	switch e.Kind {
	case EventAttempt:
		r.Cycles = append(r.Cycles, CycleRecord{Cycle: e.Cycle, Bead: e.Bead, Beads: e.Beads, Attempt: e.Attempt})
	case EventOutcome:
		if last != nil && last.Attempt == e.Attempt {
			last.Outcome, last.Detail, last.Commit, last.Ref, last.Seconds = e.Result, e.Detail, e.Commit, e.Ref, e.Seconds
		}
		if e.Usage != nil {
			r.Usage = r.Usage.Add(*e.Usage)
		}
	case EventReview:
		if last != nil {
			last.Review = e.Result
		}
	case EventRecall, EventRecord, EventCredit:
		if last != nil {
			last.Memory.take(e)
		}
	case EventClosed:
		r.Closed++
	case EventRunStop:
		r.StopReason, r.StopDetail = StopReason(e.Result), e.Detail
		if e.Usage != nil {
			r.Usage = *e.Usage // with the actions, which attempts do not include
		}
	}
}

func (m *MemoryCounts) take(e Event) {
	switch n := len(e.Memories); e.Kind {
	case EventRecall:
		m.Recalled += n
	case EventRecord:
		m.Recorded += n
	case EventCredit:
		m.Credited += n
	}
}
