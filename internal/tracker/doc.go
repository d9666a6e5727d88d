// Package tracker keeps the queue of work: beads, one JSON object a line in
// beads.jsonl, the file that ddx uses too. People, agents, ddx and helix may all
// work on it at once.
//
// A Store is a tracker folder. Load reads it into a Queue, an immutable snapshot
// that answers what is ready and why something is not; it takes no lock and never
// writes. Every change (Create, Claim, Close, Edit, …) takes the lock that ddx
// takes, reads the file anew, and replaces it durably and in one step. Rows that
// a change does not touch, and keys that helix does not know, keep their bytes.
//
// How a change flows: lock.go (one writer at a time) → file.go (read and split,
// scan.go and row.go) → edit.go, claim.go, … (what changes) → encode.go (the new
// row) → write.go (replace the file).
package tracker
