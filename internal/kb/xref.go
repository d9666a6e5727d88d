package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

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
	out := XrefResult{Topic: topic, MentionedBy: []TopicCount{}, Mentions: []TopicCount{}}
	step := func(int) error { return ctx.Err() }
	by, err := v.Mentions([]string{nameWords(topic)}, "", step)
	if err != nil {
		return XrefResult{}, err
	}
	for _, f := range by[0] {
		if f.Name != topic {
			out.MentionedBy = append(out.MentionedBy, TopicCount{f.Name, f.Entries})
		}
	}
	found, err := v.Mentions(namesOf(topics), topic, step)
	if err != nil {
		return XrefResult{}, err
	}
	for i, t := range topics {
		for _, f := range found[i] {
			if t.Name != topic {
				out.Mentions = append(out.Mentions, TopicCount{t.Name, f.Entries})
			}
		}
	}
	mostFirst(out.Mentions)
	return out, nil
}

// namesOf are the names of topics as they are looked for.
func namesOf(topics []view.Topic) []string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = nameWords(t.Name)
	}
	return names
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
