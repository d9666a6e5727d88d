package codetree

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"helix/internal/codetree/source"
)

// Import is one of a file.
type Import struct {
	Path  string   `json:"path"` // as the file states it
	Line  int      `json:"line"`
	Names []string `json:"names,omitempty"`
	Files []string `json:"files,omitempty"` // of this project that it means; none: it comes from elsewhere
}

// Importer is a file that imports another.
type Importer struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Import string `json:"import"` // as it is stated there
}

// Imports are those of the file at p, with the project's files that they mean: a Go
// package's files without its tests, one file elsewhere.
func (t *Tree) Imports(p string) ([]Import, error) {
	p = path.Clean(p)
	slot, ok := t.slot(p)
	if !ok {
		return nil, fmt.Errorf("codetree: %s: %w", p, ErrNotFound)
	}
	return t.importsOf(slot, func(source.Import) bool { return true })
}

func (t *Tree) importsOf(slot int, want func(source.Import) bool) ([]Import, error) {
	r, err := t.record(slot)
	if err != nil {
		return nil, err
	}
	language, _, _, err := r.about()
	if err != nil {
		return nil, err
	}
	stated, err := r.imports()
	if err != nil {
		return nil, fmt.Errorf("codetree: %s: %w", t.path(slot), err)
	}
	var all []Import
	for _, i := range stated {
		if want(i) {
			all = append(all, Import{Path: i.Path, Line: i.Line, Names: i.Names, Files: t.resolve(language, t.path(slot), i)})
		}
	}
	return all, nil
}

// Importers are the files that import the one at p, or for Go its package.
func (t *Tree) Importers(p string) ([]Importer, error) {
	p = path.Clean(p)
	language := source.Language(p)
	keys := fileKeys(language, p)
	if language == "go" {
		dir, _ := splitPath(p)
		keys = nil
		for _, i := range t.importPaths(dir) {
			keys = append(keys, path.Base(i))
		}
	}
	var slots []int
	for _, key := range keys {
		slots = append(slots, t.slotsOf(key, imports)...)
	}
	slices.Sort(slots)
	var all []Importer
	for _, slot := range slices.Compact(slots) {
		from := t.path(slot)
		if from == p {
			continue
		}
		found, err := t.importsOf(slot, func(i source.Import) bool {
			return slices.ContainsFunc(importKeys(source.Language(from), i), func(k string) bool { return slices.Contains(keys, k) })
		})
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			if slices.Contains(i.Files, p) || language == "go" && len(i.Files) > 0 && path.Dir(i.Files[0]) == path.Dir(p) {
				all = append(all, Importer{Path: from, Line: i.Line, Import: i.Path})
			}
		}
	}
	return all, nil
}

// resolve gives the project's files that an import in the file at from means.
func (t *Tree) resolve(language, from string, i source.Import) []string {
	switch language {
	case "go":
		return t.resolveGo(i.Path)
	case "python":
		return t.resolvePython(from, i)
	case "javascript", "typescript":
		return t.resolveScript(from, i.Path)
	case "rust":
		return t.resolveRust(from, i.Path)
	case "java":
		return t.resolveJava(i.Path)
	case "c", "cpp":
		return t.resolveC(from, i.Path)
	}
	return nil
}

// first is the first of the paths that is a file.
func (t *Tree) first(paths ...string) []string {
	for _, p := range paths {
		if p = path.Clean(p); t.has(p) {
			return []string{p}
		}
	}
	return nil
}

func (t *Tree) has(p string) bool {
	_, ok := t.slot(p)
	return ok
}

// readModules gives the folder of each Go module.
func (t *Tree) readModules() map[string]string {
	all := map[string]string{}
	for _, slot := range t.slotsOf("go.mod", named) {
		r, err := t.record(slot)
		if err != nil {
			continue
		}
		if _, module, _, err := r.about(); err == nil && module != "" {
			dir, _ := splitPath(t.path(slot))
			all[module] = dir
		}
	}
	return all
}

// stdModule is the module of Go's own library; its packages have no prefix.
const stdModule = "std"

func (t *Tree) resolveGo(p string) []string {
	for prefix := p; prefix != "." && prefix != ""; prefix = path.Dir(prefix) {
		if dir, ok := t.modules()[prefix]; ok {
			return t.packageFiles(path.Join(dir, strings.TrimPrefix(strings.TrimPrefix(p, prefix), "/")))
		}
	}
	if dir, ok := t.modules()[stdModule]; ok {
		return t.packageFiles(path.Join(dir, p))
	}
	return nil
}

func (t *Tree) packageFiles(dir string) []string {
	if dir == "." {
		dir = ""
	}
	return slices.DeleteFunc(t.filesIn(dir), func(f string) bool { return !strings.HasSuffix(f, ".go") || strings.HasSuffix(f, "_test.go") })
}

// importPaths are those by which the Go package in a folder is imported.
func (t *Tree) importPaths(dir string) []string {
	var all []string
	for module, at := range t.modules() {
		rest, ok := strings.CutPrefix(dir+"/", at+"/")
		if at == "" {
			rest, ok = dir, true
		}
		if !ok {
			continue
		}
		if module == stdModule {
			module = ""
		}
		all = append(all, path.Join(module, rest))
	}
	slices.Sort(all)
	return all
}

