package text

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Stem gives what the inflections of a folded English word share ("caching",
// "cached" and "cache" are all "cach"), by the Snowball stemmer. Words with digits
// or of other alphabets are their own stem.
func Stem(word string) string {
	if len(word) < 3 {
		return word
	}
	for i := 0; i < len(word); i++ {
		if c := word[i]; c < 'a' || c > 'z' {
			return word
		}
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return word
}
