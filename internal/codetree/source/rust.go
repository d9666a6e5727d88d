package source

import "strings"

// rust reads Rust.
type rust struct{ *declarations }

var (
	rustModifiers = words("pub async unsafe extern default const")
	rustNoCalls   = words("if while for match return fn in as let mut ref move loop where impl dyn Some Ok Err pub crate else Box")
)

func parseRust(f *File, src []byte) {
	r := rust{declare(f, src)}
	for _, c := range r.comments {
		if text := string(src[c.start:c.end]); strings.HasPrefix(text, "//!") || strings.HasPrefix(text, "/*!") {
			f.Doc = summary(text)
			break
		}
	}
	for i := 0; i < len(r.list); i++ { // attributes call nothing
		if r.is(i, "#") && (r.is(i+1, "[") || r.is(i+1, "!") && r.is(i+2, "[")) {
			for end := r.close(r.find(i, i+3, "[")); i < end; i++ {
				r.names[i] = true
			}
		}
	}
	r.read(0, len(r.list), topLevel, Func)
	r.finish(rustNoCalls)
}

// read takes the items of [i, to); fn is what a function is called there.
func (r rust) read(i, to int, p place, fn Kind) {
	for i < to {
		from := i
		for r.is(i, "#") && (r.is(i+1, "[") || r.is(i+1, "!")) { // attributes
			for !r.is(i, "[") && i < to {
				i++
			}
			i = r.close(i) + 1
		}
		start, public := i, false
		for i < to && (rustModifiers[r.text(i)] && !(r.is(i, "const") && !rustModifiers[r.text(i+1)] && !r.is(i+1, "fn")) || r.isString(i) && r.is(i-1, "extern")) {
			public = public || r.is(i, "pub")
			i++
			if r.is(i, "(") && r.is(i-1, "pub") {
				i = r.close(i) + 1
			}
		}
		before := len(r.Symbols)
		if r.is(i, "{") && i > start && (r.is(i-1, "extern") || r.isString(i-1)) { // extern "C" {…}
			r.within(func() { r.read(i+1, min(to, r.close(i)), p, Func) })
		}
		i = r.item(start, i, to, p, fn)
		if len(r.Symbols) > before {
			s := &r.Symbols[before]
			s.Exported = public || s.Kind == Impl || s.Kind == Macro || p.parent >= 0 && (r.Symbols[p.parent].Kind == Trait)
			if from < start { // the comment stands above the attributes
				if doc := r.docBefore(r.line(from)); doc != "" {
					s.Doc = doc
				}
			}
		}
		i = max(i, from+1)
	}
}

func (r rust) item(from, i, to int, p place, fn Kind) int {
	end := r.statementEnd(i, to)
	sig := r.find(i, end, "{", ";")
	name := i + 1
	switch r.text(i) {
	case "fn":
		r.add(p, fn, name, from, sig, end)
	case "struct", "union":
		if r.isIdent(name) {
			r.add(p, Struct, name, from, sig, end)
		}
	case "enum":
		r.add(p, Enum, name, from, sig, end)
	case "trait":
		at := r.add(p, Trait, name, from, sig, end)
		r.within(func() { r.read(sig+1, end-1, r.inside(at), Method) })
	case "impl":
		r.impl(from, i, sig, end, p)
	case "mod":
		if r.is(sig, ";") {
			r.names[name] = true
			r.Imports = append(r.Imports, Import{Path: "mod " + clip(r.text(name), maxName), Line: r.line(i)})
			return end
		}
		at := r.add(p, Module, name, from, sig, end)
		r.within(func() { r.read(sig+1, end-1, r.inside(at), Func) })
	case "use":
		end = r.find(i, to, ";") // braces belong to it
		r.use(i+1, min(end, to), "", r.line(i), 0)
		return min(end+1, to)
	case "type":
		r.add(p, Type, name, from, sig, end)
	case "const", "static":
		if r.is(name, "mut") {
			name++
		}
		end = min(to, r.find(i, to, ";")+1)
		r.add(p, Const, name, from, r.find(i, end, "=", ";"), end)
	case "macro_rules":
		r.add(p, Macro, i+2, from, i+3, end)
	case "{":
		return end
	}
	return end
}

// impl takes a block of methods. It is a symbol of its own, named as its type.
func (r rust) impl(from, i, open, end int, p place) {
	if !r.is(open, "{") {
		return
	}
	at := r.angles(i+1, open)
	if f := r.find(at, open, "for"); f < open {
		at = f + 1
	}
	name := at
	for j := at; j < open && !r.is(j, "<") && !r.is(j, "where"); j++ {
		if r.isIdent(j) && !r.is(j, "dyn") && !r.is(j, "mut") && !r.is(j-1, "'") {
			name = j
		}
	}
	if !r.isIdent(name) {
		return
	}
	block := r.add(p, Impl, name, from, open, end)
	r.within(func() { r.read(open+1, end-1, r.inside(block), Method) })
}

// use takes the paths of a use declaration apart, groups too.
func (r rust) use(i, to int, prefix string, line, depth int) {
	if depth > maxNesting {
		return
	}
	path := prefix
	for ; i < to; i++ {
		switch {
		case r.is(i, "{"):
			inner, end := i+1, min(to, r.close(i))
			for inner < end {
				next := r.find(inner, end, ",")
				r.use(inner, next, path, line, depth+1)
				inner = next + 1
			}
			return
		case r.is(i, "::"):
			if path != "" {
				path += "::"
			}
		case r.is(i, "as"):
			i = to
		case r.is(i, "*"), r.isIdent(i):
			path += r.text(i)
		}
	}
	path = strings.TrimSuffix(strings.TrimSuffix(path, "::self"), "::*")
	if path != "" && len(r.Imports) < 10000 {
		r.Imports = append(r.Imports, Import{Path: clip(path, maxName), Line: line})
	}
}
