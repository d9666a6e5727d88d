package source

import "strings"

// script reads JavaScript and TypeScript.
type script struct{ *declarations }

var (
	scriptModifiers = words("export default declare async abstract public private protected static readonly override accessor get set")
	scriptNoCalls   = words("if for while switch catch return function typeof await yield super import new of in do else case void delete throw instanceof with constructor async")
)

func parseScript(f *File, src []byte) {
	s := script{declare(f, src)}
	f.Doc = s.docAtTop()
	s.read(0, len(s.list), topLevel)
	s.imports()
	for i := range f.Symbols {
		if p := f.Symbols[i].Parent; p >= 0 && f.Symbols[p].Kind != Module {
			f.Symbols[i].Exported = f.Symbols[p].Exported && f.Symbols[i].Exported
		}
	}
	s.finish(scriptNoCalls)
	s.exportedLater()
}

// read takes the statements of [i, to).
func (s script) read(i, to int, p place) {
	for i < to {
		if s.is(i, "@") { // decorator
			i += 2
			for s.is(i, ".") {
				i += 2
			}
			if s.is(i, "(") {
				i = s.close(i) + 1
			}
			continue
		}
		if next := s.statement(i, to, p); next > i {
			i = next
			continue
		}
		if s.is(i, "(") || s.is(i, "[") || s.is(i, "{") {
			i = s.close(i)
		}
		i++
	}
}

// statement takes the declaration that begins at from, and is behind it; from
// where none begins there.
func (s script) statement(from, to int, p place) int {
	i, exported := from, false
	for i < to && scriptModifiers[s.text(i)] && s.isIdent(i) && !s.is(i+1, ".") {
		exported = exported || s.is(i, "export")
		i++
	}
	before := len(s.Symbols)
	end := s.declaration(from, i, to, p)
	if len(s.Symbols) > before && exported {
		s.Symbols[before].Exported = true
	}
	return max(end, i) // modifiers of nothing are passed over
}

func (s script) declaration(from, i, to int, p place) int {
	switch s.text(i) {
	case "function":
		name := i + 1
		if s.is(name, "*") {
			name++
		}
		if !s.isIdent(name) {
			if s.is(i-1, "default") {
				return s.function(from, i, to, p, "default")
			}
			return from
		}
		return s.function(from, name, to, p, "")
	case "class":
		return s.container(from, i+1, to, p, Class)
	case "interface":
		return s.container(from, i+1, to, p, Interface)
	case "enum":
		return s.container(from, i+1, to, p, Enum)
	case "namespace", "module":
		return s.container(from, i+1, to, p, Module)
	case "global":
		if s.is(i+1, "{") && s.is(i-1, "declare") {
			return s.container(from, i, to, p, Module)
		}
	case "type":
		if s.isIdent(i+1) && (s.is(i+2, "=") || s.is(i+2, "<")) {
			end := s.lineEnd(i+3, to)
			s.add(p, Type, i+1, from, s.find(i+1, end, ";"), end)
			return end
		}
	case "const", "let", "var":
		if s.is(i+1, "enum") {
			return s.container(from, i+2, to, p, Enum)
		}
		return s.variable(from, i+1, to, p)
	default:
		return s.assignment(from, to, p)
	}
	return from
}

// function takes name(…) {…}.
func (s script) function(from, name, to int, p place, as string) int {
	open := s.angles(name+1, to)
	if !s.is(open, "(") {
		return from
	}
	sig := s.bodyStart(s.close(open)+1, to)
	end := sig
	if s.is(sig, "{") {
		end = min(to, s.close(sig)+1)
	}
	if as == "" {
		as = s.text(name)
	}
	s.addNamed(p, Func, as, name, from, sig, end)
	return end
}

// bodyStart is the { of a body behind the parameters, past a type between them, or
// where the declaration ends without one.
func (s script) bodyStart(i, to int) int {
	if s.is(i, ":") {
		for i++; i < to; i++ {
			switch {
			case s.is(i, "{"):
				// A type in braces stands behind : | & or <, a body does not.
				if !s.is(i-1, ":") && !s.is(i-1, "|") && !s.is(i-1, "&") && !s.is(i-1, "<") && !s.is(i-1, ",") && !s.is(i-1, "=>") && !s.is(i-1, "is") {
					return i
				}
				i = s.close(i)
			case s.is(i, "("), s.is(i, "["):
				i = s.close(i)
			case s.is(i, ";"), s.is(i, "}"):
				return i
			case i > 0 && s.line(i) > s.line(i-1) && (s.isIdent(i) || s.is(i, "@")) && s.endsType(i-1):
				return i
			}
		}
		return to
	}
	return i
}

func (s script) endsType(i int) bool {
	return s.isIdent(i) || s.is(i, ">") || s.is(i, "]") || s.is(i, "}") || s.is(i, ")") || s.isString(i)
}

// container takes a class or the like with the members in its braces.
func (s script) container(from, name, to int, p place, kind Kind) int {
	if !s.isIdent(name) && !s.isString(name) {
		if !s.is(name-2, "default") {
			return from
		}
		name -= 2
	}
	for s.is(name+1, ".") && kind == Module {
		name += 2
	}
	open := s.bodyOf(name+1, to)
	if !s.is(open, "{") {
		return from
	}
	end := min(to, s.close(open)+1)
	at := s.addNamed(p, kind, s.plain(name), name, from, open, end)
	s.within(func() {
		switch kind {
		case Class, Interface:
			s.members(open+1, end-1, s.inside(at))
		case Module:
			s.read(open+1, end-1, s.inside(at))
		}
	})
	return end
}

