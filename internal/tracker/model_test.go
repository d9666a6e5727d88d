package tracker

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelBead is what the model remembers of a bead.
type modelBead struct {
	status  Status
	owner   Claim
	deps    map[string]bool
	commit  string
	updated time.Time
}

// model drives a store with random operations and knows what must come out.
type model struct {
	t     *testing.T
	store *Store
	beads map[string]*modelBead
	order []string          // of creation, so that a failure can be replayed in spite of random ids
	raw   map[string]string // rows as they were when last looked at
}

func (m *model) pick(t *rapid.T) string {
	k := rapid.IntRange(0, len(m.order)).Draw(t, "bead")
	if k == len(m.order) {
		return "hx-none"
	}
	return m.order[k]
}

func claimOf(n int) Claim { return Claim{Owner: fmt.Sprint("p", n), PID: n, Start: "s", Machine: "m"} }

// expect checks how an operation ended against the model.
func (m *model) expect(t *rapid.T, err, want error) bool {
	if want == nil && err != nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
	return want == nil
}

func (m *model) create(t *rapid.T) {
	n := New{Title: "t", Priority: 1}
	on := m.pick(t)
	if rapid.Bool().Draw(t, "depends") {
		n.DependsOn = []string{on}
	}
	b, err := m.store.Create(ctx, n)
	if _, ok := m.beads[on]; len(n.DependsOn) > 0 && !ok {
		m.expect(t, err, ErrNotFound)
		return
	}
	m.expect(t, err, nil)
	made := &modelBead{status: Open, deps: map[string]bool{}}
	for _, d := range n.DependsOn {
		made.deps[d] = true
	}
	m.beads[b.ID] = made
	m.order = append(m.order, b.ID)
}

func (m *model) claim(t *rapid.T) {
	id, n := m.pick(t), rapid.IntRange(1, 3).Draw(t, "who")
	_, err := m.store.Claim(ctx, id, claimOf(n))
	b := m.beads[id]
	var want error
	switch {
	case b == nil:
		want = ErrNotFound
	case b.status == InProgress:
		want = ErrClaimed
	case b.status != Open:
		want = ErrNotOpen
	}
	if m.expect(t, err, want) {
		b.status, b.owner = InProgress, claimOf(n)
	}
}

func (m *model) unclaim(t *rapid.T) {
	id, n := m.pick(t), rapid.IntRange(0, 3).Draw(t, "who")
	var owner *Claim
	if n > 0 {
		c := claimOf(n)
		owner = &c
	}
	b := m.beads[id]
	var want error
	switch {
	case b == nil:
		want = ErrNotFound
	case b.status != InProgress && b.status != Open:
		want = ErrNotClaimed
	case owner != nil && b.owner != *owner:
		want = ErrNotOwner
	}
	if m.expect(t, m.store.Unclaim(ctx, id, owner), want) {
		b.status, b.owner = Open, Claim{}
	}
}

func (m *model) close(t *rapid.T) {
	id, n := m.pick(t), rapid.IntRange(0, 3).Draw(t, "who")
	c := Closing{Commit: rapid.SampledFrom([]string{"", "abc"}).Draw(t, "commit")}
	if n > 0 {
		owner := claimOf(n)
		c.Owner = &owner
	}
	b := m.beads[id]
	var want error
	switch {
	case b == nil:
		want = ErrNotFound
	case c.Owner != nil && (b.status != InProgress || b.owner != *c.Owner):
		want = ErrNotOwner
	case b.status == Closed || b.status == Cancelled:
		want = ErrInvalid
	}
	if m.expect(t, m.store.Close(ctx, id, c), want) {
		b.status, b.owner, b.commit = Closed, Claim{}, c.Commit
	}
}

func (m *model) reopen(t *rapid.T) {
	id := m.pick(t)
	b := m.beads[id]
	var want error
	switch {
	case b == nil:
		want = ErrNotFound
	case b.status == Open || b.status == InProgress:
		want = ErrInvalid
	}
	if m.expect(t, m.store.Reopen(ctx, id, "again"), want) {
		b.status, b.commit = Open, ""
	}
}

