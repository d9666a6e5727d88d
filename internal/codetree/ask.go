package codetree

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"helix/internal/codetree/source"
	"helix/internal/lazyregexp"
)

// Answer is a line of the answer to a question about the structure of the code.
type Answer struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // 0: the file or folder as a whole
	Text string `json:"text"`
	Node ID     `json:"node,omitempty"`
}

// question is a form of words, and what finds the answers to it.
type question struct {
	form   *lazyregexp.Regexp // its only group is what is asked about
	answer func(t *Tree, what string) ([]Answer, error)
}

// subject is what is asked about, with the words that people put before it and
// after it taken off.
const subject = "(?:the |a |an )?(?:function |method |class |type |struct |interface |trait |enum |constant |variable |macro |symbol |package |module |file |folder |directory |section |crate |header )*[`'\"“]?([^`'\"”?]+?)[`'\"”]?(?: (?:function|method|class|type|struct|interface|package|module|file|folder|directory|section))?"

// questions in the order in which they are tried: the first form that fits decides.
var questions = []question{
	{form("what does " + subject + " (?:call|invoke)"), (*Tree).askCallees},
	{form("(?:which|what) (?:functions |methods )?(?:are|is) called (?:by|in|from) " + subject), (*Tree).askCallees},
	{form("(?:callees of|calls made by) " + subject), (*Tree).askCallees},
	{form("(?:what|who|which \\w+|where do we|what code|anything that|everything that|everyone who) (?:calls?|invokes?) " + subject), (*Tree).askCallers},
	{form("(?:all )?(?:callers|calls|call sites|invocations) (?:of|to) " + subject), (*Tree).askCallers},
	{form("(?:where|from where|by what|by whom) (?:is|are) " + subject + " (?:called|invoked)(?: from)?"), (*Tree).askCallers},
	{form("(?:what|which \\w+|who) (?:does|do) " + subject + " (?:imports?|depends? on|includes?|uses?|needs?)"), (*Tree).askImports},
	{form("(?:dependencies|imports|includes) (?:of|in) " + subject), (*Tree).askImports},
	{form("(?:who|what|which \\w+) (?:imports?|includes?|requires?) " + subject), (*Tree).askImporters},
	{form("(?:importers|dependents) of " + subject), (*Tree).askImporters},
	{form("(?:where|by what|by whom) (?:is|are) " + subject + " (?:imported|included|required)(?: from)?"), (*Tree).askImporters},
	{form("(?:who|what|which \\w+) (?:uses?|references?|depends? on|needs?) " + subject), (*Tree).askUsers},
	{form("(?:where|how often) (?:is|are) " + subject + " (?:used|referenced)"), (*Tree).askUsers},
	{form("(?:usages?|uses?|users|references) (?:of|to) " + subject), (*Tree).askUsers},
	{form("(?:what|who|which (?:tests?|files?)) (?:tests|test|covers|cover) " + subject), (*Tree).askTests},
	{form("(?:where are )?(?:the )?tests (?:of|for) " + subject), (*Tree).askTests},
	{form("where (?:is|are|do we|can i find|does) " + subject + " (?:defined|declared|implemented|live|define|declare|located|come from)"), (*Tree).askWhere},
	{form("(?:what|which) (?:file|module|package) (?:defines|declares|contains|has|implements) " + subject), (*Tree).askWhere},
	{form("(?:what|who|which \\w+) (?:defines|declares|implements) " + subject), (*Tree).askWhere},
	{form("(?:the )?(?:definition|declaration|signature) of " + subject), (*Tree).askWhere},
	{form("(?:what|which \\w+|everything|what all|functions|types|symbols|methods|classes) (?:is |are )?(?:there |defined |declared )?(?:in|inside|within) " + subject), (*Tree).askContents},
	{form("(?:contents?|outline|members|methods|symbols|structure|functions|files) (?:of|in) " + subject), (*Tree).askContents},
	{form("what (?:does|do) " + subject + " (?:contain|define|declare|export|provide|hold)"), (*Tree).askContents},
	{form("where is " + subject), (*Tree).askWhere},
	{form(".* (?:in|of) (?:file|module|section|package|folder|directory) " + subject), (*Tree).askContents},
}

