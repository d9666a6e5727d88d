package kb

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	// similarShare is the share of common words above which two texts say nearly
	// the same.
	similarShare = 0.70
	minWords     = 6 // distinct ones; a shorter text resembles too much
	minWordBytes = 3
	// maxCompareBytes is how much of a text counts: a document is known by its
	// beginning.
	maxCompareBytes = 64 << 10
)

// wordSet is the distinct words of a text, as sorted hashes.
type wordSet []uint64

// wordsOf takes runs of letters and digits of at least 3 bytes, without regard to
// case.
func wordsOf(text string) wordSet {
	var set wordSet
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	hash, size := uint64(basis), 0
	add := func(b byte) { hash, size = (hash^uint64(b))*prime, size+1 }
	flush := func() {
		if size >= minWordBytes {
			set = append(set, hash)
		}
		hash, size = basis, 0
	}
	var wide [utf8.UTFMax]byte
	for _, r := range text[:min(len(text), maxCompareBytes)] {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			add(byte(r))
		case r >= 'A' && r <= 'Z':
			add(byte(r) + 'a' - 'A')
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)):
			for _, b := range utf8.AppendRune(wide[:0], unicode.ToLower(r)) {
				add(b)
			}
		default:
			flush()
		}
	}
	flush()
	slices.Sort(set)
	return slices.Compact(set)
}

// similarity is the share of common words among all words of two texts, 0..1.
func (a wordSet) similarity(b wordSet) float64 {
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}

// nearby finds similar texts among those that were added, without comparing each
// with each. Two sets of which more than the share s is common have a common word
// among the first n-⌈s·n⌉+1 of their n words in any order that is the same for
// both, so only these words are looked up: the rarest, by use.
type nearby struct {
	use  map[uint64]int // in how many of all the sets a word is
	sets []wordSet
	with map[uint64][]int // word to the sets that have it among their first
}

func newNearby(all []wordSet) *nearby {
	n := &nearby{use: map[uint64]int{}, with: map[uint64][]int{}}
	for _, set := range all {
		for _, w := range set {
			n.use[w]++
		}
	}
	return n
}

// add makes a set one of those that are found.
func (n *nearby) add(set wordSet) {
	for _, w := range n.first(set) {
		n.with[w] = append(n.with[w], len(n.sets))
	}
	n.sets = append(n.sets, set)
}

// find reports whether a set that was added is nearly the same.
func (n *nearby) find(set wordSet) bool {
	if len(set) < minWords {
		return false
	}
	tried := map[int]bool{}
	for _, w := range n.first(set) {
		for _, i := range n.with[w] {
			if !tried[i] && set.similarity(n.sets[i]) > similarShare {
				return true
			}
			tried[i] = true
		}
	}
	return false
}

func (n *nearby) first(set wordSet) []uint64 {
	words := slices.Clone(set)
	slices.SortFunc(words, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(n.use[a], n.use[b]), cmp.Compare(a, b))
	})
	need := int(similarShare * float64(len(words))) // rounded down: one word too many rather than too few
	return words[:min(len(words), len(words)-need+1)]
}
