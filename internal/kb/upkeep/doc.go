// Package upkeep brings the index up to the log: it is the only writer of
// kb/index.
//
//	done, err := upkeep.CatchUp(ctx, dir, upkeep.Options{})
//
// What it does is bounded: it adds what the index lacks, a segment at a time so
// that the work of a killed process is not lost, and merges no more than it is told
// to. Readers never wait for it.
package upkeep
