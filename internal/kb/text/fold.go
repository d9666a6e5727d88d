package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold gives the form of a word in which words are compared: lower case, without
// diacritics, compatibility characters as the plain ones. Text that is no UTF-8
// loses the bytes that are none.
func Fold(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		switch {
		case r == utf8.RuneError || r == '_' || unicode.Is(unicode.Mn, r) || unicode.IsSpace(r):
			// Some letters are compatible with a space and a mark, such as U+037A.
		case r == 'ß' || r == 'ẞ':
			b.WriteString("ss")
		case r == 'ς':
			b.WriteRune('σ')
		default:
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	return norm.NFC.String(b.String())
}

// isPlain reports whether folding leaves s as it is.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || isUpper(c) || c == '_' {
			return false
		}
	}
	return true
}
