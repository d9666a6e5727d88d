package source

import "strings"

// python reads Python, which has its structure in its indentation.
type python struct {
	*declarations
	lines []logicalLine
}

// logicalLine is a statement, over as many lines as its brackets take.
type logicalLine struct{ from, to, indent int }

var pythonNoCalls = words("if elif while for return and or not in is lambda yield print assert del raise except with import from as await None True False")

func parsePython(f *File, src []byte) {
	p := python{declarations: declare(f, src)}
	p.logicalLines()
	if len(p.lines) > 0 && p.isString(p.lines[0].from) {
		f.Doc = summary(p.text(p.lines[0].from))
	}
	p.statements()
	p.finish(pythonNoCalls)
}

func (p *python) logicalLines() {
	closes := 0 // tokens before it are within brackets
	for i, t := range p.list {
		first := i == 0 || t.line > p.endLine(i-1) && i >= closes && !p.continued(i)
		if first {
			if n := len(p.lines); n > 0 {
				p.lines[n-1].to = i
			}
			p.lines = append(p.lines, logicalLine{i, len(p.list), p.indent(t.start)})
		}
		if m := p.match[i]; m > i && m < len(p.list) && i >= closes {
			closes = m + 1
		}
	}
}

// continued tells whether the line before token i ends with a backslash.
func (p *python) continued(i int) bool { return p.is(i-1, `\`) }

func (p *python) indent(at int) int {
	start := at
	for start > 0 && p.src[start-1] != '\n' {
		start--
	}
	n := 0
	for _, c := range p.src[start:at] {
		if n++; c == '\t' {
			n += 7 - (n-1)%8
		}
	}
	return n
}

// block is a class or function that is open while the lines are indented deeper.
type block struct{ indent, symbol int }

func (p *python) statements() {
	var open []block
	decorated := -1
	for n, l := range p.lines {
		for len(open) > 0 && open[len(open)-1].indent >= l.indent {
			p.endBlock(open[len(open)-1].symbol, l.from)
			open = open[:len(open)-1]
		}
		at, in := l.from, topLevel
		if len(open) > 0 {
			in = p.inside(open[len(open)-1].symbol)
		}
		if p.is(at, "@") {
			if decorated < 0 {
				decorated = at
			}
			continue
		}
		from := at
		if decorated >= 0 {
			from, decorated = decorated, -1
		}
		if p.is(at, "async") {
			at++
		}
		inFunction := in.parent >= 0 && p.Symbols[in.parent].Kind != Class
		switch {
		case (p.is(at, "def") || p.is(at, "class")) && p.isIdent(at+1):
			if !inFunction {
				s := p.define(n, from, at, in)
				open = append(open, block{l.indent, s})
			}
		case p.is(at, "import"), p.is(at, "from"):
			p.imported(at, l.to)
		case !inFunction && p.isIdent(at) && (p.is(at+1, "=") || p.is(at+1, ":") && in.parent < 0) && in.parent < 0 && l.indent == 0:
			p.assigned(at, l, in)
		}
	}
	for _, b := range open {
		p.endBlock(b.symbol, len(p.list))
	}
}

func (p *python) endBlock(symbol, to int) {
	p.ranges[symbol].to = to
	p.Symbols[symbol].EndLine = p.endLine(to - 1)
}

// define takes the def or class of line n; its end is set when its block closes.
func (p *python) define(n, from, at int, in place) int {
	l := p.lines[n]
	colon := p.find(at, l.to, ":")
	for colon < l.to && colon+1 < l.to && p.is(at, "class") && p.is(colon+1, ":") {
		colon++
	}
	kind := Func
	if p.is(at, "class") {
		kind = Class
	} else if in.parent >= 0 {
		kind = Method
	}
	start := at
	if p.is(at-1, "async") {
		start--
	}
	s := p.add(in, kind, at+1, from, from, l.to)
	p.Symbols[s].Signature = p.span(start, colon)
	p.Symbols[s].Exported = !strings.HasPrefix(p.Symbols[s].Name, "_") || strings.HasPrefix(p.Symbols[s].Name, "__")
	doc := colon + 1
	if p.isString(doc) {
		p.Symbols[s].Doc = summary(p.text(doc))
	}
	return s
}

// assigned takes a name of the module that is given a value.
func (p *python) assigned(at int, l logicalLine, in place) {
	name, kind := p.text(at), Var
	if strings.ToUpper(name) == name && strings.ToLower(name) != name {
		kind = Const
	}
	if pythonNoCalls[name] || name == "else" || name == "try" || name == "finally" {
		return
	}
	s := p.add(in, kind, at, at, l.to, l.to)
	p.Symbols[s].Exported = !strings.HasPrefix(name, "_")
}

// imported takes import a.b as c, d and from .a import b, (c).
func (p *python) imported(at, to int) {
	line := p.line(at)
	if p.is(at, "import") {
		for at++; at < to; at++ {
			var path string
			if path, at = p.dotted(at, to); path != "" {
				p.Imports = append(p.Imports, Import{Path: path, Line: line})
			}
			for at < to && !p.is(at, ",") {
				at++
			}
		}
		return
	}
	path, at := p.dotted(at+1, to)
	if path == "" || !p.is(at, "import") {
		return
	}
	i := Import{Path: path, Line: line}
	for at++; at < to; at++ {
		switch {
		case p.is(at, "as"):
			at++
		case p.isIdent(at) && len(i.Names) < 1000:
			i.Names = append(i.Names, clip(p.text(at), maxName))
		}
	}
	p.Imports = append(p.Imports, i)
}

// dotted is the module name at i, with the dots before it, and what follows it.
func (p *python) dotted(i, to int) (string, int) {
	name := ""
	for ; i < to && len(name) < maxName; i++ {
		if !p.is(i, ".") && (!p.isIdent(i) || p.is(i, "import") || p.is(i, "as")) {
			break
		}
		if p.isIdent(i) && name != "" && !strings.HasSuffix(name, ".") {
			break
		}
		name += p.text(i)
	}
	return name, i
}
