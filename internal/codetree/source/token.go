package source

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"
)

type tokenKind byte

const (
	identToken tokenKind = iota
	numberToken
	stringToken // with its quotes; a regular expression too
	punctToken  // one byte, or one of the few of two that matter
	directive   // a whole preprocessor line, with its continuations
)

// token is one of a text: src[start:end], which begins on line.
type token struct {
	kind       tokenKind
	start, end int
	line       int
}

// comment is one, or several on lines that follow one another.
type comment struct{ start, end, line, endLine int }

// tokens is a text taken apart.
type tokens struct {
	src      []byte
	list     []token
	comments []comment
	// match is, for an opening bracket, the index of the one that closes it, or
	// len(list) where none does; for a closing one, the index of its opener or -1.
	match []int
}

// scan takes src apart. It accepts any bytes: a string without an end ends with
// its line, a comment without an end with the text.
func scan(src []byte, lang *syntax) *tokens {
	s := scanner{tokens: tokens{src: src, list: make([]token, 0, len(src)/4)}, lang: lang, line: 1}
	for s.pos < len(src) {
		s.next()
	}
	s.matchBrackets()
	return &s.tokens
}

type scanner struct {
	tokens
	lang *syntax
	pos  int
	line int
}

func (s *scanner) at(text string) bool {
	return text != "" && len(s.src)-s.pos >= len(text) && string(s.src[s.pos:s.pos+len(text)]) == text
}

func (s *scanner) next() {
	c := s.src[s.pos]
	switch {
	case c == '\n':
		s.line++
		s.pos++
	case c <= ' ':
		s.pos++
	case s.at(s.lang.lineComment):
		s.lineComment()
	case s.lang.blockComment && s.at("/*"):
		s.blockComment()
	case s.lang.preprocessor && c == '#':
		s.directive()
	case s.quoted():
	case isIdentStart(c) || strings.IndexByte(s.lang.identifier, c) >= 0:
		s.identifier()
	case c >= '0' && c <= '9':
		s.number()
	case s.lang.regex && c == '/' && s.regexAllowed() && s.regex():
	default:
		n := 1
		for _, two := range twoBytes {
			if s.at(two) {
				n = 2
			}
		}
		s.add(punctToken, s.pos+n)
	}
}

// twoBytes are the operators that recognisers must not take for their first byte.
var twoBytes = []string{"=>", "->", "::", "==", "<=", ">=", "!=", "&&", "||"}

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

// add makes a token that ends before end, and goes there.
func (s *scanner) add(kind tokenKind, end int) {
	end = min(end, len(s.src))
	s.list = append(s.list, token{kind, s.pos, end, s.line})
	s.line += bytes.Count(s.src[s.pos:end], []byte{'\n'})
	s.pos = end
}

func (s *scanner) identifier() {
	end := s.pos + 1
	for end < len(s.src) && (isIdentStart(s.src[end]) || s.src[end] >= '0' && s.src[end] <= '9' || s.src[end] == '$' && s.lang.identifier != "") {
		end++
	}
	s.add(identToken, end)
}

func (s *scanner) number() {
	end := s.pos + 1
	for end < len(s.src) && (isIdentStart(s.src[end]) || s.src[end] >= '0' && s.src[end] <= '9') {
		end++
	}
	s.add(numberToken, end)
}

func (s *scanner) comment(end int) {
	c := comment{start: s.pos, end: end, line: s.line}
	s.line += bytes.Count(s.src[s.pos:end], []byte{'\n'})
	c.endLine = s.line
	s.pos = end
	if n := len(s.comments) - 1; n >= 0 && s.comments[n].endLine+1 == c.line && !s.tokenOn(s.comments[n].line) {
		s.comments[n].end, s.comments[n].endLine = c.end, c.endLine
		return
	}
	s.comments = append(s.comments, c)
}

// tokenOn tells whether the last token stands on that line.
func (s *scanner) tokenOn(line int) bool {
	n := len(s.list)
	return n > 0 && s.list[n-1].line >= line
}

func (s *scanner) lineComment() {
	end := s.lineEnd(s.pos)
	s.comment(end)
}

