package tracker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sick is a file with everything that doctor knows.
var sick = []string{
	rowText("hx-a", "dependencies", depsJSON("hx-a", "hx-gone", "hx-archived")),
	rowText("hx-b", "parent", `"hx-gone"`),
	"{oops",
	rowText("hx-c", "status", `"Done"`, "priority", "7"),
	rowText("hx-d", "status", `"weird"`),
	rowText("hx-dup", "updated_at", `"2026-05-02T00:00:00Z"`),
	rowText("hx-dup"),
	rowText("hx-l1", "dependencies", depsJSON("hx-l1", "hx-l2")),
	rowText("hx-l2", "dependencies", `[{"issue_id":"hx-l2","depends_on_id":"hx-l1","type":"blocks","created_at":"2026-05-09T00:00:00Z"}]`),
	rowText("hx-p1", "parent", `"hx-p2"`),
	rowText("hx-p2", "parent", `"hx-p1"`),
	rowText("hx-w1", "status", `"in_progress"`, "owner", `"helix"`, "claimed-at", `"2026-06-01T06:00:00Z"`, "claimed-pid", `"41"`, "claimed-machine", `"here"`),
	rowText("hx-w2", "status", `"in_progress"`, "owner", `"helix"`, "claimed-at", `"2026-06-01T06:00:00Z"`, "claimed-pid", "42", "claimed-machine", `"here"`),
	rowText("hx-w3", "status", `"in_progress"`, "owner", `"helix"`, "claimed-at", `"2026-06-01T06:00:00Z"`, "claimed-pid", "41", "claimed-machine", `"there"`),
	rowText("hx-w4", "status", `"in_progress"`, "owner", `"helix"`, "claimed-at", `"2026-06-01T11:00:00Z"`, "claimed-pid", "41"),
	`{"id":"hx-torn","ti`,
}

func sickStore(t *testing.T) *Store {
	s := newStore(t)
	writeFile(t, s.Path(), strings.Join(sick, "\n"))
	writeFile(t, filepath.Join(s.Dir(), archiveName), rowText("hx-archived", "status", `"closed"`)+"\n")
	return s
}

func doctoring(fix bool) Doctoring {
	return Doctoring{Fix: fix, ClaimAge: 2 * time.Hour, Machine: "here", SameProcess: func(pid int, _ string) bool { return pid == 42 }}
}

func diagnose(t *testing.T, s *Store, fix bool) *Diagnosis {
	t.Helper()
	d, err := s.Doctor(ctx, doctoring(fix))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func listed(d *Diagnosis) []string {
	var list []string
	for _, f := range d.Findings {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d %s", f.Kind, f.Line, f.ID)))
	}
	return list
}

func TestDoctorFindsAndMends(t *testing.T) {
	t.Parallel()
	s := sickStore(t)
	before := readFile(t, s.Path())
	want := []string{
		"malformed-line 3", "torn-line 16", "duplicate 7 hx-dup", "dangling-dependency 1 hx-a", "dangling-parent 2 hx-b", "unknown-status 4 hx-c",
		"priority 4 hx-c", "unknown-status 5 hx-d", "stale-claim 12 hx-w1", "cycle 0 hx-l1", "parent-cycle 0 hx-p1",
	}
	d := diagnose(t, s, false)
	if got := listed(d); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s", strings.Join(got, "\n"))
	}
	if !d.Sick() || readFile(t, s.Path()) != before {
		t.Error("looking must change nothing")
	}
	d = diagnose(t, s, true)
	for _, f := range d.Findings {
		if f.Mended != (f.Kind != FoundStaleClaim) {
			t.Errorf("%s of %s: mended %v", f.Kind, f.ID, f.Mended)
		}
	}
	if d.Sick() || readFile(t, d.Backup) != before {
		t.Errorf("still sick, or no backup of the old file in %q", d.Backup)
	}
	if got := listed(diagnose(t, s, false)); strings.Join(got, "\n") != "stale-claim 10 hx-w1" {
		t.Errorf("left after mending\n%s", strings.Join(got, "\n"))
	}
	q := load(t, s)
	if c, _ := q.Get("hx-c"); c.Status != Closed || c.Priority != LowestPriority || !strings.Contains(string(c.Extra["events"]), `"body":"before: Done"`) {
		t.Errorf("hx-c is %+v", c)
	}
	if x, _ := q.Get("hx-d"); x.Status != Proposed {
		t.Errorf("hx-d is %s", x.Status)
	}
	// The younger of the two dependencies went.
	l1, _ := q.Get("hx-l1")
	l2, _ := q.Get("hx-l2")
	if len(l1.Dependencies) != 1 || len(l2.Dependencies) != 0 {
		t.Errorf("the cycle became %v and %v", l1.Dependencies, l2.Dependencies)
	}
	if a, _ := q.Get("hx-a"); len(a.Dependencies) != 1 || a.Dependencies[0].DependsOnID != "hx-archived" {
		t.Errorf("hx-a waits for %v", a.Dependencies)
	}
}

func TestDoctorOfASoundTracker(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-b"), rowText("hx-a"))
	before := readFile(t, s.Path())
	for _, fix := range []bool{false, true} {
		if d := diagnose(t, s, fix); len(d.Findings) > 0 || d.Sick() || d.Backup != "" {
			t.Errorf("fix %v: %+v", fix, d)
		}
	}
	if readFile(t, s.Path()) != before {
		t.Error("there was nothing to mend, and the file changed")
	}
	if d := diagnose(t, newStore(t), true); d.Sick() {
		t.Errorf("no file at all: %+v", d)
	}
}

func TestDoctorOnConflictsAndLocks(t *testing.T) {
	t.Parallel()
	s := newStore(t, "<<<<<<< HEAD", rowText("hx-a"), "=======", ">>>>>>> x")
	for _, fix := range []bool{false, true} {
		if d := diagnose(t, s, fix); len(d.Findings) != 1 || d.Findings[0].Kind != FoundConflict || d.Findings[0].Advice != "helix bead merge" || !d.Sick() {
			t.Errorf("fix %v: %+v", fix, d)
		}
	}
	s = newStore(t, rowText("hx-a"))
	s.warn = func(string) {}
	dir := putLock(t, s, map[string]string{"pid": fmt.Sprint(deadPID(t)), "acquired_at": "2026-06-01T00:00:00Z"}, 0)
	if d := diagnose(t, s, false); len(d.Findings) != 1 || d.Findings[0].Kind != FoundStaleLock || !d.Sick() {
		t.Errorf("found %+v", d)
	}
	if d := diagnose(t, s, true); d.Sick() || len(d.Findings) != 1 {
		t.Errorf("mended %+v", d)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the lock is still there")
	}
}

// Cycles that share steps are all gone afterwards.
func TestMendingTangledCycles(t *testing.T) {
	t.Parallel()
	s := newStore(t,
		rowText("hx-a", "dependencies", depsJSON("hx-a", "hx-b", "hx-c")),
		rowText("hx-b", "dependencies", depsJSON("hx-b", "hx-a", "hx-c")),
		rowText("hx-c", "dependencies", depsJSON("hx-c", "hx-a", "hx-b", "hx-c")),
	)
	diagnose(t, s, true)
	if d := diagnose(t, s, false); d.Sick() {
		t.Errorf("left: %v", listed(d))
	}
}
