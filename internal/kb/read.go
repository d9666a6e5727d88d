package kb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/source"
	"helix/internal/kb/view"
)

// ReadRequest asks for entries whole: one by ID, or those of a topic.
type ReadRequest struct {
	ID    string `json:"id,omitempty"`
	Topic string `json:"topic,omitempty"`
	Index *int   `json:"index,omitempty"` // from 0; negative from the end
	Limit int    `json:"limit,omitempty"` // 0: 50, the newest; the rest is counted
}

// ReadResult is what was read, the oldest first.
type ReadResult struct {
	Topic   string `json:"topic"`
	Entries int    `json:"entries"` // of the topic
	Items   []Item `json:"items"`
}

const readLimit = 50

// Read gives entries whole. An entry that recall does not show any more can be
// read by its id.
func (m *Memory) Read(_ context.Context, r ReadRequest) (ReadResult, error) {
	switch {
	case r.ID == "" && strings.TrimSpace(r.Topic) == "":
		return ReadResult{}, refuse("read: neither a topic nor an id says what to read")
	case r.ID != "" && r.Index != nil:
		return ReadResult{}, refuse("read: give only one of id and index")
	case r.Limit < 0:
		return ReadResult{}, refuse("read: the limit %d is negative", r.Limit)
	}
	v, err := m.View()
	if err != nil {
		return ReadResult{}, err
	}
	defer v.Close()
	if r.ID != "" {
		return m.readID(v, r)
	}
	return m.readTopic(v, r)
}

func (m *Memory) readID(v *view.View, r ReadRequest) (ReadResult, error) {
	e, err := v.Get(r.ID)
	switch {
	case errors.Is(err, ErrNotFound):
		return ReadResult{}, notFound("no entry has the id %q: search for it, or read its topic", cut(r.ID, 100))
	case err != nil:
		return ReadResult{}, err
	case r.Topic != "" && r.Topic != e.Topic:
		return ReadResult{}, refuse("read: %s is in topic '%s', not in '%s'", r.ID, e.Topic, cut(r.Topic, 100))
	}
	entries, err := topicEntries(v, e.Topic, false)
	if err != nil {
		return ReadResult{}, err
	}
	item := m.show(source.NewChecker(m.root), &e)
	for i := range entries {
		if entries[i].ID == e.ID {
			item.Index = &i
			break
		}
	}
	return ReadResult{Topic: e.Topic, Entries: len(entries), Items: []Item{item}}, nil
}

func (m *Memory) readTopic(v *view.View, r ReadRequest) (ReadResult, error) {
	entries, err := topicEntries(v, r.Topic, false)
	if err != nil {
		return ReadResult{}, err
	}
	n := len(entries)
	if n == 0 {
		return ReadResult{}, noTopic(v, r.Topic)
	}
	limit := r.Limit
	if limit == 0 {
		limit = readLimit
	}
	from, to := max(0, n-limit), n
	if r.Index != nil {
		i, ok := place(*r.Index, n)
		if !ok {
			return ReadResult{}, notFound("topic '%s' has no entry [%d]: it has %s, from [0]", r.Topic, *r.Index, count(n, "entry", "entries"))
		}
		from, to = i, i+1
	}
	out := ReadResult{Topic: r.Topic, Entries: n}
	checker := source.NewChecker(m.root)
	for i := from; i < to; i++ {
		item := m.show(checker, &entries[i])
		item.Index = &i
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// show is an entry as it is now: with what became of its source.
func (m *Memory) show(c *source.Checker, e *entry.Entry) Item {
	item := itemOf(e)
	item.Other = m.elsewhere(e.Project)
	if e.Source.Path == "" {
		return item
	}
	state := m.sourceState(c, e)
	item.Stale = state == source.Changed
	item.Confidence = state.Confidence(e.Confidence)
	return item
}

// Text gives each entry with its number, and how many the topic has.
func (r ReadResult) Text() string {
	var b strings.Builder
	for i := range r.Items {
		r.Items[i].whole(&b)
	}
	b.WriteString(count(r.Entries, "entry", "entries") + " in " + r.Topic)
	if shown := len(r.Items); shown < r.Entries {
		fmt.Fprintf(&b, ", %d shown", shown)
	}
	b.WriteByte('\n')
	return b.String()
}

// whole writes an item with all that is known about it.
func (i *Item) whole(b *strings.Builder) {
	if i.Index != nil {
		fmt.Fprintf(b, "[%d] ", *i.Index)
	}
	b.WriteString(i.Created.Local().Format("2006-01-02 15:04") + " " + i.ID)
	if i.Kind != string(entry.Fact) {
		b.WriteString(" " + i.Kind)
	}
	for _, tag := range i.Tags {
		b.WriteString(" #" + tag)
	}
	if i.Confidence < 1 {
		b.WriteString(" (" + percent(i.Confidence) + ")")
	}
	b.WriteByte('\n')
	i.facts(b)
	for line := range strings.SplitSeq(strings.TrimSuffix(i.Text, "\n"), "\n") {
		if line != "" {
			b.WriteString("  " + line)
		}
		b.WriteByte('\n')
	}
}

func (i *Item) facts(b *strings.Builder) {
	if i.Project != "" {
		b.WriteString("  project: " + oneLine(i.Project) + "\n")
	}
	if i.Source != "" {
		b.WriteString("  source: " + i.Source)
		if i.Stale {
			b.WriteString(" [stale: the file has changed since]")
		}
		b.WriteByte('\n')
	}
	if len(i.Links) > 0 {
		b.WriteString("  links: " + strings.Join(i.Links, " ") + "\n")
	}
	if !i.Modified.IsZero() {
		b.WriteString("  modified: " + i.Modified.Local().Format("2006-01-02 15:04") + "\n")
	}
}
