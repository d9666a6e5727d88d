package kb

import (
	"context"
	"errors"

	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// errMoved: another writer changed what a plan was made of.
var errMoved = errors.New("the memory has changed meanwhile")

// lookAhead is how often a plan is made without holding the lock. When each time
// another writer was faster, it is made under the lock.
const lookAhead = 4

// plan is a write that was decided by looking at a view.
type plan struct {
	// ids and topics are what the decision was made of: when another writer
	// touched one of the entries, or wrote one of these topics, it is made again.
	ids    map[string]bool
	topics map[string]bool
	// ops is called under the lock; taken tells which ids exist.
	ops func(taken func(id string) bool) []log.Op
}

// write has look decide what to write, and writes it if that still holds. look may
// be called again, so it starts its result anew each time. It gives nil for
// nothing to write.
func (m *Memory) write(ctx context.Context, look func(*view.View) (*plan, error)) error {
	for range lookAhead {
		err := m.tryWrite(ctx, look)
		if !errors.Is(err, errMoved) {
			return err
		}
	}
	_, err := m.log.Update(ctx, func(*log.Reader) ([]log.Op, error) {
		// Not m.View: that may wait for work on the index, which may wait for
		// the lock.
		v, err := view.Open(m.dir, m.staleness(), view.WithClock(m.now))
		if err != nil {
			return nil, err
		}
		defer v.Close()
		p, err := look(v)
		if err != nil || p == nil {
			return nil, err
		}
		return p.decide(v, nil)
	})
	return err
}

func (m *Memory) tryWrite(ctx context.Context, look func(*view.View) (*plan, error)) error {
	seen, err := m.end() // before the view, so that nothing lies between
	if err != nil {
		return err
	}
	v, err := m.View()
	if err != nil {
		return err
	}
	defer v.Close()
	p, err := look(v)
	if err != nil || p == nil {
		return err
	}
	_, err = m.log.Update(ctx, func(r *log.Reader) ([]log.Op, error) {
		fresh, err := p.stillHolds(r, seen)
		if err != nil {
			return nil, err
		}
		return p.decide(v, fresh)
	})
	return err
}

// end is where the log ends now.
func (m *Memory) end() (log.Pos, error) {
	r, err := log.OpenReader(m.dir)
	if err != nil {
		return log.Pos{}, err
	}
	pos, err := r.End()
	return pos, errors.Join(err, r.Close())
}

// stillHolds gives the ids that were written since, or errMoved.
func (p *plan) stillHolds(r *log.Reader, seen log.Pos) (map[string]bool, error) {
	fresh := map[string]bool{}
	_, err := r.Scan(seen, func(rec *log.Record) error {
		id, err := rec.ID()
		if err != nil {
			return nil // damage: no entry that anybody has seen
		}
		fresh[id] = true
		if p.ids[id] {
			return errMoved
		}
		if rec.Type == log.TypeEntry && len(p.topics) > 0 {
			if e, err := rec.Entry(); err == nil && p.topics[e.Topic] {
				return errMoved
			}
		}
		return nil
	})
	if errors.Is(err, log.ErrStale) { // compacted or upgraded
		return nil, errMoved
	}
	return fresh, err
}

func (p *plan) decide(v *view.View, fresh map[string]bool) ([]log.Op, error) {
	var failed error
	ops := p.ops(func(id string) bool {
		if fresh[id] {
			return true
		}
		_, err := v.Get(id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			failed = err
		}
		return err == nil
	})
	return ops, failed
}
