// Package quickstart is the project that helix quickstart works on: a small real
// Go repository with six beads, and the recorded agent that needs no key.
//
// The recorded agent is a coding agent as the loop sees any other: a program that
// reads a prompt on standard input and changes files. What it changes was written
// beforehand (recording/). At the first bead it reports a finding, and it names what
// helix remembers when it is shown some. One of its changes fails its own test, and during
// another a colleague changes the bead, as happens in real life.
package quickstart
