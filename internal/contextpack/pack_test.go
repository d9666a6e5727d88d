package contextpack

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"helix/internal/kb/text"
)

func drawItems(t *rapid.T) []Item {
	var items []Item
	for i := range rapid.IntRange(0, 25).Draw(t, "items") {
		full := strings.Repeat("some words of item ", rapid.IntRange(1, 60).Draw(t, "length"))
		it := Item{
			Layer:   Layer(rapid.IntRange(0, 2).Draw(t, "layer")),
			Section: rapid.SampledFrom([]string{"", "Rules", "Files"}).Draw(t, "section"),
			Title:   fmt.Sprintf("item%d", i),
			Forms:   []string{full},
		}
		if rapid.Bool().Draw(t, "short form") {
			it.Forms = append(it.Forms, "short")
		}
		if rapid.Bool().Draw(t, "memory") {
			it.Memory = fmt.Sprintf("mem_%d", i)
		}
		items = append(items, it)
	}
	return items
}

// TestPackProperties: it fits, it is deterministic, and everything is either shown
// or said to be left out.
func TestPackProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		items, budget := drawItems(t), rapid.IntRange(0, 2000).Draw(t, "budget")
		p := PackItems(items, budget)
		if p.Tokens > budget && len(p.Shown) > 0 || p.Tokens != text.Tokens(p.Text) {
			t.Fatalf("%d tokens of %d, counted %d", p.Tokens, budget, text.Tokens(p.Text))
		}
		if again := PackItems(items, budget); again.Text != p.Text {
			t.Fatal("another text for the same items")
		}
		all := append(slices.Clone(p.Shown), p.Left...)
		slices.Sort(all)
		var want []string
		for _, it := range items {
			want = append(want, it.Title)
		}
		slices.Sort(want)
		if !slices.Equal(all, want) {
			t.Fatalf("shown %v, left %v of %v", p.Shown, p.Left, want)
		}
		for _, it := range items {
			if it.Memory != "" && slices.Contains(p.Shown, it.Title) != slices.Contains(p.Memory, it.Memory) {
				t.Fatalf("%s and its memory", it.Title)
			}
		}
		if big := PackItems(items, 1<<20); len(big.Left)+len(big.Cut) > 0 {
			t.Fatalf("with room for all: %v, %v", big.Left, big.Cut)
		}
	})
}

func TestPackShares(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 400)
	items := []Item{
		{Layer: Anchor, Section: "Rules", Title: "rules", Forms: []string{"- be kind"}},
		{Layer: Focus, Section: "Files", Title: "big.go", Forms: []string{long, "big.go has three functions"}},
		{Layer: Horizon, Title: "skeleton", Forms: []string{"src/ [expand: node_1]"}},
		{Layer: Horizon, Title: "deep skeleton", Forms: []string{long}},
	}
	got := PackItems(items, 300).Text
	want := `# Project context

## Rules

- be kind

# Focus

## Files

big.go has three functions

# Project structure

src/ [expand: node_1]

Left out for lack of room: deep skeleton. Shortened: big.go.
`
	if got != want {
		t.Errorf("%s", got)
	}
	if p := PackItems(items, 3); p.Text != "" || len(p.Left) != 4 {
		t.Errorf("in no room: %q, %v", p.Text, p.Left)
	}
}
