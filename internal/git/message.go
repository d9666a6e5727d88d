package git

import (
	"regexp"
	"slices"
	"strings"
)

// Trailer is one "Key: value" line at the end of a commit message.
type Trailer struct{ Key, Value string }

var trailerLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*):[ \t]+(\S.*)$`)

// Trailers are the values that a message gives for key, in any of its lines
// after the first: agents are not strict about where trailers belong.
func Trailers(message, key string) []string {
	var values []string
	_, body, _ := strings.Cut(message, "\n")
	for line := range strings.Lines(body) {
		if m := trailerLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil && strings.EqualFold(m[1], key) {
			values = append(values, strings.TrimSpace(m[2]))
		}
	}
	return values
}

// WithTrailers is the message with exactly these trailers for their keys, in the
// last paragraph where git looks for them.
func WithTrailers(message string, trailers ...Trailer) string {
	subject, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	var lines []string
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, " \t\r\n")
		m := trailerLine.FindStringSubmatch(strings.TrimSpace(line))
		if m != nil && slices.ContainsFunc(trailers, func(t Trailer) bool { return strings.EqualFold(t.Key, m[1]) }) {
			continue
		}
		lines = append(lines, line)
	}
	body = strings.TrimSpace(strings.Join(lines, "\n"))
	out := strings.TrimSpace(subject) + "\n\n"
	if body != "" {
		out += body + "\n"
		paragraphs := strings.Split(body, "\n\n")
		if !isTrailerBlock(paragraphs[len(paragraphs)-1]) {
			out += "\n"
		}
	}
	for _, t := range trailers {
		out += t.Key + ": " + t.Value + "\n"
	}
	return out
}

// isTrailerBlock tells whether a paragraph begins with a trailer and holds only
// trailers and their continuation lines.
func isTrailerBlock(paragraph string) bool {
	first, _, _ := strings.Cut(paragraph, "\n")
	if !trailerLine.MatchString(first) {
		return false
	}
	for line := range strings.Lines(paragraph) {
		if !trailerLine.MatchString(strings.TrimRight(line, "\n")) && !strings.HasPrefix(line, " ") {
			return false
		}
	}
	return true
}
