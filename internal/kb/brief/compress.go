package brief

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	// overlap is the share of words that two entries of a topic must have in
	// common, of all words of both, for the newer to supersede the older.
	overlap = 0.40
	// window is how close to the newest of them notes must have been written to
	// be one cluster.
	window = 48 * time.Hour
	// clusterMin is how many entries make a cluster.
	clusterMin = 3
	// sameLineMin is how long, in bytes, a first line must be to identify what is
	// said.
	sameLineMin = 10
)

// newestFirst is the order of all steps. It is total: ids are unique.
func newestFirst(a, b *item) int {
	if c := b.when.Compare(a.when); c != 0 {
		return c
	}
	return cmp.Compare(b.id, a.id)
}

// compress folds entries into others of the same project. It expects newest first and
// keeps that order. The newest entry is always kept.
func compress(items []*item) []*item {
	items = dedup(items)
	items = supersede(items)
	return cluster(items)
}

// place is where entries must be to be folded: what holds for one project does not
// replace what holds for another.
type place struct{ project, name string }

// dedup folds entries with the same first line in different topics into the
// newest, which says where else it stands.
func dedup(items []*item) []*item {
	heads := map[place]*item{}
	return slices.DeleteFunc(items, func(it *item) bool {
		line := strings.ToLower(head(firstLine(it.text), maxScan))
		if len(line) < sameLineMin {
			return false
		}
		at := place{it.Project, line}
		head := heads[at]
		if head == nil {
			heads[at] = it
			return false
		}
		if head.topic == it.topic {
			return false // the next step says whether it is the same
		}
		head.AlsoIn = append(head.AlsoIn, it.topic)
		head.copies = append(head.copies, it)
		head.absorb(it)
		return true
	})
}

// supersede folds an entry into the next newer one of its topic with which it
// shares more than overlap of the words. So a chain of rewordings ends up in its
// newest, also when the first and the last have little in common.
func supersede(items []*item) []*item {
	topics, words := map[place][]*item{}, 0
	for _, it := range items {
		at := place{it.Project, it.topic}
		topics[at] = append(topics[at], it)
		for _, w := range it.words {
			words = max(words, w+1)
		}
	}
	having := make([][]int, words)
	for _, topic := range topics {
		chain(topic, having)
	}
	return slices.DeleteFunc(items, func(it *item) bool { return it.into != nil })
}

// chain folds the entries of one topic, newest first. having is empty, by the
// number of a word, and is left so.
func chain(topic []*item, having [][]int) {
	common := make([]int, len(topic))
	for me, it := range topic {
		clear(common[:me])
		for _, w := range it.words {
			for _, i := range having[w] {
				common[i]++
			}
			having[w] = append(having[w], me)
		}
		for i := me - 1; i >= 0; i-- {
			n := common[i]
			if all := len(it.words) + len(topic[i].words) - n; n > 0 && float64(n) > overlap*float64(all) {
				head := topic[i].newest()
				it.into = head
				head.older = append(head.older, it)
				// What it stood for, the newer one stands for now.
				head.copies, it.copies = append(head.copies, it.copies...), nil
				head.AlsoIn, it.AlsoIn = append(head.AlsoIn, it.AlsoIn...), nil
				head.absorb(it)
				break
			}
		}
	}
	for _, it := range topic {
		for _, w := range it.words {
			having[w] = having[w][:0]
		}
	}
}

// cluster folds three or more entries of one topic and category, written within
// window, into the newest. Invariants and architecture are left alone: rules that
// were written down in one go are still so many rules.
func cluster(items []*item) []*item {
	type group struct {
		place
		category Category
	}
	groups := map[group][]*item{}
	for _, it := range items {
		if it.category != Invariants && it.category != Architecture {
			g := group{place{it.Project, it.topic}, it.category}
			groups[g] = append(groups[g], it)
		}
	}
	for _, g := range groups {
		for len(g) > 0 {
			head, n := g[0], 1
			for n < len(g) && head.when.Sub(g[n].when) <= window {
				n++
			}
			if n >= clusterMin {
				for _, it := range g[1:n] {
					it.into = head
					head.cluster = append(head.cluster, it)
					head.absorb(it)
				}
			}
			g = g[n:]
		}
	}
	return slices.DeleteFunc(items, func(it *item) bool { return it.into != nil })
}

// newest is the entry that stands for it.
func (it *item) newest() *item {
	for it.into != nil {
		it = it.into
	}
	return it
}

// absorb passes on what makes an entry matter.
func (it *item) absorb(other *item) { it.Score = max(it.Score, other.Score) }
