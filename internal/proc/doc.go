// Package proc knows about operating-system processes: whether one is still the
// process it was (Same), how to run a command so that everything it starts ends
// with it (Start, Group), how to end what a dead run left behind (EndOrphans),
// and what this machine is called.
//
// A pid alone never identifies a process, because pids are reused. helix stores a
// pid together with its start token (StartToken) and compares both.
//
// A process belongs to a command in one of three ways: it is in the command's
// process group, it descends from it, or it carries the command's marker, a
// KEY=value in its environment. Coding agents run each shell command in a
// session of its own, and such a command loses its parent when the agent dies;
// then only the marker still tells whose it is. Markers can be read on Linux
// alone; elsewhere a process that left both the group and the family is missed.
package proc
