package credit

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// folded is what a fold makes of a ledger.
func folded(lines []Line) []Line {
	var f Fold
	for _, l := range lines {
		f.See(l)
	}
	var out []Line
	for _, l := range lines {
		before, stays := f.Take(l)
		if before != nil {
			out = append(out, *before)
		}
		if stays {
			out = append(out, l)
		}
	}
	return out
}

// history is what a ledger says of an entry.
type history struct {
	Last        Line
	Shown, Used int
	Uses        []Line
}

func historyOf(lines []Line, id string) (h history) {
	for _, l := range lines {
		if l.ID != id {
			continue
		}
		shown, used := l.Uses()
		h.Last, h.Shown, h.Used = l, h.Shown+shown, h.Used+used
		if l.use() {
			h.Uses = append(h.Uses, l)
		}
	}
	return h
}

// drawLedger reckons lines as a memory does.
func drawLedger(t *rapid.T, before []Line, n int) []Line {
	lines := before
	days := len(before)
	for range n {
		l := Line{ID: fmt.Sprintf("mem_%d", rapid.IntRange(0, 2).Draw(t, "entry")), Cycle: len(lines)}
		days += rapid.IntRange(0, 30).Draw(t, "days")
		weight := 0.0
		if l.Effect = Faded; rapid.IntRange(0, 9).Draw(t, "kind") > 0 {
			l.Outcome = rapid.SampledFrom([]Outcome{Landed, LandedWithFindings, Failed, Preserved, PreservedUnjudged}).Draw(t, "outcome")
			l.Used = rapid.Bool().Draw(t, "used")
			l.Effect, weight = EffectOf(l.Outcome, l.Used)
		}
		l.Put(historyOf(lines, l.ID).Last.Evidence().Faded(after(days), "").With(l.Effect, weight))
		lines = append(lines, l)
	}
	return lines
}

// TestFold: the evidence, the counts of uses and the newest uses are what they were,
// also when a ledger goes on and is folded again, and it has become short.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawLedger(t, nil, rapid.IntRange(0, 300).Draw(t, "first"))
		short := folded(whole)
		for range 2 {
			for i := range 3 {
				id := fmt.Sprintf("mem_%d", i)
				was, is := historyOf(whole, id), historyOf(short, id)
				was.Uses = was.Uses[max(0, len(was.Uses)-mostUses):]
				if diff := cmp.Diff(was, is); diff != "" {
					t.Fatalf("%s:\n%s", id, diff)
				}
			}
			if most := 3 * (mostUses + 2); len(short) > most {
				t.Fatalf("%d lines of %d", len(short), len(whole))
			}
			if diff := cmp.Diff(short, folded(short)); diff != "" {
				t.Fatalf("folding again changed it:\n%s", diff)
			}
			more := rapid.IntRange(0, 100).Draw(t, "more")
			grown := drawLedger(t, whole, more)
			short = folded(append(short, grown[len(whole):]...))
			whole = grown
		}
	})
}

// TestFoldOfMany: where there are many entries, each keeps fewer uses.
func TestFoldOfMany(t *testing.T) {
	var lines []Line
	const entries = mostLines / 10
	for cycle := range 20 {
		for i := range entries {
			lines = append(lines, Line{ID: fmt.Sprint(i), Cycle: cycle, Effect: None, Used: cycle%2 == 0})
		}
	}
	short := folded(lines)
	if len(short) != entries*11 {
		t.Errorf("%d lines, want %d", len(short), entries*11)
	}
	if h := historyOf(short, "7"); h.Shown != 20 || h.Used != 10 || len(h.Uses) != 10 || h.Uses[0].Cycle != 10 {
		t.Errorf("%+v", h)
	}
}
