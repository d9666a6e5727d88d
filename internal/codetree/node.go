package codetree

import (
	"cmp"
	"fmt"
	"path"
	"sort"

	"helix/internal/codetree/source"
)

// Kind is what a node is.
type Kind string

const (
	Dir    Kind = "dir"
	File   Kind = "file"
	Symbol Kind = "symbol"
)

// Node is a folder, a file or a symbol of a file.
type Node struct {
	ID   ID     `json:"id"`
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"` // relative to the project, "." for its folder; of a symbol: its file

	// Of a file (from line 1 to its last) and of a symbol.
	Line    int `json:"line,omitempty"`
	EndLine int `json:"end_line,omitempty"` // inclusive

	Doc       string `json:"doc,omitempty"` // first sentence of what it says about itself
	Language  string `json:"language,omitempty"`
	Package   string `json:"package,omitempty"` // of a Go or Java file
	FileCount int    `json:"files,omitempty"`   // below a folder

	// Of a symbol.
	Symbol    source.Kind `json:"symbol,omitempty"`
	Container string      `json:"container,omitempty"` // what it belongs to, as A.B
	Signature string      `json:"signature,omitempty"` // on one line
	Exported  bool        `json:"exported,omitempty"`

	Parent   ID   `json:"parent,omitempty"` // 0 of the root
	Children []ID `json:"children,omitempty"`
}

// Qualified is the name with what the symbol belongs to.
func (n Node) Qualified() string {
	if n.Container == "" {
		return n.Name
	}
	return n.Container + "." + n.Name
}

// What the symbol column of the index holds for what is no symbol.
const (
	noSymbol  = 1<<32 - 1
	dirSymbol = 1<<32 - 2
)

// Root is the node of the project's folder.
func (t *Tree) Root() (Node, error) { return t.dirNode(0) }

// Node is the one with that id: ErrNotFound if there is none.
func (t *Tree) Node(id ID) (Node, error) {
	i := t.search(id)
	if i == t.index.n || ID(u64(t.index.row(i), 0)) != id {
		return Node{}, fmt.Errorf("codetree: %s: %w", id, ErrNotFound)
	}
	return t.indexed(i)
}

// Expand is Node for an id as text, which may be cut short as long as no other
// begins so.
func (t *Tree) Expand(text string) (Node, error) {
	from, to, ok := parseID(text)
	if !ok {
		return Node{}, fmt.Errorf("codetree: %q is no node id; one looks like %s", text, dirID(""))
	}
	i := t.search(from)
	switch {
	case i == t.index.n || ID(u64(t.index.row(i), 0)) > to:
		return Node{}, fmt.Errorf("codetree: %s: %w", text, ErrNotFound)
	case i+1 < t.index.n && from != to && ID(u64(t.index.row(i+1), 0)) <= to:
		return Node{}, fmt.Errorf("codetree: several nodes begin with %s; give more of the id", text)
	}
	return t.indexed(i)
}

// search is the first row of the index with that id or a higher one.
func (t *Tree) search(id ID) int {
	return sort.Search(t.index.n, func(i int) bool { return ID(u64(t.index.row(i), 0)) >= id })
}

func (t *Tree) indexed(i int) (Node, error) {
	row := t.index.row(i)
	slot, symbol := u32(row, 8), u32(row, 12)
	switch symbol {
	case dirSymbol:
		return t.dirNode(slot)
	case noSymbol:
		return t.fileNode(slot)
	}
	r, err := t.record(slot)
	if err != nil {
		return Node{}, err
	}
	return t.symbolNode(slot, r, symbol)
}

func (t *Tree) dirNode(i int) (Node, error) {
	if i < 0 || i >= t.dirs.n {
		return Node{}, ErrCorrupt
	}
	row := t.dirs.row(i)
	p := t.dirPath(i)
	n := Node{ID: dirID(p), Kind: Dir, Name: path.Base(p), Path: cmp.Or(p, "."), Doc: t.stringAt(u32(row, dirDoc), u32(row, dirDoc+4)), FileCount: u32(row, dirTotalFiles)}
	if p != "" {
		above, _ := splitPath(p)
		n.Parent = dirID(above)
	}
	for d, to := span(row, dirFirstDir, dirDirs, t.dirs.n); d < to; d++ {
		n.Children = append(n.Children, dirID(t.dirPath(d)))
	}
	for f, to := span(row, dirFirstFile, dirFiles, t.files.n); f < to; f++ {
		if !t.isHidden(f) {
			n.Children = append(n.Children, t.fileID(f))
		}
	}
	return n, nil
}

