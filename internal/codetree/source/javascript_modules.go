package source

import "strings"

// imports takes import … from "x", export … from "x", require("x"), import("x").
func (s script) imports() {
	for i := range s.list {
		if !s.isString(i) {
			continue
		}
		var names []string
		switch {
		case s.is(i-1, "from"):
			start := i - 2
			for start > 0 && start > i-400 && !s.is(start, "import") && !s.is(start, "export") {
				start--
			}
			for j := start + 1; j < i-1; j++ {
				if s.isIdent(j) && !s.is(j, "as") && !s.is(j, "type") && !s.is(j-1, "as") {
					names = append(names, s.text(j))
				}
			}
		case s.is(i-1, "import"):
		case s.is(i-1, "(") && (s.is(i-2, "require") || s.is(i-2, "import")):
		default:
			continue
		}
		if p := unquote(s.text(i)); p != "" && !strings.Contains(p, "${") {
			s.Imports = append(s.Imports, Import{Path: clip(p, maxName), Names: names, Line: s.line(i)})
		}
	}
}

// exportedLater marks what a list export { a, b } names.
func (s script) exportedLater() {
	named := map[string]bool{}
	for i := range s.list {
		if s.is(i, "export") && s.is(i+1, "{") && !s.is(s.close(i+1)+1, "from") {
			for j := i + 2; j < s.close(i+1); j++ {
				named[s.text(j)] = true
			}
		}
	}
	for i := range s.Symbols {
		if s.Symbols[i].Parent < 0 && named[s.Symbols[i].Name] {
			s.Symbols[i].Exported = true
		}
	}
}