func (s *scanner) lineEnd(from int) int {
	if n := bytes.IndexByte(s.src[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(s.src)
}

func (s *scanner) blockComment() {
	depth, i := 1, s.pos+2
	for i < len(s.src) {
		switch {
		case s.src[i] == '*' && i+1 < len(s.src) && s.src[i+1] == '/':
			i += 2
			if depth--; depth == 0 {
				s.comment(i)
				return
			}
			continue
		case s.lang.nested && s.src[i] == '/' && i+1 < len(s.src) && s.src[i+1] == '*':
			depth++
			i++
		}
		i++
	}
	s.comment(len(s.src))
}

// regexAllowed tells whether a slash here begins a regular expression: it does
// where no value stands before it.
func (s *scanner) regexAllowed() bool {
	if len(s.list) == 0 {
		return true
	}
	switch t := s.list[len(s.list)-1]; t.kind {
	case punctToken:
		return !strings.ContainsRune(")]}", rune(s.src[t.start]))
	case identToken:
		return regexWords[string(s.src[t.start:t.end])]
	}
	return false
}

var regexWords = map[string]bool{"return": true, "typeof": true, "case": true, "in": true, "of": true, "do": true, "else": true, "void": true, "delete": true, "throw": true, "new": true, "await": true, "yield": true}

func (s *scanner) regex() bool {
	end := s.regexEnd(s.pos)
	if end == 0 {
		return false
	}
	for end < len(s.src) && isIdentStart(s.src[end]) { // its flags
		end++
	}
	s.add(stringToken, end)
	return true
}

// longestRegex that is taken for one, in bytes.
const longestRegex = 4000

// regexEnd is behind the slash that ends the regular expression at i, 0 if none does
// on its line.
func (s *scanner) regexEnd(i int) int {
	class := false
	end := min(len(s.src), i+longestRegex)
	for i++; i < end; i++ {
		switch c := s.src[i]; {
		case c == '\n':
			return 0
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		}
	}
	return 0
}

// matchBrackets pairs the brackets. One that closes nothing is ignored; one inside
// that is never closed ends where its surroundings do.
func (s *scanner) matchBrackets() {
	s.match = make([]int, len(s.list))
	var open []int
	for i, t := range s.list {
		s.match[i] = -1
		if t.kind != punctToken || t.end-t.start != 1 {
			continue
		}
		switch c := s.src[t.start]; c {
		case '(', '[', '{':
			s.match[i] = len(s.list)
			open = append(open, i)
		case ')', ']', '}':
			want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
			for n := len(open) - 1; n >= 0 && n > len(open)-9; n-- {
				if s.src[s.list[open[n]].start] != want {
					continue
				}
				for _, unclosed := range open[n+1:] {
					s.match[unclosed] = i - 1
				}
				s.match[open[n]], s.match[i] = i, open[n]
				open = open[:n]
				break
			}
		}
	}
}

// text of token i, "" where there is none.
func (t *tokens) text(i int) string {
	if i < 0 || i >= len(t.list) {
		return ""
	}
	return string(t.src[t.list[i].start:t.list[i].end])
}

// is tells whether token i is that word or punctuation.
func (t *tokens) is(i int, text string) bool {
	if i < 0 || i >= len(t.list) || t.list[i].kind == stringToken {
		return false
	}
	return string(t.src[t.list[i].start:t.list[i].end]) == text
}

func (t *tokens) isIdent(i int) bool {
	return i >= 0 && i < len(t.list) && t.list[i].kind == identToken
}

func (t *tokens) isString(i int) bool {
	return i >= 0 && i < len(t.list) && t.list[i].kind == stringToken
}

// line of token i, the last line for one behind the end.
func (t *tokens) line(i int) int {
	if len(t.list) == 0 {
		return 1
	}
	return t.list[max(0, min(i, len(t.list)-1))].line
}

// close is the index of the bracket that closes the one at i.
func (t *tokens) close(i int) int {
	if i < 0 || i >= len(t.match) || t.match[i] < i {
		return i
	}
	return t.match[i]
}

// span is the source of the tokens from a up to b, without comments, as one line.
func (t *tokens) span(a, b int) string {
	var out strings.Builder
	b = min(b, len(t.list))
	for i := a; i < b && out.Len() <= maxSignature; i++ {
		if i > a && t.list[i].start > t.list[i-1].end {
			out.WriteByte(' ')
		}
		out.Write(t.src[t.list[i].start:t.list[i].end])
	}
	return oneLine(out.String())
}

// docBefore is the summary of the comment that ends right above that line.
func (t *tokens) docBefore(line int) string {
	i := sort.Search(len(t.comments), func(i int) bool { return t.comments[i].endLine >= line }) - 1
	if i < 0 || t.comments[i].endLine != line-1 {
		return ""
	}
	return summary(string(t.src[t.comments[i].start:t.comments[i].end]))
}

// docAtTop is the summary of a comment that stands before everything else,
// unless it only speaks of rights.
func (t *tokens) docAtTop() string {
	for _, c := range t.comments {
		if len(t.list) > 0 && c.start > t.list[0].start {
			break
		}
		text := summary(string(t.src[c.start:c.end]))
		low := strings.ToLower(text)
		if text == "" || strings.HasPrefix(text, "!") || strings.Contains(low, "copyright") || strings.Contains(low, "licen") || strings.Contains(low, "-*-") {
			continue
		}
		return text
	}
	return ""
}

// unquote takes the quotes off a string token.
func unquote(text string) string {
	text = strings.TrimLeft(text, "bBrRuUfFL#")
	text = strings.TrimRight(text, "#")
	for _, q := range []string{`"""`, "'''", `"`, "'", "`"} {
		if len(text) >= 2*len(q) && strings.HasPrefix(text, q) && strings.HasSuffix(text, q) {
			return text[len(q) : len(text)-len(q)]
		}
	}
	return text
}
