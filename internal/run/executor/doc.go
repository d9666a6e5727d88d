// Package executor defines what an execution of a bead is: one bounded attempt
// that ends landed, preserved, without changes, or failed. Two executors exist,
// in the folders below: ddx delegates to an installed ddx, builtin works in a
// git worktree of its own.
package executor
