package run

import (
	"strings"
	"testing"
	"time"

	"helix/internal/run/agent"
	"helix/internal/tracker"
)

func TestStatusOf(t *testing.T) {
	claimed := bead("hx-c", "status=in_progress", "owner=helix", "claimed-pid=9", "claimed-start=s", "claimed-machine=here")
	claimed.Set("claimed-at", noon.Add(-time.Hour).Format(time.RFC3339))
	filed := bead("hx-f", "label=review-finding")
	filed.Notes = "TRIGGERING_CYCLE=3\nTRIGGERING_BEAD=hx-a"
	cooling := bead("hx-p")
	cooling.Set("work-retry-after", noon.Add(time.Hour).Format(time.RFC3339))
	q := tracker.NewQueue([]*tracker.Bead{bead("hx-a"), claimed, bead("hx-d", "needs=hx-a"), filed, cooling, bead("hx-s"), bead("hx-z", "status=closed")})
	s := &State{
		Process: agent.Process{PID: 7}, StartedAt: noon.Add(-time.Hour), Phase: PhaseExecuting, CurrentIssue: "hx-a", Agent: "codex", Executor: "builtin",
		CycleStart: noon.Add(-time.Minute), Attempted: 3, Skip: map[string]string{"hx-s": "gave up"},
	}
	facts := ClaimFacts{Now: noon, Machine: "here", Threshold: 2 * time.Hour, Alive: func(int, string) bool { return false }}
	got := StatusOf(q, s, true, facts)
	if got.ActiveRun == nil || got.ActiveRun.PID != 7 || got.CurrentCycle != 3 {
		t.Errorf("active run %+v in cycle %d", got.ActiveRun, got.CurrentCycle)
	}
	if b := got.RunningBead; b == nil || b.ID != "hx-a" || b.ClaimAgeSeconds != 60 || b.Harness != "codex" || b.Worker != "builtin" {
		t.Errorf("running bead %+v", b)
	}
	want := map[string]string{"hx-c": "orphaned-claim", "hx-d": "dep-blocked", "hx-p": "retry-parked", "hx-s": "skipped"}
	if len(got.Parked) != len(want) {
		t.Errorf("parked %+v", got.Parked)
	}
	for _, p := range got.Parked {
		if p.Reason != want[p.ID] {
			t.Errorf("%s is parked as %q, want %q", p.ID, p.Reason, want[p.ID])
		}
		if p.ID == "hx-p" && !p.NextEligible.Equal(noon.Add(time.Hour)) {
			t.Errorf("hx-p runs again at %s", p.NextEligible)
		}
	}
	if len(got.Injected) != 1 || got.Injected[0].TriggeringBead != "hx-a" || got.Injected[0].TriggeringCycle != 3 {
		t.Errorf("injected %+v", got.Injected)
	}
	idle := StatusOf(q, s, false, facts)
	if idle.ActiveRun != nil || idle.RunningBead != nil {
		t.Error("a run that is over is shown as active")
	}
	for _, p := range idle.Parked {
		if p.Reason == "skipped" {
			t.Error("the next run takes what the last one has left out")
		}
	}
}

func TestExplain(t *testing.T) {
	q := tracker.NewQueue([]*tracker.Bead{
		bead("a", "acceptance=ok", "parent=e"), bead("b"), bead("c", "needs=a"), bead("e", "type=epic"), bead("k", "type=epic"),
	})
	for _, tt := range []struct {
		id, first, also string
		view            View
	}{
		{id: "a", first: "a is next", also: "epic e"},
		{id: "b", first: "b is ready; a goes first", also: "not part of it"},
		{id: "c", first: "c cannot run now", also: "a"},
		{id: "k", first: "k cannot run now", also: "broken down"},
		{id: "b", first: "b is left out of this run: broken", view: View{Skip: map[string]string{"b": "broken"}}},
		{id: "b", first: "b is parked until", view: View{Parked: map[string]time.Time{"b": noon.Add(time.Hour)}}},
		{id: "b", first: "b is outside the scope e of the run", view: View{Scope: "e"}},
	} {
		tt.view.Now = noon
		lines, err := Explain(q, tt.id, tt.view)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(lines[0], tt.first) || !strings.Contains(strings.Join(lines[1:], "\n"), tt.also) {
			t.Errorf("%s: got %q, want %q and %q", tt.id, lines, tt.first, tt.also)
		}
	}
	if _, err := Explain(q, "nope", View{Now: noon}); err == nil {
		t.Error("an unknown bead is explained")
	}
}
