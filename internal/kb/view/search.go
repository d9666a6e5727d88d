package view

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
	"helix/internal/kb/log"
	"helix/internal/kb/text"
)

// defaultLimit is how many hits a search gives when nothing is said.
const defaultLimit = 20

// damaged reports whether an entry cannot be read because its bytes in the log are
// not what was written. It is left out, and the rest still serves.
func damaged(err error) bool {
	return errors.Is(err, log.ErrDamaged) || errors.Is(err, entry.ErrMalformed)
}

// Search finds the entries that fit q best. What is wrong with the query is said
// by an error that wraps ErrQuery.
func (v *View) Search(q Query) (Result, error) {
	p, err := v.parse(q)
	if err != nil {
		return Result{}, err
	}
	if q.empty(p) {
		return Result{}, nil
	}
	var res Result
	err = v.guard(func() error {
		fallback, err := q.relaxed(p, func(orMode bool) (int, error) {
			var err error
			res, err = v.search(p, q.limit(), &q, orMode)
			return len(res.Hits), err
		})
		res.Fallback = fallback
		return err
	})
	res.Words = p.shown
	return res, err
}

func (q *Query) limit() int {
	if q.Limit <= 0 {
		return defaultLimit
	}
	return q.Limit
}

// relaxed runs q, which gives how many it found, and where no entry has all of the words
// runs it again for those that have any. fallback reports that this found some.
func (q *Query) relaxed(p *parsed, run func(orMode bool) (found int, err error)) (fallback bool, err error) {
	n, err := run(q.Any)
	if err != nil || n > 0 || q.Any || !p.several() {
		return false, err
	}
	n, err = run(true)
	return n > 0, err
}

// empty reports whether q looks for words and names, and has none that can be looked
// for: that finds nothing rather than everything.
func (q *Query) empty(p *parsed) bool {
	return (q.Plain || len(q.Names) > 0) && p.unasked()
}

// find runs the query once, for up to n entries. The checker has read some of them.
func (v *View) find(p *parsed, n int, q *Query, orMode bool) ([]index.Hit, *checker, error) {
	iq, ok := v.compile(p, orMode)
	if !ok {
		return nil, nil, nil
	}
	iq.Limit, iq.Home, iq.Telling = n, v.opts.home, q.Telling
	check := v.accept(&iq, p)
	found := v.snap.Search(&iq)
	return found, check, check.err
}

// search runs the query once. It asks the index for more than limit, because what
// has changed since it was written goes down in rank.
func (v *View) search(p *parsed, limit int, q *Query, orMode bool) (Result, error) {
	n := limit + 1
	if v.opts.stale != nil {
		n = limit + max(5, limit/4)
	}
	found, check, err := v.find(p, n, q, orMode)
	if err != nil {
		return Result{}, err
	}
	res := Result{More: len(found) > limit}
	stale := func(string, string, time.Time) bool { return false }
	if v.opts.stale != nil {
		stale = v.opts.stale()
	} else {
		found = found[:min(limit, len(found))]
	}
	res.Hits = make([]Hit, 0, len(found))
	for _, f := range found {
		e, err := check.load(f.Ref)
		if damaged(err) {
			continue
		}
		if err != nil {
			return Result{}, err
		}
		h := Hit{Entry: e, Score: float64(f.Score)}
		h.Stale = e.Source.Path != "" && Here(&e, v.opts.home) && stale(e.Source.Path, e.Source.Hash, e.Created)
		if h.Stale && e.Confidence > entry.StaleConfidence {
			// As quality in kb/index counts confidence.
			h.Score *= (0.5 + entry.StaleConfidence/2) / (0.5 + e.Confidence/2)
		}
		res.Hits = append(res.Hits, h)
	}
	slices.SortStableFunc(res.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	res.Hits = res.Hits[:min(limit, len(res.Hits))]
	return res, nil
}

// Here reports whether the file that an entry comes from can be looked for in the
// project home, which is the one at hand.
func Here(e *entry.Entry, home string) bool {
	return e.Project == "" || e.Project == home || filepath.IsAbs(e.Source.Path)
}

// Matches counts all entries that q finds, whatever its limit.
func (v *View) Matches(q Query) (Matches, error) {
	p, err := v.parse(q)
	if err != nil {
		return Matches{}, err
	}
	if q.empty(p) {
		return Matches{}, nil
	}
	var m Matches
	err = v.guard(func() error {
		fallback, err := q.relaxed(p, func(orMode bool) (int, error) {
			var err error
			m, err = v.matches(p, &q, orMode)
			return m.Total, err
		})
		m.Fallback = fallback
		return err
	})
	return m, err
}

func (v *View) matches(p *parsed, q *Query, orMode bool) (Matches, error) {
	iq, ok := v.compile(p, orMode)
	if !ok {
		return Matches{}, nil
	}
	iq.Telling = q.Telling
	check := v.accept(&iq, p)
	var m Matches
	topics := map[string]int{}
	v.snap.Each(&iq, func(r index.Ref) bool {
		topics[v.snap.Topic(r)]++
		m.Total++
		return true
	})
	for name, n := range topics {
		m.Topics = append(m.Topics, Count{name, n})
	}
	slices.SortFunc(m.Topics, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Name, b.Name))
	})
	return m, check.err
}

// checker looks into the text of candidates where the index cannot tell, and keeps
// what it has read.
type checker struct {
	v    *View
	p    *parsed
	read map[index.Ref]entry.Entry
	err  error
}

// accept has iq ask about phrases, which the index has not got.
func (v *View) accept(iq *index.Query, p *parsed) *checker {
	c := &checker{v: v, p: p}
	if len(p.phrases)+len(p.notPhrases) == 0 {
		return c
	}
	c.read = map[index.Ref]entry.Entry{}
	iq.Accept = func(r index.Ref) bool {
		e, err := c.load(r)
		if err != nil {
			if !damaged(err) {
				c.err = err
			}
			return false
		}
		if !c.fits(&e) {
			return false
		}
		c.read[r] = e
		return true
	}
	return c
}

func (c *checker) fits(e *entry.Entry) bool {
	has := func(p text.Phrase) bool { return p.In(e.Text) || p.In(e.Topic) }
	for _, p := range c.p.phrases {
		if !has(p) {
			return false
		}
	}
	return !slices.ContainsFunc(c.p.notPhrases, has)
}

func (c *checker) load(r index.Ref) (entry.Entry, error) {
	if e, ok := c.read[r]; ok {
		return e, nil
	}
	return c.v.load(r)
}
