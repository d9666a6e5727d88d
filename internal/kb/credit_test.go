package kb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"helix/internal/kb/credit"
	"helix/internal/kb/entry"
)

// creditWorld is a memory with a clock that a test moves.
type creditWorld struct {
	*Memory
	t    *testing.T
	now  time.Time
	root string
}

func newCreditWorld(t *testing.T) *creditWorld {
	t.Helper()
	w := &creditWorld{t: t, now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), root: t.TempDir()}
	w.Memory = Open(filepath.Join(t.TempDir(), "kb"), WithRoot(w.root), WithClock(func() time.Time { return w.now }))
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *creditWorld) add(topic, text, source string) string {
	w.t.Helper()
	s, err := w.Store(context.Background(), StoreRequest{Topic: topic, Text: text, Source: source, Force: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return s.ID
}

func (w *creditWorld) credit(o credit.Outcome, shown, used []string) Credited {
	w.t.Helper()
	c, err := w.Credit(context.Background(), CreditRequest{Run: "run-1", Cycle: 1, Bead: "hx-1", Outcome: o, Shown: shown, Used: used})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *creditWorld) entry(id string) entry.Entry {
	w.t.Helper()
	v, err := w.View()
	if err != nil {
		w.t.Fatal(err)
	}
	defer v.Close()
	e, err := v.Get(id)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func (w *creditWorld) wantCounts(id string, helped, harmed, accessed int) {
	w.t.Helper()
	e := w.entry(id)
	if e.Helped != helped || e.Harmed != harmed || e.AccessCount != accessed {
		w.t.Errorf("%s: helped %d, harmed %d, accessed %d; want %d, %d, %d", id, e.Helped, e.Harmed, e.AccessCount, helped, harmed, accessed)
	}
}

func TestCreditByOutcome(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	a, b := w.add("x", "the one that was used", ""), w.add("x", "another that was only shown", "")
	shown := []string{a, b, "mem_gone"}
	if c := w.credit(credit.Landed, shown, []string{a}); !slices.Equal(c.Helped, []string{a}) || c.Harmed != nil {
		t.Errorf("credited: %+v", c)
	}
	w.wantCounts(a, 1, 0, 1)
	w.wantCounts(b, 0, 0, 1)
	w.credit(credit.LandedWithFindings, shown, []string{a})
	w.credit(credit.PreservedUnjudged, shown, []string{a})
	w.wantCounts(a, 1, 0, 3)
	if c := w.credit(credit.Failed, shown, []string{a}); !slices.Equal(c.Harmed, []string{a}) {
		t.Errorf("credited: %+v", c)
	}
	w.wantCounts(a, 1, 1, 4)
	w.wantCounts(b, 0, 0, 4)
	if e := w.entry(a); !e.LastAccess.Equal(w.now) || !e.Modified.IsZero() {
		t.Errorf("accessed %s, modified %s", e.LastAccess, e.Modified)
	}

	why, err := w.Why(context.Background(), WhyRequest{ID: a, Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if why.Shown != 4 || why.Used != 4 || len(why.Uses) != 3 || why.Posterior.A != 3 || why.Posterior.B != 3 || why.Posterior.Mean != 0.5 {
		t.Errorf("why: %+v", why)
	}
	if c := w.credit(credit.Preserved, shown, []string{a}); !slices.Equal(c.Harmed, []string{a}) {
		t.Errorf("credited: %+v", c)
	}
	w.wantCounts(a, 1, 1, 5)
	if more, err := w.Why(context.Background(), WhyRequest{ID: a}); err != nil || more.Posterior.B != 3.25 || more.Uses[4].Weight != 0.25 || !strings.Contains(more.Text(), "preserved: harmed by 0.25") {
		t.Errorf("why: %+v, %v", more, err)
	}
	if text := why.Text(); !strings.Contains(text, "helps with 50%") || !strings.Contains(text, "(1 older ones are left out)") || !strings.Contains(text, "failed: harmed") {
		t.Errorf("why says:\n%s", text)
	}
	if _, err := w.Credit(context.Background(), CreditRequest{Outcome: "won", Shown: shown}); err == nil {
		t.Error("an unknown outcome was taken")
	}
	if _, err := w.Why(context.Background(), WhyRequest{ID: "mem_gone"}); err == nil {
		t.Error("an entry that is not there was explained")
	}
}

// TestCreditFades: counts go down again with time, for an entry that is shown and
// for one that never is, and the text is left alone.
func TestCreditFades(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	a, b := w.add("x", "shown again", ""), w.add("x", "never shown again", "")
	for range 4 {
		w.credit(credit.Landed, []string{a, b}, []string{a, b})
	}
	w.wantCounts(a, 4, 0, 4)
	w.now = w.now.AddDate(0, 0, 90)
	w.credit(credit.Failed, []string{a}, []string{a})
	w.wantCounts(a, 2, 1, 5)
	w.wantCounts(b, 2, 0, 4)
	if e := w.entry(a); e.Text != "shown again" || e.Topic != "x" {
		t.Errorf("the entry became %+v", e)
	}
	if _, err := w.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.wantCounts(a, 2, 1, 5)
	w.now = w.now.AddDate(2, 0, 0)
	w.credit(credit.Preserved, []string{a}, nil)
	w.wantCounts(a, 0, 0, 6)
	w.wantCounts(b, 0, 0, 4)
}

func TestCreditFadesWithItsSource(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	file := filepath.Join(w.root, "auth.go")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	a := w.add("x", "about a file", "auth.go")
	for range 4 {
		w.credit(credit.Landed, []string{a}, []string{a})
	}
	write("two")
	w.credit(credit.PreservedUnjudged, []string{a}, []string{a})
	w.wantCounts(a, 2, 0, 5)
	w.credit(credit.PreservedUnjudged, []string{a}, []string{a}) // the same change counts once
	w.wantCounts(a, 2, 0, 6)
}

// TestCreditWithoutLedger: an entry that brings counts along, as an import does,
// keeps them; a ledger that a crash cut off goes on.
func TestCreditWithoutLedger(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	a := w.add("x", "brings counts along", "")
	w.credit(credit.Landed, []string{a}, []string{a})
	path := filepath.Join(w.Dir(), ledgerFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.credit(credit.Landed, []string{a}, []string{a})
	w.wantCounts(a, 2, 0, 2)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"` + a); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	w.credit(credit.Landed, []string{a}, []string{a})
	w.wantCounts(a, 3, 0, 3)
	why, err := w.Why(context.Background(), WhyRequest{ID: a})
	if err != nil || why.Shown != 2 {
		t.Errorf("shown %d, %v", why.Shown, err)
	}
}

// TestCreditAtOnce: nobody's credit is lost, whoever else writes.
func TestCreditAtOnce(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	a := w.add("x", "everybody's", "")
	const writers, each = 3, 4 // as many as count
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			m := Open(w.Dir(), WithRoot(w.root), WithClock(func() time.Time { return w.now }))
			defer m.Close()
			for n := range each {
				if _, err := m.Credit(context.Background(), CreditRequest{Outcome: credit.Landed, Shown: []string{a}, Used: []string{a}}); err != nil {
					t.Error(err)
				}
				if _, err := m.Edit(context.Background(), EditRequest{Action: "tag", ID: a, Tags: []string{fmt.Sprintf("t%d%d", i, n)}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	w.wantCounts(a, writers*each, 0, writers*each)
	if e := w.entry(a); len(e.Tags) != writers*each {
		t.Errorf("%d tags, want %d", len(e.Tags), writers*each)
	}
}

func TestStoreNew(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	ctx := context.Background()
	store := func(topic, text string) Stored {
		s, err := w.StoreNew(ctx, StoreRequest{Topic: topic, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := store("build", "the linker of this project needs two gigabytes of memory")
	if first.ID == "" || first.Skipped != "" {
		t.Fatalf("stored: %+v", first)
	}
	for _, text := range []string{"the linker of this project needs two gigabytes of memory!", "The linker of this project needs two gigabytes memory"} {
		if again := store("build", text); again.ID != "" || again.Duplicate == nil || again.Duplicate.ID != first.ID {
			t.Errorf("stored again: %+v", again)
		}
	}
	short := store("build", "use make")
	if again := store("build", "Use make"); short.ID == "" || again.ID != "" {
		t.Errorf("a short text: %+v, again %+v", short, again)
	}
	if other := store("deploy", "use make"); other.ID == "" {
		t.Error("another topic may say the same")
	}
	if s, err := w.Stats(ctx, StatsRequest{}); err != nil || s.Entries != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestCreditRanks is a world of memories of which half mislead: each cycle is shown
// the three that a search ranks first, uses some of them, and mostly lands unless one
// that it used misleads. Of what does not land a part is kept, and a part of what
// would have landed is kept by something else. The good ones must come to the top; and when the world
// changes, so that the good ones mislead and the others help, the ranking must
// follow.
func TestCreditRanks(t *testing.T) {
	t.Parallel()
	const top, cycles = 3, 200
	w := newCreditWorld(t)
	rng := rand.New(rand.NewPCG(4, 2))
	ctx := context.Background()
	good, seen := map[string]bool{}, map[credit.Outcome]int{}
	for i, where := range []string{"berlin", "lisbon", "london", "madrid", "moscow", "prague", "vienna", "warsaw"} { // equally long
		id := w.add("deploy", "deploy the service to "+where, "")
		good[id] = i%2 == 0
	}
	first := func() []string {
		res, err := w.Search(ctx, SearchRequest{Query: "deploy service", Limit: top})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, item := range res.Items {
			ids = append(ids, item.ID)
		}
		return ids
	}
	share := func(ids []string) (n int) {
		for _, id := range ids {
			if good[id] {
				n++
			}
		}
		return n
	}
	// phase gives the share of good ones among those shown in its last quarter.
	phase := func() float64 {
		shown, right := 0, 0
		for c := range cycles {
			ids := first()
			used := ids[:0:0]
			for _, id := range ids {
				if rng.IntN(2) == 0 {
					used = append(used, id)
				}
			}
			lands := 0.9
			if share(used) < len(used) {
				lands = 0.2
			}
			outcome := credit.Failed
			switch landed, kept := rng.Float64() < lands, rng.IntN(2) == 0; {
			case landed && kept && rng.IntN(3) == 0:
				outcome = credit.PreservedUnjudged
			case landed:
				outcome = credit.Landed
			case kept:
				outcome = credit.Preserved
			}
			seen[outcome]++
			if c >= cycles*3/4 {
				shown, right = shown+len(ids), right+share(ids)
			}
			w.credit(outcome, ids, used)
			w.now = w.now.AddDate(0, 0, 1)
		}
		return float64(right) / float64(shown)
	}
	before := phase()
	for id := range good {
		good[id] = !good[id]
	}
	broken := float64(share(first())) / top
	after := phase()
	t.Logf("good among the first %d: %.0f%% after %d cycles, %.0f%% when the world changed, %.0f%% after %d more; cycles by outcome: %v", top, 100*before, cycles, 100*broken, 100*after, cycles, seen)
	if len(seen) != 4 {
		t.Errorf("an outcome did not come up: %v", seen)
	}
	if before < 0.8 {
		t.Errorf("the ranking did not converge: %.0f%% good", 100*before)
	}
	if broken >= 0.5 {
		t.Errorf("the change of the world changed nothing: %.0f%% good", 100*broken)
	}
	if after < 0.8 {
		t.Errorf("the ranking did not recover: %.0f%% good", 100*after)
	}
}
