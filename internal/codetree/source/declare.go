package source

import (
	"slices"
	"strings"
)

// declarations is what the recognisers of the languages with the shared scanner
// have in common: the text, and where each symbol lies in it.
type declarations struct {
	*tokens
	*File
	ranges []tokenRange // of the symbols, by index
	names  map[int]bool // tokens that name what they declare: no calls
	depth  int
}

// tokenRange is the tokens [from, to).
type tokenRange struct{ from, to int }

func declare(f *File, src []byte) *declarations {
	return &declarations{tokens: scan(src, syntaxes[f.Language]), File: f, names: map[int]bool{}}
}

// place is where a declaration stands.
type place struct {
	parent    int
	container string
}

var topLevel = place{parent: -1}

// inside is the place within symbol i.
func (d *declarations) inside(i int) place {
	s := d.Symbols[i]
	if s.Container == "" {
		return place{i, s.Name}
	}
	return place{i, s.Container + "." + s.Name}
}

// add notes the symbol named by token name, of the tokens [from, to), whose
// signature ends before token sig.
func (d *declarations) add(p place, kind Kind, name, from, sig, to int) int {
	return d.addNamed(p, kind, d.text(name), name, from, sig, to)
}

func (d *declarations) addNamed(p place, kind Kind, text string, name, from, sig, to int) int {
	d.names[name] = true
	last := max(from, min(to, len(d.list))-1)
	s := Symbol{
		Name: clip(oneLine(text), maxName), Container: clip(p.container, maxName), Kind: kind, Parent: p.parent,
		Line: d.line(from), EndLine: d.endLine(last),
		Signature: d.span(from, sig), Doc: d.docBefore(d.line(from)),
	}
	d.Symbols = append(d.Symbols, s)
	d.ranges = append(d.ranges, tokenRange{from, to})
	return len(d.Symbols) - 1
}

// endLine is the line on which token i ends.
func (d *declarations) endLine(i int) int {
	if i < 0 || i >= len(d.list) {
		return max(1, d.Lines)
	}
	t := d.list[i]
	return t.line + strings.Count(string(d.src[t.start:t.end]), "\n")
}

// maxNesting bounds how deep declarations within declarations are followed.
const maxNesting = 40

// within reads the declarations of a body, unless they nest too deep.
func (d *declarations) within(read func()) {
	if d.depth < maxNesting {
		d.depth++
		read()
		d.depth--
	}
}

// statementEnd is behind the statement that token i belongs to: after its ; or
// after the block that ends it.
func (d *declarations) statementEnd(i, to int) int {
	for ; i < to; i++ {
		switch {
		case d.is(i, ";"):
			return i + 1
		case d.is(i, "{"):
			return min(to, d.close(i)+1)
		case d.is(i, "("), d.is(i, "["):
			i = d.close(i)
		}
	}
	return to
}

// find is the first token in [i, to) that is one of the texts, outside of
// brackets that open on the way; to where there is none.
func (d *declarations) find(i, to int, texts ...string) int {
	for ; i < to; i++ {
		if slices.ContainsFunc(texts, func(t string) bool { return d.is(i, t) }) {
			return i
		}
		if d.is(i, "(") || d.is(i, "[") || d.is(i, "{") {
			i = d.close(i)
		}
	}
	return to
}

// far is how many tokens are looked at for the end of something that may have none:
// a large file of nothing but beginnings is still read in linear time.
const far = 500

// angles is behind the <…> that begins at i; i where none does.
func (d *declarations) angles(i, to int) int {
	if !d.is(i, "<") {
		return i
	}
	to = min(to, i+far)
	depth := 0
	for j := i; j < to; j++ {
		switch {
		case d.is(j, "<"):
			depth++
		case d.is(j, ">"):
			if depth--; depth == 0 {
				return j + 1
			}
		case d.is(j, "("), d.is(j, "["), d.is(j, "{"):
			j = d.close(j)
		case d.is(j, ";"), d.is(j, ")"), d.is(j, "}"):
			return i
		}
	}
	return i
}

// finish notes the calls and brings everything into order. notCalls are the words
// of the language that stand before a parenthesis.
func (d *declarations) finish(notCalls map[string]bool) {
	inner := d.innermost()
	for i, t := range d.list {
		if t.kind != identToken || d.names[i] {
			continue
		}
		name := d.text(i)
		if notCalls[name] || !d.called(i) {
			continue
		}
		on := ""
		if d.is(i-1, ".") || d.is(i-1, "::") || d.is(i-1, "->") {
			if on = d.text(i - 2); !d.isIdent(i - 2) {
				on = ""
			}
			if d.is(i-2, ")") {
				on = ""
			}
		}
		d.Calls = append(d.Calls, Call{Name: clip(name, maxName), On: clip(on, maxName), Line: t.line, From: inner[i]})
	}
	order(d.File)
}

// called tells whether the name at i is called, or a value of it made.
func (d *declarations) called(i int) bool {
	switch next := i + 1; {
	case d.is(next, "("):
		return true
	case d.is(next, "!") && d.Language == "rust":
		return d.is(next+1, "(") || d.is(next+1, "[") || d.is(next+1, "{")
	case d.is(next, "::") && d.is(next+1, "<"):
		return d.is(d.angles(next+1, min(len(d.list), next+40)), "(")
	case d.is(next, "<") && (d.is(i-1, "new") || (d.Language == "typescript" || d.Language == "cpp") && !d.is(i-1, "<")):
		end := d.angles(next, min(len(d.list), next+40))
		return end > next && d.is(end, "(")
	case d.is(i-1, "<") && d.Language != "rust" && d.Language != "java" && d.template(i):
		return true
	case d.is(i-1, "@") && d.Language == "python":
		return true
	}
	return false
}

// template tells whether <Name at i is a component of JSX.
func (d *declarations) template(i int) bool {
	c := d.src[d.list[i].start]
	if c < 'A' || c > 'Z' || d.Language != "javascript" && d.Language != "typescript" {
		return false
	}
	before := i - 2
	return d.is(before, "(") || d.is(before, "return") || d.is(before, ">") || d.is(before, "=>") || d.is(before, "{") || d.is(before, "}") || d.is(before, "?") || d.is(before, ":") || d.is(before, "&&")
}

// innermost gives for each token the innermost symbol around it, or -1.
func (d *declarations) innermost() []int {
	inner := make([]int, len(d.list))
	for i := range inner {
		inner[i] = -1
	}
	// A symbol that begins later, or is noted later, lies within the former.
	byStart := make([]int, len(d.ranges))
	for i := range byStart {
		byStart[i] = i
	}
	slices.SortStableFunc(byStart, func(a, b int) int {
		if x, y := d.ranges[a].from, d.ranges[b].from; x != y {
			return x - y
		}
		return d.ranges[b].to - d.ranges[a].to
	})
	var open []int
	next := 0
	for i := range inner {
		for len(open) > 0 && d.ranges[open[len(open)-1]].to <= i {
			open = open[:len(open)-1]
		}
		for next < len(byStart) && d.ranges[byStart[next]].from <= i {
			if d.ranges[byStart[next]].to > i {
				open = append(open, byStart[next])
			}
			next++
		}
		if len(open) > 0 {
			inner[i] = open[len(open)-1]
		}
	}
	return inner
}

func words(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}
