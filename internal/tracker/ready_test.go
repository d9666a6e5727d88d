package tracker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func queueOf(t testing.TB, lines ...string) *Queue {
	t.Helper()
	s, err := parseSnapshot("f", []byte(strings.Join(lines, "\n")))
	if err != nil || len(s.problems) > 0 {
		t.Fatal(err, s)
	}
	return newQueue(s)
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	hour := func(n int) string { return string(quote(formatTime(noon.Add(time.Duration(n) * time.Hour)))) }
	lines := []string{
		rowText("hx-closed", "status", `"closed"`),
		rowText("hx-cancelled", "status", `"cancelled"`),
		rowText("hx-cool", "work-retry-after", hour(1)),
		rowText("hx-cool-old", "execute-loop-retry-after", hour(1)),
		rowText("hx-cooled", "work-retry-after", hour(-1)),
		rowText("hx-dep-cancelled", "dependencies", depsJSON("x", "hx-cancelled")),
		rowText("hx-dep-closed", "dependencies", depsJSON("x", "hx-closed")),
		rowText("hx-dep-gone", "dependencies", depsJSON("x", "hx-gone", "hx-closed", "hx-gone")),
		rowText("hx-dep-open", "dependencies", depsJSON("x", "hx-plain", "hx-wip")),
		rowText("hx-dep-related", "dependencies", `[{"issue_id":"x","depends_on_id":"hx-plain","type":"related"}]`),
		rowText("hx-epic", "issue_type", `"epic"`),
		rowText("hx-epic-full", "issue_type", `"epic"`),
		rowText("hx-external", "status", `"blocked"`, "lifecycle-external-blocker-reason", `"the vendor"`),
		rowText("hx-kid", "parent", `"hx-epic-full"`),
		rowText("hx-manual", "execution-eligible", "false"),
		rowText("hx-odd", "status", `"weird"`),
		rowText("hx-parent-task"),
		rowText("hx-part", "parent", `"hx-parent-task"`),
		rowText("hx-plain"),
		rowText("hx-proposed", "status", `"proposed"`),
		rowText("hx-replaced", "superseded-by", `"hx-plain"`),
		rowText("hx-wip", "status", `"in_progress"`, "owner", `"helix"`),
	}
	q := queueOf(t, lines...)
	executable := "hx-cooled hx-dep-closed hx-kid hx-parent-task hx-part hx-plain"
	if got := ids(q.Executable(noon)); got != executable {
		t.Errorf("executable: %s", got)
	}
	ready := "hx-cooled hx-dep-closed hx-epic hx-kid hx-manual hx-parent-task hx-part hx-plain"
	if got := ids(q.Ready(noon)); got != ready {
		t.Errorf("ready: %s", got)
	}
	for id, want := range map[string]string{
		"hx-closed":        `status: its status is "closed", not open`,
		"hx-cool":          "retry-cooldown: not to be tried again before 2026-06-01T13:00:00Z",
		"hx-cool-old":      "retry-cooldown: not to be tried again before 2026-06-01T13:00:00Z",
		"hx-dep-cancelled": "dependency: waits for hx-cancelled (cancelled) [hx-cancelled]",
		"hx-dep-gone":      "dependency: waits for hx-gone (which does not exist) [hx-gone]",
		"hx-dep-open":      "dependency: waits for hx-plain, hx-wip (in_progress) [hx-plain hx-wip]",
		"hx-dep-related":   "dependency: waits for hx-plain [hx-plain]",
		"hx-epic":          "epic-only: an epic without children must be broken down into beads first",
		"hx-epic-full":     "epic-only: an epic is a container; its work is its children (1)",
		"hx-external":      "blocked-status: blocked from outside: the vendor",
		"hx-manual":        "not-execution-eligible: execution-eligible is false: not for an agent",
		"hx-odd":           `status: its status is "weird", not open`,
		"hx-replaced":      "superseded: superseded by hx-plain [hx-plain]",
		"hx-wip":           "status: it is in progress, claimed by helix",
		"hx-none":          "not-found: hx-none is not in the queue",
	} {
		var got []string
		for _, r := range q.Why(id, noon) {
			text := fmt.Sprintf("%s: %s", r.Kind, r.Detail)
			if len(r.IDs) > 0 {
				text += fmt.Sprint(" ", r.IDs)
			}
			got = append(got, text)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	var held []string
	for _, w := range q.HeldUp(noon) {
		held = append(held, w.Bead.ID)
	}
	if got, want := strings.Join(held, " "), "hx-cool hx-cool-old hx-dep-cancelled hx-dep-gone hx-dep-open hx-dep-related hx-external hx-replaced"; got != want {
		t.Errorf("held up: %s", got)
	}
	want := Counts{Total: 22, Open: 16, InProgress: 1, Closed: 1, Blocked: 1, Proposed: 1, Cancelled: 1, UnknownStatus: 1,
		Ready: 8, WorkerReady: 6, DependencyWaiting: 4, ExternalBlocked: 1, RetryCooldown: 2}
	if got := q.Counts(noon); got != want {
		t.Errorf("counts: %+v", got)
	}
}

func TestReadyOrder(t *testing.T) {
	t.Parallel()
	at := func(text string) string { return string(quote(text)) }
	q := queueOf(t,
		rowText("hx-1", "priority", "1"),
		rowText("hx-2", "priority", "0", "created_at", at("2026-01-01T00:00:00.5Z")),
		rowText("hx-3", "priority", "0", "created_at", at("2026-01-01T00:00:00Z")),
		rowText("hx-4", "priority", "0", "created_at", at("2026-01-01T01:00:00+02:00")),
		rowText("hx-5", "priority", "0", "queue-rank", `"2"`),
		rowText("hx-6", "priority", "0", "queue-rank", "-1"),
		rowText("hx-7", "priority", "1"),
	)
	if got, want := ids(q.Ready(noon)), "hx-6 hx-5 hx-4 hx-3 hx-2 hx-1 hx-7"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	rows, err := q.ReadyJSON(noon, true)
	if err != nil || len(rows) != 7 || string(rows[5]) != rowText("hx-1", "priority", "1") {
		t.Errorf("rows are %s", rows)
	}
}

// drawQueue is a queue of a few beads with everything that decides readiness.
func drawQueue(t *rapid.T) []*Bead {
	n := rapid.IntRange(0, 7).Draw(t, "beads")
	var beads []*Bead
	id := func(k int) string { return fmt.Sprintf("hx-%d", k) }
	for k := range n {
		b := &Bead{
			ID: id(k), Title: "t", Priority: rapid.IntRange(0, 2).Draw(t, "priority"), CreatedAt: noon.Add(-time.Duration(rapid.IntRange(0, 2).Draw(t, "age"))),
			Status: rapid.SampledFrom([]Status{Open, Open, Open, Closed, InProgress, Blocked, Cancelled, "odd"}).Draw(t, "status"),
			Type:   rapid.SampledFrom([]string{"task", "task", "bug", "epic"}).Draw(t, "type"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "deps") {
			b.Dependencies = append(b.Dependencies, Dependency{IssueID: b.ID, DependsOnID: id(rapid.IntRange(0, n+1).Draw(t, "dep")), Type: "blocks"})
		}
		if rapid.Bool().Draw(t, "child") {
			b.Parent = id(rapid.IntRange(0, n).Draw(t, "parent"))
		}
		for _, extra := range []struct{ key, value string }{
			{keyEligible, "false"}, {keySuperseded, "hx-0"}, {keyRetry, formatTime(noon.Add(time.Hour))}, {keyRetry, formatTime(noon.Add(-time.Hour))}, {keyRank, "1"},
		} {
			if rapid.IntRange(0, 9).Draw(t, extra.key) == 0 {
				b.Set(extra.key, extra.value)
			}
		}
		beads = append(beads, b)
	}
	return beads
}

// A bead is executable exactly when nothing keeps it from it; executable beads
// are ready ones, in the same order; and what is read from a file is what was
// put into memory.
func TestWhyAgreesWithExecutable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		beads := drawQueue(t)
		q := NewQueue(beads)
		executable := q.Executable(noon)
		for _, b := range beads {
			why := q.Why(b.ID, noon)
			if got := slices.ContainsFunc(executable, func(x *Bead) bool { return x.ID == b.ID }); got != (len(why) == 0) {
				t.Fatalf("%s: executable %v, because %v", b.ID, got, why)
			}
		}
		ready := q.Ready(noon)
		rest := slices.DeleteFunc(slices.Clone(ready), func(b *Bead) bool { return b.IsEpic() || !b.Eligible() })
		if ids(rest) != ids(executable) {
			t.Fatalf("ready %s, executable %s", ids(ready), ids(executable))
		}
		var lines []string
		for _, b := range beads {
			line, err := b.JSON()
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
		s, err := parseSnapshot("f", []byte(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		fromFile := newQueue(s)
		if got := ids(fromFile.Ready(noon)); got != ids(ready) {
			t.Fatalf("from the file %s, from memory %s", got, ids(ready))
		}
		a, errA := fromFile.ReadyJSON(noon, false)
		b, errB := q.ReadyJSON(noon, false)
		if errA != nil || errB != nil || fmt.Sprintf("%s", a) != fmt.Sprintf("%s", b) {
			t.Fatalf("rows from the file %s (%v), from memory %s (%v)", a, errA, b, errB)
		}
		if newQueue(s).Counts(noon) != q.Counts(noon) {
			t.Fatal("counts differ")
		}
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	q := queueOf(t, rowText("hx-1a2b3c4d"), rowText("hx-1a2bffff"), rowText("my-app-77aa0000"))
	for ref, want := range map[string]string{
		"hx-1a2b3c4d": "hx-1a2b3c4d", "hx-1a2b3": "hx-1a2b3c4d", "1a2bf": "hx-1a2bffff", "77": "my-app-77aa0000", "my": "my-app-77aa0000",
		"hx-1a2b":     "error: bead hx-1a2b: the beginning of 2 ids, such as hx-1a2b3c4d and hx-1a2bffff; give more of it",
		"hx-1a2b3cd4": "error: bead hx-1a2b3cd4: not found in f (did you mean hx-1a2b3c4d?)",
		"hx1a2bffff":  "error: bead hx1a2bffff: not found in f (did you mean hx-1a2bffff?)",
		"nope":        "error: bead nope: not found in f",
		"":            "error: bead : not found in f",
	} {
		got := ""
		if b, err := q.Resolve(ref); err != nil {
			got = "error: " + err.Error()
		} else {
			got = b.ID
		}
		if got != want {
			t.Errorf("%q: %s, want %s", ref, got, want)
		}
	}
}

func TestDepTrees(t *testing.T) {
	t.Parallel()
	q := queueOf(t,
		rowText("hx-a", "dependencies", depsJSON("hx-a", "hx-b", "hx-c")),
		rowText("hx-b", "dependencies", depsJSON("hx-b", "hx-c")),
		rowText("hx-c", "dependencies", depsJSON("hx-c", "hx-gone")),
		rowText("hx-x", "dependencies", depsJSON("hx-x", "hx-y")),
		rowText("hx-y", "dependencies", depsJSON("hx-y", "hx-x")),
		rowText("hx-z"),
	)
	var render func(n *DepNode) string
	render = func(n *DepNode) string {
		text := n.ID
		for mark, on := range map[string]bool{"!": n.Missing, "@": n.Cycle, "*": n.Repeated} {
			if on {
				text += mark
			}
		}
		for _, d := range n.Dependencies {
			text += "(" + render(d) + ")"
		}
		return text
	}
	var got []string
	for _, n := range q.DepTrees("") {
		got = append(got, render(n))
	}
	if want := "hx-a(hx-b(hx-c(hx-gone!)))(hx-c*) hx-x(hx-y(hx-x@))"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := render(q.DepTrees("hx-b")[0]); got != "hx-b(hx-c(hx-gone!))" {
		t.Errorf("of hx-b: %s", got)
	}
}
