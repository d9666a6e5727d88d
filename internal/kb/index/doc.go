// Package index is the search index over the memory log: AMRN files that are read
// by mmap. It is a view: it can be deleted at any time and built again, and it
// says by its watermark how far it goes.
//
// An index is a list of segments, each a small index of its own that never changes
// once it is written. New entries make a new small segment; merging keeps the
// number of segments logarithmic. FORMAT.md beside this file describes the bytes
// and says why they are so.
//
//	b := index.NewBuilder()
//	b.Add(index.Doc{Entry: &e, Offset: offset})
//	seg, err := index.Load(b.Segment())         // a segment in memory
//	s, err := index.Open(dir)                   // or those on the disk
//	hits := s.Search(&index.Query{Words: …})
//
// The package knows entries but not the log: what it stores of an entry is where
// the log has it, what ranking and filters need, and its words.
//
// Files that are damaged, cut short or something else entirely give ErrCorrupt,
// never a crash. Use Guard around everything that reads a Snapshot.
package index
