package kb

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb/credit"
)

func (w *creditWorld) ledger() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir(), ledgerFile))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *creditWorld) why(id string) WhyResult {
	w.t.Helper()
	r, err := w.Why(context.Background(), WhyRequest{ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// TestLedgerIsFolded: a compaction leaves of each entry what can be told of it, and
// nothing of one that was deleted. The ledger is an old one: it has a torn line, and no
// line says how long it was.
func TestLedgerIsFolded(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	a, b, gone := w.add("x", "one", ""), w.add("x", "another", ""), w.add("x", "is deleted", "")
	for i := range 70 {
		outcome := []credit.Outcome{credit.Landed, credit.Failed, credit.Preserved, credit.PreservedUnjudged}[i%4]
		w.credit(outcome, []string{a, b, gone}, []string{a, gone})
		w.now = w.now.Add(7 * time.Hour)
	}
	w.credit(credit.Landed, []string{b}, []string{b})
	if err := (ledger{w.Dir()}).add([]credit.Line{{ID: gone, Effect: credit.None}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Dir(), ledgerFile)
	if err := os.WriteFile(path, []byte(w.ledger()+`{"id":"`+a+`","hel`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Edit(context.Background(), EditRequest{Action: "delete", ID: gone}); err != nil {
		t.Fatal(err)
	}
	before := []WhyResult{w.why(a), w.why(b)}
	if before[0].Shown != 70 || len(before[0].Uses) != whyLimit || before[1].Used != 1 {
		t.Fatalf("before: %+v", before)
	}
	if _, err := w.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, []WhyResult{w.why(a), w.why(b)}, cmp.AllowUnexported(WhyResult{})); diff != "" {
		t.Errorf("what is told of the entries has changed:\n%s", diff)
	}
	text := w.ledger()
	if strings.Contains(text, gone) || strings.Count(text, "\n") != 1+2*(whyLimit+1) || !strings.HasPrefix(text, `{"folded_at":"2026-`) {
		t.Errorf("%d lines:\n%s", strings.Count(text, "\n"), text)
	}
	w.credit(credit.Landed, []string{a}, []string{a})
	if r := w.why(a); r.Shown != 71 || r.Posterior.A <= before[0].Posterior.A || !strings.Contains(r.Text(), "shown in 71 cycles, used in 71\n  (21 older ones are left out)") {
		t.Errorf("after: %+v", r)
	}
	// With a log that is not there, nothing is known about what is.
	if err := os.Rename(filepath.Join(w.Dir(), "data.log"), filepath.Join(w.Dir(), "elsewhere")); err != nil {
		t.Fatal(err)
	}
	text = w.ledger()
	m := Open(w.Dir())
	defer m.Close()
	if err := m.compactLedger(context.Background()); err != nil || w.ledger() != text {
		t.Errorf("%v; the ledger has changed: %t", err, w.ledger() != text)
	}
}

// TestLedgerIsFoldedBySize: a run shortens a ledger that has become large, and not again
// before it is twice as large as that left it.
func TestLedgerIsFoldedBySize(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	a := w.add("x", "one", "")
	grow := func(to int) {
		var lines []credit.Line
		line := credit.Line{ID: a, Run: strings.Repeat("r", 400), Used: true, Effect: credit.None}
		for n := 0; n < to; n += 500 {
			lines = append(lines, line)
		}
		if err := (ledger{w.Dir()}).add(lines); err != nil {
			t.Fatal(err)
		}
	}
	size := func() int { return len(w.ledger()) }
	grow(foldSize / 2)
	w.credit(credit.Landed, []string{a}, nil)
	if size() < foldSize/2 {
		t.Fatalf("shortened to %d bytes though it is small", size())
	}
	grow(foldSize)
	shown := w.why(a).Shown
	w.credit(credit.Landed, []string{a}, nil)
	if size() > 1<<16 || w.why(a).Shown != shown+1 {
		t.Fatalf("%d bytes, shown in %d cycles and not %d", size(), w.why(a).Shown, shown+1)
	}
	// As if there were so many entries that it could not get shorter.
	text := bytes.Replace([]byte(w.ledger()), []byte(`"bytes":`), []byte(`"bytes":4194`), 1)
	if err := os.WriteFile(filepath.Join(w.Dir(), ledgerFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
	grow(foldSize)
	if w.credit(credit.Landed, []string{a}, nil); size() < foldSize {
		t.Errorf("shortened to %d bytes though it has not doubled", size())
	}
}

// TestLedgerAtOnce: nobody's line is lost, and nobody sees half a ledger, while others
// append and it is shortened again and again.
func TestLedgerAtOnce(t *testing.T) {
	t.Parallel()
	w := newCreditWorld(t)
	ids := []string{w.add("x", "one", ""), w.add("x", "another", "")}
	var early []credit.Line
	const old = 200
	for i := range 2 * old {
		early = append(early, credit.Line{ID: ids[i%2], Effect: credit.None, At: w.now, Used: true})
	}
	if err := (ledger{w.Dir()}).add(early); err != nil {
		t.Fatal(err)
	}
	const writers, each = 3, 30
	var working atomic.Int64
	working.Store(writers)
	var wg sync.WaitGroup
	open := func() *Memory {
		return Open(w.Dir(), WithRoot(w.root), WithClock(func() time.Time { return w.now }))
	}
	for i := range writers {
		wg.Go(func() {
			defer working.Add(-1)
			m := open()
			defer m.Close()
			for n := range each {
				r := CreditRequest{Run: fmt.Sprint(i), Cycle: n, Outcome: credit.Preserved, Shown: ids, Used: ids[:1]}
				if _, err := m.Credit(context.Background(), r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		m := open()
		defer m.Close()
		for working.Load() > 0 {
			if err := m.compactLedger(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		m := open()
		defer m.Close()
		last := old
		for working.Load() > 0 {
			r, err := m.Why(context.Background(), WhyRequest{ID: ids[0]})
			if err != nil || r.Shown < last {
				t.Errorf("shown in %d cycles, before in %d; %v", r.Shown, last, err)
				return
			}
			last = r.Shown
		}
	})
	wg.Wait()
	for i, id := range ids {
		r := w.why(id)
		used := old
		if i == 0 {
			used += writers * each
		}
		if r.Shown != old+writers*each || r.Used != used {
			t.Errorf("%s: shown in %d, used in %d", id, r.Shown, r.Used)
		}
	}
}
