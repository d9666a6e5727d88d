package run

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"helix/internal/tracker"
)

// Status is what helix status tells. The names of its JSON fields are those of
// the original CLI (original-cli.md, 1.8), with more beside them.
type Status struct {
	ActiveRun    *ActiveRun     `json:"active_run"`
	CurrentCycle int            `json:"current_cycle"`
	Injected     []Injected     `json:"injected_supervisory"`
	StopReason   StopReason     `json:"last_stop_reason"`
	Parked       []ParkedBead   `json:"parked_beads"`
	Run          *State         `json:"run"`
	RunningBead  *RunningBead   `json:"running_bead"`
	Tracker      tracker.Counts `json:"tracker"`
}

// ActiveRun is the run that holds the lock now.
type ActiveRun struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Log     string    `json:"log"`
	Phase   Phase     `json:"phase"`
	Until   time.Time `json:"until,omitzero"`
}

// RunningBead is the bead that is being worked on.
type RunningBead struct {
	ID              string    `json:"id"`
	Title           string    `json:"title"`
	Worker          string    `json:"worker"`
	Harness         string    `json:"harness"`
	ClaimAgeSeconds int64     `json:"claim_age_seconds"`
	StartedAt       time.Time `json:"started_at"`
}

// ParkedBead is an open or claimed bead that no run can take now.
type ParkedBead struct {
	ID           string    `json:"id"`
	Reason       string    `json:"reason"` // dep-blocked, retry-parked, orphaned-claim, skipped, or the tracker's kind
	Detail       string    `json:"detail"`
	NextEligible time.Time `json:"next_eligible,omitzero"`
	AgeSeconds   int64     `json:"age_seconds"`
}

// Injected is a bead that a review or a check put into the queue.
type Injected struct {
	ID              string    `json:"id"`
	Type            string    `json:"type"`
	TriggeringCycle int       `json:"triggering_cycle"`
	TriggeringBead  string    `json:"triggering_bead"`
	CreatedAt       time.Time `json:"created_at"`
}

// StatusOf puts a status together. State is nil when no run has been; live tells
// whether a run holds the lock.
func StatusOf(q *tracker.Queue, s *State, live bool, facts ClaimFacts) Status {
	status := Status{Run: s, Tracker: q.Counts(facts.Now), Injected: []Injected{}, Parked: []ParkedBead{}}
	if s != nil {
		status.CurrentCycle, status.StopReason = s.Attempted, s.StopReason
	}
	if live && s != nil {
		status.ActiveRun = &ActiveRun{PID: s.Process.PID, Started: s.StartedAt, Log: s.Log, Phase: s.Phase, Until: s.Until}
		status.RunningBead = runningBead(q, s, facts.Now)
	}
	for _, b := range q.All() {
		if in, ok := injected(b); ok {
			status.Injected = append(status.Injected, in)
		}
		if p, ok := parked(q, b, s, live, facts); ok {
			status.Parked = append(status.Parked, p)
		}
	}
	return status
}

func runningBead(q *tracker.Queue, s *State, now time.Time) *RunningBead {
	b, ok := q.Get(s.CurrentIssue)
	if !ok {
		return nil
	}
	return &RunningBead{
		ID: b.ID, Title: b.Title, Worker: s.Executor, Harness: s.Agent,
		ClaimAgeSeconds: int64(now.Sub(s.CycleStart).Seconds()), StartedAt: s.CycleStart,
	}
}

func parked(q *tracker.Queue, b *tracker.Bead, s *State, live bool, facts ClaimFacts) (ParkedBead, bool) {
	p := ParkedBead{ID: b.ID, AgeSeconds: int64(facts.Now.Sub(b.UpdatedAt).Seconds())}
	if b.Status == tracker.InProgress {
		c := b.Claim()
		if c.Owner != Owner || c.Machine != "" && c.Machine != facts.Machine || facts.Alive(c.PID, c.Start) {
			return p, false
		}
		_, why := Reclaimable(b, facts)
		p.Reason, p.Detail = "orphaned-claim", why+"; free it with: helix doctor --fix"
		return p, true
	}
	if b.Status != tracker.Open {
		return p, false
	}
	if s != nil && s.Skip[b.ID] != "" && live {
		p.Reason, p.Detail = "skipped", s.Skip[b.ID]
		return p, true
	}
	reasons := q.Why(b.ID, facts.Now)
	if len(reasons) == 0 {
		return p, false
	}
	p.Reason, p.Detail = string(reasons[0].Kind), reasons[0].Detail
	switch reasons[0].Kind {
	case "dependency":
		p.Reason = "dep-blocked"
	case "retry-cooldown":
		p.Reason, p.NextEligible = "retry-parked", b.RetryAfter()
	}
	return p, true
}

