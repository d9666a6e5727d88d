package hook

import (
	"errors"
	"slices"
	"strings"

	"helix/internal/kb/rawfile"
)

const (
	// maxSource is the size of the largest file that is looked into, maxLines how
	// much of it, maxSymbols how many names are taken.
	maxSource  = 1 << 20
	maxLines   = 2000
	maxSymbols = 40
	minSymbol  = 4
	maxSymbol  = 100 // bytes of a name
)

// readSource reads a regular file of at most maxSource bytes.
func readSource(path string) ([]byte, error) {
	st, err := rawfile.Stat(path) // before the open, which means something to a device
	if err != nil {
		return nil, err
	}
	if !rawfile.Regular(&st) || st.Size > maxSource {
		return nil, errors.New("not a file to look into: " + path)
	}
	return rawfile.ReadAll(path, maxSource)
}

// declared are the names that the declarations in a source text give, in their
// order. It looks for the words with which the common languages begin a
// declaration, line by line, and knows no language whole.
func declared(text string) []string {
	var d declarations
	for l := range strings.Lines(text) {
		if !d.line(l) {
			break
		}
	}
	return d.names
}

// declarations are gathered line by line.
type declarations struct {
	names []string
	lines int
}

// line takes in a line, which may change after it. False means that no more are wanted.
func (d *declarations) line(l string) bool {
	if d.lines++; d.lines > maxLines {
		return false
	}
	if name := declares(l); len(name) >= minSymbol && len(name) <= maxSymbol && !slices.Contains(d.names, name) && !ordinary(name) {
		d.names = append(d.names, strings.Clone(name))
	}
	return len(d.names) < maxSymbols
}

// declares is the name that a line declares.
func declares(l string) string {
	l = strings.TrimSpace(l)
	for range 6 { // as in: export default async function
		word, rest := firstWord(l)
		switch word {
		case "pub", "export", "default", "async", "public", "private", "protected", "internal", "static", "final", "abstract",
			"override", "unsafe", "extern", "open", "sealed", "data", "inline", "virtual", "partial", "declare", "readonly", "local":
			l = strings.TrimSpace(rest)
			if word == "pub" || word == "extern" { // pub(crate), extern "C"
				if end := strings.IndexAny(l, ")"); strings.HasPrefix(l, "(") && end > 0 {
					l = strings.TrimSpace(l[end+1:])
				} else if strings.HasPrefix(l, `"`) {
					_, l, _ = strings.Cut(l[1:], `"`)
					l = strings.TrimSpace(l)
				}
			}
			continue
		case "func", "fn", "def", "fun", "function", "type", "class", "struct", "enum", "trait", "interface", "protocol", "extension",
			"const", "module", "object", "record", "impl", "typealias", "union", "actor", "defmodule", "defp", "macro_rules":
			return declaredName(word, rest)
		}
		return ""
	}
	return ""
}

// declaredName is the name after the word that declares it, past the receiver of a
// Go method, a * of a generator, or a type parameter.
func declaredName(word, rest string) string {
	rest = strings.TrimLeft(rest, " \t*!")
	if word == "func" && strings.HasPrefix(rest, "(") {
		_, rest, _ = strings.Cut(rest, ")")
	}
	if (word == "impl" || word == "fun") && strings.HasPrefix(rest, "<") {
		_, rest, _ = strings.Cut(rest, ">")
	}
	name, after := firstWord(strings.TrimSpace(rest))
	switch {
	case word == "const" && (name == "fn" || name == "enum"):
		name, _ = firstWord(strings.TrimSpace(after))
	case word == "enum" && (name == "class" || name == "struct"):
		name, _ = firstWord(strings.TrimSpace(after))
	}
	return name
}

// firstWord splits off the letters, digits and underscores at the start of l.
func firstWord(l string) (word, rest string) {
	i := 0
	for i < len(l) && wordByte(l[i]) {
		i++
	}
	return l[:i], l[i:]
}

// wordByte counts bytes of other alphabets as letters.
func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// removed are the names that old has and new has not, those that old declares
// first. Of a whole file only what it declares counts: too many other words come
// and go.
func removed(old, new string, whole bool) []string {
	if len(old) < 8 {
		return nil
	}
	kept := map[string]bool{}
	for _, w := range identifiers(new) {
		kept[w] = true
	}
	names := declared(old)
	if !whole {
		names = append(names, identifiers(old)...)
	}
	var out []string
	for _, w := range names {
		if len(w) >= minSymbol && len(w) <= maxSymbol && !kept[w] && !ordinary(w) {
			kept[w] = true
			out = append(out, w)
		}
	}
	return out
}

// identifiers are the words of a text that can be names.
func identifiers(text string) []string {
	var out []string
	for _, w := range fields(text) {
		if w[0] < '0' || w[0] > '9' {
			out = append(out, w)
		}
	}
	return out
}

// ordinary tells words of languages and names that say nothing.
func ordinary(w string) bool {
	switch strings.ToLower(w) {
	case "main", "init", "test", "tests", "self", "this", "super", "true", "false", "null", "none", "return", "func", "function", "const",
		"class", "struct", "type", "enum", "trait", "interface", "import", "package", "from", "with", "while", "break", "continue",
		"switch", "case", "default", "else", "elif", "then", "string", "bool", "byte", "float", "double", "char", "void", "error",
		"errors", "throw", "throws", "catch", "finally", "async", "await", "yield", "public", "private", "protected", "static",
		"final", "range", "match", "where", "some", "result", "value", "values", "name", "data", "item", "items", "list", "args",
		"kwargs", "text", "path", "file", "print", "println", "assert", "pass", "undefined", "nullptr", "unsigned", "signed",
		"that", "have", "will", "what", "when", "which", "there", "they", "them", "than", "only", "also", "into", "each", "does",
		"object", "module", "number", "boolean", "setup", "close", "read", "write", "open", "next", "make", "append":
		return true
	}
	return false
}
