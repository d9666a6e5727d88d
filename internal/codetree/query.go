package codetree

import (
	"path"
	"strings"

	"helix/internal/codetree/source"
)

// Caller is a place where a name is called.
type Caller struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	In   string `json:"in,omitempty"` // the symbol around it, with what it belongs to
	On   string `json:"on,omitempty"` // the name before the dot, as it stands there
	Node ID     `json:"node"`         // that symbol, or the file
}

// splitName cuts a qualified name: Store.Claim, store::claim, Store#claim.
func splitName(name string) (qualifier, last string) {
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	cut := -1
	for _, sep := range []string{".", "::", "#"} {
		if i := strings.LastIndex(name, sep); i > 0 && i+len(sep) < len(name) && i > cut {
			cut, qualifier, last = i, name[:i], name[i+len(sep):]
		}
	}
	if cut < 0 {
		return "", name
	}
	for _, sep := range []string{".", "::", "#", "/"} {
		if i := strings.LastIndex(qualifier, sep); i >= 0 {
			qualifier = qualifier[i+len(sep):]
		}
	}
	return strings.Trim(qualifier, "(*)"), last
}

// Symbols are the definitions of a name, or of Type.Name, package.Name, file.Name:
// those spelled exactly so or, where there is none, those that differ in case.
// Sections of documents count.
func (t *Tree) Symbols(name string) ([]Node, error) {
	qualifier, last := splitName(name)
	found, err := t.define(last, qualifier)
	if err != nil || len(found) > 0 || qualifier == "" {
		return found, err
	}
	return t.define(strings.TrimSpace(name), "") // a heading may hold a dot
}

