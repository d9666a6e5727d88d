package brief

import "helix/internal/kb/text"

// numberer gives the words of many texts as numbers, the same word always as the
// same one, counted from 0.
type numberer struct {
	scanner text.Scanner
	numbers map[string]int // -1: a stop word
	last    []int          // by number: the last text that had the word
	text    int
	next    int
}

func newNumberer() *numberer { return &numberer{numbers: make(map[string]int, 1<<11)} }

// words gives the different words of s, stop words left out.
func (n *numberer) words(s string) []int {
	n.text++
	out := make([]int, 0, min(len(s)/6+1, 200))
	n.scanner.Scan(s, func(w []byte, role text.Role, _, _ int) bool {
		if role != text.Word {
			return true
		}
		i, ok := n.numbers[string(w)]
		if !ok {
			i = n.number(string(w))
		}
		if i >= 0 && n.last[i] != n.text {
			n.last[i] = n.text
			out = append(out, i)
		}
		return true
	})
	return out
}

func (n *numberer) number(word string) int {
	i := -1
	if !text.Stop(word) {
		i = n.next
		n.next++
		n.last = append(n.last, 0)
	}
	n.numbers[word] = i
	return i
}
