package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"helix/internal/kb/text"
	"helix/internal/kb/view"
)

// XrefResult says how a topic and the others refer to each other: an entry
// mentions a topic when it has all words of the topic's name.
type XrefResult struct {
	Topic       string       `json:"topic"`
	MentionedBy []TopicCount `json:"mentioned_by"` // entries of other topics that mention it
	Mentions    []TopicCount `json:"mentions"`     // entries of it that mention other topics
}

// Xref finds the topics that mention a topic, and those that it mentions.
func (m *Memory) Xref(ctx context.Context, topic string) (XrefResult, error) {
	if strings.TrimSpace(topic) == "" {
		return XrefResult{}, refuse("xref: no topic says whose references to show")
	}
	v, err := m.View()
	if err != nil {
		return XrefResult{}, err
	}
	defer v.Close()
	topics, err := v.Topics()
	if err != nil {
		return XrefResult{}, err
	}
	if !slices.ContainsFunc(topics, func(t view.Topic) bool { return t.Name == topic }) {
		return XrefResult{}, noTopic(v, topic)
	}
	out := XrefResult{Topic: topic, Mentions: []TopicCount{}}
	if out.MentionedBy, err = mentions(v, topic, view.Filter{}); err != nil {
		return XrefResult{}, err
	}
	for _, t := range topics {
		if err := ctx.Err(); err != nil {
			return XrefResult{}, err
		}
		if t.Name == topic {
			continue
		}
		found, err := mentions(v, t.Name, view.Filter{Topic: topic})
		if err != nil {
			return XrefResult{}, err
		}
		for _, f := range found {
			if f.Topic == topic { // the filter may have read the name as a pattern
				out.Mentions = append(out.Mentions, TopicCount{t.Name, f.Entries})
			}
		}
	}
	mostFirst(out.Mentions)
	return out, nil
}

// mentions counts, by topic, the entries of other topics that mention this one,
// most first.
func mentions(v *view.View, topic string, f view.Filter) ([]TopicCount, error) {
	out := []TopicCount{}
	q := view.Query{Text: nameWords(topic), Filter: f}
	if q.Text == "" {
		return out, nil
	}
	found, err := v.Matches(q)
	if err != nil {
		return nil, err
	}
	if found.Fallback { // some of the words only
		return out, nil
	}
	name := newMention(q.Text)
	for _, t := range found.Topics {
		if t.Name == topic {
			continue
		}
		n := t.Entries
		if name.marker.In(t.Name) > 0 {
			if n, err = name.count(v, q, t); err != nil {
				return nil, err
			}
		}
		if n > 0 {
			out = append(out, TopicCount{t.Name, n})
		}
	}
	mostFirst(out)
	return out, nil
}

// mention finds the words of a topic's name in texts.
type mention struct {
	marker *text.Marker
	words  int
}

func newMention(name string) mention {
	words := text.Words(name)
	stems := map[string]bool{}
	for _, w := range words {
		stems[text.Stem(w)] = true
	}
	return mention{text.NewMarker(words), len(stems)}
}

// count goes by the texts alone. A search also finds words in the name of the
// topic that an entry is in, and being in auth/keys is no mention of auth.
func (m mention) count(v *view.View, q view.Query, in view.Count) (int, error) {
	q.Limit, q.Filter.Topic = in.Entries, in.Name
	found, err := v.Search(q)
	n := 0
	for _, h := range found.Hits {
		if h.Entry.Topic == in.Name && m.marker.In(h.Entry.Text) == m.words {
			n++
		}
	}
	return n, err
}

// nameWords is a topic's name as a query: no character of it has a meaning.
func nameWords(topic string) string {
	words := strings.FieldsFunc(topic, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 2 })
	return strings.Join(words, " ")
}

func mostFirst(counts []TopicCount) {
	slices.SortFunc(counts, func(a, b TopicCount) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Topic, b.Topic))
	})
}

// Text gives a line for each topic.
func (r XrefResult) Text() string {
	if len(r.MentionedBy)+len(r.Mentions) == 0 {
		return fmt.Sprintf("no other topic mentions '%s', and it mentions none: a topic is mentioned where all words of its name are\n", line(r.Topic))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: mentioned by %s, mentions %d\n", line(r.Topic), count(len(r.MentionedBy), "topic", "topics"), len(r.Mentions))
	for _, t := range r.MentionedBy {
		fmt.Fprintf(&b, "  ← %s: %d\n", line(t.Topic), t.Entries)
	}
	for _, t := range r.Mentions {
		fmt.Fprintf(&b, "  → %s: %d\n", line(t.Topic), t.Entries)
	}
	return b.String()
}
