package kb

import (
	"context"

	"helix/internal/kb/upkeep"
	"helix/internal/kb/view"
)

// indexEvery is how many entries a long write leaves to one round of the index: as
// many as one segment takes.
const indexEvery = 16 << 10

// alongside brings the index up while a long write goes on. The index is only a
// help: what goes wrong with it is not said, and whoever comes next tries again.
type alongside struct {
	more    chan struct{}
	done    chan struct{}
	total   int // entries that were written
	waiting int // of these, those that no round was told of
}

// indexAlongside starts with the first round. end must be called.
func indexAlongside(ctx context.Context, dir string) *alongside {
	a := &alongside{more: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(a.done)
		o := upkeep.Options{Try: true, MaxMerge: 1 << 30, Builders: &view.Builders{}, Ongoing: true}
		began := false
		for range a.more {
			began = true
			_, _ = upkeep.CatchUp(ctx, dir, o)
		}
		if !began {
			o.MaxMerge = shortMerge
		}
		if began || a.total > littleBehind { // what came after the last round
			o.Ongoing = false
			_, _ = upkeep.CatchUp(ctx, dir, o)
		}
	}()
	return a
}

// written tells that n more entries are in the log.
func (a *alongside) written(n int) {
	a.total += n
	if a.waiting += n; a.waiting < indexEvery {
		return
	}
	a.waiting = 0
	select {
	case a.more <- struct{}{}:
	default: // a round that has not begun yet takes them too
	}
}

// end has what is left brought up, unless it is little, and waits for it.
func (a *alongside) end() {
	close(a.more)
	<-a.done
}
