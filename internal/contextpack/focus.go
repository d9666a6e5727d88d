package contextpack

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"helix/internal/codetree"
	"helix/internal/kb/text"
	"helix/internal/kb/view"
)

const (
	maxPrimary  = 8 // files that the task is about
	maxNear     = 3 // of these, those whose imports and tests are looked at
	maxFile     = 256 << 10
	maxOutline  = 60 // definitions of a file
	maxMemories = 12
	maxNames    = 40 // identifiers of a task that are looked up, and ends of paths
	maxSame     = 4  // files with the same end of their path: of more, none is meant

	// relevant is the share of the best score that a memory must have: a search for
	// any of many words finds something in every memory.
	relevant = 0.4
)

// candidate is a file that the task may be about.
type candidate struct {
	path  string
	score float64
	why   string
}

// files are the files of the task, with what they import and how they are tested.
func (g *gatherer) files() error {
	if err := g.recall(); err != nil {
		return err
	}
	primary := g.primary()
	for _, c := range primary {
		g.near = append(g.near, path.Dir(c.path))
	}
	shown := map[string]bool{}
	for _, c := range primary {
		shown[c.path] = true
	}
	for _, c := range primary {
		g.file(c.path, "Files of the task", c.why, true)
	}
	if g.Tree == nil {
		return nil
	}
	near := primary[:min(maxNear, len(primary))]
	for _, list := range []struct {
		section string
		of      func(string) []string
	}{{"Tests", g.Tree.Tests}, {"What they import", g.Tree.Imports}} {
		for _, c := range near {
			for _, p := range list.of(c.path) {
				if !shown[p] {
					shown[p] = true
					g.file(p, list.section, "of "+codetree.Shown(c.path), false)
				}
			}
		}
	}
	return nil
}

// recall asks the memory about the task.
func (g *gatherer) recall() error {
	if g.Memory == nil {
		return nil
	}
	found, err := g.Memory.Search(view.Query{
		Text: strings.Join(text.Words(g.task.words()), " "), Plain: true, Any: true, Limit: maxMemories,
		Names: g.names(), Filter: view.Filter{For: g.Project},
	})
	if err != nil {
		return err
	}
	for _, h := range found.Hits {
		if h.Score >= relevant*found.Hits[0].Score {
			g.hits = append(g.hits, h.Entry)
		}
	}
	return nil
}

// primary ranks the files that the task names, those that define what it names, and
// those that memories about it come from.
func (g *gatherer) primary() []candidate {
	found := map[string]*candidate{}
	add := func(p string, score float64, why string) {
		if _, err := g.read(p, 1); err != nil {
			return
		}
		c := found[p]
		if c == nil {
			c = &candidate{path: p, why: why}
			found[p] = c
		}
		c.score += score
	}
	for _, n := range g.paths() {
		add(n.path, 10*n.share, "named by the task")
	}
	if g.Tree != nil {
		for _, name := range g.names() {
			defs := g.Tree.Define(name)
			for _, d := range defs {
				// A name with many definitions says little about each.
				add(d.Path, 4/float64(len(defs)), "defines "+name)
			}
		}
	}
	for i, e := range g.hits {
		if p := e.Source.Path; p != "" && !path.IsAbs(p) {
			add(path.Clean(p), 2/float64(i+1), "source of "+e.ID)
		}
	}
	var out []candidate
	for _, c := range found {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path))
	})
	return out[:min(maxPrimary, len(out))]
}

// file adds a file: whole, by its outline, or by its name alone.
func (g *gatherer) file(p, section, why string, whole bool) {
	shown := codetree.Shown(p)
	head := fmt.Sprintf("### %s (%s)\n", shown, why)
	var f []string
	if body, err := g.read(p, maxFile); err == nil && whole {
		f = append(f, head+fence(body, strings.Trim(path.Ext(shown), `."`)))
	}
	if outline := g.outline(p); outline != "" {
		f = append(f, head+outline)
	}
	g.add(Item{Layer: Focus, Section: section, Title: p, Forms: append(f, head)})
}

func (g *gatherer) outline(p string) string {
	if g.Tree == nil {
		return ""
	}
	var b strings.Builder
	defs := g.Tree.Outline(p)
	for _, d := range defs[:min(maxOutline, len(defs))] {
		fmt.Fprintf(&b, "%d: %s\n", d.Line, d.Signature)
	}
	if more := len(defs) - maxOutline; more > 0 {
		fmt.Fprintf(&b, "… %d more\n", more)
	}
	if b.Len() == 0 {
		return ""
	}
	return fence(b.String(), "")
}

// fence puts a text between fences that it does not contain itself.
func fence(body, lang string) string {
	mark := "```"
	for strings.Contains(body, mark) {
		mark += "`"
	}
	return mark + lang + "\n" + strings.TrimRight(body, "\n") + "\n" + mark + "\n"
}

// memories are what is remembered about the task.
func (g *gatherer) memories() error {
	for i := range g.hits {
		g.tell(Focus, "What is remembered", &g.hits[i])
	}
	return nil
}

// index is the place of s in list, its length for none.
func index(list []string, s string) int {
	if i := slices.Index(list, s); i >= 0 {
		return i
	}
	return len(list)
}

// horizon is a line for each module.
func (g *gatherer) horizon() error {
	if g.Tree == nil {
		return nil
	}
	modules := g.Tree.Modules()
	// Where the task's files are is the most likely to be looked at.
	slices.SortStableFunc(modules, func(a, b Module) int {
		return cmp.Compare(index(g.near, a.Path), index(g.near, b.Path))
	})
	for _, m := range modules {
		line := "- " + codetree.Shown(m.Path+"/")
		if m.Doc != "" {
			line += " — " + text.Cut(m.Doc, 120)
		}
		line += " [expand: " + m.ID + "]"
		f := []string{line}
		if len(m.Public) > 0 {
			f = slices.Insert(f, 0, line+"\n  "+strings.Join(m.Public, "\n  "))
		}
		g.add(Item{Layer: Horizon, Title: m.Path + "/", Forms: f})
	}
	return nil
}
