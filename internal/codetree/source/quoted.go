package source

import (
	"bytes"
	"strings"
)

// quoted takes a string that begins here, with the letters before its quote.
func (s *scanner) quoted() bool {
	c := s.src[s.pos]
	switch {
	case s.lang.lifetimes && (c == 'r' || c == 'b' || c == 'c') && s.rustRaw():
		return true
	case s.lang.lifetimes && c == '\'':
		s.character()
		return true
	case s.lang.rawString && s.rawString():
		return true
	case s.lang.template && c == '`':
		s.add(stringToken, s.templateEnd(s.pos, 0))
		return true
	}
	quote := s.pos
	if s.lang.triple && s.lang.lineComment == "#" { // Python: rb"", f''
		for quote < len(s.src) && quote < s.pos+2 && strings.IndexByte("rRbBfFuUtT", s.src[quote]) >= 0 {
			quote++
		}
	}
	if quote >= len(s.src) || strings.IndexByte(s.lang.quotes, s.src[quote]) < 0 {
		return false
	}
	q := s.src[quote]
	if s.lang.triple && quote+2 < len(s.src) && s.src[quote+1] == q && s.src[quote+2] == q {
		s.add(stringToken, s.longEnd(quote+3, q))
		return true
	}
	s.add(stringToken, s.stringEnd(quote+1, q))
	return true
}

// stringEnd is where a string with that quote ends: with its line, where it may
// not go over one.
func (s *scanner) stringEnd(i int, q byte) int {
	for ; i < len(s.src); i++ {
		switch s.src[i] {
		case '\\':
			i++
		case q:
			return i + 1
		case '\n':
			if !s.lang.multiline {
				return i
			}
		}
	}
	return len(s.src)
}

func (s *scanner) longEnd(i int, q byte) int {
	for ; i < len(s.src); i++ {
		if s.src[i] == '\\' {
			i++
		} else if s.src[i] == q && i+2 < len(s.src) && s.src[i+1] == q && s.src[i+2] == q {
			return i + 3
		}
	}
	return len(s.src)
}

// rustRaw takes r"…", r#"…"#, br"…", and b"…".
func (s *scanner) rustRaw() bool {
	i := s.pos
	for i < len(s.src) && i < s.pos+2 && strings.IndexByte("rbc", s.src[i]) >= 0 {
		i++
	}
	hashes := 0
	for i+hashes < len(s.src) && s.src[i+hashes] == '#' {
		hashes++
	}
	if i+hashes >= len(s.src) || s.src[i+hashes] != '"' {
		return false
	}
	if s.src[i-1] != 'r' {
		if hashes > 0 {
			return false
		}
		s.add(stringToken, s.stringEnd(i+1, '"'))
		return true
	}
	closing := append([]byte{'"'}, bytes.Repeat([]byte{'#'}, hashes)...)
	body := i + hashes + 1
	if n := bytes.Index(s.src[body:], closing); n >= 0 {
		s.add(stringToken, body+n+len(closing))
	} else {
		s.add(stringToken, len(s.src))
	}
	return true
}

// character takes a Rust character, or a lifetime, which is a quote and a name.
func (s *scanner) character() {
	rest := s.src[s.pos+1:]
	switch {
	case len(rest) > 0 && rest[0] == '\\':
		s.add(stringToken, s.stringEnd(s.pos+1, '\''))
	case len(rest) > 1 && rest[1] == '\'':
		s.add(stringToken, s.pos+3)
	default:
		// A character of several bytes closes within four; a lifetime never does.
		if n := bytes.IndexByte(rest[:min(len(rest), 5)], '\''); n > 1 && rest[0] >= 0x80 {
			s.add(stringToken, s.pos+n+2)
			return
		}
		s.add(punctToken, s.pos+1)
	}
}

// rawString takes R"x(…)x" of C++, with its encoding prefix.
func (s *scanner) rawString() bool {
	i := s.pos
	for i < len(s.src) && i < s.pos+2 && strings.IndexByte("uUL8", s.src[i]) >= 0 {
		i++
	}
	if i+1 >= len(s.src) || s.src[i] != 'R' || s.src[i+1] != '"' {
		return false
	}
	open := bytes.IndexByte(s.src[i+2:min(len(s.src), i+2+17)], '(')
	if open < 0 {
		return false
	}
	closing := ")" + string(s.src[i+2:i+2+open]) + `"`
	body := i + 2 + open + 1
	if n := bytes.Index(s.src[body:], []byte(closing)); n >= 0 {
		s.add(stringToken, body+n+len(closing))
	} else {
		s.add(stringToken, len(s.src))
	}
	return true
}

// maxTemplates bounds how deep templates within templates are followed.
const maxTemplates = 32

// templateEnd is where the template that begins at i ends. Its ${…} may hold
// strings and templates of their own.
func (s *scanner) templateEnd(i, depth int) int {
	for i++; i < len(s.src); i++ {
		switch {
		case s.src[i] == '\\':
			i++
		case s.src[i] == '`':
			return i + 1
		case s.src[i] == '$' && i+1 < len(s.src) && s.src[i+1] == '{' && depth < maxTemplates:
			i = s.substitutionEnd(i+2, depth) - 1
		}
	}
	return len(s.src)
}

// substitutionEnd is behind the brace that closes what begins at i.
func (s *scanner) substitutionEnd(i, depth int) int {
	for braces := 1; i < len(s.src); i++ {
		switch c := s.src[i]; c {
		case '{':
			braces++
		case '}':
			if braces--; braces == 0 {
				return i + 1
			}
		case '"', '\'':
			i = s.stringEnd(i+1, c) - 1
		case '`':
			i = s.templateEnd(i, depth+1) - 1
		case '/':
			if before := bytes.TrimRight(s.src[:i], " \t"); strings.IndexByte("(,=:[!&|?{;", before[len(before)-1]) >= 0 {
				if end := s.regexEnd(i); end > 0 {
					i = end - 1
				}
			}
		}
	}
	return len(s.src)
}
