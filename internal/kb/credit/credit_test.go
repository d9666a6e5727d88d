package credit

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var day = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func after(days int) time.Time { return day.AddDate(0, 0, days) }

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestEffectOf(t *testing.T) {
	for _, c := range []struct {
		outcome Outcome
		used    bool
		want    Effect
		weight  float64
	}{
		{Landed, true, Helped, 1},
		{Landed, false, None, 0},
		{LandedWithFindings, true, None, 0},
		{Failed, true, Harmed, 1},
		{Failed, false, None, 0},
		{Preserved, true, Harmed, 0.25},
		{Preserved, false, None, 0},
		{PreservedUnjudged, true, None, 0},
		{PreservedUnjudged, false, None, 0},
	} {
		if got, weight := EffectOf(c.outcome, c.used); got != c.want || weight != c.weight {
			t.Errorf("%s, used %t: %s by %g, want %s by %g", c.outcome, c.used, got, weight, c.want, c.weight)
		}
		if !c.outcome.Known() {
			t.Errorf("%s is not known", c.outcome)
		}
	}
	if Outcome("won").Known() {
		t.Error("an outcome is known that there is not")
	}
}

// TestPreservedWeighs: what the weight of preserved work was chosen for.
func TestPreservedWeighs(t *testing.T) {
	after := func(outcomes ...Outcome) float64 {
		e := Evidence{At: day}
		for _, o := range outcomes {
			e = e.With(EffectOf(o, true))
		}
		return e.Posterior().Mean()
	}
	for _, c := range []struct {
		name        string
		less, equal bool // the first mean compared with the second
		a, b        float64
	}{
		{"it speaks against what was used", true, false, after(Preserved), after()},
		{"less than a failure does", true, false, after(Failed), after(Preserved)},
		{"four are a failure", false, true, after(Preserved, Preserved, Preserved, Preserved), after(Failed)},
		{"landing at the fourth attempt speaks for it", true, false, after(), after(Preserved, Preserved, Preserved, Landed)},
		{"landing at the fifth does not", false, true, after(), after(Preserved, Preserved, Preserved, Preserved, Landed)},
		{"what kept it was something else", false, true, after(Landed, PreservedUnjudged), after(Landed)},
	} {
		if c.equal && !near(c.a, c.b) || c.less && c.a >= c.b {
			t.Errorf("%s: %f and %f", c.name, c.a, c.b)
		}
	}
}

func TestFaded(t *testing.T) {
	start := Evidence{Helped: 4, Harmed: 2, At: day, Source: "a"}
	for _, c := range []struct {
		name           string
		now            time.Time
		source         string
		helped, harmed float64
		left           string
	}{
		{"at once", day, "a", 4, 2, "a"},
		{"half after a half-life", after(90), "a", 2, 1, "a"},
		{"a quarter after two", after(180), "", 1, 0.5, "a"},
		{"the source changed", day, "b", 2, 1, "b"},
		{"both", after(90), "b", 1, 0.5, "b"},
		{"the source cannot be read", day, "", 4, 2, "a"},
		{"the clock went back", after(-5), "a", 4, 2, "a"},
	} {
		got := start.Faded(c.now, c.source)
		if !near(got.Helped, c.helped) || !near(got.Harmed, c.harmed) || got.Source != c.left {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := (Evidence{Helped: 4, At: day}).Faded(day, "b"); got.Helped != 4 || got.Source != "b" {
		t.Errorf("a source that was not known before has not changed: %+v", got)
	}
}

func TestPosterior(t *testing.T) {
	for _, c := range []struct {
		e    Evidence
		mean float64
	}{
		{Evidence{}, 0.5},
		{Evidence{Helped: 1}, 0.6},
		{Evidence{Harmed: 1}, 0.4},
		{Evidence{Helped: 6}, 0.8},
		{Evidence{Helped: 3, Harmed: 3}, 0.5},
	} {
		if got := c.e.Posterior().Mean(); !near(got, c.mean) {
			t.Errorf("%+v: mean %f, want %f", c.e, got, c.mean)
		}
	}
	if got := (Beta{2, 2}).Deviation(); !near(got, math.Sqrt(0.05)) {
		t.Errorf("deviation of Beta(2,2): %f", got)
	}
	if few, many := (Beta{3, 3}).Deviation(), (Beta{30, 30}).Deviation(); many >= few {
		t.Errorf("more evidence must make it more certain: %f, %f", few, many)
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		e              Evidence
		helped, harmed int
	}{
		{Evidence{}, 0, 0}, {Evidence{Helped: 0.49, Harmed: 0.5}, 0, 1}, {Evidence{Helped: 2.51, Harmed: 7}, 3, 7},
	} {
		if h, m := c.e.Counts(); h != c.helped || m != c.harmed {
			t.Errorf("%+v: %d, %d", c.e, h, m)
		}
	}
}

// TestProperties: fading in steps is fading at once, amounts stay bounded and never
// get negative, and one more effect moves the mean in its direction.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Evidence{Helped: rapid.Float64Range(0, most/2).Draw(t, "helped"), Harmed: rapid.Float64Range(0, most/2).Draw(t, "harmed"), At: day}
		a, b := rapid.IntRange(0, 400).Draw(t, "a"), rapid.IntRange(0, 400).Draw(t, "b")
		steps, once := e.Faded(after(a), "").Faded(after(a+b), ""), e.Faded(after(a+b), "")
		if math.Abs(steps.Helped-once.Helped) > 1e-6 || math.Abs(steps.Harmed-once.Harmed) > 1e-6 {
			t.Fatalf("in steps %+v, at once %+v", steps, once)
		}
		if once.Helped < 0 || once.Harmed < 0 || once.Helped > e.Helped || once.Harmed > e.Harmed {
			t.Fatalf("%+v faded to %+v", e, once)
		}
		mean := e.Posterior().Mean()
		weight := rapid.Float64Range(0, 1).Draw(t, "weight")
		up, down := e.With(Helped, weight), e.With(Harmed, weight)
		if up.Posterior().Mean() < mean-1e-9 {
			t.Fatalf("help moved the mean from %f to %f", mean, up.Posterior().Mean())
		}
		if down.Posterior().Mean() > mean+1e-9 {
			t.Fatalf("harm moved the mean from %f to %f", mean, down.Posterior().Mean())
		}
		if up.Helped+up.Harmed > most+1e-9 || e.With(None, weight) != e || e.With(Faded, weight) != e {
			t.Fatalf("%+v became %+v", e, up)
		}
	})
}

