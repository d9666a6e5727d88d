package source

import (
	"cmp"
	"slices"
)

// order sorts the symbols by line, each parent before its children, and corrects
// what points at them. A child in front of its parent (a Go method above its type)
// stays where it is and becomes the file's.
func order(f *File) {
	at := make([]int, len(f.Symbols))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(f.Symbols[a].Line, f.Symbols[b].Line) })
	now := make([]int, len(at))
	sorted := make([]Symbol, len(at))
	for to, from := range at {
		now[from] = to
		sorted[to] = f.Symbols[from]
	}
	for i := range sorted {
		if p := sorted[i].Parent; p >= 0 {
			if sorted[i].Parent = now[p]; now[p] >= i {
				sorted[i].Parent = -1
			}
		}
	}
	for i := range f.Calls {
		if from := f.Calls[i].From; from >= 0 {
			f.Calls[i].From = now[from]
		}
	}
	f.Symbols = sorted
}
