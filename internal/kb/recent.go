package kb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"helix/internal/kb/brief"
	"helix/internal/kb/source"
	"helix/internal/kb/view"
)

// RecentRequest asks for what was written lately.
type RecentRequest struct {
	Days  int `json:"days,omitempty"`  // 0: 7
	Hours int `json:"hours,omitempty"` // overrides days
	Limit int `json:"limit,omitempty"` // 0: 20
	// Project leaves out the entries of others, and those of none: a path or name, or
	// "none" for those that belong to none.
	Project string `json:"project,omitempty"`
}

// RecentResult is what was written lately, the newest first.
type RecentResult struct {
	Since time.Time `json:"since"`
	Items []Item    `json:"items"`
	More  bool      `json:"more,omitempty"` // there are more than the limit
}

const (
	recentDays  = 7
	recentLimit = 20
	maxLimit    = 2000
)

// Recent gives the newest entries.
func (m *Memory) Recent(_ context.Context, r RecentRequest) (RecentResult, error) {
	since, err := back(m.now(), r.Days, r.Hours, recentDays)
	if err != nil {
		return RecentResult{}, at("recent", err)
	}
	limit, err := limited(r.Limit, recentLimit)
	if err != nil {
		return RecentResult{}, at("recent", err)
	}
	project, err := m.projectMeant(r.Project)
	if err != nil {
		return RecentResult{}, at("recent", err)
	}
	v, err := m.View()
	if err != nil {
		return RecentResult{}, err
	}
	defer v.Close()
	entries, err := v.Newest(limit+1, view.Filter{Since: since, Project: project})
	if err != nil {
		return RecentResult{}, err
	}
	out := RecentResult{Since: since, Items: []Item{}, More: len(entries) > limit}
	files := source.NewChecker(m.root)
	for i := range entries[:min(limit, len(entries))] {
		out.Items = append(out.Items, m.show(files, &entries[i]))
	}
	return out, nil
}

// back gives the time so many hours, or else days, before now.
func back(now time.Time, days, hours, otherwise int) (time.Time, error) {
	switch {
	case hours < 0 || hours > maxSince:
		return now, refuse("%d is no number of hours back", hours)
	case days < 0 || days > maxSince/24:
		return now, refuse("%d is no number of days back", days)
	case hours > 0:
		return now.Add(-time.Duration(hours) * time.Hour), nil
	case days == 0:
		days = otherwise
	}
	return now.AddDate(0, 0, -days), nil
}

func limited(limit, otherwise int) (int, error) {
	switch {
	case limit < 0 || limit > maxLimit:
		return 0, refuse("the limit %d is not within 1 to %d", limit, maxLimit)
	case limit == 0:
		return otherwise, nil
	}
	return limit, nil
}

// Text gives a line for each entry.
func (r RecentResult) Text() string {
	if len(r.Items) == 0 {
		return fmt.Sprintf("nothing was written since %s: ask for more days, or list the topics\n", minute(r.Since))
	}
	var b strings.Builder
	for i := range r.Items {
		r.Items[i].short(&b)
	}
	fmt.Fprintf(&b, "%s since %s", count(len(r.Items), "entry", "entries"), minute(r.Since))
	if r.More {
		b.WriteString(", the newest; there are more, raise the limit to see them")
	}
	b.WriteByte('\n')
	return b.String()
}

// short writes an item on one line.
func (i *Item) short(b *strings.Builder) {
	b.WriteString("  [" + line(i.Topic) + "] " + minute(i.Created))
	for _, tag := range i.Tags {
		b.WriteString(" #" + tag)
	}
	b.WriteString(i.inProject() + " " + brief.Preview(i.Text, shortWidth))
	if i.Stale {
		b.WriteString(" [stale]")
	}
	b.WriteByte('\n')
}
