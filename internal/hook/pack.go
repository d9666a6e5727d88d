package hook

import (
	"slices"
	"strconv"
	"strings"
)

// pack writes the layers within maxAmbient bytes, and counts what is left out. Each
// gets its first line before any gets its second, so that a long layer does not push
// out the others.
func (a *about) pack() (string, error) {
	const budget, rest = maxAmbient, 64 // for the line that counts what is left out
	type shown struct{ layer, from, to int }
	size, total, longest, full := 0, a.untold(), 0, false
	for _, l := range a.layers {
		total += len(l.leads)
		longest = max(longest, len(l.leads))
	}
	lines, text := make([]shown, 0, 32), make([]byte, 0, budget+2*lineBytes)
	var headed [8]bool // of the layers
	for round := 0; !full && round < longest; round++ {
		for i, l := range a.layers {
			if round >= len(l.leads) {
				continue
			}
			e, err := a.entry(l.leads[round])
			if err != nil {
				return "", err
			}
			if e == nil {
				total--
				continue
			}
			from := len(text)
			text = appendLine(text, e)
			need := len("  \n") + len(text) - from
			if !headed[i] {
				need += len(l.heading) + 1
			}
			if full = size+need > budget-rest; full {
				break
			}
			size += need
			headed[i] = true
			lines = append(lines, shown{i, from, len(text)})
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.Grow(budget)
	b.WriteString("helix memory:")
	for i, l := range a.layers {
		first := true
		for _, s := range lines {
			if s.layer != i {
				continue
			}
			if first {
				b.WriteByte('\n')
				b.WriteString(l.heading)
				first = false
			}
			b.WriteString("\n  ")
			b.Write(text[s.from:s.to])
		}
	}
	if left := total - len(lines); left > 0 {
		b.WriteString("\n(" + strconv.Itoa(left) + " more: mcp__helix__search)")
	}
	return b.String(), nil
}

// untold counts the entries of the file that are in no layer.
func (a *about) untold() int {
	n := 0
	for _, e := range a.own {
		if !slices.Contains(a.seen, e) {
			n++
		}
	}
	return n
}
