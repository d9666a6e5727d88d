package hook

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// value is the JSON text of a value within an event that parse has checked; ""
// where there is none. encoding/json and what is built on it would be a tenth of
// the program, which has to be brought into memory at each start.
type value string

// maxDepth bounds the nesting of an event, which is followed by recursion.
const maxDepth = 200

// parse checks that text is one JSON value.
func parse(text string) (value, bool) {
	start := skipSpace(text, 0)
	end := skipValue(text, start, maxDepth)
	if end < 0 || skipSpace(text, end) != len(text) {
		return "", false
	}
	return value(text[start:end]), true
}

// get is the value at a path of names with dots between them. Of equal names the
// first one counts.
func (v value) get(path string) value {
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, ".")
		next := value("")
		for key, member := range v.members() {
			if key.string() == name {
				next = member
				break
			}
		}
		v = next
	}
	return v
}

// members gives the names and values of an object.
func (v value) members() func(yield func(name, member value) bool) {
	return func(yield func(name, member value) bool) {
		if !v.isObject() {
			return
		}
		s := string(v)
		for i := skipSpace(s, 1); s[i] != '}'; {
			nameEnd := skipString(s, i)
			from := skipSpace(s, skipSpace(s, nameEnd)+1)
			to := skipValue(s, from, maxDepth)
			if !yield(v[i:nameEnd], v[from:to]) {
				return
			}
			i = skipComma(s, to)
		}
	}
}

// list gives the values of an array. Anything else is a list of itself, null and
// nothing are empty ones.
func (v value) list() []value {
	if v == "" || v == "null" {
		return nil
	}
	if v[0] != '[' {
		return []value{v}
	}
	var out []value
	s := string(v)
	for i := skipSpace(s, 1); s[i] != ']'; {
		to := skipValue(s, i, maxDepth)
		out = append(out, v[i:to])
		i = skipComma(s, to)
	}
	return out
}

func (v value) isObject() bool { return v != "" && v[0] == '{' }
func (v value) isString() bool { return v != "" && v[0] == '"' }

// string is the text of a string, "" for anything else.
func (v value) string() string {
	if !v.isString() {
		return ""
	}
	s := string(v[1 : len(v)-1])
	escape := strings.IndexByte(s, '\\')
	if escape < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; escape >= 0; escape = strings.IndexByte(s, '\\') {
		b.WriteString(s[:escape])
		r, n := unescape(s[escape:])
		b.WriteRune(r)
		s = s[escape+n:]
	}
	b.WriteString(s)
	return b.String()
}

// unescape reads the escape sequence that s begins with, and says how many bytes it
// has. Half a surrogate pair is U+FFFD.
func unescape(s string) (rune, int) {
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(s[2:6])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(s[8:12])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return rune(s[1]), 2
}

func hex4(s string) rune {
	n, _ := strconv.ParseUint(s, 16, 16)
	return rune(n)
}

// The functions below give the place behind what they skip, -1 where text is not
// JSON. Behind its end text[i] is not looked at.

func skipSpace(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// skipComma goes on to the next member or element, or the end of them.
func skipComma(text string, i int) int {
	if i = skipSpace(text, i); i < len(text) && text[i] == ',' {
		i = skipSpace(text, i+1)
	}
	return i
}

func skipValue(text string, i, depth int) int {
	if i >= len(text) {
		return -1
	}
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{':
		return skipGroup(text, i, '}', depth)
	case '[':
		return skipGroup(text, i, ']', depth)
	case 't':
		return skipWord(text, i, "true")
	case 'f':
		return skipWord(text, i, "false")
	case 'n':
		return skipWord(text, i, "null")
	}
	return skipNumber(text, i)
}

// skipGroup skips an object or an array.
func skipGroup(text string, i int, end byte, depth int) int {
	if depth == 0 {
		return -1
	}
	i = skipSpace(text, i+1)
	if i < len(text) && text[i] == end {
		return i + 1
	}
	for {
		if end == '}' {
			if i >= len(text) || text[i] != '"' {
				return -1
			}
			if i = skipString(text, i); i < 0 {
				return -1
			}
			if i = skipSpace(text, i); i >= len(text) || text[i] != ':' {
				return -1
			}
			i = skipSpace(text, i+1)
		}
		if i = skipValue(text, i, depth-1); i < 0 {
			return -1
		}
		if i = skipSpace(text, i); i >= len(text) {
			return -1
		}
		switch text[i] {
		case end:
			return i + 1
		case ',':
			i = skipSpace(text, i+1)
		default:
			return -1
		}
	}
}

func skipString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i++; i >= len(text) || strings.IndexByte(`"\/bfnrtu`, text[i]) < 0 {
				return -1
			}
			if text[i] == 'u' {
				if len(text)-i < 5 || strings.Trim(text[i+1:i+5], "0123456789abcdefABCDEF") != "" {
					return -1
				}
				i += 4
			}
		}
	}
	return -1
}

func skipWord(text string, i int, word string) int {
	if !strings.HasPrefix(text[i:], word) {
		return -1
	}
	return i + len(word)
}

func skipNumber(text string, i int) int {
	if text[i] == '-' {
		i++
	}
	switch start := i; {
	case i < len(text) && text[i] == '0':
		i++
	default:
		if i = skipDigits(text, i); i == start {
			return -1
		}
	}
	if i < len(text) && text[i] == '.' {
		start := i + 1
		if i = skipDigits(text, start); i == start {
			return -1
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		start := i
		if i = skipDigits(text, i); i == start {
			return -1
		}
	}
	return i
}

func skipDigits(text string, i int) int {
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i
}
