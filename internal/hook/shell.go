package hook

import "strings"

// commands takes a shell command apart into the simple commands that it consists
// of, as lists of words without their quotes. It knows as much of the shell as is
// needed to tell a command from its arguments, not more: what stands in $( ) is a
// command too, the body of a here-document is not.
func commands(text string) [][]string {
	s := splitter{text: text[:min(len(text), 64<<10)]}
	s.run()
	return s.out
}

type splitter struct {
	text string
	out  [][]string

	words []string
	word  strings.Builder
	open  bool     // a word has begun, even if it is empty
	here  []string // ends of here-documents that begin with the next line
}

func (s *splitter) run() {
	for i := 0; i < len(s.text); i++ {
		c := s.text[i]
		switch {
		case c == '\\' && i+1 < len(s.text):
			if i++; s.text[i] != '\n' {
				s.add(s.text[i])
			}
		case c == '\'' || c == '"':
			i = s.quoted(i)
		case c == '#' && !s.open:
			i += len(untilLine(s.text[i:])) - 1
		case strings.HasPrefix(s.text[i:], "<<<"):
			s.endWord()
			i += 2 // the word after it is no argument, but looks like one: no matter
		case strings.HasPrefix(s.text[i:], "<<"):
			i = s.heredoc(i)
		case c == '\n':
			s.endCommand()
			i = s.skipHeredocs(i)
		case strings.HasPrefix(s.text[i:], ">&") || strings.HasPrefix(s.text[i:], "&>"):
			s.add(c)
			i++
			s.add(s.text[i])
		case strings.IndexByte(";|&()`{}", c) >= 0 && (c != '{' && c != '}' || !s.open):
			s.endCommand()
		case c == '$' && i+1 < len(s.text) && s.text[i+1] == '(':
			s.endCommand()
			i++
		case c == ' ' || c == '\t' || c == '\r':
			s.endWord()
		default:
			s.add(c)
		}
	}
	s.endCommand()
}

func (s *splitter) add(c byte) {
	s.open = true
	s.word.WriteByte(c)
}

func (s *splitter) endWord() {
	if s.open {
		s.words = append(s.words, s.word.String())
		s.word.Reset()
		s.open = false
	}
}

func (s *splitter) endCommand() {
	s.endWord()
	if len(s.words) > 0 {
		s.out = append(s.out, s.words)
		s.words = nil
	}
}

// quoted adds what stands in quotes from i on, and gives the place of their end.
func (s *splitter) quoted(i int) int {
	end := s.text[i]
	s.open = true
	for i++; i < len(s.text) && s.text[i] != end; i++ {
		if end == '"' && s.text[i] == '\\' && i+1 < len(s.text) {
			i++
		}
		s.add(s.text[i])
	}
	return i
}

// heredoc notes the end mark of a here-document, and gives the place of the
// mark's last byte.
func (s *splitter) heredoc(i int) int {
	s.endWord()
	for i += 2; i < len(s.text) && strings.IndexByte("- \t", s.text[i]) >= 0; i++ {
	}
	start := i
	for ; i < len(s.text) && strings.IndexByte(" \t\n;|&()<>", s.text[i]) < 0; i++ {
	}
	if mark := strings.Trim(s.text[start:i], `'"\`); mark != "" {
		s.here = append(s.here, mark)
	}
	return i - 1
}

// skipHeredocs gives the place of the line end after which commands go on.
func (s *splitter) skipHeredocs(i int) int {
	for len(s.here) > 0 && i+1 < len(s.text) {
		l := untilLine(s.text[i+1:])
		i += len(l)
		if strings.TrimLeft(l, "\t") == s.here[0] {
			s.here = s.here[1:]
		}
		if i+1 < len(s.text) {
			i++ // the line end
		}
	}
	return i
}

func untilLine(text string) string {
	l, _, _ := strings.Cut(text, "\n")
	return l
}

// program leaves out what stands before the program of a simple command:
// assignments, words of the shell, and programs that run another one.
func program(words []string) []string {
	for len(words) > 0 {
		w := words[0]
		name, _, assigns := strings.Cut(w, "=")
		switch {
		case assigns && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "":
			words = words[1:]
		case oneOf(w, "if", "then", "else", "elif", "while", "until", "do", "!", "time", "sudo", "env", "nice", "nohup", "exec", "command", "npx", "bunx", "xcrun"):
			words = flagsAway(words[1:])
		case w == "timeout" || w == "gtimeout":
			if words = flagsAway(words[1:]); len(words) > 0 {
				words = words[1:] // how long
			}
		default:
			return words
		}
	}
	return nil
}

func flagsAway(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	return words
}
