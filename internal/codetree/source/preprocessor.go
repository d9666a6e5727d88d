package source

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// directive is a line that begins with #. What stands in the second and further
// branches of an #if is left out, so that brackets stay in balance; so is #if 0.
func (s *scanner) directive() {
	start := s.pos
	end := s.directiveEnd(start)
	s.add(directive, end)
	switch directiveWord(s.src[start:end]) {
	case "else", "elif":
		s.skipBranch(false)
	case "if":
		if strings.Join(strings.Fields(string(s.src[start+1:end])), " ") == "if 0" {
			s.skipBranch(true)
		}
	}
}

func (s *scanner) directiveEnd(from int) int {
	for {
		end := s.lineEnd(from)
		if end >= len(s.src) || end == 0 || s.src[end-1] != '\\' && (end < 2 || s.src[end-1] != '\r' || s.src[end-2] != '\\') {
			return end
		}
		from = end + 1
	}
}

// directiveWord is the word after #.
func directiveWord(text []byte) string {
	words := bytes.FieldsFunc(text[1:min(len(text), 40)], func(r rune) bool { return !isIdentStart(byte(r)) || r >= utf8.RuneSelf })
	if len(words) == 0 {
		return ""
	}
	return string(words[0])
}

// skipBranch goes to the #endif of the branch that has begun, or to its #else.
func (s *scanner) skipBranch(stopAtElse bool) {
	depth := 0
	for s.pos < len(s.src) {
		end := s.lineEnd(s.pos)
		text := bytes.TrimSpace(s.src[s.pos:end])
		if len(text) > 0 && text[0] == '#' {
			switch word := directiveWord(text); {
			case strings.HasPrefix(word, "if"):
				depth++
			case word == "endif" && depth > 0:
				depth--
			case word == "endif" || depth == 0 && stopAtElse && (word == "else" || word == "elif"):
				s.pos = end
				return
			}
		}
		s.line += min(1, len(s.src)-end)
		s.pos = min(end+1, len(s.src))
	}
}