var trigger = regexp.MustCompile(`(?m)^TRIGGERING_(CYCLE|BEAD)=(\S+)$`)

// supervisory are the labels of beads that the loop's own actions put into the
// queue.
var supervisory = []string{"review-finding", "alignment-review", "acceptance-failure"}

func injected(b *tracker.Bead) (Injected, bool) {
	i := slices.IndexFunc(supervisory, b.HasLabel)
	if i < 0 || done(b) {
		return Injected{}, false
	}
	in := Injected{ID: b.ID, Type: supervisory[i], CreatedAt: b.CreatedAt}
	for _, m := range trigger.FindAllStringSubmatch(b.Notes, -1) {
		if m[1] == "CYCLE" {
			in.TriggeringCycle, _ = strconv.Atoi(m[2])
		} else {
			in.TriggeringBead = m[2]
		}
	}
	return in, true
}

// Explain says in order of weight why a bead is, or is not, what a run would
// take next. The first line is the answer.
func Explain(q *tracker.Queue, id string, v View) ([]string, error) {
	b, ok := q.Get(id)
	if !ok {
		return nil, fmt.Errorf("bead %s: %w", id, tracker.ErrNotFound)
	}
	if why := v.Skip[id]; why != "" {
		return []string{fmt.Sprintf("%s is left out of this run: %s", id, why)}, nil
	}
	if until := v.Parked[id]; v.Now.Before(until) {
		return []string{fmt.Sprintf("%s is parked until %s", id, until.Local().Format(time.DateTime))}, nil
	}
	if !InScope(q, b, v.Scope) {
		return []string{fmt.Sprintf("%s is outside the scope %s of the run", id, v.Scope)}, nil
	}
	if reasons := q.Why(id, v.Now); len(reasons) > 0 {
		lines := []string{fmt.Sprintf("%s cannot run now", id)}
		for _, r := range reasons {
			lines = append(lines, r.Detail)
		}
		return lines, nil
	}
	c := Select(q, v)
	if c.Bead != nil && c.Bead.ID == id {
		return explainNext(b, c), nil
	}
	return explainLater(b, c), nil
}

func explainNext(b *tracker.Bead, c Choice) []string {
	lines := []string{fmt.Sprintf("%s is next", b.ID)}
	if c.Focus != "" {
		lines = append(lines, fmt.Sprintf("the run stays on epic %s until it is done", c.Focus))
	}
	if b.SpecID() != "" || b.Acceptance != "" || b.Str("design") != "" {
		lines = append(lines, "it says what done means, by a spec, an acceptance or a design: such beads go first")
	}
	return append(lines, fmt.Sprintf("priority %d; %d ready", b.Priority, len(c.Ready)))
}

func explainLater(b *tracker.Bead, c Choice) []string {
	if c.Bead == nil {
		return []string{fmt.Sprintf("%s is ready, but the run closes epic %s first", b.ID, c.CloseEpic.ID)}
	}
	place := slices.IndexFunc(c.Ready, func(r *tracker.Bead) bool { return r.ID == b.ID }) + 1
	lines := []string{fmt.Sprintf("%s is ready; %s goes first", b.ID, c.Bead.ID)}
	if c.Focus != "" && c.Focus == c.Bead.Parent && b.Parent != c.Focus {
		lines = append(lines, fmt.Sprintf("the run is on epic %s, and %s is not part of it", c.Focus, b.ID))
	}
	if b.SpecID() == "" && b.Acceptance == "" && b.Str("design") == "" {
		lines = append(lines, "it has no spec, acceptance or design: beads that say what done means go first")
	}
	return append(lines, fmt.Sprintf("place %d of %d by priority (%d), rank and age", place, len(c.Ready), b.Priority))
}
