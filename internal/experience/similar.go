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

// says tells whether two texts say nearly the same: most of all their words are
// common, or nearly all of the shorter one are in the longer one.
func (a wordSet) says(b wordSet) bool {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	all, short := len(a)+len(b)-common, min(len(a), len(b))
	if short == 0 {
		return all == 0
	}
	return float64(common) > similarShare*float64(all) || short >= minWords && float64(common) >= 0.9*float64(short)
}
