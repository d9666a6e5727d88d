package tracker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Kinds of findings.
const (
	FoundConflict   = "conflict"
	FoundMalformed  = "malformed-line"
	FoundTorn       = "torn-line"
	FoundDuplicate  = "duplicate"
	FoundDangling   = "dangling-dependency"
	FoundOrphan     = "dangling-parent"
	FoundCycle      = "cycle"
	FoundParents    = "parent-cycle"
	FoundStatus     = "unknown-status"
	FoundPriority   = "priority"
	FoundStaleClaim = "stale-claim"
	FoundStaleLock  = "stale-lock"
)

// Finding is one thing that is wrong with a tracker.
type Finding struct {
	Kind   string `json:"kind"`
	ID     string `json:"id,omitempty"`
	Line   int    `json:"line,omitempty"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // what to do about what doctor does not mend
	// Mendable findings are those that Doctor can mend; Mended tells that it did.
	Mendable bool `json:"mendable"`
	Mended   bool `json:"mended"`
}

// Doctoring says how to look at a tracker.
type Doctoring struct {
	Fix         bool
	ClaimAge    time.Duration // a claim of a process that is gone counts as stale beyond it
	Machine     string        // this one's name
	SameProcess func(pid int, start string) bool
}

// Diagnosis is what Doctor found, and where it kept the file as it was before it
// mended anything.
type Diagnosis struct {
	Findings []Finding `json:"findings"`
	Backup   string    `json:"backup,omitempty"`
}

// Doctor examines a tracker and, with Fix, mends what can be mended without
// asking: nothing is lost, since the file is backed up before. Claims are only
// reported: taking work from someone is not doctor's to decide.
func (s *Store) Doctor(ctx context.Context, o Doctoring) (*Diagnosis, error) {
	d := &Diagnosis{Findings: []Finding{}}
	if err := s.examineLock(ctx, d, o); err != nil {
		return nil, fmt.Errorf("tracker: doctor: %w", err)
	}
	if o.Fix {
		if err := s.mend(ctx, d, o); err != nil {
			return nil, fmt.Errorf("tracker: doctor: %w", err)
		}
		return d, nil
	}
	q, snap, err := s.load()
	if errors.Is(err, ErrConflict) {
		d.conflict(err)
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("tracker: doctor: %w", err)
	}
	d.examine(q, snap, o, s.now())
	return d, nil
}

func (d *Diagnosis) add(f Finding) { d.Findings = append(d.Findings, f) }

func (d *Diagnosis) conflict(err error) {
	d.add(Finding{Kind: FoundConflict, Detail: err.Error(), Advice: "helix bead merge"})
}

// examine lists everything about the file.
func (d *Diagnosis) examine(q *Queue, snap *snapshot, o Doctoring, now time.Time) {
	for _, p := range snap.problems {
		kind := FoundMalformed
		if p.Torn {
			kind = FoundTorn
		}
		d.add(Finding{Kind: kind, Line: p.Line, Detail: p.Reason, Mendable: true})
	}
	for _, f := range snap.folded {
		d.add(Finding{Kind: FoundDuplicate, ID: f.ID, Line: f.Line, Mendable: true,
			Detail: fmt.Sprintf("line %d is a newer record of the same bead", f.Kept)})
	}
	for i := range q.rows {
		d.examineRow(q, int32(i), o, now)
	}
	for _, c := range findCycles(q, (*row).waitsFor) {
		d.add(Finding{Kind: FoundCycle, ID: c[0], Mendable: true, Detail: "these wait for each other: " + strings.Join(c, " -> ")})
	}
	for _, c := range findCycles(q, (*row).under) {
		d.add(Finding{Kind: FoundParents, ID: c[0], Mendable: true, Detail: "these are each other's parents: " + strings.Join(c, " -> ")})
	}
}

func (d *Diagnosis) examineRow(q *Queue, i int32, o Doctoring, now time.Time) {
	r := &q.rows[i]
	found := func(kind, format string, args ...any) {
		d.add(Finding{Kind: kind, ID: r.id, Line: r.line, Mendable: true, Detail: fmt.Sprintf(format, args...)})
	}
	for _, dep := range r.deps {
		if _, ok := q.at(dep); !ok && q.archive[dep] == "" {
			found(FoundDangling, "it waits for %s, which does not exist", dep)
		}
	}
	if _, ok := q.at(r.parent); r.parent != "" && !ok && q.archive[r.parent] == "" {
		found(FoundOrphan, "its parent %s does not exist", r.parent)
	}
	if !slices.Contains(statuses, r.status) {
		found(FoundStatus, "its status is %q; known are %s", r.status, listStatuses(statuses))
	}
	if r.priority < 0 || r.priority > LowestPriority {
		found(FoundPriority, "its priority is %d; use 0 to %d", r.priority, LowestPriority)
	}
	if r.status == InProgress {
		b := q.bead(i)
		if why := staleClaim(b, o, now); why != "" {
			d.add(Finding{Kind: FoundStaleClaim, ID: r.id, Line: r.line, Detail: why, Advice: "helix bead update " + r.id + " --unclaim"})
		}
	}
}

// staleClaim judges a claim as recovery does: its process is gone from this
// machine, and it is old.
func staleClaim(b *Bead, o Doctoring, now time.Time) string {
	c := b.Claim()
	if c.Machine != "" && c.Machine != o.Machine || c.PID != 0 && o.SameProcess(c.PID, c.Start) {
		return ""
	}
	at := c.At
	if at.IsZero() {
		at = b.UpdatedAt
	}
	age := now.Sub(at)
	if age <= o.ClaimAge {
		return ""
	}
	return fmt.Sprintf("claimed by %s, %s ago; that process is gone", c, roughly(age))
}

// roughly is an age as a person would say it.
func roughly(age time.Duration) string {
	if days := int(age.Hours() / 24); days >= 2 {
		return fmt.Sprintf("%d days", days)
	}
	return strings.TrimSuffix(age.Truncate(time.Minute).String(), "0s")
}

func (s *Store) examineLock(ctx context.Context, d *Diagnosis, o Doctoring) error {
	dir := filepath.Join(s.dir, lockName)
	_, why, err := judgeLock(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, bare(err))
	}
	if why == "" {
		return nil
	}
	f := Finding{Kind: FoundStaleLock, Detail: dir + ": " + why, Mendable: true}
	if o.Fix {
		if err := s.breakLock(ctx, dir, time.Now().Add(s.lockTimeout)); err != nil {
			return err
		}
		f.Mended = true
	}
	d.add(f)
	return nil
}

// Sick tells whether something is left that must be mended. A stale claim is
// worth knowing, but the tracker works with it.
func (d *Diagnosis) Sick() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return !f.Mended && f.Kind != FoundStaleClaim })
}
