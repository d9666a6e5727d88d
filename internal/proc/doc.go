// Package proc knows about operating-system processes: whether one is still the
// process it was, how to run a command so that everything it starts can be ended
// together, and what this machine is called.
//
// A pid alone never identifies a process, because pids are reused. helix stores a
// pid together with its start token (StartToken) and compares both (Same).
package proc
