package kb

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"helix/internal/kb/index"
	"helix/internal/kb/source"
	"helix/internal/kb/upkeep"
	"helix/internal/kb/view"
)

const (
	// someBehind is how many bytes of log a view goes through itself: what it finds
	// there is indexed in memory, and lost with it. When the index lacks more, it is
	// brought up first, unless somebody else is at it.
	someBehind = 512 << 10
	// farBehind is when it is worth waiting for who is at it.
	farBehind = 16 << 20
	// muchBehind is how many entries a process that goes on reading leaves to each of
	// its views.
	muchBehind = 1024
	// littleBehind is how many entries the index may lack when a process ends. Every
	// reader goes through them, hooks too, for whom each costs some microseconds.
	littleBehind = 16
	// shortMerge is how many documents a process rewrites before it ends.
	shortMerge = 20_000
)

// views keeps the latest view for the next one who asks.
type views struct {
	mu    sync.Mutex
	cur   *view.View
	wrote bool            // since the index was last brought up
	wake  chan<- struct{} // of Tend, nil while nobody tends
}

func (w *views) written() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrote = true
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *views) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cur == nil {
		return nil
	}
	err := w.cur.Close()
	w.cur = nil
	return err
}

// View gives the memory as it is now, for reading. The caller closes it.
func (m *Memory) View() (*view.View, error) {
	m.views.mu.Lock()
	defer m.views.mu.Unlock()
	if m.views.cur == nil {
		v, err := m.open()
		if err != nil {
			return nil, err
		}
		m.views.cur = v
		return v.Share(), nil
	}
	return m.renew(m.views.cur.Reopen)
}

// renew puts what reopen gives in the place of the latest view.
func (m *Memory) renew(reopen func() (*view.View, error)) (*view.View, error) {
	v, err := reopen()
	switch {
	case errors.Is(err, view.ErrUnchanged):
		return m.views.cur.Share(), nil
	case errors.Is(err, view.ErrBehind):
		v, err = m.open()
	}
	if err != nil {
		return nil, err
	}
	old := m.views.cur
	m.views.cur = v
	if err := old.Close(); err != nil {
		return nil, err
	}
	if v.Behind() > muchBehind {
		done, err := upkeep.CatchUp(context.Background(), m.dir, upkeep.Options{Try: true, MaxMerge: shortMerge})
		if err == nil && done.Added > 0 {
			return m.renew(v.Refresh)
		}
	}
	return v.Share(), nil
}

// open opens a view, and brings the index up first when it is behind.
func (m *Memory) open() (*view.View, error) {
	opts := []view.Option{m.staleness(), view.WithClock(m.now), view.WithProject(m.home, m.projectMeant)}
	most := func(bytes int64) []view.Option { return append(slices.Clone(opts), view.WithMaxTail(bytes)) }
	v, err := view.Open(m.dir, most(someBehind)...)
	if !errors.Is(err, view.ErrBehind) {
		return v, err
	}
	done, err := upkeep.CatchUp(context.Background(), m.dir, upkeep.Options{Try: true, MaxMerge: shortMerge})
	if err == nil {
		if done.More && done.Added > shortMerge { // it took long anyway
			_, _ = upkeep.CatchUp(context.Background(), m.dir, upkeep.Options{Try: true, MaxMerge: 1 << 30})
		}
		if v, err = view.Open(m.dir, most(someBehind)...); !errors.Is(err, view.ErrBehind) {
			return v, err
		}
	}
	// Who has the index is at it, or nobody may write to it.
	if v, err = view.Open(m.dir, most(farBehind)...); !errors.Is(err, view.ErrBehind) {
		return v, err
	}
	_, err = upkeep.CatchUp(context.Background(), m.dir, upkeep.Options{MaxMerge: 1 << 30})
	if err != nil && !errors.Is(err, os.ErrPermission) {
		return nil, err
	}
	return view.Open(m.dir, opts...)
}

// settle brings the index up before a process ends, if it pays. The index is only a
// help: what goes wrong with it is not said, and the next writer tries again.
func (m *Memory) settle() {
	m.views.mu.Lock()
	wrote, cur := m.views.wrote, m.views.cur
	m.views.mu.Unlock()
	if !wrote && (cur == nil || cur.Behind() <= littleBehind && !cur.Broken()) {
		return
	}
	v, err := m.View()
	if err != nil {
		return
	}
	behind, broken := v.Behind(), v.Broken()
	_ = v.Close()
	if behind > littleBehind || broken {
		_, _ = upkeep.CatchUp(context.Background(), m.dir, upkeep.Options{Try: true, MaxMerge: shortMerge, Rebuild: broken})
	}
}

// refresh has the next views use the index as it is now.
func (m *Memory) refresh() error {
	m.views.mu.Lock()
	defer m.views.mu.Unlock()
	m.views.wrote = false
	if m.views.cur == nil {
		return nil
	}
	v, err := m.renew(m.views.cur.Refresh)
	if err != nil {
		return err
	}
	return v.Close()
}

// catchUp brings the index up for a process that goes on.
func (m *Memory) catchUp(ctx context.Context, o upkeep.Options) error {
	done, err := upkeep.CatchUp(ctx, m.dir, o)
	if errors.Is(err, index.ErrBusy) {
		return nil // who has it does the work
	}
	if err != nil || done.Added == 0 && !o.Rebuild {
		return err
	}
	return m.refresh()
}

// staleness has searches look at the files that entries come from.
func (m *Memory) staleness() view.Option {
	return view.WithStale(func() view.Stale {
		files := source.NewChecker(m.root)
		return func(path, hash string, written time.Time) bool {
			return files.Check(path, hash, written) == source.Changed
		}
	})
}
