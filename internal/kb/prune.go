package kb

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// PruneRequest asks for the topics that nobody writes to.
type PruneRequest struct {
	Days int `json:"days,omitempty"` // 0: 30
}

// QuietTopic is a topic that nobody has written to for some days.
type QuietTopic struct {
	TopicSummary
	Days int `json:"days"` // since the newest entry
}

// PruneResult is the topics that nobody writes to, the longest quiet first.
type PruneResult struct {
	Days   int          `json:"days"`
	Topics []QuietTopic `json:"topics"`
}

const pruneDays = 30

// Prune lists the topics without an entry for some days. It deletes nothing.
func (m *Memory) Prune(ctx context.Context, r PruneRequest) (PruneResult, error) {
	now := m.now()
	before, err := back(now, r.Days, 0, pruneDays)
	if err != nil {
		return PruneResult{}, at("prune", err)
	}
	list, err := m.Topics(ctx, TopicsRequest{})
	if err != nil {
		return PruneResult{}, err
	}
	out := PruneResult{Days: r.Days, Topics: []QuietTopic{}}
	if out.Days == 0 {
		out.Days = pruneDays
	}
	for _, t := range list.Topics {
		if t.Last.Before(before) {
			out.Topics = append(out.Topics, QuietTopic{t, int(now.Sub(t.Last).Hours() / 24)})
		}
	}
	slices.SortStableFunc(out.Topics, func(a, b QuietTopic) int { return a.Last.Compare(b.Last) })
	return out, nil
}

// Text gives a line for each topic.
func (r PruneResult) Text() string {
	if len(r.Topics) == 0 {
		return fmt.Sprintf("no topic has been quiet for %s\n", count(r.Days, "day", "days"))
	}
	var b strings.Builder
	for _, t := range r.Topics {
		fmt.Fprintf(&b, "  %s: %s, last %s (%s ago)\n", line(t.Topic), count(t.Entries, "entry", "entries"), day(t.Last), count(t.Days, "day", "days"))
	}
	fmt.Fprintf(&b, "%s quiet for %s; nothing was deleted: read one, then delete it as a whole or merge it into another\n",
		count(len(r.Topics), "topic", "topics"), count(r.Days, "day", "days"))
	return b.String()
}
