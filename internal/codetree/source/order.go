package source

import (
	"cmp"
	"slices"
)

// order sorts the symbols by line, each parent before its children, and corrects
// what points at them. A child in front of its parent (a Go method above its type)
// stays where it is and becomes the file's. A symbol without a name, which only a
// broken text has, is dropped.
func order(f *File) {
	at := make([]int, 0, len(f.Symbols))
	for i, s := range f.Symbols {
		if s.Name != "" {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(f.Symbols[a].Line, f.Symbols[b].Line) })
	now := make([]int, len(f.Symbols))
	for i := range now {
		now[i] = -1
	}
	sorted := make([]Symbol, len(at))
	for to, from := range at {
		now[from] = to
		sorted[to] = f.Symbols[from]
	}
	move := func(i int) int {
		for i >= 0 && now[i] < 0 {
			i = f.Symbols[i].Parent
		}
		if i < 0 {
			return -1
		}
		return now[i]
	}
	for i := range sorted {
		if sorted[i].Parent = move(sorted[i].Parent); sorted[i].Parent >= i {
			sorted[i].Parent = -1
		}
	}
	for i := range f.Calls {
		f.Calls[i].From = move(f.Calls[i].From)
	}
	f.Symbols = sorted
}

// tidy brings texts to one line and lines into the file: a string that is never
// closed ends behind it.
func tidy(f *File) {
	f.Doc = clip(f.Doc, maxDoc)
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.EndLine = max(s.Line, min(s.EndLine, f.Lines))
		s.Signature, s.Doc = clip(s.Signature, maxSignature), clip(s.Doc, maxDoc)
	}
	f.Imports = slices.DeleteFunc(f.Imports, func(i Import) bool { return i.Path == "" })
}
