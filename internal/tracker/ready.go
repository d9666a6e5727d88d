package tracker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ReasonKind says what keeps a bead from being worked on. The words are ddx's
// where it has one.
type ReasonKind string

const (
	NotFound     ReasonKind = "not-found"
	NotOpen      ReasonKind = "status"         // in progress, closed, proposed, cancelled, or an unknown status
	External     ReasonKind = "blocked-status" // waits for something outside the queue
	Dependencies ReasonKind = "dependency"
	Superseded   ReasonKind = "superseded"
	Cooldown     ReasonKind = "retry-cooldown"
	NotEligible  ReasonKind = "not-execution-eligible" // ready, but not for an agent
	Epic         ReasonKind = "epic-only"              // a container, or one that must be broken down first
)

// Reason is one thing that keeps a bead from being executed.
type Reason struct {
	Kind   ReasonKind `json:"kind"`
	Detail string     `json:"detail"`
	IDs    []string   `json:"ids,omitempty"` // beads that it waits for
}

// Ready are the beads that can be worked on now, most urgent first: open, every
// dependency closed, not superseded, not cooling down, and no epic that has
// children (its work is theirs).
func (q *Queue) Ready(now time.Time) []*Bead { return q.pick(q.ready(now, false)) }

// Executable are the ready beads that an agent may be given: no epics, and none
// that says execution-eligible=false.
func (q *Queue) Executable(now time.Time) []*Bead { return q.pick(q.ready(now, true)) }

// ReadyJSON is Ready or Executable as the rows stand in the file, for a reader
// that only passes them on.
func (q *Queue) ReadyJSON(now time.Time, executable bool) ([]json.RawMessage, error) {
	positions := q.ready(now, executable)
	rows := make([]json.RawMessage, len(positions))
	for k, i := range positions {
		rows[k] = bytes.TrimSpace(q.rows[i].raw)
		if len(rows[k]) == 0 { // a bead of NewQueue
			line, err := q.bead(i).JSON()
			if err != nil {
				return nil, fmt.Errorf("tracker: %s: %w", q.rows[i].id, err)
			}
			rows[k] = line
		}
	}
	return rows, nil
}

func (q *Queue) ready(now time.Time, executable bool) []int32 {
	parents := q.epicsWithChildren()
	var found []int32
	for i := range q.rows {
		r := &q.rows[i]
		if r.status != Open || r.supersededBy != "" || executable && r.ineligible {
			continue
		}
		if isEpic(r.typ) && (executable || parents[r.id]) {
			continue
		}
		if q.waits(r) || r.cooling(now) {
			continue
		}
		found = append(found, int32(i))
	}
	slices.SortFunc(found, func(a, b int32) int { return byUrgency(&q.rows[a], &q.rows[b]) })
	return found
}

// epicsWithChildren finds the containers; every other type is work of its own
// even when it has children.
func (q *Queue) epicsWithChildren() map[string]bool {
	epics := map[string]bool{}
	for i := range q.rows {
		if isEpic(q.rows[i].typ) {
			epics[q.rows[i].id] = false
		}
	}
	if len(epics) == 0 {
		return nil
	}
	for i := range q.rows {
		if p := q.rows[i].parent; p != "" {
			if _, ok := epics[p]; ok {
				epics[p] = true
			}
		}
	}
	return epics
}

// waits tells whether any dependency is not closed. One that is nowhere to be
// found is not closed.
func (q *Queue) waits(r *row) bool {
	return slices.ContainsFunc(r.deps, func(id string) bool { return !q.closed(id) })
}

func (q *Queue) closed(id string) bool {
	if i, ok := q.at(id); ok {
		return q.rows[i].status == Closed
	}
	return q.archive[id] == Closed
}

func (r *row) cooling(now time.Time) bool {
	return r.retryAfter != "" && now.Before(parseTime(r.retryAfter))
}

// Why lists what keeps a bead from being executed now. It is empty for exactly
// the beads of Executable.
func (q *Queue) Why(id string, now time.Time) []Reason {
	i, ok := q.at(id)
	if !ok {
		return []Reason{{Kind: NotFound, Detail: fmt.Sprintf("%s is not in the queue", id)}}
	}
	return slices.Concat(q.whyNotReady(i, now), q.whyNotExecutable(i))
}

func (q *Queue) whyNotReady(i int32, now time.Time) []Reason {
	r := &q.rows[i]
	var why []Reason
	switch r.status {
	case Open:
	case Blocked:
		reason := q.bead(i).Str(keyExternal)
		if reason == "" {
			reason = "no reason is given"
		}
		why = append(why, Reason{Kind: External, Detail: "blocked from outside: " + reason})
	default:
		why = append(why, Reason{Kind: NotOpen, Detail: q.describeStatus(i)})
	}
	if waiting := q.unclosed(r); len(waiting) > 0 {
		why = append(why, Reason{Kind: Dependencies, Detail: "waits for " + q.describe(waiting), IDs: waiting})
	}
	if r.supersededBy != "" {
		why = append(why, Reason{Kind: Superseded, Detail: "superseded by " + r.supersededBy, IDs: []string{r.supersededBy}})
	}
	if r.cooling(now) {
		why = append(why, Reason{Kind: Cooldown, Detail: "not to be tried again before " + formatTime(parseTime(r.retryAfter))})
	}
	return why
}

