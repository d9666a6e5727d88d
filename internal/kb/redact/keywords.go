package redact

import (
	"iter"
	"math/bits"
)

// maxRules bounds the rules of a set, so that a set of rules is a small value.
const maxRules = 64 * 5

// hits is a set of rules, by their place in the rule set.
type hits [maxRules / 64]uint64

func (h *hits) add(rule int) { h[rule/64] |= 1 << (rule % 64) }

func (h *hits) join(o *hits) {
	for i := range h {
		h[i] |= o[i]
	}
}

// rules gives the rules of the set in their order.
func (h *hits) rules() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range h {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// matcher finds any of many words in one pass over a text, without regard to the
// case of ASCII letters (Aho and Corasick 1975, as a table of every transition).
type matcher struct {
	class   [256]uint8 // of a byte: 0 for those in no word
	classes int
	next    []uint16 // state*classes + class → state
	found   []uint16 // state → 1 + index into sets; 0: no word ends here
	sets    []hits
}

// keyword is a word and the rule that needs it.
type keyword struct {
	word string // lower case
	rule int
}

func newMatcher(words []keyword) *matcher {
	m := &matcher{classes: 1}
	for _, w := range words {
		for i := range len(w.word) {
			if c := w.word[i]; m.class[c] == 0 {
				m.class[c] = uint8(m.classes)
				m.classes++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		m.class[c-'a'+'A'] = m.class[c]
	}
	ends := m.trie(words)
	m.link(ends)
	return m
}

// trie makes a state of each prefix of the words, 0 being the empty one, and
// gives the rules of the words that are a state.
func (m *matcher) trie(words []keyword) (ends []hits) {
	m.next = make([]uint16, m.classes)
	ends = make([]hits, 1)
	for _, w := range words {
		state := 0
		for i := range len(w.word) {
			slot := state*m.classes + int(m.class[w.word[i]])
			if m.next[slot] == 0 {
				m.next[slot] = uint16(len(ends))
				m.next = append(m.next, make([]uint16, m.classes)...)
				ends = append(ends, hits{})
			}
			state = int(m.next[slot])
		}
		ends[state].add(w.rule)
	}
	return ends
}

// link fills in, shortest prefixes first, where each state goes on a byte that
// no word continues with: where its longest proper suffix goes.
func (m *matcher) link(ends []hits) {
	suffix := make([]int, len(ends))
	queue := []int{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for c := range m.classes {
			slot := state*m.classes + c
			follow := 0
			if state != 0 {
				follow = int(m.next[suffix[state]*m.classes+c])
			}
			child := int(m.next[slot])
			if child == 0 {
				m.next[slot] = uint16(follow)
				continue
			}
			suffix[child] = follow
			ends[child].join(&ends[follow])
			queue = append(queue, child)
		}
	}
	m.found = make([]uint16, len(ends))
	for state, set := range ends {
		if set != (hits{}) {
			m.sets = append(m.sets, set)
			m.found[state] = uint16(len(m.sets))
		}
	}
}

// scan gives the rules that have a word in text.
func (m *matcher) scan(text string) (all hits, any bool) {
	state := 0
	for i := range len(text) {
		state = int(m.next[state*m.classes+int(m.class[text[i]])])
		if f := m.found[state]; f != 0 {
			all.join(&m.sets[f-1])
			any = true
		}
	}
	return all, any
}
