package run

import (
	"fmt"
	"slices"
	"time"

	"helix/internal/tracker"
)

// View is what selection knows beside the queue.
type View struct {
	Now    time.Time
	Scope  string
	Only   string               // the one bead that may be chosen; "" for any
	Focus  string               // epic that the loop is on, "" when none
	Skip   map[string]string    // bead -> why it is left out for the rest of this run
	Parked map[string]time.Time // bead -> not before
}

// Choice is what to do next: work on Bead, or close the epic CloseEpic because
// every child of it is done, or, when both are empty, nothing is left to select.
type Choice struct {
	Bead      *tracker.Bead
	CloseEpic *tracker.Bead
	Focus     string // epic to be on from now on
	Released  string // why the epic that was focused no longer is; "" when it still is
	Ready     []*tracker.Bead
}

// Select applies the tracker's order and helix's queue policy (TD-002, Ready
// Work; original-cli.md, 2.2): stay on the focused epic until it is done or
// nothing of it can run; otherwise take, in the tracker's order, the first bead
// that says what done means (a spec, an acceptance or a design), else the first.
// Choosing a child of an epic moves the focus to that epic.
func Select(q *tracker.Queue, v View) Choice {
	ready := selectable(q, v)
	c := Choice{Ready: ready, Focus: v.Focus}
	if v.Focus != "" {
		epic, ok := q.Get(v.Focus)
		switch {
		case !ok || done(epic):
			c.Focus, c.Released = "", "it is closed"
		case allDone(q.Children(epic.ID)):
			c.CloseEpic = epic
			return c
		default:
			if b := best(under(q, ready, epic.ID)); b != nil {
				c.Bead = b
				return c
			}
			c.Focus, c.Released = "", fmt.Sprintf("it has %d open children but none can run now", countOpen(q.Children(epic.ID)))
		}
	}
	c.Bead = best(ready)
	if c.Bead != nil {
		c.Focus = epicOf(q, c.Bead, v.Skip)
	}
	return c
}

// selectable is every executable bead in scope that this run has not set aside.
func selectable(q *tracker.Queue, v View) []*tracker.Bead {
	return slices.DeleteFunc(slices.Clone(q.Executable(v.Now)), func(b *tracker.Bead) bool {
		_, skipped := v.Skip[b.ID]
		return skipped || v.Only != "" && b.ID != v.Only || v.Now.Before(v.Parked[b.ID]) || !InScope(q, b, v.Scope)
	})
}

func best(ready []*tracker.Bead) *tracker.Bead {
	for _, b := range ready {
		if b.SpecID() != "" || b.Acceptance != "" || b.Str("design") != "" {
			return b
		}
	}
	if len(ready) > 0 {
		return ready[0]
	}
	return nil
}

// epicOf is the nearest epic above b that is open and not skipped.
func epicOf(q *tracker.Queue, b *tracker.Bead, skip map[string]string) string {
	for _, a := range ancestors(q, b) {
		if _, skipped := skip[a.ID]; a.IsEpic() && !done(a) && !skipped {
			return a.ID
		}
	}
	return ""
}

// ancestors are the parents of b, nearest first. A parent chain that loops ends
// where it would repeat.
func ancestors(q *tracker.Queue, b *tracker.Bead) []*tracker.Bead {
	var up []*tracker.Bead
	seen := map[string]bool{b.ID: true}
	for b.Parent != "" && !seen[b.Parent] {
		seen[b.Parent] = true
		p, ok := q.Get(b.Parent)
		if !ok {
			break
		}
		up = append(up, p)
		b = p
	}
	return up
}

func under(q *tracker.Queue, beads []*tracker.Bead, epic string) []*tracker.Bead {
	return slices.DeleteFunc(slices.Clone(beads), func(b *tracker.Bead) bool {
		return !slices.ContainsFunc(ancestors(q, b), func(a *tracker.Bead) bool { return a.ID == epic })
	})
}

// InScope tells whether a bead belongs to the scope of a run: everything, one
// bead with all below it, one spec, or one label (an area may be named without
// its prefix).
func InScope(q *tracker.Queue, b *tracker.Bead, scope string) bool {
	if scope == "" || scope == "repo" || b.ID == scope || b.SpecID() == scope ||
		b.HasLabel(scope) || b.HasLabel("area:"+scope) {
		return true
	}
	return slices.ContainsFunc(ancestors(q, b), func(a *tracker.Bead) bool { return a.ID == scope })
}

// KnownScope tells whether any bead of the queue lies in the scope: a scope that
// names nothing is most likely misspelt.
func KnownScope(q *tracker.Queue, scope string) bool {
	return scope == "" || scope == "repo" || slices.ContainsFunc(q.All(), func(b *tracker.Bead) bool { return InScope(q, b, scope) })
}

func done(b *tracker.Bead) bool { return b.Status == tracker.Closed || b.Status == tracker.Cancelled }

// allDone is false for no beads: an epic without children is not finished, it
// has not been broken down yet.
func allDone(beads []*tracker.Bead) bool { return len(beads) > 0 && countOpen(beads) == 0 }

func countOpen(beads []*tracker.Bead) int {
	n := 0
	for _, b := range beads {
		if !done(b) {
			n++
		}
	}
	return n
}
