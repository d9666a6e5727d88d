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

// function takes a function that is defined or declared. Variables are no symbols.
func (c cc) function(from, i, to int, p place) int {
	stop := i
	for stop < to && !c.is(stop, ";") && !c.is(stop, "{") && !c.is(stop, "(") && !c.is(stop, "=") && c.list[stop].kind != directive {
		if c.is(stop, "operator") {
			for stop++; stop < to && !c.is(stop, "("); stop++ {
			}
			if c.is(stop, "(") && c.is(stop+1, ")") && c.is(stop+2, "(") {
				stop += 2
			}
			break
		}
		if next := c.angles(stop, min(to, stop+60)); next > stop {
			stop = next
			continue
		}
		if c.is(stop, "[") {
			stop = c.close(stop)
		}
		stop++
	}
	if !c.is(stop, "(") || stop == i {
		return c.plainEnd(stop, to)
	}
	name := stop - 1
	after := min(to, c.close(stop)+1)
	start := c.qualified(name)
	inType := p.parent >= 0 && c.Symbols[p.parent].Kind != Module
	typed := start > i || inType && p.container != "" || start < name
	if !typed && !c.is(after, "{") { // a macro that is used
		return after
	}
	end := c.bodyOrEnd(after, to)
	body := c.is(end, "{")
	sig := end
	if body {
		end = min(to, c.close(end)+1)
	} else {
		end = min(to, end+1)
	}
	for k := after; k < sig; k++ { // the initialisers of a constructor are no part of the signature
		if c.is(k, ":") {
			sig = k
			break
		}
	}
	container := p.container
	if !c.isIdent(name) && !c.is(start, "operator") && c.operatorAt(i, name) < 0 || ccNoCalls[c.text(name)] && c.operatorAt(i, name) < 0 || !typed && !body {
		return end
	}
	kind := Func
	switch {
	case inType || start < name:
		kind = Method
	case !body:
		kind = Prototype
	}
	label := c.text(name)
	if op := c.operatorAt(i, name); op >= 0 {
		label = c.span(op, stop)
	} else if c.is(name-1, "~") {
		label = "~" + label
	}
	if start < name {
		container = joinDots(container, c.owner(start, name))
	}
	at := c.addNamed(place{p.parent, container}, kind, label, name, from, sig, end)
	c.Symbols[at].Exported = !c.static(from, name)
	return end
}

// owner is the A::B of A::B<T>:: as A.B.
func (c cc) owner(i, to int) string {
	owner := ""
	for ; i < to; i++ {
		if end := c.angles(i, to); end > i {
			i = end
		}
		if c.isIdent(i) {
			owner = joinDots(owner, c.text(i))
		}
	}
	return owner
}

// operatorAt is where the word operator stands before the parameters, or -1.
func (c cc) operatorAt(i, name int) int {
	for k := max(i, name-4); k <= name; k++ {
		if c.is(k, "operator") {
			return k
		}
	}
	return -1
}

func joinDots(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

func (c cc) static(from, to int) bool {
	for i := from; i < to; i++ {
		if c.is(i, "static") {
			return true
		}
	}
	return false
}

// qualified is where the A::B:: before a name begins.
func (c cc) qualified(name int) int {
	if c.is(name-1, "~") {
		name--
	}
	for c.is(name-1, "::") && (c.isIdent(name-2) || c.is(name-2, ">")) {
		name -= 2
		if c.is(name, ">") {
			for name > 0 && !c.is(name, "<") {
				name--
			}
			name--
		}
	}
	return max(0, name)
}

// bodyOrEnd is the { of the body behind the parameters, or the ; of a declaration.
func (c cc) bodyOrEnd(i, to int) int {
	for ; i < to; i++ {
		switch {
		case c.is(i, ";"), c.is(i, "}"), c.is(i, ","):
			return i
		case c.is(i, "{"):
			return i
		case c.is(i, "="): // = default; = 0;
			return c.find(i, to, ";")
		case c.is(i, ":"):
			return c.initialisers(i+1, to)
		case c.is(i, "("), c.is(i, "["):
			i = c.close(i)
		}
	}
	return to
}

// initialisers passes over a(1), b{2} behind the colon of a constructor.
func (c cc) initialisers(i, to int) int {
	for i < to {
		i = c.find(i, to, "{", "(", ";")
		if i >= to || c.is(i, ";") {
			return i
		}
		if c.is(i, "{") && !c.isIdent(i-1) && !c.is(i-1, ">") {
			return i
		}
		if i = c.close(i) + 1; !c.is(i, ",") {
			return c.find(i, to, "{", ";")
		}
	}
	return to
}

// plainEnd is behind the ; of a declaration that is no function.
func (c cc) plainEnd(i, to int) int {
	for i < to && c.list[i].kind == directive {
		return i + 1
	}
	return min(to, c.find(i, to, ";")+1)
}
