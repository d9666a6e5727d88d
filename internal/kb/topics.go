package kb

import (
	"context"
	"fmt"
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
}

// Topics lists the topics.
func (m *Memory) Topics(_ context.Context) (TopicList, error) {
	v, err := m.View()
	if err != nil {
		return TopicList{}, err
	}
	defer v.Close()
	return listTopics(v)
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
