package brief

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstLine is the first line of a text that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// Preview is the first line of a text that says something, cut to width
// characters at a word, and safe to print.
func Preview(text string, width int) string {
	line := printable(head(firstLine(text), utf8.UTFMax*(width+1)))
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	runes := []rune(line)
	cut := string(runes[:width-1])
	if i := strings.LastIndexByte(cut, ' '); i > width/2 && runes[width-1] != ' ' {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ") + "…"
}

// printable makes one line of s that cannot steer a terminal.
func printable(s string) string {
	clean := func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}
	return strings.Map(clean, s)
}

// capped gives the first n lines of a text that are not empty at its edges, and
// how many were left out.
func capped(text string, n int) (lines []string, left int) {
	all := strings.Split(strings.Trim(text, "\r\n"), "\n")
	for _, line := range all[:min(n, len(all))] {
		lines = append(lines, printable(head(strings.TrimRight(line, " \t\r"), maxLine)))
	}
	return lines, len(all) - len(lines)
}

// maxLine is how much of one line of a text, in bytes, is shown.
const maxLine = 500

// head cuts s to at most n bytes, at a rune.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
