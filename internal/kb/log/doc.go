// Package log is the memory log: one append-only file, data.log, that is the
// truth of the knowledge base. Everything else is a view that can be built from
// it again. FORMAT.md beside this file describes every byte and the invariants.
//
// Reading needs no lock and never writes:
//
//	r, err := log.OpenReader(dir)   // a missing log reads as an empty one
//	defer r.Close()
//	if !r.Holds(watermark) { … }    // another log, compacted, or cut: rebuild the view
//	scanned, err := r.Scan(watermark, func(rec *log.Record) error { … })
//	watermark = scanned.End
//
// A Reader is a fixed view of the log at the moment it was opened, safe for
// concurrent use; State tells whether the file has grown or was replaced since.
// What the records come to, with deletes and changes applied, is a Fold.
//
// Writing goes through a Log. Any number of processes may have one open on the
// same folder; a lock on the file .lock makes their writes follow each other.
//
//	l := log.Open(dir)
//	commit, err := l.Append(ctx, log.Put(e), log.Relate(edge))  // all or nothing
//	commit, err := l.Update(ctx, func(r *log.Reader) ([]log.Op, error) { … })
//
// When Append or Update returns without an error, the records are on the disk.
// Calls of one process that arrive at the same time share one fsync.
//
// Ids, not offsets, name entries: a later entry record with the same id replaces
// the earlier one, and a delete record names an id. Offsets change when the log
// is compacted, ids never do. A Pos is a place in one generation of the log and
// is recognised as foreign anywhere else.
//
// Version 1 logs are read as they are and rewritten as version 2 by the first
// write, which keeps the old file as data.log.v1.bak.
package log
