package experience

import (
	"strings"
	"unicode"
)

// wordSet is the distinct words of a text, of at least three bytes, in small
// letters.
type wordSet map[string]bool

func wordsOf(text string) wordSet {
	set := wordSet{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) >= 3 {
			set[w] = true
		}
	}
	return set
}

// saidBy tells whether other says nearly the same, or the same and more: most of
// all their words are common, or nearly all of a's are among other's.
func (a wordSet) saidBy(other wordSet) bool {
	common := 0
	for w := range a {
		if other[w] {
			common++
		}
	}
	all := len(a) + len(other) - common
	if len(a) == 0 {
		return all == 0
	}
	return float64(common) > similarShare*float64(all) || len(a) >= minWords && float64(common) >= 0.9*float64(len(a))
}
