package upkeep

import (
	"context"
	"sync"

	"helix/internal/kb/index"
	"helix/internal/kb/log"
)

// adder adds to an index while what comes next is read and built.
type adder struct {
	ctx   context.Context
	w     *index.Writer // of the goroutine that takes from tails, unless none is under way
	o     Options
	total log.Pos
	tails chan tail
	under sync.WaitGroup // tails that were not added yet
	done  chan struct{}

	mu  sync.Mutex
	err error // the first one: nothing is added after it
}

// tail is what a part of the log adds to the index.
type tail struct {
	segments [][]byte
	gone     map[uint64]struct{}
	end      log.Pos
}

func startAdding(ctx context.Context, w *index.Writer, total log.Pos, o Options) *adder {
	a := &adder{ctx: ctx, w: w, o: o, total: total, tails: make(chan tail), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		for t := range a.tails {
			if a.failed() == nil {
				a.fail(index.Guard(func() error { return a.put(t) }))
			}
			a.under.Done()
		}
	}()
	return a
}

func (a *adder) put(t tail) error {
	if err := a.w.AddAll(t.segments, t.gone, t.end.String()); err != nil {
		return err
	}
	if a.o.Progress != nil {
		a.o.Progress(t.end.Offset, a.total.Offset)
	}
	if a.o.MaxMerge == 0 {
		return nil
	}
	_, err := a.w.MergeMany(a.ctx, a.o.MaxMerge)
	return err
}

func (a *adder) failed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

func (a *adder) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

// add has t added soon, after those before it. It gives what went wrong with them.
func (a *adder) add(t tail) error {
	a.under.Add(1)
	a.tails <- t
	return a.failed()
}

// snapshot waits for all tails and gives the index with them.
func (a *adder) snapshot() (*index.Snapshot, error) {
	a.under.Wait()
	return a.w.Snapshot(), a.failed()
}

// finish waits for all tails.
func (a *adder) finish() error {
	close(a.tails)
	<-a.done
	return a.err
}
