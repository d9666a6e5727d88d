package view

import (
	"path"
	"strconv"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
)

// compile makes the query that the index understands. False means that nothing can
// be found: a topic that does not exist is no reason to give everything.
func (v *View) compile(p *parsed, orMode bool) (index.Query, bool) {
	var q index.Query
	var ok bool
	if q.Filter, ok = v.filter(p.filters...); !ok {
		return q, false
	}
	for _, f := range p.exclude {
		for _, keys := range v.keySets(f) {
			q.Filter.Exclude = append(q.Filter.Exclude, keys...)
		}
	}
	for _, w := range p.not {
		q.Filter.Exclude = append(q.Filter.Exclude, index.WordKey(w))
	}
	required := map[string]bool{}
	for _, ph := range p.phrases {
		for _, w := range ph.Words() {
			required[w] = true
		}
	}
	words := make([]index.Word, 0, len(p.words)+len(p.names)+len(p.wholes))
	for _, w := range p.words {
		if !orMode || required[w] {
			words = append(words, index.Word{Text: w})
		}
	}
	q.Must = words[:len(words):len(words)]
	for _, w := range p.words {
		if orMode && !required[w] {
			words = append(words, index.Word{Text: w})
		}
	}
	for _, w := range p.names {
		words = append(words, index.Word{Text: w, Exact: true})
	}
	for _, w := range p.wholes {
		words = append(words, index.Word{Text: w})
	}
	q.Should = words[len(q.Must):]
	if len(words) == 1 || len(p.names) > 0 {
		q.Filter.Budget /= quickAlone
	}
	return q, true
}

// quickBudget is how many postings of a segment a quick question walks: some 50 µs.
const quickBudget = 1024

// quickAlone is by how much less a single word is worth, and one of several names that are
// as good as each other: among the many entries that have a frequent one, none stands out.
const quickAlone = 4

// filter makes one filter of the index of several that must all pass.
func (v *View) filter(fs ...Filter) (index.Filter, bool) {
	out := index.Filter{Now: v.opts.now()}
	for _, f := range fs {
		out.Hidden = out.Hidden || f.Hidden
		for _, l := range f.Except {
			if l.of == v.snap {
				out.Except = append(out.Except, l.ref)
			}
		}
		if f.Quick {
			out.Budget = quickBudget
		}
		out.For = both(out.For, f.For)
		if f.Project == NoProject {
			out.For = NoProject
		}
		if f.Kind != "" {
			if out.Kind != "" && string(out.Kind) != f.Kind {
				return out, false
			}
			out.Kind = entry.Kind(f.Kind)
		}
		if f.Since.After(out.Since) {
			out.Since = f.Since
		}
		if !f.Until.IsZero() && (out.Until.IsZero() || f.Until.Before(out.Until)) {
			out.Until = f.Until
		}
		for _, keys := range v.keySets(f) {
			if len(keys) == 0 {
				return out, false
			}
			out.Require = append(out.Require, keys)
		}
	}
	return out, true
}

// both is the scope of what holds for two projects.
func both(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "", a == b:
		return a
	}
	return NoProject
}

// keySets gives a set of keys for each of the topic, tag, source and project of f.
// Some may be of no document.
func (v *View) keySets(f Filter) (sets [][]string) {
	if f.Topic != "" {
		sets = append(sets, v.topicKeys(f.Topic))
	}
	if f.Tag != "" {
		sets = append(sets, []string{index.TagKey(strings.TrimPrefix(f.Tag, "#"))})
	}
	if f.Source != "" {
		sets = append(sets, v.sourceKeys(f.Source))
	}
	if f.Project != "" && f.Project != NoProject {
		sets = append(sets, v.projectKeys(f.Project))
	}
	return sets
}

func (v *View) topicKeys(topic string) (keys []string) {
	if !strings.HasSuffix(topic, "/") && !strings.Contains(topic, "*") {
		return []string{index.TopicKey(topic)}
	}
	fixed, _, _ := strings.Cut(topic, "*")
	for _, key := range v.snap.Keys(index.TopicKey(fixed)) {
		if name := strings.TrimPrefix(key, index.TopicKey("")); matchTopic(topic, name) {
			keys = append(keys, key)
		}
	}
	return keys
}

// matchTopic reports whether a topic fits a pattern in which * stands for anything,
// or is below a topic that ends with a slash.
func matchTopic(pattern, name string) bool {
	if strings.HasSuffix(pattern, "/") {
		pattern += "*"
	}
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(name, part)
		}
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return name == ""
}

// projectKeys gives the project with that path, or those whose paths end so.
func (v *View) projectKeys(p string) []string {
	key := index.ProjectKey(p)
	if path.IsAbs(p) {
		return []string{key}
	}
	return v.snap.Keys(key)
}

// sourceKeys gives the sources that may mean the same file as p: of two paths, one
// is the end of the other.
func (v *View) sourceKeys(p string) (keys []string) {
	if colon := strings.LastIndexByte(p, ':'); colon > 0 {
		if _, err := strconv.Atoi(p[colon+1:]); err == nil {
			p = p[:colon]
		}
	}
	absolute := path.IsAbs(p) // then no source is longer
	if p = strings.Trim(path.Clean(p), "/"); p == "" {
		return nil
	}
	// A key has the elements in reverse: that of an end of p is a beginning of p's own.
	whole := index.SourceKey(p)
	for i := 0; i < len(whole); i++ {
		switch {
		case whole[i] != '/':
		case i == len(whole)-1 && !absolute:
			keys = append(keys, v.snap.Keys(whole)...) // p itself, and what ends with it
		default:
			keys = append(keys, whole[:i+1])
		}
	}
	return keys
}
