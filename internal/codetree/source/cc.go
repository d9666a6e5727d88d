package source

import (
	"bytes"
	"strings"
)

// cc reads C and C++.
type cc struct{ *declarations }

var ccNoCalls = words("if for while switch return sizeof catch alignof decltype static_assert defined typeof __attribute__ __declspec noexcept alignas case else do throw operator new delete _Static_assert and or not void int char long float double short unsigned signed bool")

func parseC(f *File, src []byte) {
	c := cc{declare(f, src)}
	f.Doc = c.docAtTop()
	c.directives()
	c.read(0, len(c.list), topLevel)
	c.finish(ccNoCalls)
}

// directives takes #include and #define.
func (c cc) directives() {
	for i, t := range c.list {
		if t.kind != directive {
			continue
		}
		text := c.src[t.start:t.end]
		switch directiveWord(text) {
		case "include", "import", "include_next":
			if from := bytes.IndexAny(text, `<"`); from >= 0 {
				if n := bytes.IndexAny(text[from+1:], `>"`); n > 0 {
					c.Imports = append(c.Imports, Import{Path: clip(string(text[from+1:from+1+n]), maxName), Line: t.line})
				}
			}
		case "define":
			fields := strings.Fields(string(text[1:]))
			if fields[0] == "define" {
				fields = fields[1:]
			} else {
				continue
			}
			if len(fields) == 0 {
				continue
			}
			name, _, _ := strings.Cut(fields[0], "(")
			if name == "" || name == "\\" || len(fields) == 1 && strings.HasSuffix(name, "_H") || strings.HasSuffix(name, "_H_") {
				continue
			}
			at := c.addNamed(topLevel, Macro, name, i, i, i, i+1)
			c.Symbols[at].Signature, c.Symbols[at].Exported = oneLine(strings.TrimRight(firstOf(string(text)), "\\ ")), true
		}
	}
}

func firstOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// read takes the declarations of [i, to).
func (c cc) read(i, to int, p place) {
	for i < to {
		switch {
		case c.list[i].kind == directive, c.is(i, ";"), c.is(i, "}"):
			i++
		case (c.is(i, "public") || c.is(i, "private") || c.is(i, "protected") || c.is(i, "signals") || c.is(i, "slots")) && c.is(i+1, ":"):
			i += 2
		case c.is(i, "extern") && c.isString(i+1) && c.is(i+2, "{"):
			i += 3 // what is inside stands as if outside; its } is passed over
		default:
			i = max(i+1, c.declaration(i, to, p))
		}
	}
}

// declaration takes what begins at from and is behind it.
func (c cc) declaration(from, to int, p place) int {
	for from+1 < to && c.loneMacro(from) {
		from++
	}
	i := from
	for c.is(i, "template") || c.is(i, "[") && c.is(i+1, "[") || c.is(i, "inline") && c.is(i+1, "namespace") {
		switch {
		case c.is(i, "template"):
			i = max(i+1, c.angles(i+1, to))
		case c.is(i, "["):
			i = c.close(i) + 1
		default:
			i++
		}
	}
	switch c.text(i) {
	case "namespace":
		return c.namespace(from, i, to, p)
	case "using":
		end := min(to, c.find(i, to, ";")+1)
		if c.isIdent(i+1) && c.is(i+2, "=") {
			c.export(c.add(p, Type, i+1, from, end-1, end))
		}
		return end
	case "typedef":
		return c.typedef(from, i, to, p)
	case "class", "struct", "union", "enum":
		if end := c.record(from, i, to, p); end > from {
			return end
		}
	}
	return c.function(from, i, to, p)
}

// loneMacro tells whether token i is a macro on a line of its own before what it is
// about, such as __BEGIN_DECLS.
func (c cc) loneMacro(i int) bool {
	name := c.text(i)
	return c.isIdent(i) && len(name) > 2 && strings.ToUpper(name) == name && c.line(i+1) > c.line(i) && c.isIdent(i+1) && (i == 0 || c.line(i-1) < c.line(i))
}

func (c cc) export(i int) { c.Symbols[i].Exported = true }

func (c cc) namespace(from, i, to int, p place) int {
	open := c.find(i, to, "{", ";", "=")
	if !c.is(open, "{") {
		return min(to, c.find(i, to, ";")+1)
	}
	end := min(to, c.close(open)+1)
	in := p
	if c.isIdent(open - 1) {
		name := strings.ReplaceAll(c.span(i+1, open), "::", ".")
		if !c.is(open-1, "namespace") {
			at := c.addNamed(p, Module, name, open-1, from, open, end)
			c.export(at)
			in = c.inside(at)
		}
	}
	c.within(func() { c.read(open+1, end-1, in) })
	return end
}

// typedef takes typedef … name; with the record inside it.
func (c cc) typedef(from, i, to int, p place) int {
	end := min(to, c.find(i, to, ";")+1)
	name := end - 2
	for name > i && (c.is(name, "]") || c.is(name, ")")) {
		open := c.match[name]
		if open <= i {
			return end
		}
		if c.is(name, ")") && c.is(open-1, ")") { // a function pointer: (*name)(…)
			name = open - 2
			break
		}
		name = open - 1
	}
	if c.isIdent(name) && name > i {
		kind := Type
		if c.is(i+1, "struct") || c.is(i+1, "union") {
			kind = Struct
		} else if c.is(i+1, "enum") {
			kind = Enum
		}
		sig := c.find(i, end, "{", ";")
		at := c.add(p, kind, name, from, sig, end)
		if c.is(sig, "{") {
			c.Symbols[at].Signature = clip(c.span(from, sig)+" "+c.text(name), maxSignature)
		}
		c.export(at)
	}
	return end
}

var recordKinds = map[string]Kind{"class": Class, "struct": Struct, "union": Struct, "enum": Enum}

// record takes a class, struct, union or enum with a body; from where it has none.
func (c cc) record(from, i, to int, p place) int {
	kind := recordKinds[c.text(i)]
	stop := c.find(i, to, "{", ";", "(", "=")
	if !c.is(stop, "{") {
		return from
	}
	name := i + 1
	if c.is(name, "class") || c.is(name, "struct") {
		name++
	}
	// Macros and attributes may stand before the name; it is the last one before
	// the bases.
	for c.is(name, "[") || c.isIdent(name) && c.isIdent(name+1) && !c.is(name+1, "final") {
		if c.is(name, "[") {
			name = c.close(name)
		}
		name++
	}
	end := min(to, c.close(stop)+1)
	in := p
	if c.isIdent(name) && name < stop {
		at := c.add(p, kind, name, from, stop, end)
		c.export(at)
		in = c.inside(at)
	}
	if kind != Enum {
		c.within(func() { c.read(stop+1, end-1, in) })
	}
	return end
}
