package kb

import (
	"context"
	"time"

	"helix/internal/kb/upkeep"
)

const (
	// tendDelay lets writes that follow each other share one update of the index.
	tendDelay = 50 * time.Millisecond
	// tendEvery is how often to look for what other processes have written.
	tendEvery = 2 * time.Second
)

// Tend keeps the index up while a server runs: soon after each write of this
// process, and now and then for those of others. It returns when ctx is done.
// failed is told what went wrong; reading and writing go on all the same.
func (m *Memory) Tend(ctx context.Context, failed func(error)) {
	wake := make(chan struct{}, 1)
	m.views.mu.Lock()
	m.views.wake = wake
	m.views.mu.Unlock()
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for first := true; ; first = false {
		if err := m.tend(ctx, first); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-wake:
			select {
			case <-ctx.Done():
				return
			case <-time.After(tendDelay):
			}
		}
	}
}

func (m *Memory) tend(ctx context.Context, first bool) error {
	v, err := m.View()
	if err != nil {
		return err
	}
	behind, broken := v.Behind(), v.Broken()
	if err := v.Close(); err != nil {
		return err
	}
	if behind == 0 && !broken && !first {
		return nil
	}
	return m.catchUp(ctx, upkeep.Options{Try: true, MaxMerge: 1 << 30, Rebuild: broken})
}