// bodyOf is the { of the members behind the name of a class and its bases, whose
// type arguments may hold braces; where there is none, the token that says so.
func (s script) bodyOf(i, to int) int {
	to = min(to, i+far)
	for i < to && !s.is(i, "{") && !s.is(i, ";") && !s.is(i, "=") {
		switch next := s.angles(i, to); {
		case next > i:
			i = next
		case s.is(i, "<"): // never closed
			return i
		case s.is(i, "("), s.is(i, "["):
			i = s.close(i) + 1
		default:
			i++
		}
	}
	return i
}

// plain is the text of a name, which may be a string.
func (s script) plain(i int) string {
	if s.isString(i) {
		return unquote(s.text(i))
	}
	return s.text(i)
}

// members takes the methods of a class.
func (s script) members(i, to int, p place) {
	for i < to {
		from := i
		hidden := false
		for i < to && (scriptModifiers[s.text(i)] || s.is(i, "*")) && (s.isIdent(i+1) || s.isString(i+1) || s.is(i+1, "[") || s.is(i+1, "*")) {
			hidden = hidden || s.is(i, "private")
			i++
		}
		name := i
		at := name + 1
		if s.is(at, "?") {
			at++
		}
		at = s.angles(at, to)
		before := len(s.Symbols)
		switch {
		case s.isIdent(name) && s.is(at, "(") && !s.is(name, "new"):
			sig := s.bodyStart(s.close(at)+1, to)
			i = sig
			if s.is(sig, "{") {
				i = min(to, s.close(sig)+1)
			}
			s.add(p, Method, name, from, sig, i)
		case s.isIdent(name) && s.functionValue(name+1, to) > 0:
			sig := s.functionValue(name+1, to)
			i = s.lineEnd(sig, to)
			s.add(p, Method, name, from, sig, i)
		default:
			i = s.lineEnd(name, to)
		}
		if len(s.Symbols) > before {
			s.Symbols[before].Exported = !hidden && !strings.HasPrefix(s.Symbols[before].Name, "#")
		}
		i = max(i, from+1)
	}
}

// functionValue tells whether "= function" or "= (…) =>" begins at i, perhaps with
// a type before it: it is where the signature ends, or 0.
func (s script) functionValue(i, to int) int {
	if s.is(i, ":") {
		for i++; i < to && !s.is(i, "="); i++ {
			switch {
			case s.is(i, ";") || s.is(i, "}"):
				return 0
			case s.is(i, "(") || s.is(i, "{") || s.is(i, "["):
				i = s.close(i)
			}
		}
	}
	if !s.is(i, "=") {
		return 0
	}
	i++
	if s.is(i, "async") {
		i++
	}
	if s.is(i, "function") {
		open := s.find(i, min(to, i+4), "(")
		return min(to, s.close(open)+1)
	}
	i = s.angles(i, to)
	switch {
	case s.isIdent(i) && s.is(i+1, "=>"):
		return i + 2
	case s.is(i, "("):
		arrow := s.close(i) + 1
		if s.is(arrow, ":") {
			arrow = s.find(arrow, min(to, arrow+30), "=>", ";")
		}
		if s.is(arrow, "=>") {
			return arrow + 1
		}
	}
	return 0
}

// variable takes what const, let or var declare. Only the first name of a list is
// read, and no pattern.
func (s script) variable(from, name, to int, p place) int {
	if !s.isIdent(name) {
		return s.lineEnd(name, to)
	}
	kind, sig := Var, s.functionValue(name+1, to)
	end := s.lineEnd(name, to)
	switch {
	case sig > 0:
		kind = Func
	case s.is(name-1, "const"):
		kind = Const
		fallthrough
	default:
		sig = s.find(name, end, "{", "[", ";")
		if s.is(sig-1, "=") && sig < end {
			sig--
		}
	}
	s.add(p, kind, name, from, max(sig, name+1), end)
	return end
}

// assignment takes exports.name = function, and X.prototype.name = function.
func (s script) assignment(i, to int, p place) int {
	if !s.isIdent(i) || !s.is(i+1, ".") || i > 0 && s.line(i) == s.line(i-1) && !s.is(i-1, ";") && !s.is(i-1, "}") {
		return i
	}
	from := i
	for s.isIdent(i) && s.is(i+1, ".") && i-from < 20 {
		i += 2
	}
	sig := s.functionValue(i+1, to)
	if !s.isIdent(i) || sig == 0 {
		return from
	}
	container := s.text(from)
	kind := Method
	if container == "exports" || container == "module" || container == "this" {
		kind, container = Func, ""
	}
	end := s.lineEnd(sig, to)
	at := s.add(place{p.parent, container}, kind, i, from, sig, end)
	s.Symbols[at].Exported = true
	return end
}

// lineEnd is behind the statement that goes on from i: after its ;, or before the
// first line that no operator or bracket ties to it.
func (s script) lineEnd(i, to int) int {
	for start := i; i < to; i++ {
		if s.is(i, ";") {
			return i + 1
		}
		if i > start && s.line(i) > s.endLine(i-1) && !s.continues(i) {
			return i
		}
		if s.is(i, "(") || s.is(i, "[") || s.is(i, "{") {
			i = s.close(i)
		}
	}
	return to
}

// continues tells whether token i goes on with the line before it.
func (s script) continues(i int) bool {
	last := s.list[i-1]
	if last.kind == punctToken && !s.is(i-1, ")") && !s.is(i-1, "]") && !s.is(i-1, "}") {
		return true
	}
	if s.list[i].kind == punctToken {
		return strings.IndexByte(".?:=+-*/%&|^,)]}<>", s.src[s.list[i].start]) >= 0
	}
	return s.is(i, "instanceof") || s.is(i, "extends") || s.is(i, "as") || s.is(i-1, "extends") || s.is(i-1, "return")
}
