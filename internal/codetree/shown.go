package codetree

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown is a path as it stands in a line of text: as it is, or in quotes with escapes
// where it has a line break or anything else that does not print. A path that begins
// with a quote is quoted too, so that no two are shown alike.
func Shown(path string) string {
	if !utf8.ValidString(path) || strings.HasPrefix(path, `"`) || strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}