func form(text string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)^(?:(?:please |show me |list |find |tell me |and |so |give me |what are |what is |which are |who are |the |all )*)` + text + `[\s?.!]*$`)
}

// Ask answers a question about the structure of the code: what calls, imports, uses
// or tests something, what it depends on, where it is defined, what is in it. ok
// tells whether the question is one of these; the answers may be none then.
func Ask(t *Tree, text string) (answers []Answer, ok bool, err error) {
	text = strings.Join(strings.Fields(text), " ")
	for _, q := range questions {
		m := q.form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		what := strings.TrimSuffix(strings.TrimSpace(m[1]), "()")
		if what == "" || strings.Count(what, " ") > 5 {
			continue
		}
		answers, err = q.answer(t, what)
		return answers, true, err
	}
	return nil, false, nil
}

// targets are the files and folders that a word means: a path, the end of a path, a
// file's name with or without its extension, a module, the name of a folder.
func (t *Tree) targets(what string) []Node {
	if n, err := t.At(what); err == nil {
		return []Node{n}
	}
	if n, err := t.Expand(what); err == nil {
		return []Node{n}
	}
	var all []Node
	for _, slot := range t.slotsOf(path.Base(what), named) {
		if p := t.path(slot); p == what || strings.HasSuffix(p, "/"+what) || strings.HasSuffix("/"+strings.TrimSuffix(p, path.Ext(p)), "/"+what) {
			if n, err := t.fileNode(slot); err == nil {
				all = append(all, n)
			}
		}
	}
	dotted := strings.ReplaceAll(strings.ReplaceAll(what, "::", "/"), ".", "/")
	for i := range t.dirs.n {
		d := "/" + t.dirPath(i)
		if strings.HasSuffix(d, "/"+what) || dotted != what && strings.HasSuffix(d, "/"+dotted) {
			if n, err := t.dirNode(i); err == nil {
				all = append(all, n)
			}
		}
	}
	if len(all) == 0 && dotted != what {
		for _, slot := range t.slotsOf(path.Base(dotted), named) {
			if p := t.path(slot); strings.HasSuffix("/"+strings.TrimSuffix(p, path.Ext(p)), "/"+dotted) {
				if n, err := t.fileNode(slot); err == nil {
					all = append(all, n)
				}
			}
		}
	}
	if files := t.resolveGo(what); len(all) == 0 && len(files) > 0 {
		if n, err := t.At(path.Dir(files[0])); err == nil {
			all = append(all, n)
		}
	}
	return all
}

func (t *Tree) askCallers(what string) ([]Answer, error) {
	found, err := t.Callers(what)
	_, name := splitName(what)
	var all []Answer
	for _, c := range found {
		text := "calls " + name
		if c.On != "" {
			text = "calls " + c.On + "." + name
		}
		if c.In != "" {
			text = c.In + " " + text
		}
		all = append(all, Answer{c.Path, c.Line, text, c.Node})
	}
	return all, err
}

func (t *Tree) askCallees(what string) ([]Answer, error) {
	symbols, err := t.Symbols(what)
	if err != nil {
		return nil, err
	}
	var all []Answer
	for _, s := range symbols {
		calls, err := t.Callees(s.ID)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(calls, func(a, b source.Call) int { return a.Line - b.Line })
		for _, c := range calls {
			name := c.Name
			if c.On != "" {
				name = c.On + "." + name
			}
			all = append(all, Answer{s.Path, c.Line, s.Qualified() + " calls " + name, s.ID})
		}
	}
	return all, nil
}

func (t *Tree) askImports(what string) ([]Answer, error) {
	var all []Answer
	for _, p := range t.filesOf(what) {
		found, err := t.Imports(p)
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			text := "imports " + i.Path
			switch {
			case len(i.Files) == 1:
				text += " (" + Shown(i.Files[0]) + ")"
			case len(i.Files) > 1:
				text += " (" + Shown(path.Dir(i.Files[0])+"/") + ")"
			}
			all = append(all, Answer{p, i.Line, text, fileID(p)})
		}
	}
	return all, nil
}

// filesOf are the files that a word means: those right in a folder, or the ones
// that define a symbol of that name.
func (t *Tree) filesOf(what string) []string {
	var all []string
	for _, n := range t.targets(what) {
		switch n.Kind {
		case Dir:
			all = append(all, t.filesIn(strings.TrimPrefix(n.Path, "."))...)
		default:
			all = append(all, n.Path)
		}
	}
	if len(all) == 0 {
		symbols, err := t.Symbols(what)
		for _, s := range symbols {
			if err == nil && s.Symbol != source.Section {
				all = append(all, s.Path)
			}
		}
	}
	slices.SortFunc(all, comparePaths)
	return slices.Compact(all)
}

func (t *Tree) askImporters(what string) ([]Answer, error) {
	var all []Answer
	seen := map[Importer]bool{}
	for _, p := range t.filesOf(what) {
		found, err := t.Importers(p)
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			if !seen[i] {
				seen[i] = true
				all = append(all, Answer{i.Path, i.Line, "imports " + i.Import, fileID(i.Path)})
			}
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	return t.askForeign(what)
}

// askForeign are the imports of something that is not in the project.
func (t *Tree) askForeign(what string) ([]Answer, error) {
	var slots []int
	for _, key := range []string{what, path.Base(what), what[strings.LastIndexAny(what, ".:/")+1:]} {
		slots = append(slots, t.slotsOf(key, imports)...)
	}
	slices.Sort(slots)
	var all []Answer
	for _, slot := range slices.Compact(slots) {
		found, err := t.importsOf(slot, func(i source.Import) bool {
			return i.Path == what || strings.HasSuffix(i.Path, "/"+what) || strings.HasSuffix(i.Path, "."+what) || strings.HasSuffix(i.Path, "::"+what) || slices.Contains(i.Names, what)
		})
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			p := t.path(slot)
			all = append(all, Answer{p, i.Line, "imports " + i.Path, fileID(p)})
		}
	}
	return all, nil
}

// askUsers are the importers of a file or folder, the callers of a symbol.
func (t *Tree) askUsers(what string) ([]Answer, error) {
	if exact, _ := t.lookup(what); exact < 0 || len(t.slots(exact, calls)) == 0 {
		if all, err := t.askImporters(what); err != nil || len(all) > 0 {
			return all, err
		}
	}
	return t.askCallers(what)
}

func (t *Tree) askTests(what string) ([]Answer, error) {
	var all []Answer
	for _, p := range t.filesOf(what) {
		for _, f := range t.Tests(p) {
			all = append(all, Answer{f, 0, "tests " + Shown(p), fileID(f)})
		}
	}
	return slices.CompactFunc(all, func(a, b Answer) bool { return a.Path == b.Path }), nil
}

func (t *Tree) askWhere(what string) ([]Answer, error) {
	found, err := t.Symbols(what)
	var all []Answer
	for _, n := range found {
		all = append(all, describe(n))
	}
	if err == nil && len(all) == 0 {
		for _, n := range t.targets(what) {
			all = append(all, describe(n))
		}
	}
	return all, err
}

// describe is a node as a line.
func describe(n Node) Answer {
	text := Shown(n.Name)
	switch n.Kind {
	case Symbol:
		text = n.Signature
		if text == "" {
			text = string(n.Symbol) + " " + n.Qualified()
		}
	case Dir:
		text = fmt.Sprintf("folder with %d files", n.FileCount)
	}
	if n.Doc != "" {
		text += " — " + n.Doc
	}
	line := n.Line
	if n.Kind != Symbol {
		line = 0
	}
	return Answer{n.Path, line, text, n.ID}
}

func (t *Tree) askContents(what string) ([]Answer, error) {
	nodes := t.targets(what)
	if len(nodes) == 0 {
		var err error
		if nodes, err = t.Symbols(what); err != nil {
			return nil, err
		}
	}
	var all []Answer
	for _, n := range nodes {
		children, err := t.Nodes(n.Children)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		for _, c := range children {
			all = append(all, describe(c))
		}
		if len(children) == 0 && n.Kind == Symbol {
			all = append(all, describe(n))
		}
	}
	return all, nil
}