func (q *Queue) whyNotExecutable(i int32) []Reason {
	r := &q.rows[i]
	var why []Reason
	if isEpic(r.typ) {
		detail := "an epic without children must be broken down into beads first"
		if n := len(q.Children(r.id)); n > 0 {
			detail = fmt.Sprintf("an epic is a container; its work is its children (%d)", n)
		}
		why = append(why, Reason{Kind: Epic, Detail: detail})
	}
	if r.ineligible {
		why = append(why, Reason{Kind: NotEligible, Detail: "execution-eligible is false: not for an agent"})
	}
	return why
}

func (q *Queue) describeStatus(i int32) string {
	b := q.bead(i)
	if b.Status != InProgress {
		return fmt.Sprintf("its status is %q, not open", b.Status)
	}
	if b.Owner == "" {
		return "it is in progress"
	}
	return fmt.Sprintf("it is in progress, claimed by %s", b.Owner)
}

// unclosed are the ids that a row waits for, each once.
func (q *Queue) unclosed(r *row) []string {
	var waiting []string
	for _, id := range r.deps {
		if !q.closed(id) && !slices.Contains(waiting, id) {
			waiting = append(waiting, id)
		}
	}
	return waiting
}

// describe names beads with their status, where it tells why waiting is vain.
func (q *Queue) describe(ids []string) string {
	var text []string
	for _, id := range ids {
		i, ok := q.at(id)
		switch {
		case !ok && q.archive[id] != "":
			text = append(text, fmt.Sprintf("%s (archived as %s)", id, q.archive[id]))
		case !ok:
			text = append(text, id+" (which does not exist)")
		case q.rows[i].status == Open:
			text = append(text, id)
		default:
			text = append(text, fmt.Sprintf("%s (%s)", id, q.rows[i].status))
		}
	}
	return strings.Join(text, ", ")
}

// WithStatus are the ids of the beads that have a status.
func (q *Queue) WithStatus(status Status) []string {
	found := []string{}
	for i := range q.rows {
		if q.rows[i].status == status {
			found = append(found, q.rows[i].id)
		}
	}
	return found
}

// Waiting is a bead that is held up, and by what.
type Waiting struct {
	Bead    *Bead
	Reasons []Reason
}

// HeldUp are the beads that want to be worked on and cannot: blocked ones, and
// open ones that wait for a dependency, cool down or are superseded; by id.
func (q *Queue) HeldUp(now time.Time) []Waiting {
	var held []Waiting
	for i := range q.rows {
		if s := q.rows[i].status; s != Open && s != Blocked {
			continue
		}
		if why := q.whyNotReady(int32(i), now); len(why) > 0 {
			held = append(held, Waiting{q.bead(int32(i)), why})
		}
	}
	return held
}

// Counts are the numbers of a queue. The names of the JSON are ddx's.
type Counts struct {
	Total             int `json:"total"`
	Open              int `json:"open"`
	InProgress        int `json:"in_progress"`
	Closed            int `json:"closed"`
	Blocked           int `json:"blocked"` // by status
	Proposed          int `json:"proposed"`
	Cancelled         int `json:"cancelled"`
	UnknownStatus     int `json:"unknown_status,omitempty"`
	Ready             int `json:"ready"`
	WorkerReady       int `json:"worker_ready"`       // executable
	DependencyWaiting int `json:"dependency_waiting"` // open, and a dependency is not closed
	ExternalBlocked   int `json:"external_blocked"`   // blocked, with a reason on record
	RetryCooldown     int `json:"retry_cooldown"`     // open and cooling down
	NeedsHuman        int `json:"needs_human"`        // not closed or cancelled, and asks for a person
}

// Counts counts.
func (q *Queue) Counts(now time.Time) Counts {
	c := Counts{Total: len(q.rows), Ready: len(q.ready(now, false)), WorkerReady: len(q.ready(now, true))}
	for i := range q.rows {
		r := &q.rows[i]
		switch r.status {
		case Open:
			c.Open++
			if q.waits(r) {
				c.DependencyWaiting++
			}
			if r.cooling(now) {
				c.RetryCooldown++
			}
		case InProgress:
			c.InProgress++
		case Closed:
			c.Closed++
		case Blocked:
			c.Blocked++
			if q.bead(int32(i)).Str(keyExternal) != "" {
				c.ExternalBlocked++
			}
		case Proposed:
			c.Proposed++
		case Cancelled:
			c.Cancelled++
		default:
			c.UnknownStatus++
		}
		if r.needsHuman && r.status != Closed && r.status != Cancelled {
			c.NeedsHuman++
		}
	}
	return c
}
