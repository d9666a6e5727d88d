package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// GraphRequest asks for the references between all topics.
type GraphRequest struct {
	Progress func(done, total int) `json:"-"` // called after each topic
}

// TopicEdge says how many entries of one topic mention another.
type TopicEdge struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Entries int    `json:"entries"`
}

// GraphResult is the references between topics, the strongest first.
type GraphResult struct {
	Topics     int         `json:"topics"`
	References int         `json:"references"` // found
	Edges      []TopicEdge `json:"edges"`      // at most 10000 of them
}

const (
	graphMax   = 10_000 // references of a result
	graphShown = 200    // and of its text
)

// Graph finds which topics mention which. It ends early, with ctx's error, when ctx
// does.
func (m *Memory) Graph(ctx context.Context, r GraphRequest) (GraphResult, error) {
	v, err := m.View()
	if err != nil {
		return GraphResult{}, err
	}
	defer v.Close()
	topics, err := v.Topics()
	if err != nil {
		return GraphResult{}, err
	}
	all, err := v.Mentions(namesOf(topics), "", func(done int) error {
		if r.Progress != nil {
			r.Progress(done, len(topics))
		}
		return ctx.Err()
	})
	if err != nil {
		return GraphResult{}, err
	}
	out := GraphResult{Topics: len(topics), Edges: []TopicEdge{}}
	for i, t := range topics {
		for _, f := range all[i] {
			if f.Name != t.Name {
				out.Edges = append(out.Edges, TopicEdge{From: f.Name, To: t.Name, Entries: f.Entries})
			}
		}
	}
	slices.SortFunc(out.Edges, func(a, b TopicEdge) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	out.References = len(out.Edges)
	out.Edges = out.Edges[:min(graphMax, len(out.Edges))]
	return out, nil
}

// Text gives a line for each reference.
func (r GraphResult) Text() string {
	switch {
	case r.Topics == 0:
		return emptyMemory
	case len(r.Edges) == 0:
		return fmt.Sprintf("none of %s mentions another: a topic is mentioned where all words of its name are\n", count(r.Topics, "topic", "topics"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", count(r.Topics, "topic", "topics"), count(r.References, "reference", "references"))
	for _, e := range r.Edges[:min(graphShown, len(r.Edges))] {
		fmt.Fprintf(&b, "  %s → %s: %d\n", line(e.From), line(e.To), e.Entries)
	}
	if more := r.References - graphShown; more > 0 {
		fmt.Fprintf(&b, "  … %d weaker; the JSON form has up to %d\n", more, graphMax)
	}
	return b.String()
}
