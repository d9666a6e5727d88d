package ask

import (
	"cmp"
	"slices"
)

// fuseK flattens the difference between the first ranks (Cormack, Clarke, Büttcher
// 2009; the spec's k).
const fuseK = 60

// Ranked is one ranked list, the best first, and how much it counts.
type Ranked struct {
	Keys   []string
	Weight float64
}

// Fused is a key with its score: the sum of weight / (60 + rank) over the lists.
type Fused struct {
	Key   string
	Score float64
}

// Fuse joins ranked lists. Equal scores keep the order in which keys first appear.
func Fuse(lists ...Ranked) []Fused {
	at := map[string]int{}
	var out []Fused
	for _, l := range lists {
		seen := map[string]bool{}
		for rank, key := range l.Keys {
			if seen[key] {
				continue
			}
			seen[key] = true
			i, ok := at[key]
			if !ok {
				i = len(out)
				at[key] = i
				out = append(out, Fused{Key: key})
			}
			out[i].Score += l.Weight / float64(fuseK+rank+1)
		}
	}
	slices.SortStableFunc(out, func(a, b Fused) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// Weights are how much the tree and the text count for a question.
func Weights(i Intent) (tree, text float64) {
	switch i {
	case Structural, Positional:
		return 1, 0.3
	case Semantic:
		return 0.3, 1
	}
	return 1, 1
}
