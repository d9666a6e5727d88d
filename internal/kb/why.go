package kb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"helix/internal/kb/credit"
	"helix/internal/kb/source"
)

// WhyRequest asks what became of the cycles that were shown an entry.
type WhyRequest struct {
	ID    string
	Limit int // uses that are listed, the newest; 0: 50
}

// WhyResult is where an entry was shown, what happened, and what that makes of it.
type WhyResult struct {
	Item      Item    `json:"entry"`
	Helped    float64 `json:"helped"` // faded to now
	Harmed    float64 `json:"harmed"`
	Posterior struct {
		credit.Beta
		Mean      float64 `json:"mean"` // how likely it helps
		Deviation float64 `json:"deviation"`
	} `json:"posterior"`
	Shown int           `json:"shown"` // cycles
	Used  int           `json:"used"`  // of them, those that used it
	Uses  []credit.Line `json:"uses"`  // the newest of them, the oldest first

	now time.Time
}

const whyLimit = 50

// Why tells what became of the cycles that were shown an entry.
func (m *Memory) Why(_ context.Context, r WhyRequest) (WhyResult, error) {
	if r.ID == "" {
		return WhyResult{}, refuse("why: say which entry, by its id")
	}
	if r.Limit < 0 {
		return WhyResult{}, refuse("why: the limit %d is negative", r.Limit)
	}
	v, err := m.View()
	if err != nil {
		return WhyResult{}, err
	}
	defer v.Close()
	e, err := v.Get(r.ID)
	if err != nil {
		return WhyResult{}, notFound("no entry has the id %q: search for it, or read its topic", cut(r.ID, 100))
	}
	out := WhyResult{Item: m.show(source.NewChecker(m.root), &e), Uses: []credit.Line{}, now: m.now()}
	limit := r.Limit
	if limit == 0 {
		limit = whyLimit
	}
	var last credit.Line
	err = ledger{m.dir}.of(e.ID, func(line credit.Line) {
		last = line
		shown, used := line.Uses()
		out.Shown, out.Used = out.Shown+shown, out.Used+used
		if line.Effect == credit.Faded || line.Effect == credit.Folded {
			return
		}
		if out.Uses = append(out.Uses, line); len(out.Uses) > limit {
			out.Uses = out.Uses[1:]
		}
	})
	if err != nil {
		return WhyResult{}, at("why", err)
	}
	known := m.evidence(&e, last, out.now)
	out.Helped, out.Harmed = known.Helped, known.Harmed
	out.Posterior.Beta = known.Posterior()
	out.Posterior.Mean, out.Posterior.Deviation = out.Posterior.Beta.Mean(), out.Posterior.Beta.Deviation()
	return out, nil
}

// Text says it in a few lines and a line for each use.
func (r WhyResult) Text() string {
	var b strings.Builder
	r.Item.whole(&b)
	fmt.Fprintf(&b, "\nhelps with %.0f%% ± %.0f%%: Beta(%.2f, %.2f), from %.2f helped and %.2f harmed after fading\n",
		100*r.Posterior.Mean, 100*r.Posterior.Deviation, r.Posterior.A, r.Posterior.B, r.Helped, r.Harmed)
	fmt.Fprintf(&b, "shown in %s, used in %d\n", count(r.Shown, "cycle", "cycles"), r.Used)
	if left := r.Shown - len(r.Uses); left > 0 {
		fmt.Fprintf(&b, "  (%d older ones are left out)\n", left)
	}
	for _, u := range r.Uses {
		how := "shown"
		if u.Used {
			how = "used"
		}
		fmt.Fprintf(&b, "  %s  %s cycle %d  %s  %-5s  %s", u.At.Local().Format("2006-01-02 15:04"), u.Run, u.Cycle, u.Bead, how, u.Outcome)
		if u.Effect == credit.Helped || u.Effect == credit.Harmed {
			fmt.Fprintf(&b, ": %s", u.Effect)
			if u.Weight > 0 {
				fmt.Fprintf(&b, " by %g", u.Weight)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
