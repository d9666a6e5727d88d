package hook

import (
	"path/filepath"
	"strconv"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// layer is one reason for which entries are shown.
type layer struct {
	heading string
	entries []*entry.Entry
}

// ambient tells what is known about the file that a tool is about to touch. An
// entry is shown once, in the first layer that has it: those come first that say
// most about why it is shown.
func ambient(q *request) (reply, error) {
	t := q.target()
	name := filepath.Base(t.path)
	stem, _, _ := strings.Cut(strings.TrimPrefix(name, "."), ".")
	if t.path == "" || stem == "" {
		return reply{}, nil
	}
	m, err := q.memory()
	if err != nil || m.Empty() {
		return reply{}, err
	}
	a := &about{mem: m, target: t, stem: stemWords(t.path, stem), seen: map[string]bool{}, topics: map[string]int{}, cacheDir: q.env.CacheDir, scope: q.scope(t.abs)}
	for _, add := range []func() error{
		func() error { return a.sourceLinked(name) },
		a.refactored,
		a.symbols,
		a.related,
		a.coupled,
	} {
		if err := add(); err != nil {
			return reply{}, err
		}
	}
	return reply{context: pack(a.layers, a.untold(), maxAmbient)}, nil
}

// stemWords is what a file is about by its name. A name that many files have says
// nothing without its folder's.
func stemWords(path, stem string) string {
	switch strings.ToLower(stem) {
	case "main", "index", "mod", "lib", "init", "__init__", "test", "tests", "util", "utils", "types", "readme", "doc", "config", "setup":
		if dir := filepath.Base(filepath.Dir(path)); len(dir) >= 3 {
			stem = dir + " " + stem
		}
	}
	return strings.Join(fields(stem), " ")
}

// fields are the runs of letters, digits and underscores of text.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !wordByte(byte(r)) })
}

// about gathers what is known about a target, layer by layer.
type about struct {
	mem      Memory
	target   target
	stem     string
	cacheDir string
	scope    string // project of the file: what belongs to another is not about it

	layers []layer
	seen   map[string]bool // ids of what is in a layer
	own    []*entry.Entry  // of the file
	topics map[string]int  // that have entries of the file, and how many
	order  []string        // of topics, that with the newest entry first
}

// take adds a layer of those entries that are in none yet, up to n.
func (a *about) take(heading string, entries []*entry.Entry, n int) {
	l := layer{heading, make([]*entry.Entry, 0, min(n, len(entries)))}
	for _, e := range entries {
		if len(l.entries) == n {
			break
		}
		if !a.seen[e.ID] {
			a.seen[e.ID] = true
			l.entries = append(l.entries, e)
		}
	}
	if len(l.entries) > 0 {
		a.layers = append(a.layers, l)
	}
}

// sourceLinked are the newest entries that name the file as their source. A source
// may be relative to the project, and so may the path of the tool: one must be the
// end of the other.
func (a *about) sourceLinked(name string) error {
	const show, look = 8, 16
	a.own = make([]*entry.Entry, 0, look)
	paths := []string{a.target.abs, a.target.path}
	for i, path := range paths {
		if path == "" || len(a.own) > 0 || i > 0 && path == paths[0] {
			continue
		}
		all, err := a.mem.Newest(look, view.Filter{Source: path, For: a.scope, Quick: true})
		if err != nil {
			return err
		}
		for i := range all {
			if a.target.is(all[i].Source.Path) {
				a.own = append(a.own, &all[i])
			}
		}
	}
	for _, e := range a.own {
		if a.topics[e.Topic]++; a.topics[e.Topic] == 1 {
			a.order = append(a.order, e.Topic)
		}
	}
	a.take("source-linked ("+oneLine(name, 80)+"):", a.own, show)
	return nil
}

// untold counts the entries of the file that are in no layer.
func (a *about) untold() int {
	n := 0
	for _, e := range a.own {
		if !a.seen[e.ID] {
			n++
		}
	}
	return n
}

// is tells whether a source names the target.
func (t target) is(source string) bool {
	source = filepath.Clean(source)
	for _, path := range []string{t.abs, filepath.Clean(t.path)} {
		if path != "" && (strings.HasSuffix("/"+path, "/"+strings.TrimPrefix(source, "/")) && (!filepath.IsAbs(source) || source == path) ||
			!filepath.IsAbs(path) && strings.HasSuffix("/"+source, "/"+path)) {
			return true
		}
	}
	return false
}

// refactored are entries that mention what the edit takes away.
func (a *about) refactored() error {
	const most, show = 3, 3
	if len(a.target.old) < 8 {
		return nil
	}
	names := removed(a.target.old, a.target.new, a.target.whole)
	names = names[:min(most, len(names))]
	var hits []*entry.Entry
	for _, name := range names {
		found, err := a.named([]string{name}, show)
		if err != nil {
			return err
		}
		hits = append(hits, found...)
	}
	heading := "REFACTOR IMPACT (symbols modified: " + oneLine(strings.Join(names, ", "), 160) + "):"
	a.take(heading, hits, most*show)
	return nil
}

