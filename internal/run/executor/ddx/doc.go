// Package ddx has an installed ddx make the attempts.
//
// ddx has had four surfaces over time (surface.go); the one that can work on a
// chosen bead is preferred. What ddx prints is read leniently (report.go),
// sorted by its status (outcome.go), and then not believed: an attempt counts as
// landed only when the commit is on the branch, changes something, and nothing
// of the agent's work was lost on the way (verify.go). What the agent should know goes
// past ddx, through a file that helix's hook in the agent reads. The facts are those of
// contracts/ddx.md.
package ddx
