package contextpack

import (
	"path"
	"slices"
	"strings"
)

// named is a file that the task names, and the share of the name that is its own:
// of two files called main.go each has half.
type named struct {
	path  string
	share float64
}

// paths are the files of the project that the task names, in its order, by their path
// or the end of it.
func (g *gatherer) paths() []named {
	var out []named
	looks := 0
	add := func(p string, share float64) bool {
		if _, err := g.read(p, 1); err != nil {
			return false
		}
		if !slices.ContainsFunc(out, func(n named) bool { return n.path == p }) {
			out = append(out, named{p, share})
		}
		return true
	}
	for _, w := range strings.FieldsFunc(g.task.words(), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n`\"'()[]{}<>,;", r)
	}) {
		w = strings.TrimRight(w, ".:!?")
		if colon := strings.LastIndexByte(w, ':'); colon > 0 { // path:line
			w = w[:colon]
		}
		if !strings.ContainsAny(w, "./") || strings.Contains(w, "://") {
			continue
		}
		w = path.Clean(strings.TrimPrefix(w, "./"))
		if add(w, 1) || g.Tree == nil || path.IsAbs(w) || looks == maxNames {
			continue
		}
		looks++
		ending := g.Tree.Ending(w)
		if len(ending) > maxSame {
			continue
		}
		for _, p := range ending {
			add(p, 1/float64(len(ending)))
		}
	}
	return out
}

// names are the identifiers that the task names: words with capitals or underscores
// inside, words in backquotes, and what stands before parentheses.
func (g *gatherer) names() []string {
	var out []string
	s := g.task.words()
	for i := 0; i < len(s) && len(out) < maxNames; {
		if !nameByte(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && nameByte(s[end]) {
			end++
		}
		quoted := i > 0 && s[i-1] == '`' && end < len(s) && s[end] == '`'
		called := end < len(s) && s[end] == '('
		if name := s[i:end]; len(name) >= 3 && (quoted || called || compound(name)) && !slices.Contains(out, name) {
			out = append(out, name)
		}
		i = end
	}
	return out
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// compound reports whether a word is made like an identifier: fooBar, foo_bar,
// FooBar, but not Foo, FOO or 12.
func compound(w string) bool {
	w = strings.Trim(w, "_")
	for i := 1; i < len(w); i++ {
		lower := w[i-1] >= 'a' && w[i-1] <= 'z'
		capital := w[i] >= 'A' && w[i] <= 'Z'
		acronym := i > 1 && !lower && i+1 < len(w) && w[i+1] >= 'a' && w[i+1] <= 'z'
		if w[i] == '_' || capital && (lower || acronym) {
			return true
		}
	}
	return false
}
