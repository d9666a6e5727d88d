package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokens estimates how many tokens a language model makes of s. It cuts s as the
// byte-pair tokenizers in use do (words with the space before them, up to three
// digits, runs of other signs, line ends with the indentation) and guesses what a
// vocabulary of 100,000 to 200,000 pieces knows of each. On code, prose and markup
// it is within a tenth of such tokenizers; tokens_test.go has the counts.
func Tokens(s string) int {
	n := 0.0
	sign := false // whether signs came last: they take line ends with them
	for i := 0; i < len(s); {
		end := runEnd(s, i)
		switch run := s[i:end]; classOf(s[i:]) {
		case letters:
			n += wordTokens(run)
			sign = false
		case digits:
			n += float64((len(run) + 2) / 3)
			sign = false
		case spaces:
			n += spaceTokens(run, sign)
			sign = false
		case signs:
			n += signTokens(run, end < len(s) && classOf(s[end:]) == letters)
			sign = true
		}
		i = end
	}
	return int(n + 0.5)
}

type class int

const (
	signs class = iota
	letters
	digits
	spaces
)

// classOf is the class of the first character of s.
func classOf(s string) class {
	switch c := s[0]; {
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return letters
	case c >= '0' && c <= '9':
		return digits
	case c == ' ' || c >= '\t' && c <= '\r':
		return spaces
	case c < utf8.RuneSelf:
		return signs
	}
	switch r, _ := utf8.DecodeRuneInString(s); {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letters
	case unicode.IsSpace(r):
		return spaces
	}
	return signs
}

// runEnd is where the run of one class that starts at i ends.
func runEnd(s string, i int) int {
	first := classOf(s[i:])
	for i < len(s) && classOf(s[i:]) == first {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

// wordTokens is for a run of letters.
func wordTokens(w string) float64 {
	n := 0.0
	for i := 0; i < len(w); {
		if w[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(w[i:])
			if spaceless(r) {
				n += 0.95
			} else {
				n += 0.5
			}
			i += size
			continue
		}
		end := i + 1
		for end < len(w) && w[end] < utf8.RuneSelf && !camelBoundary(w, end, len(w)) {
			end++
		}
		n += partTokens(w[i:end])
		i = end
	}
	return n
}

// partTokens is for ASCII letters without a capital inside, or only capitals.
func partTokens(p string) float64 {
	vowels := 0
	for i := 0; i < len(p); i++ {
		switch p[i] | 0x20 {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			vowels++
		}
	}
	switch {
	case len(p) <= 3:
		return 1
	case vowels*5 < len(p) || isUpper(p[1]): // no word: letter by letter, nearly
		return float64(len(p)) / 2.1
	case len(p) <= 9:
		return 1.08
	}
	return 1.1 + float64(len(p)-9)/6
}

// spaceTokens is for a run of white space. One sign of it goes with what is behind
// it; more before that are one token, and so are line ends, unless signs before
// them have taken them.
func spaceTokens(s string, afterSign bool) float64 {
	indent := len(s) - 1 - strings.LastIndexByte(s, '\n')
	n := 0.0
	if indent < len(s) && !afterSign {
		n = 1
	}
	if indent > 1 {
		n++
	}
	return n
}

// signTokens is for a run of anything else. The last sign before a word is mostly
// one token with it.
func signTokens(s string, beforeWord bool) float64 {
	n := 0.0
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		end := i + size
		for end < len(s) && s[end] < utf8.RuneSelf && s[i] < utf8.RuneSelf {
			end++
		}
		run := float64(end - i)
		switch {
		case s[i] >= utf8.RuneSelf:
			n += 1.1
		case strings.Count(s[i:end], s[i:i+1]) == end-i:
			n += 1 + run/48
		default:
			n += 0.5 + run/2.8
		}
		i = end
	}
	if beforeWord {
		n -= 0.75
	}
	return n
}
