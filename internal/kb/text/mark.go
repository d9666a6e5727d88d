package text

import "strings"

// Words gives the different words of s in their order, as a query is made of
// them: folded, stop words left out unless there is nothing else.
func Words(s string) []string {
	var sc Scanner
	var words, stops []string
	seen := map[string]bool{}
	sc.Scan(s, func(w []byte, role Role, _, _ int) bool {
		if role != Word || seen[string(w)] {
			return true
		}
		word := string(w)
		seen[word] = true
		if Stop(word) {
			stops = append(stops, word)
		} else {
			words = append(words, word)
		}
		return true
	})
	if len(words) == 0 {
		return stops
	}
	return words
}

// Marker finds words in texts, whatever their inflection.
type Marker struct {
	stems  map[string]bool
	begins [256]bool // first bytes of stems: stemming changes only the end of a word
	sc     Scanner
}

// NewMarker returns a Marker of the given words, folded or not.
func NewMarker(words []string) *Marker {
	m := &Marker{stems: map[string]bool{}}
	for _, s := range words {
		m.sc.Scan(s, func(w []byte, _ Role, _, _ int) bool {
			m.stems[Stem(string(w))] = true
			m.begins[w[0]] = true
			return true
		})
	}
	return m
}

// In counts how many different of the words s has.
func (m *Marker) In(s string) int {
	if len(m.stems) == 0 {
		return 0
	}
	var found map[string]bool
	m.sc.Scan(s, func(w []byte, _ Role, _, _ int) bool {
		if !m.begins[w[0]] {
			return true
		}
		if stem := Stem(string(w)); m.stems[stem] {
			if found == nil {
				found = map[string]bool{}
			}
			found[stem] = true
		}
		return true
	})
	return len(found)
}

// Snippet gives up to n lines of s, each cut to max bytes: from the first line, or
// where more of the marker's words are, from there. Blank lines are left out.
func (m *Marker) Snippet(s string, n, max int) []string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	best, most := 0, 0
	for i := 0; i < len(lines) && i < 200; i++ {
		if found := m.In(strings.Join(lines[i:min(i+n, len(lines))], "\n")); found > most {
			best, most = i, found
		}
	}
	var out []string
	for _, line := range lines[min(best, len(lines)):min(best+n, len(lines))] {
		out = append(out, Cut(line, max))
	}
	return out
}

// Cut shortens s to at most max bytes, at a space if there is one in its second
// half, and marks it with an ellipsis.
func Cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	const mark = "…"
	cut := max - len(mark)
	if cut <= 0 {
		return ""
	}
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	if space := strings.LastIndexByte(s[:cut], ' '); space > cut/2 {
		cut = space
	}
	return s[:cut] + mark
}
