// Package run is the supervisor: a bounded loop over the bead queue.
//
// It is made of two halves. The decisions (which bead is next, is this claim
// stale, did the bead drift, what does this check answer mean, has the loop
// stopped moving) are pure functions over values, one idea a file: select.go,
// batch.go, drift.go, recovery.go, route.go, backoff.go, progress.go, bounds.go.
// The loop (loop.go, cycle.go, land.go, drain.go, pause.go) performs their
// effects through the ports of ports.go, and persists its state before and after
// each of them, so that a crash at any point can be continued from.
// The memory (memory.go) is asked and told; it decides nothing.
//
// The rules come from TD-002 (helix run). Three of them hold everywhere here:
//
//   - A bead is closed only after its work was seen on the branch with green
//     gates. No agent's word closes one.
//   - A claim of a live owner is never taken, and ours is always released.
//   - Every path through the loop uses up something finite: a strike, a check,
//     a pause, a bound. sim_test.go tries to find one that does not.
package run
