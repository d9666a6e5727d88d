package brief

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"helix/internal/kb/entry"
)

// Candidate is an entry that may be part of a briefing.
type Candidate struct {
	Entry      entry.Entry
	Relevance  float64  // how well it fits the question, 0 and up
	Confidence float64  // after the decay of a changed source
	Stale      bool     // the source has changed
	Other      bool     // it belongs to another project than that at hand
	Links      []string // ids of the entries that it refers to
}

// Details of a briefing.
const (
	Summary = "summary" // some 15 lines: what there is, and the entries that matter most
	Scan    = "scan"    // the first entries of each category, a line each
	Full    = "full"    // texts
)

// Details lists them.
func Details() []string { return []string{Summary, Scan, Full} }

// Options say how the briefing is made.
type Options struct {
	Query   string
	Detail  string     // Summary when empty
	Focus   []Category // show these only
	Compact bool       // shorter lines
	More    bool       // more entries fit than were collected
	Now     time.Time
}

// Result is a briefing: Overview when it is about the whole memory, else Sections.
type Result struct {
	Query    string    `json:"query,omitempty"`
	Detail   string    `json:"detail"`
	Entries  int       `json:"entries"`              // that were collected
	More     bool      `json:"more,omitempty"`       // others fit too, older or less well
	Kept     int       `json:"kept"`                 // after compression
	Copies   int       `json:"copies,omitempty"`     // folded: the same first line in another topic
	Replaced int       `json:"superseded,omitempty"` // folded: an older wording
	Grouped  int       `json:"clustered,omitempty"`  // folded: of the same days as a newer one
	Topics   []Topic   `json:"topics,omitempty"`
	Hot      []Item    `json:"hot,omitempty"` // summary: the best of all categories
	Sections []Section `json:"sections,omitempty"`
	Overview *Overview `json:"overview,omitempty"`

	compact bool
	now     time.Time
}

// Topic says how many of the collected entries a topic has.
type Topic struct {
	Topic   string `json:"topic"`
	Entries int    `json:"entries"`
}

// Section is what a briefing shows of one category.
type Section struct {
	Category Category `json:"category"`
	Entries  int      `json:"entries"` // of this category
	Items    []Item   `json:"items,omitempty"`
}

// Item is an entry as a briefing shows it, with what it stands for.
type Item struct {
	ID         string    `json:"id"`
	Topic      string    `json:"topic"`
	Category   Category  `json:"category"`
	Tags       []string  `json:"tags,omitempty"`
	Source     string    `json:"source,omitempty"` // path:line
	Stale      bool      `json:"stale,omitempty"`
	Project    string    `json:"project,omitempty"`       // path; of none, it holds for all
	Other      bool      `json:"other_project,omitempty"` // than that at hand
	Confidence float64   `json:"confidence"`
	Written    time.Time `json:"written"`
	Score      float64   `json:"score"`
	LinksIn    int       `json:"links_in,omitempty"`
	Line       string    `json:"line"`           // the first of the text
	Body       []string  `json:"body,omitempty"` // full: the first lines of the text
	More       int       `json:"more,omitempty"` // full: lines of the text after those
	AlsoIn     []string  `json:"also_in,omitempty"`
	Copies     []string  `json:"copies,omitempty"`     // ids: the same first line in other topics
	Supersedes []string  `json:"supersedes,omitempty"` // ids: older wordings
	Cluster    []Member  `json:"cluster,omitempty"`    // written in the same 48 hours
}

// Member is an entry that a cluster hides.
type Member struct {
	ID         string   `json:"id"`
	Line       string   `json:"line"`
	Copies     []string `json:"copies,omitempty"`
	Supersedes []string `json:"supersedes,omitempty"`
}

// item is an entry on its way through the steps.
type item struct {
	Item
	id, topic, text string
	when            time.Time
	category        Category
	words           []int // numbers of the different ones
	into            *item
	copies          []*item
	older           []*item
	cluster         []*item
}

// Build makes the briefing about the candidates.
func Build(in []Candidate, o Options) Result {
	in = unique(in)
	items := prepare(in, o.Now)
	res := Result{
		Query: o.Query, Detail: cmp.Or(o.Detail, Summary), Entries: len(in), More: o.More,
		Topics: countTopics(items), compact: o.Compact, now: o.Now,
	}
	kept := compress(items)
	res.Kept = len(kept)
	for _, it := range kept {
		res.count(it)
	}
	for _, it := range kept {
		it.finish()
	}
	slices.SortFunc(kept, func(a, b *item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), newestFirst(a, b))
	})
	if len(o.Focus) > 0 {
		kept = slices.DeleteFunc(kept, func(it *item) bool { return !slices.Contains(o.Focus, it.category) })
	}
	res.arrange(kept)
	return res
}

