package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrUninterpretable: an answer lacks a trailer that must be there, or gives it a
// value that means nothing. Nothing may be assumed from such an answer.
var ErrUninterpretable = errors.New("not interpretable")

// A trailer is a line "KEY: value". Markdown emphasis around either part, a
// quote mark or a list dash before it are tolerated; text before the key is not.
var trailerLine = regexp.MustCompile(`^[\s>]*(?:[-+]\s+)?([A-Z][A-Z_]*)\s*:\s*(.*?)\s*$`)

var emphasis = strings.NewReplacer("*", "", "`", "", "\r", "")

// trailer is the value of the first line with the key.
func trailer(text, key string) (string, bool) {
	for line := range strings.Lines(text) {
		m := trailerLine.FindStringSubmatch(emphasis.Replace(strings.TrimRight(line, "\n")))
		if m != nil && m[1] == key {
			return m[2], true
		}
	}
	return "", false
}

var firstWord = regexp.MustCompile(`^[A-Za-z0-9_-]+`)

// word reads a trailer whose first word must be one of the values; what follows
// the word is a remark. An unknown value is not skipped in favour of a later
// line: the agent said something that we do not understand.
func word(text, key string, values ...string) (string, error) {
	value, ok := trailer(text, key)
	if !ok {
		return "", fmt.Errorf("%w: the %s trailer is missing", ErrUninterpretable, key)
	}
	w := firstWord.FindString(value)
	rest := strings.TrimSpace(value[len(w):])
	// "BUILD | DESIGN | …" is the instruction repeated, not an answer to it.
	if slices.Contains(values, w) && !strings.HasPrefix(rest, "|") && !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, ",") {
		return w, nil
	}
	return "", fmt.Errorf("%w: %s is %q, not one of %s", ErrUninterpretable, key, value, strings.Join(values, ", "))
}

var digits = regexp.MustCompile(`^\d+\b`)

// count reads a trailer whose value must begin with a number.
func count(text, key string) (int, error) {
	value, ok := trailer(text, key)
	if !ok {
		return 0, fmt.Errorf("%w: the %s trailer is missing", ErrUninterpretable, key)
	}
	n, err := strconv.Atoi(digits.FindString(value))
	if err != nil {
		return 0, fmt.Errorf("%w: %s is %q, not a number", ErrUninterpretable, key, value)
	}
	return n, nil
}

// optionalCount is count for a trailer that may be left out.
func optionalCount(text, key string) int {
	n, _ := count(text, key)
	return n
}
