// Package view is the reading half of the memory: one consistent state of it,
// made of the log, the index over the log, and what was written since the index
// was.
//
//	v, err := view.Open(dir)        // a missing folder is an empty memory
//	defer v.Close()
//	found, err := v.Search(view.Query{Text: "retry jitter", Limit: 5})
//
// It never writes, takes no lock, and needs no server: a hook process opens a
// view, asks, and exits. An index that is missing, stale or corrupt makes it
// slower and never wrong.
package view
