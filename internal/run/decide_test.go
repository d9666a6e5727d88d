package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// bead makes a bead from an id and settings of the form key=value.
func bead(id string, settings ...string) *tracker.Bead {
	b := &tracker.Bead{ID: id, Title: id, Status: tracker.Open, Priority: 2, Type: "task", CreatedAt: noon, UpdatedAt: noon}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		switch key {
		case "status":
			b.Status = tracker.Status(value)
		case "type":
			b.Type = value
		case "parent":
			b.Parent = value
		case "acceptance":
			b.Acceptance = value
		case "label":
			b.Labels = append(b.Labels, value)
		case "owner":
			b.Owner = value
		case "priority":
			b.Priority = int(value[0] - '0')
		case "needs":
			b.Dependencies = append(b.Dependencies, tracker.Dependency{IssueID: id, DependsOnID: value, Type: "blocks"})
		case "eligible":
			b.Set("execution-eligible", value)
		default:
			b.Set(key, value)
		}
	}
	return b
}

func ids(beads []*tracker.Bead) string { return joinIDs(beads) }

func TestSelect(t *testing.T) {
	epic := bead("e", "type=epic")
	for _, tt := range []struct {
		name                        string
		beads                       []*tracker.Bead
		view                        View
		want, focus, closes, reason string
	}{
		{name: "empty queue"},
		{name: "priority first", beads: []*tracker.Bead{bead("a", "priority=3"), bead("b", "priority=1")}, want: "b"},
		{name: "a bead that says what done means goes before a more urgent one that does not",
			beads: []*tracker.Bead{bead("a", "priority=0"), bead("b", "priority=4", "acceptance=ok")}, want: "b"},
		{name: "a spec or a design counts as well", beads: []*tracker.Bead{bead("a"), bead("b", "design=x")}, want: "b"},
		{name: "skipped", beads: []*tracker.Bead{bead("a"), bead("b")}, view: View{Skip: map[string]string{"a": "why"}}, want: "b"},
		{name: "parked", beads: []*tracker.Bead{bead("a"), bead("b")}, view: View{Parked: map[string]time.Time{"a": noon.Add(time.Minute)}}, want: "b"},
		{name: "parked until now", beads: []*tracker.Bead{bead("a")}, view: View{Parked: map[string]time.Time{"a": noon}}, want: "a"},
		{name: "not eligible, claimed, waiting, superseded",
			beads: []*tracker.Bead{bead("a", "eligible=false"), bead("b", "status=in_progress"), bead("c", "needs=b"), bead("d", "superseded-by=a")}},
		{name: "epics are never executed", beads: []*tracker.Bead{epic}},
		{name: "a child brings its epic into focus", beads: []*tracker.Bead{epic, bead("k", "parent=e")}, want: "k", focus: "e"},
		{name: "a skipped epic is not focused again", beads: []*tracker.Bead{epic, bead("k", "parent=e")}, view: View{Skip: map[string]string{"e": "why"}}, want: "k"},
		{name: "the focused epic comes before anything more urgent", view: View{Focus: "e"},
			beads: []*tracker.Bead{epic, bead("a", "priority=0"), bead("k", "parent=e", "priority=4")}, want: "k", focus: "e"},
		{name: "grandchildren belong to the epic", view: View{Focus: "e"},
			beads: []*tracker.Bead{epic, bead("a"), bead("m", "parent=e", "type=epic"), bead("z", "parent=m")}, want: "z", focus: "e"},
		{name: "children all done", view: View{Focus: "e"}, closes: "e", focus: "e",
			beads: []*tracker.Bead{epic, bead("a"), bead("k", "parent=e", "status=closed"), bead("l", "parent=e", "status=cancelled")}},
		{name: "children that cannot run release the focus", view: View{Focus: "e"}, want: "a",
			beads: []*tracker.Bead{epic, bead("a"), bead("k", "parent=e", "status=in_progress")}, reason: "it has 1 open children but none can run now"},
		{name: "a closed epic releases the focus", view: View{Focus: "e"}, want: "a", reason: "it is closed",
			beads: []*tracker.Bead{bead("e", "type=epic", "status=closed"), bead("a")}},
		{name: "scope by epic", view: View{Scope: "e"}, beads: []*tracker.Bead{epic, bead("a"), bead("k", "parent=e")}, want: "k", focus: "e"},
		{name: "scope by area", view: View{Scope: "auth"}, beads: []*tracker.Bead{bead("a"), bead("k", "label=area:auth")}, want: "k"},
		{name: "scope by spec", view: View{Scope: "S-1"}, beads: []*tracker.Bead{bead("a"), bead("k", "spec-id=S-1")}, want: "k"},
		{name: "parents in a ring", beads: []*tracker.Bead{bead("a", "parent=b"), bead("b", "parent=a")}, want: "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.view.Now = noon
			c := Select(tracker.NewQueue(tt.beads), tt.view)
			got, closes := "", ""
			if c.Bead != nil {
				got = c.Bead.ID
			}
			if c.CloseEpic != nil {
				closes = c.CloseEpic.ID
			}
			if got != tt.want || c.Focus != tt.focus || closes != tt.closes || c.Released != tt.reason {
				t.Errorf("got bead %q focus %q closes %q released %q, want %q %q %q %q", got, c.Focus, closes, c.Released, tt.want, tt.focus, tt.closes, tt.reason)
			}
		})
	}
}