func (t *Tree) fileNode(slot int) (Node, error) {
	r, err := t.record(slot)
	if err != nil {
		return Node{}, err
	}
	p := t.path(slot)
	dir, name := splitPath(p)
	n := Node{ID: fileID(p), Kind: File, Name: name, Path: p, Line: min(1, r.lines()), EndLine: r.lines(), Parent: dirID(dir)}
	if n.Language, n.Package, n.Doc, err = r.about(); err != nil {
		return Node{}, err
	}
	n.Children = r.children(-1)
	return n, nil
}

// children are the symbols right below symbol parent, -1 for the file.
func (r record) children(parent int) []ID {
	var ids []ID
	for i := parent + 1; i < r.symbols(); i++ {
		if id, _, p := r.entry(i); p == parent {
			ids = append(ids, id)
		}
	}
	return ids
}

func (t *Tree) symbolNode(slot int, r record, i int) (Node, error) {
	s, err := r.symbol(i)
	if err != nil {
		return Node{}, fmt.Errorf("codetree: %s: %w", t.path(slot), err)
	}
	p := t.path(slot)
	id, _, _ := r.entry(i)
	n := Node{
		ID: id, Kind: Symbol, Name: s.Name, Path: p, Line: s.Line, EndLine: s.EndLine, Doc: s.Doc,
		Symbol: s.Kind, Container: s.Container, Signature: s.Signature, Exported: s.Exported,
		Parent: fileID(p), Children: r.children(i),
	}
	if s.Parent >= 0 {
		n.Parent, _, _ = r.entry(s.Parent)
	}
	return n, nil
}

// Files are the paths of all files, ordered by folder and name.
func (t *Tree) Files() []string {
	all := make([]string, 0, t.files.n)
	for i := range t.files.n {
		if !t.isHidden(i) {
			all = append(all, t.path(i))
		}
	}
	return all
}

// At is the node of the file or folder at path, relative to the project:
// ErrNotFound if there is none.
func (t *Tree) At(p string) (Node, error) {
	p = path.Clean(p)
	if slot, ok := t.slot(p); ok {
		return t.fileNode(slot)
	}
	if p == "." {
		p = ""
	}
	if i, ok := t.dir(p); ok {
		return t.dirNode(i)
	}
	return Node{}, fmt.Errorf("codetree: %s: %w", p, ErrNotFound)
}

// File is the node of the file at path: ErrNotFound if there is none.
func (t *Tree) File(p string) (Node, error) {
	slot, ok := t.slot(path.Clean(p))
	if !ok {
		return Node{}, fmt.Errorf("codetree: %s: %w", p, ErrNotFound)
	}
	return t.fileNode(slot)
}

// Nodes are those with these ids, in that order.
func (t *Tree) Nodes(ids []ID) ([]Node, error) {
	all := make([]Node, 0, len(ids))
	for _, id := range ids {
		n, err := t.Node(id)
		if err != nil {
			return all, err
		}
		all = append(all, n)
	}
	return all, nil
}

// Outline is a line of a skeleton: a folder and how deep it lies.
type Outline struct {
	Level int `json:"level"` // 0: the project's folder
	Node
}

// Skeleton is the folders down to that depth, each before those in it.
func (t *Tree) Skeleton(depth int) ([]Outline, error) {
	var all []Outline
	var walk func(i, level int) error
	walk = func(i, level int) error {
		n, err := t.dirNode(i)
		if err != nil {
			return err
		}
		all = append(all, Outline{level, n})
		if level >= depth {
			return nil
		}
		for d, to := span(t.dirs.row(i), dirFirstDir, dirDirs, t.dirs.n); d < to; d++ {
			if d <= i {
				return ErrCorrupt
			}
			if err := walk(d, level+1); err != nil {
				return err
			}
		}
		return nil
	}
	return all, walk(0, 0)
}
