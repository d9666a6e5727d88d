package text

// Phrase is a sequence of words that must stand one after the other.
type Phrase struct {
	words []string
}

// NewPhrase takes the words of s, stop words too.
func NewPhrase(s string) Phrase {
	var p Phrase
	var sc Scanner
	sc.Scan(s, func(w []byte, role Role, _, _ int) bool {
		if role == Word {
			p.words = append(p.words, string(w))
		}
		return true
	})
	return p
}

// Words gives the words of the phrase.
func (p Phrase) Words() []string { return p.words }

// In reports whether s has the phrase. An identifier counts as its parts. A phrase
// without words is in every text.
func (p Phrase) In(s string) bool {
	if len(p.words) == 0 {
		return true
	}
	found := false
	var live []int // how many words of the phrase match at the moment, by where it started
	var sc Scanner
	sc.Scan(s, func(w []byte, role Role, _, _ int) bool {
		if role != Word {
			return true
		}
		kept := live[:0]
		for _, n := range append(live, 0) {
			if p.words[n] != string(w) {
				continue
			}
			if n+1 == len(p.words) {
				found = true
				return false
			}
			kept = append(kept, n+1)
		}
		live = kept
		return true
	})
	return found
}
