package source

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"strconv"
	"strings"

	"helix/internal/lazyregexp"
)

// goFile reads one Go file.
type goFile struct {
	*File
	src   []byte
	tok   *gotoken.File
	types map[string]int // symbols of types, by name
}

func parseGo(f *File, src []byte) {
	set := gotoken.NewFileSet()
	// An error leaves a tree of what could be read.
	tree, _ := parser.ParseFile(set, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if tree == nil || !tree.Package.IsValid() {
		return
	}
	g := &goFile{File: f, src: src, tok: set.File(tree.Package), types: map[string]int{}}
	f.Package = tree.Name.Name
	f.Doc = docLine(tree.Doc)
	for _, spec := range tree.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			i := Import{Path: p, Line: g.line(spec.Pos())}
			if spec.Name != nil {
				i.Names = []string{spec.Name.Name}
			}
			f.Imports = append(f.Imports, i)
		}
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.function(d)
		case *ast.GenDecl:
			g.general(d)
		}
	}
	g.adopt()
}

// module is the path that a go.mod states.
func module(src []byte) string {
	for line := range strings.Lines(string(src)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "module" {
			return clip(strings.Trim(fields[1], "\"`"), maxName)
		}
	}
	return ""
}

// line is the line in this very text; a //line directive changes nothing.
func (g *goFile) line(p gotoken.Pos) int {
	if !p.IsValid() {
		return 1
	}
	return g.tok.PositionFor(p, false).Line
}

// text is the source between two positions on one line. A position of a broken
// tree may lie anywhere.
func (g *goFile) text(from, to gotoken.Pos) string {
	if !from.IsValid() || !to.IsValid() {
		return ""
	}
	a, b := g.tok.Offset(from), g.tok.Offset(to)
	if a < 0 || b > len(g.src) || a >= b {
		return ""
	}
	text := string(g.src[a:min(b, a+4*maxSignature)])
	if !strings.ContainsAny(text, "\"`") { // no string that could hold the marks of a comment
		text = goComment.ReplaceAllString(text, "")
	}
	return oneLine(text)
}

func (g *goFile) add(s Symbol, from, to gotoken.Pos) int {
	s.Line, s.EndLine = g.line(from), g.line(to-1)
	s.EndLine = max(s.Line, s.EndLine)
	s.Exported = ast.IsExported(s.Name)
	g.Symbols = append(g.Symbols, s)
	return len(g.Symbols) - 1
}

func (g *goFile) function(d *ast.FuncDecl) {
	end := d.End()
	if d.Body != nil {
		end = d.Body.Lbrace
	}
	s := Symbol{Name: d.Name.Name, Kind: Func, Parent: -1, Doc: docLine(d.Doc), Signature: g.text(d.Pos(), end)}
	if d.Recv != nil && len(d.Recv.List) > 0 {
		s.Kind = Method
		_, s.Container = calleeName(d.Recv.List[0].Type)
	}
	at := g.add(s, d.Pos(), d.End())
	if s.Container != "" {
		g.Symbols[at].Exported = g.Symbols[at].Exported && ast.IsExported(s.Container)
	}
	if d.Body != nil {
		g.calls(d.Body, at)
	}
}

func (g *goFile) general(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			g.typ(d, spec)
		case *ast.ValueSpec:
			g.values(d, spec)
		}
	}
}

func (g *goFile) typ(d *ast.GenDecl, spec *ast.TypeSpec) {
	s := Symbol{Name: spec.Name.Name, Kind: Type, Parent: -1, Doc: docLine(spec.Doc)}
	if s.Doc == "" && !d.Lparen.IsValid() {
		s.Doc = docLine(d.Doc)
	}
	switch t := spec.Type.(type) {
	case *ast.StructType:
		s.Kind, s.Signature = Struct, "type "+g.text(spec.Pos(), t.Pos()+gotoken.Pos(len("struct")))
	case *ast.InterfaceType:
		s.Kind, s.Signature = Interface, "type "+g.text(spec.Pos(), t.Pos()+gotoken.Pos(len("interface")))
	default:
		s.Signature = "type " + g.text(spec.Pos(), spec.End())
	}
	from := spec.Pos()
	if !d.Lparen.IsValid() {
		from = d.Pos()
	}
	at := g.add(s, from, spec.End())
	g.types[s.Name] = at
	methods, ok := spec.Type.(*ast.InterfaceType)
	if !ok || methods.Methods == nil {
		return
	}
	for _, m := range methods.Methods.List {
		for _, name := range m.Names {
			g.add(Symbol{Name: name.Name, Container: s.Name, Kind: Method, Parent: at, Doc: docLine(m.Doc), Signature: g.text(m.Pos(), m.Type.End())}, m.Pos(), m.End())
		}
	}
}

func (g *goFile) values(d *ast.GenDecl, spec *ast.ValueSpec) {
	kind := Var
	if d.Tok == gotoken.CONST {
		kind = Const
	}
	doc := docLine(spec.Doc)
	if doc == "" && !d.Lparen.IsValid() {
		doc = docLine(d.Doc)
	}
	first := -1
	for _, name := range spec.Names {
		if name.Name == "_" {
			continue
		}
		at := g.add(Symbol{Name: name.Name, Kind: kind, Parent: -1, Doc: doc, Signature: d.Tok.String() + " " + g.text(spec.Pos(), spec.End())}, spec.Pos(), spec.End())
		if first < 0 {
			first = at
		}
	}
	for _, v := range spec.Values {
		g.calls(v, first)
	}
}

// adopt puts the methods below their type where it is in the same file, and the
// parents before their children.
func (g *goFile) adopt() {
	for i := range g.Symbols {
		s := &g.Symbols[i]
		if s.Parent >= 0 || s.Container == "" {
			continue
		}
		if at, ok := g.types[s.Container]; ok {
			s.Parent = at
		}
	}
	order(g.File)
}

// calls notes every call and composite literal below node.
func (g *goFile) calls(node ast.Node, from int) {
	note := func(e ast.Expr) {
		if on, name := calleeName(e); name != "" && !builtins[name] {
			g.Calls = append(g.Calls, Call{Name: name, On: on, Line: g.line(namePos(e)), From: from})
		}
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			note(n.Fun)
		case *ast.CompositeLit:
			note(n.Type)
		}
		return true
	})
}

var builtins = map[string]bool{
	"append": true, "cap": true, "clear": true, "close": true, "complex": true, "copy": true, "delete": true, "imag": true,
	"len": true, "make": true, "max": true, "min": true, "new": true, "panic": true, "print": true, "println": true,
	"real": true, "recover": true, "string": true, "byte": true, "rune": true, "int": true, "int64": true, "int32": true,
	"int16": true, "int8": true, "uint": true, "uint64": true, "uint32": true, "uint16": true, "uint8": true,
	"uintptr": true, "float64": true, "float32": true, "bool": true, "error": true, "any": true, "_": true,
}

// calleeName is the name that an expression calls, and the name before its dot.
func calleeName(e ast.Expr) (on, name string) {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return "", x.Name
		case *ast.SelectorExpr:
			_, on = calleeName(x.X)
			return on, x.Sel.Name
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.CallExpr:
			e = x.Fun
		default:
			return "", ""
		}
	}
}

// namePos is where the called name stands: in a chain of calls over several lines
// each is on a line of its own.
func namePos(e ast.Expr) gotoken.Pos {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		return sel.Sel.Pos()
	}
	return e.Pos()
}

var goComment = lazyregexp.New(`(?s)//[^\n]*|/\*.*?\*/`)

func docLine(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	return summary(c.Text())
}
