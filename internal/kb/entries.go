package kb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helix/internal/kb/brief"
	"helix/internal/kb/entry"
	"helix/internal/kb/source"
)

// EntriesRequest asks what a topic has.
type EntriesRequest struct {
	Topic string   `json:"topic"`
	Index *int     `json:"index,omitempty"` // this one, from 0; negative from the end
	Match string   `json:"match,omitempty"` // those that have this text, without regard to case
	Focus []string `json:"focus,omitempty"` // those of these categories, as gotchas, decisions
	Limit int      `json:"limit,omitempty"` // 0: 50, the newest
	// Project leaves out the entries of others, and those of none: a path or name, or
	// "none" for those that belong to none.
	Project string `json:"project,omitempty"`
	// Own leaves out the entries of other projects than that at hand; those of none
	// stay.
	Own bool `json:"-"`
}

// EntriesResult is what a topic has, the oldest first.
type EntriesResult struct {
	Topic   string `json:"topic"`
	Entries int    `json:"entries"` // of the topic
	Matches int    `json:"matches"` // of them that were asked for
	Items   []Item `json:"items"`
}

// EntriesOf lists the entries of a topic, each with its index.
func (m *Memory) EntriesOf(_ context.Context, r EntriesRequest) (EntriesResult, error) {
	if strings.TrimSpace(r.Topic) == "" {
		return EntriesResult{}, refuse("entries: no topic says whose entries to list")
	}
	limit, err := limited(r.Limit, readLimit)
	if err != nil {
		return EntriesResult{}, at("entries", err)
	}
	focus, err := categories(r.Focus)
	if err != nil {
		return EntriesResult{}, at("entries", err)
	}
	project, err := m.projectMeant(r.Project)
	if err != nil {
		return EntriesResult{}, at("entries", err)
	}
	v, err := m.View()
	if err != nil {
		return EntriesResult{}, err
	}
	defer v.Close()
	entries, err := topicEntries(v, r.Topic, false)
	if err != nil {
		return EntriesResult{}, err
	}
	if len(entries) == 0 {
		return EntriesResult{}, noTopic(v, r.Topic)
	}
	which, err := r.which(entries, func(e *entry.Entry) bool {
		return belongs(e.Project, project) && !(r.Own && m.elsewhere(e.Project)) &&
			(len(focus) == 0 || slices.Contains(focus, brief.Classify(e)))
	})
	if err != nil {
		return EntriesResult{}, err
	}
	out := EntriesResult{Topic: r.Topic, Entries: len(entries), Matches: len(which), Items: []Item{}}
	files := source.NewChecker(m.root)
	for _, i := range which[max(0, len(which)-limit):] {
		item := m.show(files, &entries[i])
		item.Index = &i
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// which gives the indexes that are asked for, of entries that pass.
func (r *EntriesRequest) which(entries []entry.Entry, pass func(*entry.Entry) bool) ([]int, error) {
	only := -1
	if r.Index != nil {
		i, ok := place(*r.Index, len(entries))
		if !ok {
			return nil, notFound("topic '%s' has no entry [%d]: it has %s, from [0]", r.Topic, *r.Index, count(len(entries), "entry", "entries"))
		}
		only = i
	}
	match := strings.ToLower(r.Match)
	var out []int
	for i := range entries {
		e := &entries[i]
		if (only < 0 || only == i) &&
			(match == "" || strings.Contains(strings.ToLower(e.Text), match)) && pass(e) {
			out = append(out, i)
		}
	}
	return out, nil
}

// Text gives a line for each entry, and the whole text when there is one only.
func (r EntriesResult) Text() string {
	var b strings.Builder
	switch {
	case len(r.Items) == 1:
		r.Items[0].whole(&b)
	default:
		for i := range r.Items {
			r.Items[i].numbered(&b)
		}
	}
	b.WriteString(count(r.Entries, "entry", "entries") + " in " + line(r.Topic))
	switch {
	case r.Matches == 0:
		b.WriteString(", none of them fits: leave out the match, the focus or the project to see all")
	case r.Matches < r.Entries:
		fmt.Fprintf(&b, ", %d of them asked for", r.Matches)
	}
	if len(r.Items) < r.Matches {
		fmt.Fprintf(&b, ", the newest %d shown: raise the limit to see more", len(r.Items))
	}
	b.WriteByte('\n')
	return b.String()
}

// numbered writes an item on one line, with its index.
func (i *Item) numbered(b *strings.Builder) {
	fmt.Fprintf(b, "  [%d] %s", *i.Index, minute(i.Created))
	for _, tag := range i.Tags {
		b.WriteString(" #" + tag)
	}
	b.WriteString(i.inProject() + " " + brief.Preview(i.Text, shortWidth))
	if i.Stale {
		b.WriteString(" [stale]")
	}
	b.WriteByte('\n')
}
