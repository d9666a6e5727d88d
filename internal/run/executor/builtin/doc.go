// Package builtin is helix's own executor: it needs git and an agent, nothing
// else.
//
// Each attempt gets a work tree of its own outside the checkout (workspace.go),
// made from the tip of the checked-out branch. The agent works there; whatever
// it leaves, committed or not, is collected without trusting the state that it
// left git in (collect.go), made into one commit a bead (commits.go), and at
// once kept under refs/helix/preserved/<bead>/<attempt>. Then helix runs the
// project's gates and the beads' acceptance commands on it (verify.go, package
// gate), and lands it under a lock: rebased where the branch has moved, verified
// again, and fast-forwarded (land.go, move.go). After that the ref goes away;
// when anything on the way fails, it stays, and the result says why.
//
// Invariants:
//   - No file of the person's in the checkout that is changed, staged, untracked
//     or ignored is ever touched. Landing that would do so does not happen.
//   - From the moment the agent has ended, its work is in the work tree, under
//     the ref, or on the branch. The work tree goes only when one of the others
//     has all of it.
//   - Files of the queue and of helix itself never land from an attempt
//     (housekeeping.go).
//   - What an attempt made outside the repository's objects is gone when it ends;
//     what a killed one left is found by Reclaim (reclaim.go).
package builtin