func (t *Tree) define(name, qualifier string) ([]Node, error) {
	exact, others := t.lookup(name)
	found, err := t.defined(exact, qualifier)
	if err != nil || len(found) > 0 {
		return found, err
	}
	for _, row := range others {
		more, err := t.defined(row, qualifier)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// defined are the definitions of the name in that row.
func (t *Tree) defined(row int, qualifier string) ([]Node, error) {
	if row < 0 {
		return nil, nil
	}
	name := t.name(row)
	var all []Node
	for _, slot := range t.slots(row, defines) {
		r, err := t.record(slot)
		if err != nil {
			return nil, err
		}
		for i := range r.symbols() {
			if string(r.symbolName(i)) != name {
				continue
			}
			n, err := t.symbolNode(slot, r, i)
			if err != nil {
				return nil, err
			}
			if qualifier == "" || t.belongs(n, r, qualifier) {
				all = append(all, n)
			}
		}
	}
	return all, nil
}

// belongs tells whether the symbol is in a type, package, file or folder of that
// name.
func (t *Tree) belongs(n Node, r record, qualifier string) bool {
	container := n.Container[strings.LastIndexByte(n.Container, '.')+1:]
	if container != "" && strings.EqualFold(container, qualifier) {
		return true
	}
	_, pkg, _, _ := r.about()
	dir, _ := splitPath(n.Path)
	return container == "" && (strings.EqualFold(pkg, qualifier) || strings.EqualFold(path.Base(dir), qualifier) || strings.EqualFold(stem(n.Path), qualifier))
}

// Callers are the calls of a name, ordered by file and line. Calls are matched by
// name, as types are not known: with a qualifier (package.Name, Type.Name) those
// that stand behind just that name or, where there is none, all.
func (t *Tree) Callers(name string) ([]Caller, error) {
	qualifier, last := splitName(name)
	exact, others := t.lookup(last)
	all, err := t.called(exact)
	if err == nil && len(all) == 0 {
		for _, row := range others {
			more, err := t.called(row)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	if err != nil || qualifier == "" {
		return all, err
	}
	var behind []Caller
	for _, c := range all {
		if strings.EqualFold(c.On, qualifier) {
			behind = append(behind, c)
		}
	}
	if len(behind) > 0 {
		return behind, nil
	}
	return all, nil
}

// called are the calls of the name in that row.
func (t *Tree) called(row int) ([]Caller, error) {
	if row < 0 {
		return nil, nil
	}
	name := t.name(row)
	var all []Caller
	for _, slot := range t.slots(row, calls) {
		r, err := t.record(slot)
		if err != nil {
			return nil, err
		}
		p := t.path(slot)
		var within error
		err = r.calls(func(n []byte) bool { return string(n) == name }, func(c source.Call) {
			call := Caller{Path: p, Line: c.Line, On: c.On, Node: fileID(p)}
			if c.From >= 0 {
				n, err := t.symbolNode(slot, r, c.From)
				if err != nil {
					within = err
					return
				}
				call.In, call.Node = n.Qualified(), n.ID
			}
			all = append(all, call)
		})
		if err == nil {
			err = within
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Callees are the calls that the symbol makes.
func (t *Tree) Callees(id ID) ([]source.Call, error) {
	n, err := t.Node(id)
	if err != nil || n.Kind != Symbol {
		return nil, err
	}
	slot, ok := t.slot(n.Path)
	if !ok {
		return nil, ErrCorrupt
	}
	r, err := t.record(slot)
	if err != nil {
		return nil, err
	}
	var all []source.Call
	err = r.calls(func([]byte) bool { return true }, func(c source.Call) {
		if c.Line >= n.Line && c.Line <= n.EndLine {
			all = append(all, c)
		}
	})
	return all, err
}

// Tests are the files that test the file at p, by the customs of its language:
// a_test.go, test_a.py, a.spec.ts, ATest.java, tests/a.rs.
func (t *Tree) Tests(p string) []string {
	p = path.Clean(p)
	base := trimScript(path.Base(p))
	if base == path.Base(p) {
		base = stem(p)
	}
	var near, all []string
	dir, _ := splitPath(p)
	for _, name := range []string{base + "_test", "test_" + base, base + ".test", base + ".spec", base + "Test", base + "Tests", "Test" + base, base + "IT", base + "_unittest", base + "_tests", "tests_" + base} {
		for _, slot := range t.slotsOf(name, named) {
			if found := t.path(slot); sameFamily(p, found) {
				if d, _ := splitPath(found); d == dir {
					near = append(near, found)
				} else if path.Ext(p) != ".go" {
					all = append(all, found)
				}
			}
		}
	}
	for _, slot := range t.slotsOf(base, named) { // of the same name, in a folder of tests
		found := t.path(slot)
		if d := "/" + found; found != p && sameFamily(p, found) && (strings.Contains(d, "/tests/") || strings.Contains(d, "/__tests__/") || strings.Contains(d, "/test/")) {
			all = append(all, found)
		}
	}
	if len(near) == 0 && path.Ext(p) == ".go" && !strings.HasSuffix(p, "_test.go") {
		near = t.packageTests(dir)
	}
	return append(near, all...)
}

// sameFamily tells whether the files are of languages that test each other.
func sameFamily(a, b string) bool {
	family := func(p string) string {
		switch l := source.Language(p); l {
		case "typescript":
			return "javascript"
		case "cpp":
			return "c"
		default:
			return l
		}
	}
	return family(a) == family(b) && family(a) != ""
}

// packageTests are the tests of a Go package.
func (t *Tree) packageTests(dir string) []string {
	var all []string
	for _, f := range t.filesIn(dir) {
		if strings.HasSuffix(f, "_test.go") {
			all = append(all, f)
		}
	}
	return all
}

// filesIn are the files right in the folder.
func (t *Tree) filesIn(dir string) []string {
	i, ok := t.dir(dir)
	if !ok {
		return nil
	}
	var all []string
	for f, to := span(t.dirs.row(i), dirFirstFile, dirFiles, t.files.n); f < to; f++ {
		if !t.isHidden(f) {
			all = append(all, t.path(f))
		}
	}
	return all
}
