package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"helix/internal/run/agent"
	"helix/internal/tracker"
)

// world is everything around the loop, simulated from one seed: a queue that
// others edit, a branch, processes that die, a provider that fails. Every effect
// of the loop passes through effect, where time moves, others act, and helix may
// be killed. It also watches the invariants of doc.go.
type world struct {
	rng *rand.Rand
	now time.Time

	beads    map[string]*tracker.Bead
	branch   []simCommit
	refs     map[string]bool // preserved refs that an executor made
	state    []byte          // the persisted run state
	journal  []Event
	live     map[int]bool // pids
	nextPID  int
	runPID   int
	agents   map[int]int // live agent process -> the helix that started it (the marker in its environment)
	cancel   context.CancelFunc
	nextID   int
	effects  int
	crashIn  int            // effects until the next kill -9; negative: never
	outage   int            // executions and actions that still meet provider trouble
	begun    map[string]int // attempts begun at a bead and not excused, in this lineage
	maxTries int
	signals  int    // each may excuse the attempt that it falls into
	told     string // the latest attempt, if its agent was told what is remembered
	crashed  bool   // helix was killed at least once
	failures []string
}

type simCommit struct {
	id, attempt string
	beads       []string
	green       bool
}

// killed is what a simulated kill -9 unwinds the loop with.
type killed struct{}

const simMachine = "here"

func newWorld(seed uint64) *world {
	w := &world{
		rng: rand.New(rand.NewPCG(seed, 0x68656c6978)), now: time.Date(2026, 6, 1, 22, 0, 0, 0, time.UTC),
		beads: map[string]*tracker.Bead{}, refs: map[string]bool{}, live: map[int]bool{}, agents: map[int]int{},
		begun: map[string]int{}, nextPID: 100, crashIn: -1,
	}
	for range 1 + w.rng.IntN(7) {
		w.addBead()
	}
	return w
}

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

func (w *world) violated(format string, args ...any) {
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}

// effect is the seam between two things that the loop does.
func (w *world) effect(name string) {
	w.effects++
	w.now = w.now.Add(time.Duration(w.rng.IntN(3000)) * time.Millisecond)
	if w.effects > mostEffects {
		w.violated("the loop does not end: %d effects", w.effects)
		panic(killed{})
	}
	if w.crashIn--; w.crashIn == 0 {
		panic(killed{})
	}
	if w.chance(1) && w.cancel != nil && w.chance(20) {
		w.cancel() // SIGTERM
		w.signals++
	}
	if w.chance(4) {
		w.somebodyEdits()
	}
}

func (w *world) addBead() *tracker.Bead {
	w.nextID++
	b := &tracker.Bead{
		ID: fmt.Sprintf("hx-%04d", w.nextID), Title: fmt.Sprintf("bead %d", w.nextID), Status: tracker.Open,
		Priority: w.rng.IntN(5), Type: "task", CreatedAt: w.now, UpdatedAt: w.now, Extra: map[string]json.RawMessage{},
	}
	if w.chance(20) {
		b.Type = "epic"
	}
	if w.chance(50) {
		b.Acceptance = "it works"
	}
	if w.chance(40) {
		b.Set("spec-id", fmt.Sprintf("FEAT-%d", w.rng.IntN(2)))
	}
	if w.chance(30) {
		b.Labels = append(b.Labels, "area:x")
	}
	if other := w.anyBead(); other != nil {
		if w.chance(35) {
			b.Parent = other.ID
		}
		if w.chance(25) {
			b.Dependencies = append(b.Dependencies, tracker.Dependency{IssueID: b.ID, DependsOnID: other.ID, Type: "blocks"})
		}
	}
	if w.chance(15) { // work that another run, machine or person left in progress
		b.Status, b.Owner = tracker.InProgress, []string{Owner, "anna"}[w.rng.IntN(2)]
		w.setClaim(b, tracker.Claim{Owner: b.Owner, At: w.now.Add(-time.Duration(w.rng.IntN(300)) * time.Minute), PID: w.otherPID(), Start: "s", Machine: []string{simMachine, "elsewhere"}[w.rng.IntN(2)]})
	}
	w.beads[b.ID] = b
	return b
}