func (m *model) addDep(t *rapid.T) {
	id, on := m.pick(t), m.pick(t)
	b := m.beads[id]
	var want error
	switch {
	case b == nil || m.beads[on] == nil:
		want = ErrNotFound
	case id == on || m.reaches(on, id):
		want = ErrCycle
	}
	if m.expect(t, m.store.AddDep(ctx, id, on), want) {
		b.deps[on] = true
	}
}

func (m *model) reaches(from, to string) bool {
	return from == to || slices.ContainsFunc(slices.Collect(maps.Keys(m.beads[from].deps)), func(d string) bool { return m.reaches(d, to) })
}

func (m *model) removeDep(t *rapid.T) {
	id, on := m.pick(t), m.pick(t)
	b := m.beads[id]
	var want error
	if b == nil || !b.deps[on] {
		want = ErrNotFound
	}
	if m.expect(t, m.store.RemoveDep(ctx, id, on), want) {
		delete(b.deps, on)
	}
}

func (m *model) cancel(t *rapid.T) {
	id := m.pick(t)
	b := m.beads[id]
	_, err := m.store.Edit(ctx, id, func(b *Bead) error { b.Status = Cancelled; return nil })
	var want error
	switch {
	case b == nil:
		want = ErrNotFound
	case b.status == Closed:
		want = ErrInvalid
	}
	if m.expect(t, err, want) {
		b.status, b.owner = Cancelled, Claim{}
	}
}

// check compares the file with the model, and rows that should not have changed
// with what they were.
func (m *model) check(t *rapid.T) {
	q, err := m.store.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if q.Len() != len(m.beads) || len(q.Problems()) > 0 {
		t.Fatalf("%d beads, want %d; problems %v", q.Len(), len(m.beads), q.Problems())
	}
	changed, last := 0, ""
	for _, b := range q.All() {
		want := m.beads[b.ID]
		deps := map[string]bool{}
		for _, d := range b.Dependencies {
			deps[d.DependsOnID] = true
		}
		c := b.Claim()
		c.At = time.Time{}
		if b.Status != InProgress {
			c.Owner = "" // a closed bead remembers who had it
		}
		if want == nil || b.ID <= last || b.Status != want.status || c != want.owner || !maps.Equal(deps, want.deps) || b.ClosingCommit() != want.commit {
			t.Fatalf("%s is %+v, want %+v", b.ID, b, want)
		}
		if b.UpdatedAt.Before(want.updated) {
			t.Fatalf("%s went back in time", b.ID)
		}
		row := string(b.raw)
		if row != m.raw[b.ID] {
			if changed++; !b.UpdatedAt.After(want.updated) {
				t.Fatalf("%s changed and its updated_at did not", b.ID)
			}
		}
		m.raw[b.ID], want.updated, last = row, b.UpdatedAt, b.ID
	}
	if changed > 1 {
		t.Fatalf("one operation changed %d rows", changed)
	}
	if cycles := findCycles(q, (*row).waitsFor); len(cycles) > 0 {
		t.Fatalf("cycles: %v", cycles)
	}
	left, err := os.ReadDir(m.store.Dir())
	if err != nil || len(left) > 1 {
		t.Fatalf("left behind: %v (%v)", left, err)
	}
}

// Any sequence of operations does what each of them says, and nothing else.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{t: t, store: newStore(t), beads: map[string]*modelBead{}, raw: map[string]string{}}
		defer os.RemoveAll(m.store.Dir())
		if err := os.RemoveAll(m.store.Dir()); err != nil {
			rt.Fatal(err)
		}
		if err := os.Mkdir(m.store.Dir(), 0o755); err != nil {
			rt.Fatal(err)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"create": m.create, "claim": m.claim, "unclaim": m.unclaim, "close": m.close, "reopen": m.reopen,
			"add": m.addDep, "remove": m.removeDep, "cancel": m.cancel, "": m.check,
		})
	})
}
