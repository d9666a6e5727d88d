package contextpack

import (
	"fmt"
	"slices"
	"strings"

	"helix/internal/kb/text"
)

// Layer is one of the three.
type Layer int

const (
	Anchor Layer = iota
	Focus
	Horizon
	layers
)

// shares of the budget, in percent, that the layers may take before what one does
// not need goes to the others.
var shares = [layers]int{Anchor: 30, Focus: 50, Horizon: 20}

// Item is one thing that could be shown. Forms are its texts from the whole to the
// shortest, in Markdown without a heading; the packer takes the longest that fits.
type Item struct {
	Layer   Layer
	Section string // heading under which it stands; items of one section stand together
	Title   string // names it where it is left out
	Forms   []string
	Memory  string // id of the entry that it is, "" for none
}

// Pack is a context that fits.
type Pack struct {
	Text   string   // Markdown
	Tokens int      // of Text, as kb/text estimates them
	Budget int      // tokens
	Shown  []string // titles, in the order of Text
	Cut    []string // titles of what is shown shortened
	Left   []string // titles of what is left out
	Memory []string // ids of the entries shown
}

// PackItems chooses what to show of items, which come in the order of their
// importance within a layer. Each layer first fills its share; what is left over
// goes to the items that did not fit, the anchor's first.
func PackItems(items []Item, budget int) Pack {
	forms := make([]int, len(items)) // the form of each item: len(Forms) for none
	for i := range items {
		forms[i] = len(items[i].Forms)
	}
	costs := itemCosts(items)
	left := budget - reserve(budget)
	for layer := range layers {
		share := min(left, (budget-reserve(budget))*shares[layer]/100)
		if layer == Horizon { // an overview shows everything in short before it shows anything at length
			spent := fillShort(items, costs, forms, layer, share)
			left, share = left-spent, share-spent
		}
		left -= fill(items, costs, forms, layer, share)
	}
	for layer := range layers {
		left -= fill(items, costs, forms, layer, left)
	}
	// What a text is in tokens is not quite the sum of its parts: whatever the
	// estimate was off by is taken from the end.
	for {
		p := render(items, forms, budget)
		if p.Tokens <= budget || !shrink(items, forms) {
			return p
		}
	}
}

// reserve is kept for headings and for the list of what was left out.
func reserve(budget int) int { return min(budget/10, 160) }

func itemCosts(items []Item) [][]int {
	costs := make([][]int, len(items))
	for i, it := range items {
		for _, f := range it.Forms {
			costs[i] = append(costs[i], text.Tokens(f)+2)
		}
	}
	return costs
}

// fill gives items of a layer better forms, the most important first, for at most
// budget tokens, and says how many that took.
func fill(items []Item, costs [][]int, forms []int, layer Layer, budget int) (spent int) {
	for i := range items {
		if items[i].Layer != layer {
			continue
		}
		now := 0
		if forms[i] < len(costs[i]) {
			now = costs[i][forms[i]]
		}
		for f := 0; f < forms[i]; f++ {
			if extra := costs[i][f] - now; spent+extra <= budget {
				spent += extra
				forms[i] = f
				break
			}
		}
	}
	return spent
}

// fillShort gives items of a layer their shortest forms.
func fillShort(items []Item, costs [][]int, forms []int, layer Layer, budget int) (spent int) {
	for i := range items {
		last := len(costs[i]) - 1
		if items[i].Layer == layer && last >= 0 && spent+costs[i][last] <= budget {
			spent += costs[i][last]
			forms[i] = last
		}
	}
	return spent
}

// shrink takes the next shorter form of the least important item shown. False means
// that nothing is left.
func shrink(items []Item, forms []int) bool {
	for _, layer := range []Layer{Horizon, Focus, Anchor} {
		for i := len(items) - 1; i >= 0; i-- {
			if items[i].Layer == layer && forms[i] < len(items[i].Forms) {
				forms[i]++
				return true
			}
		}
	}
	return false
}

var headings = [layers]string{Anchor: "# Project context", Focus: "# Focus", Horizon: "# Project structure"}

func render(items []Item, forms []int, budget int) Pack {
	p := Pack{Budget: budget}
	var b strings.Builder
	for layer := range layers {
		var sections []string
		for i := range items {
			if items[i].Layer == layer && forms[i] < len(items[i].Forms) && !slices.Contains(sections, items[i].Section) {
				sections = append(sections, items[i].Section)
			}
		}
		if len(sections) > 0 {
			fmt.Fprintf(&b, "%s\n\n", headings[layer])
		}
		for _, section := range sections {
			if section != "" {
				fmt.Fprintf(&b, "## %s\n\n", section)
			}
			first := true
			for i := range items {
				if items[i].Layer != layer || items[i].Section != section || forms[i] == len(items[i].Forms) {
					continue
				}
				form := strings.TrimRight(items[i].Forms[forms[i]], "\n") + "\n"
				if !first && strings.HasPrefix(form, "#") {
					b.WriteByte('\n')
				}
				first = false
				b.WriteString(form)
				p.shown(&items[i], forms[i])
			}
			b.WriteByte('\n')
		}
	}
	for i := range items {
		if forms[i] == len(items[i].Forms) {
			p.Left = append(p.Left, items[i].Title)
		}
	}
	if note := leftNote(p.Left, p.Cut); note != "" && len(p.Shown) > 0 {
		b.WriteString(note)
	}
	p.Text = strings.TrimRight(b.String(), "\n")
	if p.Text != "" {
		p.Text += "\n"
	}
	p.Tokens = text.Tokens(p.Text)
	return p
}

func (p *Pack) shown(it *Item, form int) {
	p.Shown = append(p.Shown, it.Title)
	if form > 0 {
		p.Cut = append(p.Cut, it.Title)
	}
	if it.Memory != "" {
		p.Memory = append(p.Memory, it.Memory)
	}
}

// leftNote says what is missing, by name for the first few.
func leftNote(left, cut []string) string {
	const named = 6
	var parts []string
	for _, l := range []struct {
		what  string
		names []string
	}{{"Left out for lack of room", left}, {"Shortened", cut}} {
		if len(l.names) == 0 {
			continue
		}
		s := l.what + ": " + strings.Join(l.names[:min(named, len(l.names))], ", ")
		if more := len(l.names) - named; more > 0 {
			s += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, s+".")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + "\n"
}
