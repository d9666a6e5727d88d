package experience

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// snippet is something that an agent said, and which rules should speak up.
type snippet struct {
	Text string   `json:"text"`
	Want []string `json:"want"` // decision, cause, gotcha; empty for none
}

func snippets(t testing.TB) []snippet {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "snippets.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []snippet
	for in := bufio.NewScanner(file); in.Scan(); {
		var s snippet
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, s)
	}
	return all
}

// TestPrecision measures the rules over sentences on labelled snippets. Half of
// them are near misses: plans, guesses, questions, quotations, remarks about the
// session.
func TestPrecision(t *testing.T) {
	t.Parallel()
	label := map[Rule]string{Decided: "decision", Cause: "cause", Gotcha: "gotcha"}
	type counts struct{ right, wrong, missed int }
	by := map[string]*counts{"decision": {}, "cause": {}, "gotcha": {}}
	all := snippets(t)
	negatives := 0
	for _, s := range all {
		want := slices.Clone(s.Want)
		if len(want) == 0 {
			negatives++
		}
		for _, e := range Extract(Transcript{Steps: []Step{{Kind: Said, Text: s.Text}}}) {
			got := label[e.Rule]
			if i := slices.Index(want, got); i >= 0 {
				by[got].right++
				want = slices.Delete(want, i, i+1)
				continue
			}
			by[got].wrong++
			t.Logf("wrong: %s in %q", got, s.Text)
		}
		for _, w := range want {
			by[w].missed++
			t.Logf("missed: %s in %q", w, s.Text)
		}
	}
	var sum counts
	for _, name := range []string{"decision", "cause", "gotcha"} {
		c := by[name]
		sum.right, sum.wrong, sum.missed = sum.right+c.right, sum.wrong+c.wrong, sum.missed+c.missed
		t.Logf("%-8s precision %.2f, recall %.2f (%d right, %d wrong, %d missed)", name, share(c.right, c.wrong), share(c.right, c.missed), c.right, c.wrong, c.missed)
	}
	precision, recall := share(sum.right, sum.wrong), share(sum.right, sum.missed)
	t.Logf("all      precision %.2f, recall %.2f over %d snippets, %d of them near misses", precision, recall, len(all), negatives)
	if len(all) < 60 || negatives < 20 {
		t.Errorf("%d snippets with %d near misses are too few to measure anything", len(all), negatives)
	}
	if precision < 0.85 {
		t.Errorf("precision %.2f is below 0.85", precision)
	}
	if recall < 0.7 {
		t.Errorf("recall %.2f is below 0.7", recall)
	}
}

func share(part, rest int) float64 {
	if part+rest == 0 {
		return 1
	}
	return float64(part) / float64(part+rest)
}