// above are the folders from that of the file up to the root.
func above(p string) []string {
	var all []string
	for dir, _ := splitPath(p); ; dir, _ = splitPath(dir) {
		all = append(all, dir)
		if dir == "" {
			return all
		}
	}
}

func (t *Tree) resolvePython(from string, i source.Import) []string {
	name := strings.TrimLeft(i.Path, ".")
	dots := len(i.Path) - len(name)
	var roots []string
	if dots > 0 {
		dirs := above(from)
		if dots > len(dirs) {
			return nil
		}
		roots = dirs[dots-1 : dots]
	} else {
		roots = append(above(from), "src")
	}
	for _, root := range roots {
		module := path.Join(root, strings.ReplaceAll(name, ".", "/"))
		found := t.first(module+".py", path.Join(module, "__init__.py"), module+".pyi")
		for _, n := range i.Names { // a name may be a module of the package
			found = append(found, t.first(path.Join(module, n)+".py", path.Join(module, n, "__init__.py"))...)
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func (t *Tree) resolveScript(from, p string) []string {
	dir, _ := splitPath(from)
	switch {
	case strings.HasPrefix(p, "./"), strings.HasPrefix(p, "../"), p == ".", p == "..":
		p = path.Join(dir, p)
	case strings.HasPrefix(p, "@/"), strings.HasPrefix(p, "~/"): // by custom: the folder of the sources
		p = "src" + p[1:]
	default:
		return nil
	}
	tries := []string{p}
	for _, base := range []string{p, path.Join(path.Dir(p), trimScript(path.Base(p))), path.Join(p, "index")} {
		for _, ext := range scriptExtensions {
			tries = append(tries, base+ext)
		}
	}
	return t.first(tries...)
}

func (t *Tree) resolveRust(from, p string) []string {
	dir, base := splitPath(from)
	own := dir // where the modules within this file lie
	if base != "mod.rs" && base != "lib.rs" && base != "main.rs" {
		own = path.Join(dir, stem(from))
	}
	if name, ok := strings.CutPrefix(p, "mod "); ok {
		return t.first(path.Join(own, name+".rs"), path.Join(own, name, "mod.rs"))
	}
	parts := strings.Split(p, "::")
	switch parts[0] {
	case "crate":
		root, ok := t.crate(from)
		if !ok {
			return nil
		}
		return t.rustModule(root, parts[1:], from)
	case "self":
		return t.rustModule(own, parts[1:], from)
	case "super":
		at := path.Dir(own)
		for parts = parts[1:]; len(parts) > 0 && parts[0] == "super"; parts = parts[1:] {
			at = path.Dir(at)
		}
		return t.rustModule(at, parts, from)
	}
	return t.rustModule(own, parts, from)
}

// crate is the folder of the crate's lib.rs or main.rs.
func (t *Tree) crate(from string) (string, bool) {
	for _, dir := range above(from) {
		if t.has(path.Join(dir, "lib.rs")) || t.has(path.Join(dir, "main.rs")) {
			return dir, true
		}
	}
	return "", false
}

// rustModule is the file of the longest part of the path that is one.
func (t *Tree) rustModule(dir string, parts []string, from string) []string {
	for n := len(parts); n > 0; n-- {
		p := path.Join(append([]string{dir}, parts[:n]...)...)
		if found := t.first(p+".rs", path.Join(p, "mod.rs")); len(found) > 0 && found[0] != from {
			return found
		}
	}
	return nil
}

func (t *Tree) resolveJava(p string) []string {
	if pkg, ok := strings.CutSuffix(p, ".*"); ok {
		dir := strings.ReplaceAll(pkg, ".", "/")
		var all []string
		for i := range t.dirs.n {
			if d := t.dirPath(i); d == dir || strings.HasSuffix(d, "/"+dir) {
				for _, f := range t.filesIn(d) {
					if strings.HasSuffix(f, ".java") {
						all = append(all, f)
					}
				}
			}
		}
		if len(all) > 0 {
			return all
		}
		p = pkg // the members of a class
	}
	for range 2 { // a.b.C, then a.b.C.member
		if found := t.endingIn(strings.ReplaceAll(p, ".", "/") + ".java"); len(found) > 0 {
			return found
		}
		cut := strings.LastIndexByte(p, '.')
		if cut < 0 {
			break
		}
		p = p[:cut]
	}
	return nil
}

// endingIn are the files whose path ends in these parts.
func (t *Tree) endingIn(p string) []string {
	var all []string
	for _, slot := range t.slotsOf(path.Base(p), named) {
		if f := t.path(slot); f == p || strings.HasSuffix(f, "/"+p) {
			all = append(all, f)
		}
	}
	return all
}

// resolveC takes the file beside the one that includes it, then one below a folder
// above it or its include folder, then the nearest whose path ends so.
func (t *Tree) resolveC(from, p string) []string {
	var tries []string
	for _, dir := range above(from) {
		tries = append(tries, path.Join(dir, p), path.Join(dir, "include", p))
	}
	if found := t.first(tries...); len(found) > 0 {
		return found
	}
	all := t.endingIn(path.Clean(p))
	if len(all) == 0 {
		return nil
	}
	return []string{slices.MinFunc(all, func(a, b string) int {
		return cmp.Or(shared(from, b)-shared(from, a), strings.Compare(a, b))
	})}
}

// shared is how many bytes two paths have in common at their beginning.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
