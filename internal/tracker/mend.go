package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mend examines and repairs under the lock, in one write.
func (s *Store) mend(ctx context.Context, d *Diagnosis, o Doctoring) error {
	if s.badSetting != nil {
		return s.badSetting
	}
	l, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.release(l)
	q, snap, err := s.load()
	if errors.Is(err, ErrConflict) {
		d.conflict(err)
		return nil
	}
	if err != nil {
		return err
	}
	found := &Diagnosis{}
	found.examine(q, snap, o, s.now())
	draft := s.draft(q)
	if err := draft.mend(snap, found.Findings); err != nil {
		return err
	}
	if slices.ContainsFunc(found.Findings, func(f Finding) bool { return f.Mended }) {
		if d.Backup, err = s.backup(snap); err != nil {
			return err
		}
		if err := s.replace(l, snap, assemble(snap, draft.rows)); err != nil {
			return err
		}
	}
	d.Findings = append(d.Findings, found.Findings...)
	return nil
}

// mend repairs what it can and marks it. Lines that are no beads and older
// duplicates need nothing: they are not among the rows that are written.
func (d *draft) mend(snap *snapshot, findings []Finding) error {
	for k := range findings {
		f := &findings[k]
		if !f.Mendable {
			continue
		}
		f.Mended = true
		if change, ok := repairs[f.Kind]; ok {
			if err := d.repair(f.ID, f.Kind, func(b *Bead) string { return change(d, b) }); err != nil {
				return err
			}
		}
	}
	if err := d.breakCycles(snap, (*row).waitsFor, d.dropYoungest); err != nil {
		return err
	}
	return d.breakCycles(snap, (*row).under, d.dropParent)
}

// repairs change one bead and say what was there before.
var repairs = map[string]func(*draft, *Bead) string{
	FoundDangling: func(d *draft, b *Bead) string {
		var gone []string
		b.Dependencies = slices.DeleteFunc(b.Dependencies, func(x Dependency) bool {
			if d.known(x.DependsOnID) {
				return false
			}
			gone = append(gone, x.DependsOnID)
			return true
		})
		return strings.Join(gone, " ")
	},
	FoundOrphan: func(_ *draft, b *Bead) string {
		was := b.Parent
		b.Parent = ""
		return was
	},
	FoundStatus: func(_ *draft, b *Bead) string {
		was := string(b.Status)
		b.Status = Proposed // a person has to look at it
		if s, ok := foreignStatus[strings.ToLower(was)]; ok && was != "" {
			b.Status = s
		}
		return was
	},
	FoundPriority: func(_ *draft, b *Bead) string {
		was := b.Priority
		b.Priority = min(max(b.Priority, 0), LowestPriority)
		return fmt.Sprint(was)
	},
}

// repair changes a bead and leaves a trace of it in its history.
func (d *draft) repair(id, kind string, change func(*Bead) string) error {
	b, err := d.get(id)
	if err != nil {
		return err
	}
	was := change(b)
	if was == "" && kind != FoundStatus {
		return nil // an earlier finding about the same bead was mended with it
	}
	if err := b.AddEvent(Event{Kind: "repair", Summary: kind, Body: "before: " + was, Source: "helix bead doctor", CreatedAt: d.now}); err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	_, err = d.put(b)
	return err
}

// breakCycles takes one step out of each cycle until none is left. Every round
// removes at least one step, so that it ends.
func (d *draft) breakCycles(snap *snapshot, next func(*row) []string, drop func(cycle []string) error) error {
	q := d.queue
	for {
		cycles := findCycles(q, next)
		if len(cycles) == 0 {
			return nil
		}
		// Cycles may share steps: the others are looked for anew.
		if err := drop(cycles[0]); err != nil {
			return err
		}
		now, err := parseSnapshot(snap.path, bytes.Join(assemble(snap, d.rows), nil))
		if err != nil {
			return err
		}
		q = newQueue(now)
	}
}

// dropYoungest removes the dependency of a cycle that was added last.
func (d *draft) dropYoungest(cycle []string) error {
	var from, to, youngest string
	for k := range len(cycle) - 1 {
		b, err := d.get(cycle[k])
		if err != nil {
			return err
		}
		for _, dep := range b.Dependencies {
			if dep.DependsOnID == cycle[k+1] && (from == "" || parseTime(dep.CreatedAt).After(parseTime(youngest))) {
				from, to, youngest = cycle[k], cycle[k+1], dep.CreatedAt
			}
		}
	}
	return d.repair(from, FoundCycle, func(b *Bead) string {
		b.Dependencies = slices.DeleteFunc(b.Dependencies, func(x Dependency) bool { return x.DependsOnID == to })
		return "waited for " + to
	})
}

// dropParent takes the first bead of a cycle of parents out of it.
func (d *draft) dropParent(cycle []string) error {
	return d.repair(cycle[0], FoundParents, func(b *Bead) string {
		was := b.Parent
		b.Parent = ""
		return "was under " + was
	})
}
