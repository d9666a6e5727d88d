package text

import (
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// Role says what a word is within its text.
type Role uint8

const (
	// Word stands alone, or is a part of an identifier. The Words of a text, one
	// after the other, are the text for a phrase.
	Word Role = iota
	// Whole is an identifier of several parts, which were given before it, without
	// what joined them.
	Whole
	// Single is one character of a script without spaces, inside a longer run; the
	// pairs of the run are its Words.
	Single
)

// Scanner takes texts apart. It keeps its buffers from one text to the next; it is
// not safe for concurrent use. The zero Scanner is ready.
type Scanner struct {
	word  []byte
	whole []byte
}

// maxWord is how many bytes of a word count: what is longer is data, not a word.
const maxWord = 64

// Scan gives fn every word of s in order, with the place in s that it was made
// from. The bytes are valid until fn returns and must not be changed. fn ends the
// scan with false.
func (sc *Scanner) Scan(s string, fn func(word []byte, role Role, start, end int) bool) {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if wordBytes[c] == 0 {
				i++
				continue
			}
			end, plain, ascii := asciiRun(s, i)
			if ascii {
				if plain && end-i <= maxWord {
					// Nearly every word: it is what it is folded to.
					if !fn(unsafe.Slice(unsafe.StringData(s[i:]), end-i), Word, i, end) {
						return
					}
				} else if !sc.identifier(s, i, end, fn) {
					return
				}
				i = end
				continue
			}
		}
		end, ok := sc.unicodeRun(s, i, fn)
		if !ok {
			return
		}
		i = end
	}
}

// wordByte says what an ASCII character is within a word, 0 for no part of one.
type wordByte uint8

const (
	smallByte wordByte = 1 << iota // small letter or digit
	otherByte                      // capital or underscore
)

var wordBytes = func() (t [256]wordByte) {
	for c := byte(0); c < utf8.RuneSelf; c++ {
		switch {
		case '0' <= c && c <= '9' || 'a' <= c && c <= 'z':
			t[c] = smallByte
		case c == '_' || isUpper(c):
			t[c] = otherByte
		}
	}
	return t
}()

// asciiRun finds the end of the word that starts at i, whether it is all small
// letters and digits, and whether it is all ASCII.
func asciiRun(s string, i int) (end int, plain, ascii bool) {
	var seen wordByte
	for i < len(s) && wordBytes[s[i]] != 0 {
		seen |= wordBytes[s[i]]
		i++
	}
	if i < len(s) && s[i] >= utf8.RuneSelf {
		r, _ := utf8.DecodeRuneInString(s[i:])
		return i, false, !joins(r)
	}
	return i, seen == smallByte, true
}

// identifier gives the parts of s[start:end], which is ASCII letters, digits and
// underscores, and the whole when there are several.
func (sc *Scanner) identifier(s string, start, end int, fn func([]byte, Role, int, int) bool) bool {
	parts, from := 0, -1 // from: start of the current part
	sc.whole = sc.whole[:0]
	for i := start; i <= end; i++ {
		if from >= 0 && (i == end || s[i] == '_' || camelBoundary(s, i, end)) {
			if !sc.part(s, from, i, start, end, fn) {
				return false
			}
			parts, from = parts+1, -1
		}
		if from < 0 && i < end && s[i] != '_' {
			from = i
		}
	}
	if parts < 2 || len(sc.whole) > maxWord {
		return true
	}
	return fn(sc.whole, Whole, start, end)
}

// part gives s[from:to] in lower case. A part of one character says nothing
// beside its whole and is left out; alone it is a word.
func (sc *Scanner) part(s string, from, to, start, end int, fn func([]byte, Role, int, int) bool) bool {
	sc.word = sc.word[:0]
	for _, c := range []byte(s[from:to]) {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		sc.word = append(sc.word, c)
	}
	if len(sc.whole) <= maxWord {
		sc.whole = append(sc.whole, sc.word...)
	}
	if len(sc.word) > maxWord || len(sc.word) == 1 && end-start > 1 {
		return true
	}
	return fn(sc.word, Word, from, to)
}

// camelBoundary reports whether a new part starts at i: aB, or the B of ABc.
func camelBoundary(s string, i, end int) bool {
	if !isUpper(s[i]) {
		return false
	}
	return !isUpper(s[i-1]) || i+1 < end && 'a' <= s[i+1] && s[i+1] <= 'z'
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// unicodeRun gives the words of the run of letters that starts at i, some of which
// are not ASCII, and returns its end. Where no word starts it passes one character.
func (sc *Scanner) unicodeRun(s string, i int, fn func([]byte, Role, int, int) bool) (int, bool) {
	r, size := utf8.DecodeRuneInString(s[i:])
	if spaceless(r) {
		return sc.pairs(s, i, fn)
	}
	start := i
	for i < len(s) {
		r, size = utf8.DecodeRuneInString(s[i:])
		if !joins(r) && r != '_' || spaceless(r) {
			break
		}
		i += size
	}
	if i == start {
		return start + size, true
	}
	folded := Fold(s[start:i])
	if folded == "" || len(folded) > maxWord {
		return i, true
	}
	sc.word = append(sc.word[:0], folded...)
	return i, fn(sc.word, Word, start, i)
}

// pairs gives every character of a run of a script without spaces, and every pair
// of neighbours.
func (sc *Scanner) pairs(s string, start int, fn func([]byte, Role, int, int) bool) (int, bool) {
	prev, at := -1, start
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !spaceless(r) && !(prev >= 0 && unicode.Is(unicode.Mn, r)) {
			break
		}
		next, more := at+size, false
		if next < len(s) {
			n, _ := utf8.DecodeRuneInString(s[next:])
			more = spaceless(n)
		}
		role := Single
		if prev < 0 && !more {
			role = Word
		}
		sc.word = append(sc.word[:0], Fold(s[at:next])...)
		if len(sc.word) > 0 && !fn(sc.word, role, at, next) {
			return next, false
		}
		if prev >= 0 {
			sc.word = append(sc.word[:0], Fold(s[prev:next])...)
			if !fn(sc.word, Word, prev, next) {
				return next, false
			}
		}
		prev, at = at, next
	}
	return at, true
}

// joins reports whether r is inside a word.
func joins(r rune) bool {
	if r < utf8.RuneSelf {
		return wordBytes[r] != 0
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// spaceless reports whether r is of a script in which words are not separated.
func spaceless(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r)
}
