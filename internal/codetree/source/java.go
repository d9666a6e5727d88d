package source

// java reads Java.
type java struct{ *declarations }

var (
	javaModifiers = words("public protected private static final abstract native synchronized transient volatile strictfp default sealed")
	javaNoCalls   = words("if for while switch catch return new synchronized super this try assert throw else do case yield")
)

func parseJava(f *File, src []byte) {
	j := java{declare(f, src)}
	for i := 0; i < len(j.list); i++ {
		switch {
		case j.is(i, "package") && f.Package == "":
			f.Package = j.dotted(i+1, len(j.list))
		case j.is(i, "import"):
			at := i + 1
			if j.is(at, "static") {
				at++
			}
			f.Imports = append(f.Imports, Import{Path: clip(j.dotted(at, len(j.list)), maxName), Line: j.line(i)})
		case j.is(i, "{"):
			i = len(j.list)
		}
	}
	j.read(0, len(j.list), topLevel)
	if len(f.Symbols) > 0 {
		f.Doc = f.Symbols[0].Doc
	}
	j.finish(javaNoCalls)
}

// dotted is a name with dots that begins at i.
func (j java) dotted(i, to int) string {
	name := ""
	for ; i < to && len(name) < maxName && (j.isIdent(i) || j.is(i, ".") || j.is(i, "*")); i++ {
		name += j.text(i)
	}
	return name
}

// read takes the members of [i, to), or the types of a file.
func (j java) read(i, to int, p place) {
	for i < to {
		start, end := i, 0
		public := p.parent >= 0 && j.Symbols[p.parent].Kind == Interface
		for i < to {
			next := j.modifier(i)
			if next == i {
				break
			}
			public = public || j.is(i, "public") || j.is(i, "protected")
			i = next
		}
		before := len(j.Symbols)
		end = j.member(start, i, to, p)
		if len(j.Symbols) > before {
			j.Symbols[before].Exported = public
		}
		i = max(end, start+1)
	}
}

// modifier is behind the annotation or modifier at i; i where none stands there.
func (j java) modifier(i int) int {
	switch {
	case j.is(i, "@") && !j.is(i+1, "interface"):
		i += 2
		for j.is(i, ".") {
			i += 2
		}
		if j.is(i, "(") {
			i = j.close(i) + 1
		}
		return i
	case j.is(i, "non") && j.is(i+1, "-") && j.is(i+2, "sealed"):
		return i + 3
	case javaModifiers[j.text(i)]:
		return i + 1
	}
	return i
}

var javaTypes = map[string]Kind{"class": Class, "interface": Interface, "enum": Enum, "record": Class}

func (j java) member(from, i, to int, p place) int {
	if j.is(i, "@") {
		i++
	}
	if kind := javaTypes[j.text(i)]; kind != "" && j.isIdent(i+1) && !j.is(i+2, "=") {
		open := j.find(i+1, to, "{", ";")
		if !j.is(open, "{") {
			return open
		}
		end := min(to, j.close(open)+1)
		at := j.add(p, kind, i+1, from, open, end)
		inner := open + 1
		if kind == Enum { // its constants end with ; or with the body
			constants := j.find(inner, end-1, ";")
			for k := inner; k < constants; k++ {
				if j.names[k] = true; j.is(k, "(") || j.is(k, "{") {
					k = j.close(k)
				}
			}
			inner = min(end, constants+1)
		}
		j.within(func() { j.read(inner, end-1, j.inside(at)) })
		return end
	}
	end := j.statementEnd(i, to)
	i = j.angles(i, end)
	paren := i
	for paren < end && !j.is(paren, "(") && !j.is(paren, "=") && !j.is(paren, ";") && !j.is(paren, "{") {
		paren++
	}
	switch {
	case p.parent < 0:
	case j.is(paren, "{") && paren == i+1 && j.text(i) == j.Symbols[p.parent].Name: // the short constructor of a record
		j.add(p, Method, i, from, paren, end)
	case j.is(paren, "(") && j.isIdent(paren-1) && (paren-1 > i || j.text(paren-1) == j.Symbols[p.parent].Name):
		j.add(p, Method, paren-1, from, j.find(paren, end, "{", ";"), end)
	case j.is(paren, "=") && j.isIdent(paren-1):
		end = min(to, j.find(paren, to, ";")+1)
		j.constant(from, i, paren, end, p)
	}
	return end
}

// constant takes a static final field; other fields are no symbols.
func (j java) constant(from, i, assign, end int, p place) {
	static, final := j.Symbols[p.parent].Kind == Interface, j.Symbols[p.parent].Kind == Interface
	for k := from; k < i; k++ {
		static, final = static || j.is(k, "static"), final || j.is(k, "final")
	}
	if static && final {
		j.add(p, Const, assign-1, from, assign, end)
	}
}
