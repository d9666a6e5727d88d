package tracker

import (
	"fmt"
	"slices"
	"strings"
)

// check refuses a bead that makes no sense. Only what differs from base is
// judged, so that a row that was odd before can still be changed.
func (d *draft) check(b, base *Bead) error {
	if b.Title != base.Title {
		if err := checkTitle(b.Title); err != nil {
			return err
		}
	}
	if b.Priority != base.Priority && (b.Priority < 0 || b.Priority > LowestPriority) {
		return invalid("priority %d: use 0 (most urgent) to %d", b.Priority, LowestPriority)
	}
	if b.Type != base.Type && strings.TrimSpace(b.Type) == "" {
		return invalid("a bead needs a type, such as task, bug or epic")
	}
	if b.Status != base.Status {
		if err := checkTransition(base.Status, b.Status); err != nil {
			return err
		}
		if b.Status == Blocked && b.Str(keyExternal) == "" {
			return invalid("a blocked bead must say what it waits for (--external-blocker-reason); to wait for another bead use: helix bead dep add")
		}
	}
	for _, label := range b.Labels {
		if strings.TrimSpace(label) == "" && !slices.Contains(base.Labels, label) {
			return invalid("a label is empty")
		}
	}
	if b.Parent != base.Parent && b.Parent != "" {
		if err := d.checkParent(b); err != nil {
			return err
		}
	}
	return d.checkDependencies(b, base)
}

func checkTitle(title string) error {
	if strings.TrimSpace(title) == "" {
		return invalid("a bead needs a title")
	}
	if strings.ContainsAny(title, "\r\n") {
		return invalid("a title is one line; put the rest into the description")
	}
	return nil
}

func (d *draft) checkParent(b *Bead) error {
	if !d.known(b.Parent) {
		return fmt.Errorf("parent: %w", &NotFoundError{ID: b.Parent, Path: d.store.Path()})
	}
	chain := []string{b.ID}
	for p := b.Parent; p != ""; p = d.parentOf(p) {
		if p == b.ID {
			return fmt.Errorf("%w of parents: %s", ErrCycle, strings.Join(append(chain, p), " -> "))
		}
		if slices.Contains(chain, p) {
			break // a loop that was there before, without b
		}
		chain = append(chain, p)
	}
	return nil
}

func (d *draft) checkDependencies(b, base *Bead) error {
	for _, dep := range b.Dependencies {
		on := dep.DependsOnID
		if !slices.ContainsFunc(base.Dependencies, func(x Dependency) bool { return x.DependsOnID == on }) {
			if err := d.checkDependency(b, on); err != nil {
				return err
			}
		} else if b.Parent == base.Parent {
			continue
		}
		seen := map[string]bool{}
		for p := b.Parent; p != "" && !seen[p]; p = d.parentOf(p) {
			if p == on {
				return fmt.Errorf("%w: %s is part of %s, which closes after it", ErrCycle, b.ID, p)
			}
			seen[p] = true
		}
	}
	return nil
}

func (d *draft) checkDependency(b *Bead, on string) error {
	if on == b.ID {
		return fmt.Errorf("%w: %s -> %s", ErrCycle, b.ID, b.ID)
	}
	if !d.known(on) {
		return fmt.Errorf("dependency: %w", &NotFoundError{ID: on, Path: d.store.Path()})
	}
	if path := findPath(on, b.ID, d.depsOf); path != nil {
		return fmt.Errorf("%w: %s", ErrCycle, strings.Join(append([]string{b.ID}, path...), " -> "))
	}
	return nil
}

// known tells whether an id names a bead, archived ones included.
func (d *draft) known(id string) bool {
	if _, ok := d.rows[id]; ok {
		return true
	}
	if _, ok := d.queue.at(id); ok {
		return true
	}
	return d.store.archived(id)
}

// depsOf and parentOf see the draft's own changes.
func (d *draft) depsOf(id string) []string {
	if b, ok := d.beads[id]; ok {
		return rowOf(b).deps
	}
	if i, ok := d.queue.at(id); ok {
		return d.queue.rows[i].deps
	}
	return nil
}

func (d *draft) parentOf(id string) string {
	if b, ok := d.beads[id]; ok {
		return b.Parent
	}
	if i, ok := d.queue.at(id); ok {
		return d.queue.rows[i].parent
	}
	return ""
}

// findPath is a way from one bead to another along their dependencies, nil when
// there is none. It visits every bead at most once.
func findPath(from, to string, deps func(string) []string) []string {
	came := map[string]string{from: ""}
	queue := []string{from}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if id == to {
			var path []string
			for ; id != ""; id = came[id] {
				path = append(path, id)
			}
			slices.Reverse(path)
			return path
		}
		for _, next := range deps(id) {
			if _, seen := came[next]; !seen {
				came[next] = id
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// waitsFor and under are the two ways in which rows refer to others.
func (r *row) waitsFor() []string { return r.deps }

func (r *row) under() []string {
	if r.parent == "" {
		return nil
	}
	return []string{r.parent}
}

// findCycles finds beads that lead back to themselves: each cycle once, as the
// ids along it with the first repeated at the end, in the order of ids. Cycles
// that share a bead may be found one at a time.
func findCycles(q *Queue, next func(*row) []string) [][]string {
	const (
		unseen = iota
		onPath
		done
	)
	state := make([]byte, len(q.rows))
	var cycles [][]string
	var path []int32
	var visit func(i int32)
	visit = func(i int32) {
		state[i] = onPath
		path = append(path, i)
		for _, id := range next(&q.rows[i]) {
			j, ok := q.at(id)
			switch {
			case !ok || state[j] == done:
			case state[j] == unseen:
				visit(j)
			default:
				cycles = append(cycles, q.cycleOn(path, j))
			}
		}
		path = path[:len(path)-1]
		state[i] = done
	}
	for i := range q.rows {
		if state[i] == unseen {
			visit(int32(i))
		}
	}
	return cycles
}

// cycleOn is the end of the path from start on, closed, and turned so that its
// smallest id comes first.
func (q *Queue) cycleOn(path []int32, start int32) []string {
	path = path[slices.Index(path, start):]
	least := slices.Index(path, slices.Min(path)) // rows are ordered by id
	var ids []string
	for k := range path {
		ids = append(ids, q.rows[path[(least+k)%len(path)]].id)
	}
	return append(ids, ids[0])
}