// otherPID is a process of somebody else, alive or dead.
func (w *world) otherPID() int {
	w.nextPID++
	w.live[w.nextPID] = w.chance(50)
	return w.nextPID
}

func (w *world) anyBead() *tracker.Bead {
	ids := slices.Sorted(maps.Keys(w.beads))
	if len(ids) == 0 {
		return nil
	}
	return w.beads[ids[w.rng.IntN(len(ids))]]
}

func (w *world) setClaim(b *tracker.Bead, c tracker.Claim) {
	b.Set("claimed-at", c.At.UTC().Format(time.RFC3339))
	b.Set("claimed-pid", fmt.Sprint(c.PID))
	b.Set("claimed-start", c.Start)
	b.Set("claimed-machine", c.Machine)
}

func (w *world) clearClaim(b *tracker.Bead) {
	b.Owner = ""
	for _, key := range []string{"claimed-at", "claimed-pid", "claimed-start", "claimed-machine"} {
		delete(b.Extra, key)
	}
}

// somebodyEdits is a person or another agent at work on the queue.
func (w *world) somebodyEdits() {
	b := w.anyBead()
	if b == nil || w.chance(20) {
		if len(w.beads) < 12 {
			w.addBead()
		}
		return
	}
	switch w.rng.IntN(9) {
	case 0:
		b.Set("spec-id", fmt.Sprintf("FEAT-%d", w.rng.IntN(9)))
	case 1:
		b.Set("superseded-by", "hx-0001")
	case 2:
		b.Set("execution-eligible", "false")
	case 3:
		b.Priority = w.rng.IntN(5)
	case 4:
		if b.Status == tracker.Open {
			b.Status = tracker.Cancelled
		}
	case 5:
		if b.Status == tracker.Open { // another supervisor takes it
			b.Status, b.Owner = tracker.InProgress, Owner
			w.setClaim(b, tracker.Claim{At: w.now, PID: w.otherPID(), Start: "s", Machine: simMachine})
		}
	case 6:
		delete(w.beads, b.ID)
	case 7:
		if b.Status == tracker.InProgress && w.chance(50) { // somebody takes it away from us
			w.setClaim(b, tracker.Claim{At: w.now, PID: w.otherPID(), Start: "s", Machine: simMachine})
		}
	case 8:
		b.Notes += "a remark"
	}
}

// --- the loop's ports ---

var errNotFound = errors.New("not found")

func clone(b *tracker.Bead) *tracker.Bead {
	c := *b
	c.Labels, c.Dependencies = slices.Clone(b.Labels), slices.Clone(b.Dependencies)
	c.Extra = maps.Clone(b.Extra)
	return &c
}

func (w *world) queue() *tracker.Queue {
	all := make([]*tracker.Bead, 0, len(w.beads))
	for _, id := range slices.Sorted(maps.Keys(w.beads)) {
		all = append(all, clone(w.beads[id]))
	}
	return tracker.NewQueue(all)
}

func (w *world) Load(context.Context) (*tracker.Queue, error) {
	w.effect("load")
	if w.chance(1) {
		return nil, errors.New("somebody is in the middle of an edit")
	}
	return w.queue(), nil
}

func (w *world) Claim(_ context.Context, id string, c tracker.Claim) (*tracker.Bead, error) {
	w.effect("claim")
	b, ok := w.beads[id]
	if !ok {
		return nil, errNotFound
	}
	if b.Status != tracker.Open {
		return nil, tracker.ErrNotOpen
	}
	b.Status, b.Owner = tracker.InProgress, c.Owner
	w.setClaim(b, c)
	claimed := clone(b)
	w.effect("claimed")
	return claimed, nil
}