// TestChangeOfMind: however often an entry has helped, about as many failures as
// outcomes count make it one that rather harms.
func TestChangeOfMind(t *testing.T) {
	for _, helped := range []int{1, 5, most, 1000} {
		e := Evidence{At: day}
		for range helped {
			e = e.With(Helped, 1)
		}
		failures := 0
		for e.Posterior().Mean() >= 0.5 {
			e = e.With(Harmed, 1)
			failures++
		}
		if failures > most {
			t.Errorf("after %d successes it took %d failures", helped, failures)
		}
	}
}

func TestDue(t *testing.T) {
	last := map[string]Line{
		"new":    {ID: "new", At: after(0), Helped: 1},
		"old":    {ID: "old", At: after(-100), Helped: 1},   // 1 → 0.46
		"older":  {ID: "older", At: after(-200), Harmed: 3}, // 3 → 0.6
		"steady": {ID: "steady", At: after(-100), Helped: 0.4},
	}
	if got := Due(last, after(0), 10); !slices.Equal(got, []string{"older", "old"}) {
		t.Errorf("due: %v", got)
	}
	if got := Due(last, after(0), 1); !slices.Equal(got, []string{"older"}) {
		t.Errorf("due, one: %v", got)
	}
}

func TestLine(t *testing.T) {
	line := Line{ID: "mem_1", Run: "run-1", Cycle: 3, Attempt: "a", Bead: "hx-1", Outcome: Preserved, Used: true, Effect: Harmed, Weight: 0.25}
	line.Put(Evidence{Helped: 1.5, Harmed: 1, At: day, Source: "abc"})
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Parse(text)
	if !ok {
		t.Fatalf("%s is no line", text)
	}
	if diff := cmp.Diff(line, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"at":"2026-06-01T12:00:00Z","id":"mem_1","used":true,"effect":"helped","helped":1,"harmed":0}`))
	f.Add([]byte(`{"id":"mem_1","helped":-1}`))
	f.Add([]byte(`{"id":"mem_1","helped":1e300}`))
	f.Add([]byte(`{"id":`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, ok := Parse(text)
		if !ok {
			return
		}
		if h, m := l.Evidence().Faded(day, "").Counts(); l.ID == "" || h < 0 || m < 0 {
			t.Fatalf("%q became %+v", text, l)
		}
		again, err := json.Marshal(l)
		if err != nil {
			return // a year that JSON cannot carry
		}
		if back, ok := Parse(again); !ok || back.ID != l.ID || back.Helped != l.Helped {
			t.Fatalf("%q did not come back", again)
		}
	})
}
