package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helix/internal/kb/brief"
	"helix/internal/kb/view"
)

// TopicSummary sums up one topic.
type TopicSummary struct {
	Topic   string    `json:"topic"`
	Entries int       `json:"entries"`
	First   time.Time `json:"first"` // when the oldest entry was written
	Last    time.Time `json:"last"`  // when the newest was
}

// TopicList is all topics, by name.
type TopicList struct {
	Entries int            `json:"entries"`
	Topics  []TopicSummary `json:"topics"`

	project string // that was asked for, "" for all
}

// TopicsRequest asks which topics there are.
type TopicsRequest struct {
	// Project counts only the entries of a project: a path or name, or "none" for those
	// that belong to none.
	Project string `json:"project,omitempty"`
}

// Topics lists the topics.
func (m *Memory) Topics(ctx context.Context, r TopicsRequest) (TopicList, error) {
	project, err := m.projectMeant(r.Project)
	if err != nil {
		return TopicList{}, at("topics", err)
	}
	v, err := m.View()
	if err != nil {
		return TopicList{}, err
	}
	defer v.Close()
	if project != "" {
		return topicsOf(ctx, v, project)
	}
	return listTopics(v)
}

// topicsOf sums up the entries of a project, one by one.
func topicsOf(ctx context.Context, v *view.View, project string) (TopicList, error) {
	out := TopicList{Topics: []TopicSummary{}, project: project}
	at := map[string]int{}
	for e, err := range v.Entries(view.Filter{Project: project}) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return TopicList{}, err
		}
		i, ok := at[e.Topic]
		if !ok {
			i = len(out.Topics)
			at[e.Topic] = i
			out.Topics = append(out.Topics, TopicSummary{Topic: e.Topic, First: e.Created, Last: e.Created})
		}
		t := &out.Topics[i]
		t.Entries++
		out.Entries++
		if e.Created.Before(t.First) {
			t.First = e.Created
		}
		if e.Created.After(t.Last) {
			t.Last = e.Created
		}
	}
	slices.SortFunc(out.Topics, func(a, b TopicSummary) int { return cmp.Compare(a.Topic, b.Topic) })
	return out, nil
}

func listTopics(v *view.View) (TopicList, error) {
	topics, err := v.Topics()
	if err != nil {
		return TopicList{}, err
	}
	out := TopicList{Topics: make([]TopicSummary, 0, len(topics))}
	for _, t := range topics {
		out.Entries += t.Entries
		out.Topics = append(out.Topics, TopicSummary{t.Name, t.Entries, t.First, t.Last})
	}
	return out, nil
}

// Text lists the topics, a line each, after their number.
func (l TopicList) Text() string {
	if len(l.Topics) == 0 && l.project != "" {
		return "no entry belongs to " + oneLine(l.project) + ": leave out the project to see all\n"
	}
	if len(l.Topics) == 0 {
		return emptyMemory
	}
	var b strings.Builder
	b.WriteString(l.headline() + "\n")
	for _, t := range l.Topics {
		fmt.Fprintf(&b, "  %s: %d, last %s\n", line(t.Topic), t.Entries, day(t.Last))
	}
	return b.String()
}

func (l TopicList) headline() string {
	return count(len(l.Topics), "topic", "topics") + ", " + count(l.Entries, "entry", "entries")
}

const emptyMemory = "the memory is empty: store what you find out, a topic and a text\n"

func day(t time.Time) string    { return t.Local().Format(time.DateOnly) }
func minute(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// shortWidth is how many characters of a text a list shows.
const shortWidth = 100

// line is a name in one line that cannot steer a terminal.
func line(name string) string { return brief.Preview(name, shortWidth) }