func (w *world) Unclaim(_ context.Context, id string, owner *tracker.Claim) error {
	w.effect("unclaim")
	b, ok := w.beads[id]
	if !ok || b.Status != tracker.InProgress {
		return errNotFound
	}
	c := b.Claim()
	if owner != nil && (c.PID != owner.PID || c.Start != owner.Start || c.Machine != owner.Machine) {
		return tracker.ErrNotOwner
	}
	if c.PID != w.runPID && (w.live[c.PID] || c.Machine != simMachine || c.Owner != Owner) {
		w.violated("the claim of %s by live pid %d (%s on %s) was taken", id, c.PID, c.Owner, c.Machine)
	}
	b.Status = tracker.Open
	w.clearClaim(b)
	return nil
}

func (w *world) Close(_ context.Context, id string, c tracker.Closing) error {
	w.effect("close")
	b, ok := w.beads[id]
	if !ok {
		return errNotFound
	}
	if c.Owner != nil {
		if now := b.Claim(); b.Status != tracker.InProgress || now.PID != c.Owner.PID || now.Start != c.Owner.Start {
			return tracker.ErrNotOwner
		}
	}
	if c.If != nil {
		if err := c.If(w.queue()); err != nil {
			return err
		}
	}
	w.closeBead(b)
	w.effect("closed")
	return nil
}

// closeBead checks the first invariant: closed means landed and green.
func (w *world) closeBead(b *tracker.Bead) {
	planning := b.HasLabel("action:align") // it has no work of its own to land
	if b.IsEpic() {
		if !allDone(w.queue().Children(b.ID)) {
			w.violated("epic %s was closed with open children", b.ID)
		}
	} else if !planning && !slices.ContainsFunc(w.branch, func(c simCommit) bool { return c.green && slices.Contains(c.beads, b.ID) }) {
		w.violated("%s was closed without landed work and green gates", b.ID)
	}
	b.Status = tracker.Closed
	w.clearClaim(b)
	delete(w.begun, b.ID)
}

func (w *world) Reopen(_ context.Context, id, _ string) error {
	w.effect("reopen")
	b, ok := w.beads[id]
	if !ok {
		return errNotFound
	}
	b.Status = tracker.Open
	return nil
}

func (w *world) Edit(_ context.Context, id string, change func(*tracker.Bead) error) (*tracker.Bead, error) {
	w.effect("edit")
	b, ok := w.beads[id]
	if !ok {
		return nil, errNotFound
	}
	return b, change(b)
}

func (w *world) Create(_ context.Context, n tracker.New) (*tracker.Bead, error) {
	w.effect("create")
	b := w.addBead()
	b.Title, b.Status, b.Parent, b.Owner, b.Type, b.Labels = n.Title, tracker.Open, n.Parent, "", "task", n.Labels
	w.clearClaim(b)
	for key, value := range n.Set {
		b.Set(key, value)
	}
	return clone(b), nil
}

func (w *world) Head(context.Context) (string, error) {
	w.effect("head")
	return fmt.Sprint(len(w.branch)), nil
}

func (w *world) Tree(context.Context) (string, error) { return fmt.Sprint(len(w.branch)), nil }

func (w *world) Contains(_ context.Context, rev string) (bool, error) {
	w.effect("contains")
	return slices.ContainsFunc(w.branch, func(c simCommit) bool { return c.id == rev }), nil
}

func (w *world) AttemptCommit(_ context.Context, bead, attempt string) (string, error) {
	w.effect("attempt commit")
	for _, c := range w.branch {
		if c.attempt == attempt && slices.Contains(c.beads, bead) {
			return c.id, nil
		}
	}
	return "", nil
}

func (w *world) Files(context.Context, string, string) ([]string, error) { return nil, nil }

func (w *world) ChangeSize(context.Context, string, string) (int, int, error) {
	w.effect("change size")
	return w.rng.IntN(300), w.rng.IntN(5), nil
}