// symbols are entries that mention what the file declares or the edit takes away.
func (a *about) symbols() error {
	const show, most, enough = 5, 15, 5
	if len(a.seen) >= enough {
		return nil
	}
	var names []string
	if a.target.abs != "" {
		names = fileSymbols(a.target.abs, a.cacheDir)
	}
	for _, s := range removed(a.target.old, a.target.new, a.target.whole) {
		if len(names) < most {
			names = append(names, s)
		}
	}
	hits, err := a.named(names[:min(most, len(names))], show)
	if err != nil {
		return err
	}
	a.take("symbol context:", hits, show)
	return nil
}

// named are up to n entries, in no layer yet, that mention one of the names.
func (a *about) named(names []string, n int) ([]*entry.Entry, error) {
	if len(names) == 0 {
		return nil, nil
	}
	found, err := a.mem.Search(view.Query{Names: names, Limit: n, Filter: view.Filter{For: a.scope, Except: a.seen, Quick: true}})
	if err != nil {
		return nil, err
	}
	hits := make([]*entry.Entry, 0, len(found.Hits))
	for i := range found.Hits {
		// The index does not know capitals.
		if e := &found.Hits[i].Entry; mentionsAny(e, names) {
			hits = append(hits, e)
		}
	}
	return hits, nil
}

// related are the entries that a search for the file's name ranks first. What comes
// from another file of the same name is about that one.
func (a *about) related() error {
	const show = 3
	if len(a.stem) < 3 { // such as db: in too many texts
		return nil
	}
	found, err := a.mem.Search(view.Query{Text: a.stem, Plain: true, Limit: 2 * show, Filter: view.Filter{For: a.scope, Except: a.seen, Quick: true}})
	if err != nil || found.Fallback {
		return err
	}
	hits := make([]*entry.Entry, 0, len(found.Hits))
	for i := range found.Hits {
		if e := &found.Hits[i].Entry; filepath.Base(e.Source.Path) != filepath.Base(a.target.path) {
			hits = append(hits, e)
		}
	}
	a.take("related ("+oneLine(a.stem, 60)+"):", hits, show)
	return nil
}

// coupled are entries of topics that share the file: what is true of one of them
// tends to be of use with the other.
func (a *about) coupled() error {
	const show, most, each = 3, 2, 2
	topics := a.order[:min(most, len(a.order))]
	var near []*entry.Entry
	var names []string
	for _, topic := range topics {
		if len(near) == show {
			break
		}
		found, err := a.mem.Newest(each, view.Filter{Topic: topic, For: a.scope, Except: a.seen, Quick: true})
		if err != nil {
			return err
		}
		for i := range found {
			e := &found[i]
			if e.Topic == topic && len(near) < show { // a name with a * is a pattern to the filter
				near = append(near, e)
			}
		}
		names = append(names, oneLine(topic, topicBytes))
	}
	a.take("structural coupling (topics of this file: "+strings.Join(names, ", ")+"):", near, show)
	return nil
}

// mentionsAny tells whether e has one of the names as a whole word.
func mentionsAny(e *entry.Entry, names []string) bool {
	for _, name := range names {
		if hasWord(e.Text, name) || hasWord(e.Topic, name) {
			return true
		}
	}
	return false
}

func hasWord(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = end
	}
}

// pack writes the layers within a budget of bytes, and counts what is left out,
// more of which is in no layer. Each gets its first line before any gets its
// second, so that a long layer does not push out the others.
func pack(layers []layer, more, budget int) string {
	const rest = 64 // for the line that counts what is left out
	type shown struct{ layer, from, to int }
	size, total, full := 0, 0, false
	for _, l := range layers {
		total += len(l.entries)
	}
	lines, text := make([]shown, 0, total), make([]byte, 0, budget+2*lineBytes)
	for round := 0; !full && len(lines) < total; round++ {
		for i, l := range layers {
			if round >= len(l.entries) {
				continue
			}
			from := len(text)
			text = appendLine(text, l.entries[round])
			need := len("  \n") + len(text) - from
			if round == 0 {
				need += len(l.heading) + 1
			}
			if full = size+need > budget-rest; full {
				break
			}
			size += need
			lines = append(lines, shown{i, from, len(text)})
		}
	}
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(budget)
	b.WriteString("helix memory:")
	for i, l := range layers {
		first := true
		for _, s := range lines {
			if s.layer != i {
				continue
			}
			if first {
				b.WriteByte('\n')
				b.WriteString(l.heading)
				first = false
			}
			b.WriteString("\n  ")
			b.Write(text[s.from:s.to])
		}
	}
	if left := total - len(lines) + more; left > 0 {
		b.WriteString("\n(" + strconv.Itoa(left) + " more: mcp__helix__search)")
	}
	return b.String()
}