// unique leaves one candidate of each id, the most relevant.
func unique(in []Candidate) []Candidate {
	best := map[string]Candidate{}
	for _, c := range in {
		if old, ok := best[c.Entry.ID]; !ok || c.Relevance > old.Relevance {
			best[c.Entry.ID] = c
		}
	}
	out := make([]Candidate, 0, len(best))
	for _, id := range slices.Sorted(maps.Keys(best)) {
		out = append(out, best[id])
	}
	return out
}

func prepare(in []Candidate, now time.Time) []*item {
	classes, links := newClassifier(), linksIn(in)
	items := make([]*item, len(in))
	numbers := newNumberer()
	for i := range in {
		c := &in[i]
		e := &c.Entry
		it := &item{
			id: e.ID, topic: e.Topic, text: e.Text, when: when(e), category: classes.classify(e), words: numbers.words(head(e.Text, maxScan)),
		}
		it.Item = Item{
			ID: e.ID, Topic: e.Topic, Category: it.category, Tags: e.Tags, Source: sourceText(e.Source), Stale: c.Stale, Project: e.Project, Other: c.Other,
			Confidence: c.Confidence, Written: it.when, LinksIn: links[e.ID], Line: printable(head(firstLine(e.Text), maxLine)),
			Score: Score(c.Relevance, Freshness(e, now), c.Confidence, links[e.ID]),
		}
		items[i] = it
	}
	slices.SortFunc(items, newestFirst)
	return items
}

// sourceText is a source as people write it, path:line.
func sourceText(s entry.Source) string {
	if s.Line > 0 {
		return s.Path + ":" + strconv.Itoa(s.Line)
	}
	return s.Path
}

func countTopics(items []*item) []Topic {
	n := map[string]int{}
	for _, it := range items {
		n[it.topic]++
	}
	var out []Topic
	for name, entries := range n {
		out = append(out, Topic{name, entries})
	}
	slices.SortFunc(out, func(a, b Topic) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Topic, b.Topic))
	})
	return out
}

func (r *Result) count(it *item) {
	r.Copies += len(it.copies)
	r.Replaced += len(it.older)
	r.Grouped += len(it.cluster)
	for _, m := range it.cluster {
		r.count(m)
	}
}

// finish writes down what the item stands for.
func (it *item) finish() {
	slices.Sort(it.AlsoIn)
	it.AlsoIn = slices.Compact(it.AlsoIn)
	it.Copies, it.Supersedes = ids(it.copies), ids(it.older)
	for _, m := range it.cluster {
		it.Cluster = append(it.Cluster, Member{m.id, m.Line, ids(m.copies), ids(m.older)})
	}
}

func ids(items []*item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.id)
	}
	return out
}

const (
	hotMax    = 8  // entries of a summary
	scanMax   = 3  // entries of each category in a scan
	fullMax   = 5  // entries of each category with their text
	fullLines = 10 // entries of each category with a line only, after those
)

// bodyLines is how much of a text is shown, by place in its category.
func bodyLines(place int) int {
	switch {
	case place == 0:
		return 10
	case place < 3:
		return 8
	}
	return 5
}

// arrange picks what the detail shows of the items, which are in their final order.
func (r *Result) arrange(items []*item) {
	by := map[Category][]*item{}
	for _, it := range items {
		by[it.category] = append(by[it.category], it)
	}
	for _, c := range Categories() {
		if len(by[c]) == 0 {
			continue
		}
		s := Section{Category: c, Entries: len(by[c])}
		switch r.Detail {
		case Scan:
			s.Items = shown(by[c], scanMax)
		case Full:
			s.Items = shown(by[c], fullMax+fullLines)
			for i := range min(fullMax, len(s.Items)) {
				s.Items[i].Body, s.Items[i].More = capped(by[c][i].text, bodyLines(i))
			}
		}
		r.Sections = append(r.Sections, s)
	}
	if r.Detail == Summary {
		r.Hot = shown(items, hotMax)
	}
}

func shown(items []*item, n int) []Item {
	var out []Item
	for _, it := range items[:min(n, len(items))] {
		out = append(out, it.Item)
	}
	return out
}