func (w *world) Now() time.Time { return w.now }

func (w *world) Sleep(ctx context.Context, d time.Duration) error {
	if d < 0 {
		w.violated("a sleep of %s", d)
	}
	w.now = w.now.Add(d)
	w.effect("sleep")
	return ctx.Err()
}

func (w *world) Self() tracker.Claim {
	return tracker.Claim{Owner: Owner, PID: w.runPID, Start: "s", Machine: simMachine}
}

func (w *world) Same(pid int, _ string) bool { return w.live[pid] }

func (w *world) EndOrphans(_ context.Context, runID string, _ []agent.Process) ([]string, error) {
	w.effect("end orphans")
	var ended []string
	for pid, of := range w.agents {
		if runName(of) == runID {
			delete(w.agents, pid)
			ended = append(ended, fmt.Sprintf("pid %d", pid))
		}
	}
	return ended, nil
}

func runName(pid int) string { return fmt.Sprintf("run-%d", pid) }

func (w *world) Kill([]agent.Process) {}

// States has the same method names as Tracker: it is a type of its own.
type simStates struct{ w *world }

func (s simStates) Load() (*State, error) {
	if s.w.state == nil {
		return nil, nil
	}
	var st State
	return &st, json.Unmarshal(s.w.state, &st)
}

func (s simStates) Save(st State) error {
	s.w.effect("save")
	if st.Completed > st.Attempted {
		s.w.violated("completed %d > attempted %d", st.Completed, st.Attempted)
	}
	for id, n := range st.Attempts {
		if n > s.w.maxTries {
			s.w.violated("%s is at attempt %d of %d", id, n, s.w.maxTries)
		}
	}
	data, err := json.Marshal(st)
	s.w.state = data
	return err
}

type simJournal struct{ w *world }

func (j simJournal) Append(e Event) error {
	j.w.effect("journal")
	j.w.journal = append(j.w.journal, e)
	return nil
}

type simOutput struct{}

func (simOutput) Line(string)                 {}
func (simOutput) Detail(string)               {}
func (simOutput) Notice(string)               {}
func (simOutput) Write(p []byte) (int, error) { return len(p), nil }
func (simOutput) Position() (string, int)     { return "log", 0 }

type simDocuments struct{ w *world }

func (d simDocuments) Context(context.Context, *tracker.Queue, string) error {
	d.w.effect("context")
	return nil
}

func (d simDocuments) Blockers(string) (string, error) {
	d.w.effect("blockers")
	return "blockers.md", nil
}

type simPrompts struct{ w *world }

// simMemory fails as a memory may: with an error, or by not answering in time.
type simMemory struct{ w *world }

func (m simMemory) trouble() error {
	switch m.w.rng.IntN(12) {
	case 0:
		return errors.New("the memory is damaged")
	case 1:
		m.w.now = m.w.now.Add(memoryWait)
		return context.DeadlineExceeded
	}
	return nil
}

func (m simMemory) Recall(context.Context, Task) (Recalled, error) {
	return Recalled{Text: "[m1] something", IDs: []string{"m1"}}, m.trouble()
}

func (m simMemory) Record(context.Context, Lesson) ([]string, error) {
	return []string{"m2"}, m.trouble()
}

func (m simMemory) Credit(_ context.Context, u Use) ([]string, error) {
	if len(u.Shown) == 0 || u.Verdict == "" || u.Attempt == "" {
		m.w.violated("the memory is told of a use that is none: %+v", u)
	}
	if u.Attempt != m.w.told {
		m.w.violated("the memory is told of %s, whose agent was not told anything", u.Attempt)
	}
	return u.Shown, m.trouble()
}

func (p simPrompts) Briefing([]*tracker.Bead, int, []Failure, string) string { return "[m1] something" }

func (p simPrompts) Implementation(context.Context, []*tracker.Bead, int, []Failure, string) (string, error) {
	p.w.effect("prompt")
	return "prompt", nil
}
