// Package source tells whether the file that an entry's knowledge comes from is
// still what it was when the entry was written.
//
// An entry that carries a hash of its file is compared by content, so a file that
// was only touched, or checked out anew, is the same. Without a hash the file's
// modification time decides.
//
//	c := source.NewChecker(root)
//	if c.Check(e.Source.Path, e.Source.Hash, e.Created) == source.Changed {
//		confidence = min(confidence, source.Decay)
//	}
package source
