package kb

import (
	"fmt"
	"slices"
	"strings"
)

// Text gives the result in the form that its detail asks for.
func (r SearchResult) Text() string {
	if r.Matches == 0 {
		return fmt.Sprintf("no matches for '%s'\n", cut(r.Query, 200))
	}
	var b strings.Builder
	if r.Fallback && r.Detail != detailCount {
		b.WriteString("(no exact match — showing OR results)\n")
	}
	switch r.Detail {
	case detailCount:
		if r.Fallback {
			b.WriteString("(OR) ")
		}
		fmt.Fprintf(&b, "%s across %s for '%s'\n", count(r.Matches, "match", "matches"), count(len(r.Topics), "topic", "topics"), cut(r.Query, 200))
	case detailTopics:
		for _, t := range r.Topics {
			fmt.Fprintf(&b, "  %s: %d\n", t.Topic, t.Entries)
		}
		fmt.Fprintf(&b, "%s across %s\n", count(r.Matches, "match", "matches"), count(len(r.Topics), "topic", "topics"))
	case detailGrouped:
		r.grouped(&b)
	case detailFull:
		for i := range r.Items {
			r.Items[i].section(&b)
		}
		r.foot(&b, "matching section", "matching sections")
	case detailBrief:
		for i := range r.Items {
			item := &r.Items[i]
			fmt.Fprintf(&b, "  [%s] %s%s%s (%s)\n", item.Topic, item.Text, item.inOther(), item.doubt(), item.ID)
		}
		r.foot(&b, "match", "matches")
	default:
		for i := range r.Items {
			r.Items[i].snippet(&b)
		}
		r.foot(&b, "match", "matches")
	}
	return b.String()
}

func (r *SearchResult) foot(b *strings.Builder, one, many string) {
	b.WriteString(count(r.Matches, one, many))
	if r.More {
		b.WriteString(" shown, there are more: raise the limit, add words or a filter")
	}
	b.WriteByte('\n')
}

func (r *SearchResult) grouped(b *strings.Builder) {
	fmt.Fprintf(b, "'%s' across %s (%s):\n", cut(r.Query, 200), count(len(r.Topics), "topic", "topics"), count(r.Matches, "match", "matches"))
	for _, t := range r.Topics {
		shown := 0
		for i := range r.Items {
			if item := &r.Items[i]; item.Topic == t.Topic {
				if shown == 0 {
					fmt.Fprintf(b, "%s (%d)\n", t.Topic, t.Entries)
				}
				shown++
				fmt.Fprintf(b, "  %s %s%s%s (%s)\n", item.day(), item.Text, item.inOther(), item.doubt(), item.ID)
			}
		}
		if left := t.Entries - shown; shown > 0 && left > 0 {
			fmt.Fprintf(b, "  … %d more\n", left)
		}
	}
	if hidden := r.hiddenTopics(); hidden > 0 {
		fmt.Fprintf(b, "%s more; detail topics lists all\n", count(hidden, "topic", "topics"))
	}
}

// hiddenTopics counts the topics of which no item is shown.
func (r *SearchResult) hiddenTopics() int {
	n := 0
	for _, t := range r.Topics {
		if !slices.ContainsFunc(r.Items, func(i Item) bool { return i.Topic == t.Topic }) {
			n++
		}
	}
	return n
}

func (i *Item) day() string { return i.Created.Local().Format("2006-01-02") }

// doubt says why an item should be taken with care.
func (i *Item) doubt() string {
	switch {
	case i.Stale:
		return " [stale? " + i.Source + " has changed]"
	case i.Confidence < 1:
		return " (" + percent(i.Confidence) + ")"
	}
	return ""
}

// snippet gives the head and the lines that a medium search shows.
func (i *Item) snippet(b *strings.Builder) {
	fmt.Fprintf(b, "  [%s] %s%s%s%s (%s)\n", i.Topic, i.Created.Local().Format("2006-01-02 15:04"), i.hashtags(), i.inOther(), i.doubt(), i.ID)
	for line := range strings.SplitSeq(i.Text, "\n") {
		fmt.Fprintf(b, "    %s\n", line)
	}
}

func (i *Item) hashtags() string {
	var b strings.Builder
	for _, tag := range i.Tags {
		b.WriteString(" #" + tag)
	}
	return b.String()
}

// section gives the whole text, with a mark before the lines that match.
func (i *Item) section(b *strings.Builder) {
	fmt.Fprintf(b, "--- %s ---\n## %s%s%s%s (%s)\n", i.Topic, i.Created.Local().Format("2006-01-02 15:04"), i.hashtags(), i.inOther(), i.doubt(), i.ID)
	if i.Other {
		fmt.Fprintf(b, "  project: %s\n", oneLine(i.Project))
	}
	if i.Source != "" {
		fmt.Fprintf(b, "  source: %s\n", i.Source)
	}
	n := 0
	for line := range strings.Lines(i.Text) {
		n++
		mark := "  "
		if slices.Contains(i.Matching, n) {
			mark = "> "
		}
		b.WriteString(mark + strings.TrimRight(line, "\r\n") + "\n")
	}
}
