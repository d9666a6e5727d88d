package kb

import (
	"context"
	"errors"
	"slices"
	"time"

	"helix/internal/kb/credit"
	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// CreditRequest says how a cycle ended that was shown entries.
type CreditRequest struct {
	Run     string
	Cycle   int
	Attempt string
	Bead    string
	Outcome credit.Outcome
	Shown   []string // ids
	Used    []string // of them, those that the agent used
}

// Credited says which entries gained or lost by a cycle.
type Credited struct {
	Helped []string
	Harmed []string
}

// mostFaded is how many entries one call brings up to date that were not shown.
const mostFaded = 32

// Credit lets entries gain or lose by the outcome of a cycle. Their evidence fades
// first (package credit), so the counts of an entry are always those of its evidence
// as of the last time that it was shown, or that a call found them to be too high. A
// change record can only add to counts; where fading takes more away than the cycle
// adds, the entry is written anew. An id that no entry has any more is passed over.
func (m *Memory) Credit(ctx context.Context, r CreditRequest) (Credited, error) {
	if !r.Outcome.Known() {
		return Credited{}, refuse("credit: no outcome %q", cut(string(r.Outcome), 60))
	}
	book := ledger{m.dir}
	unlock, err := book.lock(ctx)
	if err != nil {
		return Credited{}, at("credit", err)
	}
	defer unlock()
	if book.foldable() {
		// Without it the ledger is only longer than it need be; the next call tries again.
		_ = m.foldLedger(book)
	}
	last, err := book.last()
	if err != nil {
		return Credited{}, at("credit", err)
	}
	now := m.now()
	due := credit.Due(last, now, mostFaded)
	var lines []credit.Line
	err = m.write(ctx, func(v *view.View) (*plan, error) {
		lines = nil
		p := &plan{ids: map[string]bool{}}
		var ops []log.Op
		account := func(id string, line credit.Line, weight float64, accessed int) error {
			e, err := v.Get(id)
			if errors.Is(err, ErrNotFound) || err == nil && p.ids[id] {
				return nil
			}
			if err != nil {
				return err
			}
			p.ids[id] = true
			line.ID = id
			line.Put(m.evidence(&e, last[id], now).With(line.Effect, weight))
			lines = append(lines, line)
			if op, ok := counted(e, line, accessed, now); ok {
				ops = append(ops, op)
			}
			return nil
		}
		for _, id := range r.Shown {
			line := credit.Line{
				Run: r.Run, Cycle: r.Cycle, Attempt: r.Attempt, Bead: r.Bead, Outcome: r.Outcome,
				Used: slices.Contains(r.Used, id),
			}
			effect, weight := credit.EffectOf(r.Outcome, line.Used)
			if line.Effect = effect; weight < 1 {
				line.Weight = weight
			}
			if err := account(id, line, weight, 1); err != nil {
				return nil, err
			}
		}
		for _, id := range due {
			if err := account(id, credit.Line{Effect: credit.Faded}, 0, 0); err != nil {
				return nil, err
			}
		}
		if len(ops) == 0 {
			return nil, nil
		}
		p.ops = func(func(string) bool) []log.Op { return ops }
		return p, nil
	})
	if err != nil {
		return Credited{}, at("credit", err)
	}
	// Behind the log: a crash between the two loses one line, whose effect the counts
	// have until the next one.
	if err := book.add(lines); err != nil {
		return Credited{}, at("credit", err)
	}
	if len(lines) > 0 {
		m.wrote(nil)
	}
	return creditedBy(lines), nil
}

// foldLedger shortens the ledger, whose lock is held.
func (m *Memory) foldLedger(book ledger) error {
	v, err := m.View()
	if err != nil {
		return err
	}
	defer v.Close()
	return book.fold(m.now(), func(id string) (bool, error) {
		_, err := v.Get(id)
		if errors.Is(err, ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	})
}

func creditedBy(lines []credit.Line) (out Credited) {
	for _, line := range lines {
		switch line.Effect {
		case credit.Helped:
			out.Helped = append(out.Helped, line.ID)
		case credit.Harmed:
			out.Harmed = append(out.Harmed, line.ID)
		}
	}
	return out
}

// evidence is what there is for and against an entry now. Without a line, as after an
// import, it is what the entry itself counts.
func (m *Memory) evidence(e *entry.Entry, last credit.Line, now time.Time) credit.Evidence {
	known := last.Evidence()
	if last.ID == "" {
		known = credit.Evidence{Helped: float64(e.Helped), Harmed: float64(e.Harmed), At: e.Created}
		for _, t := range []time.Time{e.Modified, e.LastAccess} {
			if t.After(known.At) {
				known.At = t
			}
		}
	}
	if known.Source == "" {
		known.Source = e.Source.Hash
	}
	source := ""
	if known.Source != "" {
		source = sourceHash(m.root, e.Source.Path)
	}
	return known.Faded(now, source)
}

// counted brings the counts of an entry to what its line says; false: they are.
func counted(e entry.Entry, line credit.Line, accessed int, now time.Time) (log.Op, bool) {
	helped, harmed := line.Evidence().Counts()
	if helped >= e.Helped && harmed >= e.Harmed {
		c := entry.Change{ID: e.ID, Helped: helped - e.Helped, Harmed: harmed - e.Harmed}
		if accessed > 0 {
			c.Accessed, c.LastAccess = accessed, now
		}
		return log.Change(c), c.Helped+c.Harmed+c.Accessed > 0
	}
	e.Helped, e.Harmed = helped, harmed
	if accessed > 0 {
		e.AccessCount, e.LastAccess = e.AccessCount+accessed, now
	}
	return log.Put(e), true
}
