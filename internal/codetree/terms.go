package codetree

import (
	"path"
	"slices"
	"strings"

	"helix/internal/codetree/source"
)

// role is what a name is to a file in whose postings it stands.
type role int

const (
	defines role = iota
	calls
	imports // by a key of the import (importKeys)
	named   // the file itself: its name, and that without its last extension
	roles
)

// terms gives everything by which the file at path is to be found. A name may come
// more than once.
func terms(p string, r record, take func(role, string)) error {
	for i := range r.symbols() {
		take(defines, string(r.symbolName(i)))
	}
	err := r.calls(func(name []byte) bool {
		take(calls, string(name))
		return false
	}, nil)
	if err != nil {
		return err
	}
	language, _, _, err := r.about()
	if err != nil {
		return err
	}
	all, err := r.imports()
	for _, i := range all {
		for _, key := range importKeys(language, i) {
			take(imports, key)
		}
	}
	take(named, path.Base(p))
	take(named, stem(p))
	return err
}

// stem is a file's name without its last extension.
func stem(p string) string {
	base := path.Base(p)
	if cut := strings.TrimSuffix(base, path.Ext(base)); cut != "" {
		return cut
	}
	return base
}

// importKeys are the names under which an import is kept. One of them is always
// among the fileKeys of a file that it means; which file that is, the resolver says.
func importKeys(language string, i source.Import) []string {
	switch language {
	case "go":
		parts := strings.Split(i.Path, "/")
		return parts[max(0, len(parts)-2):]
	case "python":
		parts := strings.Split(i.Path, ".")
		keys := slices.Clone(i.Names)
		if last := parts[len(parts)-1]; last != "" {
			keys = append(keys, last)
		} else {
			keys = append(keys, "__init__")
		}
		return keys
	case "javascript", "typescript":
		base := path.Base(i.Path)
		return []string{base, trimScript(base)}
	case "rust":
		return strings.FieldsFunc(strings.TrimPrefix(i.Path, "mod "), func(r rune) bool { return r == ':' })
	case "java":
		parts := strings.Split(i.Path, ".")
		return parts[max(0, len(parts)-2):]
	}
	return []string{path.Base(i.Path)}
}

// fileKeys are the names under which imports of the file at p are to be found.
func fileKeys(language, p string) []string {
	dir, base := splitPath(p)
	above := path.Base(dir)
	switch language {
	case "python":
		return []string{stem(p), above}
	case "javascript", "typescript":
		return []string{base, trimScript(base), above, ".", ".."}
	case "rust", "java":
		return []string{stem(p), above}
	}
	return []string{base}
}

// scriptExtensions in the order in which they are tried.
var scriptExtensions = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"}

func trimScript(base string) string {
	for _, ext := range scriptExtensions {
		if cut, ok := strings.CutSuffix(base, ext); ok && cut != "" && (ext != ".ts" || !strings.HasSuffix(cut, ".d")) {
			return cut
		}
	}
	return base
}