func TestBatch(t *testing.T) {
	a := bead("a", "parent=e", "spec-id=S", "label=area:x")
	for _, tt := range []struct {
		name  string
		ready []*tracker.Bead
		skip  map[string]string
		size  int
		want  string
	}{
		{"alone", []*tracker.Bead{a, bead("b")}, nil, 3, "a"},
		{"same parent or spec", []*tracker.Bead{bead("b", "parent=e"), a, bead("c", "spec-id=S")}, nil, 3, "a,b,c"},
		{"no more than the size", []*tracker.Bead{a, bead("b", "parent=e"), bead("c", "parent=e"), bead("d", "parent=e")}, nil, 3, "a,b,c"},
		{"area only when there is no sibling", []*tracker.Bead{a, bead("b", "parent=e"), bead("c", "label=area:x")}, nil, 3, "a,b"},
		{"area as fallback", []*tracker.Bead{a, bead("c", "label=area:x"), bead("d", "label=area:y")}, nil, 3, "a,c"},
		{"other labels do not count", []*tracker.Bead{bead("a", "label=ui"), bead("c", "label=ui")}, nil, 3, "a"},
		{"skipped and epics never join", []*tracker.Bead{a, bead("b", "parent=e"), bead("c", "parent=e", "type=epic")}, map[string]string{"b": "x"}, 3, "a"},
		{"size one", []*tracker.Bead{a, bead("b", "parent=e")}, nil, 1, "a"},
		{"empty parents are not a family", []*tracker.Bead{bead("a"), bead("b")}, nil, 3, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			primary := tt.ready[0]
			for _, b := range tt.ready {
				if b.ID == "a" {
					primary = b
				}
			}
			if got := ids(Batch(primary, tt.ready, tt.skip, tt.size)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestDrift(t *testing.T) {
	was := bead("a", "spec-id=S", "parent=p", "needs=x", "needs=y")
	for _, tt := range []struct{ name, setting, want string }{
		{"spec", "spec-id=T", "changed while it was worked on: spec-id"},
		{"parent", "parent=q", "changed while it was worked on: parent"},
		{"superseded", "superseded-by=z", "changed while it was worked on: superseded-by"},
		{"replaces", "replaces=z", "changed while it was worked on: replaces"},
		{"dependency", "needs=z", "changed while it was worked on: dependencies"},
		{"eligibility", "eligible=false", "changed while it was worked on: execution-eligible"},
		{"notes, labels, priority and owner do not matter", "owner=x", ""},
		{"a label", "label=x", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := bead("a", "spec-id=S", "parent=p", "needs=y", "needs=x", tt.setting)
			if strings.HasPrefix(tt.setting, "parent") || strings.HasPrefix(tt.setting, "spec") {
				now = bead("a", append([]string{"spec-id=S", "parent=p", "needs=y", "needs=x"}, tt.setting)...)
			}
			if got := Drift(FingerprintOf(was), now); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if Drift(FingerprintOf(was), nil) == "" {
		t.Error("a bead that disappeared has drifted")
	}
}

func TestBackoff(t *testing.T) {
	var b Backoff
	var total time.Duration
	for n, want := range []time.Duration{5, 10, 20, 40, 40, 40} {
		if got := b.Bead(n + 1); got != want*time.Second {
			t.Errorf("attempt %d waits %s, want %s", n+1, got, want*time.Second)
		}
		if n < 4 {
			total += b.Bead(n + 1)
		}
	}
	if total != 75*time.Second {
		t.Errorf("four attempts wait %s, want 75s", total)
	}
	for n, want := range map[int]time.Duration{1: 30 * time.Second, 2: time.Minute, 6: 15 * time.Minute, 40: 15 * time.Minute} {
		if got := b.Provider(n, 0); got != want {
			t.Errorf("provider failure %d waits %s, want %s", n, got, want)
		}
	}
	if got := b.Provider(1, 2*time.Hour); got != 2*time.Hour {
		t.Errorf("the provider's advice is not followed: %s", got)
	}
	if got := b.Provider(1, 100*time.Hour); got != 6*time.Hour {
		t.Errorf("the provider's advice has no bound: %s", got)
	}
	zero := time.Duration(0)
	if b.Fixed = &zero; b.Bead(3) != 0 || b.Provider(3, time.Hour) != 0 {
		t.Error("a fixed back-off replaces every delay")
	}
}

func TestReclaimable(t *testing.T) {
	facts := ClaimFacts{Now: noon, Machine: "here", Threshold: 2 * time.Hour, Alive: func(pid int, start string) bool { return pid == 1 && start == "s" }}
	claim := func(age time.Duration, pid, start, machine, owner string) *tracker.Bead {
		b := bead("a", "status=in_progress", "owner="+owner, "claimed-pid="+pid, "claimed-start="+start, "claimed-machine="+machine)
		b.Set("claimed-at", noon.Add(-age).Format(time.RFC3339))
		return b
	}
	for _, tt := range []struct {
		name string
		b    *tracker.Bead
		f    func(*ClaimFacts)
		want bool
	}{
		{"dead and old", claim(3*time.Hour, "9", "s", "here", "helix"), nil, true},
		{"dead but fresh", claim(time.Hour, "9", "s", "here", "helix"), nil, false},
		{"exactly at the threshold", claim(2*time.Hour, "9", "s", "here", "helix"), nil, false},
		{"dead, fresh, and asked for", claim(time.Minute, "9", "s", "here", "helix"), func(f *ClaimFacts) { f.Requested = true }, true},
		{"alive however old", claim(99*time.Hour, "1", "s", "here", "helix"), func(f *ClaimFacts) { f.Requested = true }, false},
		{"the pid was reused", claim(3*time.Hour, "1", "other", "here", "helix"), nil, true},
		{"another machine", claim(99*time.Hour, "9", "s", "there", "helix"), func(f *ClaimFacts) { f.Requested = true }, false},
		{"an old row without a machine", claim(3*time.Hour, "9", "", "", "helix"), nil, true},
		{"somebody else's", claim(99*time.Hour, "9", "s", "here", "anna"), nil, false},
		{"not in progress", bead("a", "owner=helix"), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := facts
			if tt.f != nil {
				tt.f(&f)
			}
			if got, why := Reclaimable(tt.b, f); got != tt.want {
				t.Errorf("got %t (%s), want %t", got, why, tt.want)
			}
		})
	}
	old := bead("a", "status=in_progress", "owner=helix")
	old.UpdatedAt = noon.Add(-3 * time.Hour)
	if ok, _ := Reclaimable(old, facts); !ok {
		t.Error("a claim without a time is judged by the row's last change")
	}
}

func TestRoute(t *testing.T) {
	for _, tt := range []struct {
		name  string
		next  prompt.Next
		was   Drained
		align bool
		step  Step
		now   Drained
		stop  StopReason
	}{
		{"build", prompt.NextBuild, Drained{}, true, StepSelect, Drained{EmptyBuilds: 1}, ""},
		{"build twice", prompt.NextBuild, Drained{EmptyBuilds: 1}, true, StepRecover, Drained{EmptyBuilds: 2}, ""},
		{"another answer resets the breaker", prompt.NextPolish, Drained{EmptyBuilds: 1}, true, StepPolish, Drained{Polished: true}, ""},
		{"design once", prompt.NextDesign, Drained{}, true, StepDesign, Drained{Designed: true}, ""},
		{"design twice", prompt.NextDesign, Drained{Designed: true}, true, StepStop, Drained{Designed: true}, StopDesign},
		{"polish twice", prompt.NextPolish, Drained{Polished: true}, true, StepStop, Drained{Polished: true}, StopPolish},
		{"align once", prompt.NextAlign, Drained{}, true, StepAlign, Drained{Aligned: true}, ""},
		{"align twice", prompt.NextAlign, Drained{Aligned: true}, true, StepStop, Drained{Aligned: true}, StopAlign},
		{"align switched off", prompt.NextAlign, Drained{}, false, StepStop, Drained{}, StopAlign},
		{"backfill", prompt.NextBackfill, Drained{}, true, StepStop, Drained{}, StopBackfill},
		{"wait", prompt.NextWait, Drained{}, true, StepStop, Drained{}, StopWait},
		{"guidance", prompt.NextGuidance, Drained{}, true, StepStop, Drained{}, StopGuidance},
		{"stop", prompt.NextStop, Drained{}, true, StepStop, Drained{}, StopDrained},
		{"anything else", prompt.Next("LATER"), Drained{}, true, StepStop, Drained{}, StopUninterpreted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			step, now, stop := Route(tt.next, tt.was, tt.align)
			if step != tt.step || now != tt.now || stop.Reason != tt.stop {
				t.Errorf("got %s %+v %s, want %s %+v %s", step, now, stop.Reason, tt.step, tt.now, tt.stop)
			}
			if stop.Reason != "" && stop.Detail == "" {
				t.Error("a stop says why")
			}
		})
	}
}

func TestBounds(t *testing.T) {
	s := &State{StartedAt: noon, Completed: 3, Usage: agent.Usage{Input: 900, Output: 100, Cached: 5000, CostUSD: 2.5}}
	for _, tt := range []struct {
		name string
		b    Bounds
		want StopReason
	}{
		{"none", Bounds{}, ""},
		{"below all", Bounds{Cycles: 4, Duration: 2 * time.Hour, Tokens: 1001, CostUSD: 2.51}, ""},
		{"cycles", Bounds{Cycles: 3}, StopMaxCycles},
		{"duration", Bounds{Duration: time.Hour}, StopMaxDuration},
		{"tokens, without cached ones", Bounds{Tokens: 1000}, StopMaxTokens},
		{"cost", Bounds{CostUSD: 2.5}, StopMaxCost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got StopReason
			if stop := tt.b.Exceeded(s, noon.Add(time.Hour)); stop != nil {
				got = stop.Reason
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	b := Bounds{Duration: time.Hour}
	if got := b.Within(45*time.Minute, s, noon.Add(50*time.Minute)); got != 10*time.Minute {
		t.Errorf("an agent may run for %s, want the ten minutes that are left", got)
	}
	if got := (Bounds{}).Within(45*time.Minute, s, noon); got != 45*time.Minute {
		t.Errorf("without a bound the timeout is cut to %s", got)
	}
}

func TestProgressDigests(t *testing.T) {
	digest := func(beads ...*tracker.Bead) string { return BeadsDigest(tracker.NewQueue(beads)) }
	base := digest(bead("a"), bead("b"))
	noted := bead("a", "status=in_progress", "owner=helix", "label=blocked")
	noted.Notes = "BLOCKED"
	if digest(noted, bead("b")) != base {
		t.Error("a claim, a note and a label are not progress")
	}
	for name, moved := range map[string]string{
		"closed": digest(bead("a", "status=closed"), bead("b")), "new bead": digest(bead("a"), bead("b"), bead("c")),
		"new dependency": digest(bead("a", "needs=b"), bead("b")), "acceptance": digest(bead("a", "acceptance=x"), bead("b")),
	} {
		if moved == base {
			t.Errorf("%s is progress", name)
		}
	}
	red := gateResults([]executor.Gate{{Name: "test"}})
	green := gateResults([]executor.Gate{{Name: "test", Passed: true}})
	if GatesDigest(map[string][]GateResult{"a": red}) == GatesDigest(map[string][]GateResult{"a": green}) {
		t.Error("a gate that turned green is progress")
	}
}

func TestNeedsReview(t *testing.T) {
	for _, tt := range []struct {
		lines, files int
		err          error
		want         bool
	}{{99, 2, nil, false}, {100, 1, nil, true}, {1, 3, nil, true}, {0, 0, errors.New("unknown"), true}} {
		if got := NeedsReview(tt.lines, tt.files, tt.err, 100); got != tt.want {
			t.Errorf("%d lines in %d files (%v): %t", tt.lines, tt.files, tt.err, got)
		}
	}
}

func TestBlockerReport(t *testing.T) {
	q := tracker.NewQueue([]*tracker.Bead{bead("hx-1", "parent=hx-e"), bead("hx-2", "needs=hx-1"), bead("hx-e", "type=epic")})
	s := &State{
		Attempted: 4, Log: ".helix-logs/x.log", Skip: map[string]string{"hx-1": "intractable after 4 attempts with exponential backoff"},
		Attempts: map[string]int{"hx-1": 4},
		Failures: map[string][]Failure{"hx-1": {{Attempt: 4, AttemptID: "20260601T120000-00000000", Outcome: "preserved", Reason: "gate test is red",
			PreserveRef: "refs/helix/preserved/hx-1/20260601T120000-00000000", Gate: "go test ./...", Tail: "--- FAIL: TestX\nFAIL", Evidence: ".ddx/executions/x"}}},
	}
	want := `# HELIX Run Blocker Report

Generated: 2026-06-01T12:00:00Z
Cycles: 4 attempted, 0 completed, 1 skipped
Log: .helix-logs/x.log

## Blocked Issues

### hx-1

**Title:** hx-1
**Reason:** intractable after 4 attempts with exponential backoff
**Attempts:** 4
**Holds up:** hx-2, hx-e (epic)

- Attempt 4 (20260601T120000-00000000): preserved — gate test is red
  - Work kept at ` + "`refs/helix/preserved/hx-1/20260601T120000-00000000`; look at it with `git diff HEAD...refs/helix/preserved/hx-1/20260601T120000-00000000`" + `
  - Evidence: ` + "`.ddx/executions/x`" + `
  - ` + "`go test ./...`" + ` failed:

        --- FAIL: TestX
        FAIL
`
	if diff := cmp.Diff(want, BlockerReport(s, q, noon)); diff != "" {
		t.Error(diff)
	}
}
