package hook

import (
	"path/filepath"
	"slices"
	"strings"

	"helix/internal/kb/view"
)

// layer is one reason for which entries are shown.
type layer struct {
	heading string
	leads   []view.Lead
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
	text, err := twice(func() (string, error) {
		a := &about{mem: m, read: make([]followed, 0, 16), target: t, stem: stemWords(t.path, stem), cacheDir: q.env.CacheDir, scope: q.scope(t.abs)}
		return a.answer(name)
	})
	return reply{context: text}, err
}

// answer gathers the layers for a file of that name, and writes them.
func (a *about) answer(name string) (string, error) {
	for _, add := range []func() error{
		func() error { return a.sourceLinked(name) },
		a.refactored,
		a.symbols,
		a.related,
		a.coupled,
	} {
		if err := add(); err != nil {
			return "", err
		}
	}
	return a.pack()
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
	cacheDir func() string
	scope    string // project of the file: what belongs to another is not about it

	layers []layer
	seen   []view.Lead // what is in a layer
	own    []view.Lead // of the file
	read   []followed
}

// take adds a layer of those leads that are in none yet, up to n.
func (a *about) take(heading string, leads []view.Lead, n int) {
	from := len(a.seen)
	for _, l := range leads {
		if len(a.seen)-from == n {
			break
		}
		if !slices.Contains(a.seen, l) {
			a.seen = append(a.seen, l)
		}
	}
	if added := a.seen[from:]; len(added) > 0 {
		a.layers = append(a.layers, layer{heading, added})
	}
}

// sourceLinked are the newest entries that name the file as their source. A source
// may be relative to the project, and so may the path of the tool: one must be the
// end of the other.
func (a *about) sourceLinked(name string) error {
	const show, look = 8, 16
	paths := []string{a.target.abs, a.target.path}
	for i, path := range paths {
		if path == "" || len(a.own) > 0 || i > 0 && path == paths[0] {
			continue
		}
		found, err := a.mem.NewestLeads(look, view.Filter{Source: path, For: a.scope, Quick: true})
		if err != nil {
			return err
		}
		if a.own, err = a.ofTarget(found); err != nil {
			return err
		}
	}
	a.take("source-linked ("+oneLine(name, 80)+"):", a.own, show)
	return nil
}

// ofTarget leaves out entries of another file: the index does not tell the source
// /app/a.go, as from a container, from app/a.go, which is this file's. Those of one
// memory name their files alike, so the newest speaks for all.
func (a *about) ofTarget(leads []view.Lead) ([]view.Lead, error) {
	fits := func(e *known) bool { return a.target.is(e.source) }
	if first, err := a.which(leads, 1, fits); err != nil || len(first) > 0 && first[0] == leads[0] {
		return leads, err
	}
	return a.which(leads, len(leads), fits)
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
	var hits []view.Lead
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
func (a *about) named(names []string, n int) ([]view.Lead, error) {
	if len(names) == 0 {
		return nil, nil
	}
	found, _, err := a.mem.Leads(view.Query{Names: names, Limit: n, Filter: a.others()})
	if err != nil {
		return nil, err
	}
	// The index does not know capitals.
	return a.which(found, n, func(e *known) bool { return mentionsAny(e, names) })
}

// others are entries that are in no layer yet.
func (a *about) others() view.Filter { return view.Filter{For: a.scope, Except: a.seen, Quick: true} }

// related are the entries that a search for the file's name ranks first. What comes
// from another file of the same name is about that one.
func (a *about) related() error {
	const show = 3
	if len(a.stem) < 3 { // such as db: in too many texts
		return nil
	}
	found, fallback, err := a.mem.Leads(view.Query{Text: a.stem, Plain: true, Limit: 2 * show, Filter: a.others()})
	if err != nil || fallback {
		return err
	}
	hits, err := a.which(found, show, func(e *known) bool { return filepath.Base(e.source) != filepath.Base(a.target.path) })
	if err != nil {
		return err
	}
	a.take("related ("+oneLine(a.stem, 60)+"):", hits, show)
	return nil
}

// coupled are entries of topics that share the file: what is true of one of them
// tends to be of use with the other.
func (a *about) coupled() error {
	const show, most, each = 3, 2, 2
	topics, err := a.topics(most)
	if err != nil {
		return err
	}
	var near []view.Lead
	var names []string
	for _, topic := range topics {
		if len(near) == show {
			break
		}
		f := a.others()
		f.Topic = topic
		found, err := a.mem.NewestLeads(each, f)
		if err != nil {
			return err
		}
		// A name with a * is a pattern to the filter.
		found, err = a.which(found, show-len(near), func(e *known) bool { return e.topic == topic })
		if err != nil {
			return err
		}
		near = append(near, found...)
		names = append(names, oneLine(topic, topicBytes))
	}
	a.take("structural coupling (topics of this file: "+strings.Join(names, ", ")+"):", near, show)
	return nil
}

// topics are up to n that the newest entries of the file have, the newest first. These
// entries are shown themselves.
func (a *about) topics(n int) (topics []string, err error) {
	const look = 3
	for _, l := range a.own[:min(look, len(a.own))] {
		e, err := a.entry(l)
		if err != nil {
			return nil, err
		}
		if e != nil && len(topics) < n && !slices.Contains(topics, e.topic) {
			topics = append(topics, e.topic)
		}
	}
	return topics, nil
}

// mentionsAny tells whether e has one of the names as a whole word.
func mentionsAny(e *known, names []string) bool {
	for _, name := range names {
		if hasWord(e.text, name) || hasWord(e.topic, name) {
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
