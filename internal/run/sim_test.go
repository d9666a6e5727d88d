package run

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	simSeeds = flag.Uint64("sim.seeds", 20_000, "how many worlds to simulate")
	simSeed  = flag.Uint64("sim.seed", 0, "replay this one world and print what happens")
)

// mostEffects is far above what any bounded run needs: more is an endless loop.
const mostEffects = 20_000

// TestSimulation runs the real loop in simulated worlds. A failing seed replays
// with: go test ./internal/run -run TestSimulation -sim.seed=N -v
func TestSimulation(t *testing.T) {
	if *simSeed != 0 {
		w := simulate(*simSeed)
		for _, e := range w.journal {
			t.Logf("%s %-9s %s %s %s %s", e.Time.Format(time.TimeOnly), e.Kind, e.Bead, e.Result, e.Detail, e.Ref)
		}
		for _, f := range w.failures {
			t.Error(f)
		}
		return
	}
	var next, bad atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := next.Add(1); seed <= *simSeeds && bad.Load() < 5; seed = next.Add(1) {
				if w := simulate(seed); len(w.failures) > 0 {
					bad.Add(1)
					t.Errorf("seed %d: %s (replay: go test ./internal/run -run TestSimulation -sim.seed=%d -v)", seed, w.failures[0], seed)
				}
			}
		})
	}
	wg.Wait()
}

// simulate runs helix in one world, again after every kill, until it ends by
// itself.
func simulate(seed uint64) *world {
	w := newWorld(seed)
	opts := Options{
		AutoAlign: w.chance(80), AutoReview: w.chance(80), ReviewEvery: 1 + w.rng.IntN(4), ReviewLines: 100,
		AgentTimeout: 45 * time.Minute, OrphanAge: 2 * time.Hour, MaxAttempts: 1 + w.rng.IntN(4), BatchSize: 1 + w.rng.IntN(3),
		Bounds: Bounds{Duration: 12 * time.Hour},
	}
	if w.chance(30) {
		opts.Bounds.Cycles = 1 + w.rng.IntN(4)
	}
	if w.chance(20) {
		opts.Bounds.Tokens = int64(w.rng.IntN(200_000))
	}
	w.maxTries = opts.MaxAttempts
	claims := w.chance(30)
	for kills := w.rng.IntN(4); ; kills-- {
		w.crashIn = -1
		if kills > 0 {
			w.crashIn = 1 + w.rng.IntN(150)
		}
		if w.run(opts, claims) || len(w.failures) > 0 {
			return w
		}
		w.crashed = true
		if st, err := (simStates{w}).Load(); err == nil && !st.Unfinished() {
			clear(w.begun) // it was killed after its orderly end: the next run starts afresh
		}
		if w.chance(50) {
			w.now = w.now.Add(time.Duration(w.rng.IntN(300)) * time.Minute)
		}
	}
}

// run is one life of helix; false means that it was killed.
func (w *world) run(opts Options, claims bool) (ended bool) {
	w.nextPID++
	w.runPID = w.nextPID
	w.live[w.runPID] = true
	defer func() {
		w.live[w.runPID] = false
		switch r := recover().(type) {
		case nil:
		case killed:
			ended = false
		default:
			panic(r)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	w.effects = 0
	loop := &Loop{
		Tracker: w, Executor: simExecutor{w, claims}, Actions: simActions{w}, Prompts: simPrompts{w},
		Repo: w, Clock: w, Processes: w, States: simStates{w}, Journal: simJournal{w}, Output: simOutput{}, Documents: simDocuments{w}, Memory: simMemory{w},
		Options: opts, RunID: runName(w.runPID),
		NewAttempt: func(time.Time) string { w.nextPID++; return fmt.Sprintf("a%d", w.nextPID) },
	}
	st := loop.Run(ctx)
	w.checkEnd(st, opts)
	clear(w.begun)
	return true
}
