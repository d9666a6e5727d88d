package kb

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"helix/internal/kb/source"
	"helix/internal/kb/text"
	"helix/internal/kb/view"
)

// The forms in which a search answers.
const (
	detailFull    = "full"
	detailMedium  = "medium"
	detailBrief   = "brief"
	detailCount   = "count"
	detailTopics  = "topics"
	detailGrouped = "grouped"
)

const (
	perGroup    = 5   // items of a topic when grouped
	mediumLines = 2   // of a text when medium
	mediumLine  = 100 // bytes
	briefLine   = 80  // bytes
)

// SearchRequest looks for entries.
type SearchRequest struct {
	Query  string `json:"query"`
	Detail string `json:"detail,omitempty"` // full, medium (default), brief, count, topics, grouped
	Limit  int    `json:"limit,omitempty"`  // 0: 20
	Mode   string `json:"mode,omitempty"`   // and (default), or
	Topic  string `json:"topic,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Source string `json:"source,omitempty"`
	Kind   string `json:"kind,omitempty"`
	// Project finds only the entries of a project, "none" those of none: a path in one
	// of its checkouts, or the last elements of its path.
	Project string `json:"project,omitempty"`
	After   string `json:"after,omitempty"`  // YYYY-MM-DD, RFC 3339, today, yesterday, week, month
	Before  string `json:"before,omitempty"` // the same
	Days    int    `json:"days,omitempty"`
	Hours   int    `json:"hours,omitempty"` // overrides days
}

// SearchResult is what was found.
type SearchResult struct {
	Query    string       `json:"query"`
	Detail   string       `json:"detail"`
	Matches  int          `json:"matches"` // all of them for count, topics and grouped; else the items below
	More     bool         `json:"more,omitempty"`
	Fallback bool         `json:"fallback,omitempty"` // no entry has all words; these have some
	Items    []Item       `json:"items,omitempty"`
	Topics   []TopicCount `json:"topics,omitempty"`
}

// TopicCount says how many entries a topic has, or a search found in it.
type TopicCount struct {
	Topic   string `json:"topic"`
	Entries int    `json:"entries"`
}

// Search finds entries.
func (m *Memory) Search(_ context.Context, r SearchRequest) (SearchResult, error) {
	q, err := m.query(&r)
	if err != nil {
		return SearchResult{}, err
	}
	v, err := m.View()
	if err != nil {
		return SearchResult{}, err
	}
	defer v.Close()
	out := SearchResult{Query: r.Query, Detail: r.Detail}
	switch r.Detail {
	case detailCount, detailTopics, detailGrouped:
		err = out.byTopic(m, v, q)
	default:
		err = out.best(m, v, q)
	}
	if errors.Is(err, view.ErrQuery) {
		return SearchResult{}, refuseQuery(err)
	}
	return out, err
}

func refuseQuery(err error) error {
	return &refusal{strings.TrimPrefix(err.Error(), view.ErrQuery.Error()+": "), ErrRefused}
}

// query checks the request, fills in what it leaves out, and gives the query of it.
func (m *Memory) query(r *SearchRequest) (view.Query, error) {
	if r.Detail == "" {
		r.Detail = detailMedium
	}
	details := []string{detailFull, detailMedium, detailBrief, detailCount, detailTopics, detailGrouped}
	switch {
	case !slices.Contains(details, r.Detail):
		return view.Query{}, refuse("search: no detail %q; there are %s", cut(r.Detail, 100), strings.Join(details, ", "))
	case r.Mode != "" && r.Mode != "and" && r.Mode != "or":
		return view.Query{}, refuse("search: no mode %q; there are and, or", cut(r.Mode, 100))
	case r.Limit < 0 || r.Limit > maxLimit:
		return view.Query{}, refuse("search: limit %d: give 1 to %d", r.Limit, maxLimit)
	case r.Days < 0 || r.Hours < 0:
		return view.Query{}, refuse("search: days and hours count backwards from now: give a positive number")
	case strings.TrimSpace(r.Query) == "" && r.Topic+r.Tag+r.Source+r.Kind+r.Project+r.After+r.Before == "" && r.Days+r.Hours == 0:
		return view.Query{}, refuse("search: say what to look for: words, or a topic, tag, source, kind, project or time")
	}
	if !utf8.ValidString(r.Query) {
		return view.Query{}, refuse("search: the query is not valid UTF-8: give it as UTF-8 text")
	}
	q := view.Query{Text: r.Query, Any: r.Mode == "or", Limit: r.Limit}
	q.Filter = view.Filter{Topic: r.Topic, Tag: r.Tag, Source: r.Source, Kind: r.Kind}
	now := m.now()
	var err error
	if q.Filter.Project, err = m.projectMeant(r.Project); err != nil {
		return q, at("search", err)
	}
	if r.After != "" {
		if q.Filter.Since, err = view.ParseTime(r.After, now); err != nil {
			return q, refuseQuery(err)
		}
	}
	if r.Before != "" {
		if q.Filter.Until, err = view.ParseTime(r.Before, now); err != nil {
			return q, refuseQuery(err)
		}
	}
	hours := r.Days * 24
	if r.Hours > 0 {
		hours = r.Hours
	}
	if hours > 0 {
		if since := now.Add(-time.Duration(hours) * time.Hour); since.After(q.Filter.Since) {
			q.Filter.Since = since
		}
	}
	return q, nil
}

// best fills in the entries that fit best.
func (out *SearchResult) best(m *Memory, v *view.View, q view.Query) error {
	res, err := v.Search(q)
	if err != nil {
		return err
	}
	out.Fallback, out.More, out.Matches = res.Fallback, res.More, len(res.Hits)
	mark := text.NewMarker(res.Words)
	for i := range res.Hits {
		out.Items = append(out.Items, m.itemOfHit(&res.Hits[i], mark, out.Detail))
	}
	return nil
}

// byTopic counts everything that is found, and shows some of each topic when
// grouped.
func (out *SearchResult) byTopic(m *Memory, v *view.View, q view.Query) error {
	all, err := v.Matches(q)
	if err != nil {
		return err
	}
	out.Matches, out.Fallback = all.Total, all.Fallback
	for _, t := range all.Topics {
		out.Topics = append(out.Topics, TopicCount{t.Name, t.Entries})
	}
	if out.Detail != detailGrouped || all.Total == 0 {
		return nil
	}
	limit := q.Limit
	if limit == 0 {
		limit = 20
	}
	q.Limit = maxLimit
	res, err := v.Search(q)
	if err != nil {
		return err
	}
	mark := text.NewMarker(res.Words)
	shown := map[string]int{}
	for i := range res.Hits {
		h := &res.Hits[i]
		if len(out.Items) < limit && shown[h.Entry.Topic] < perGroup {
			shown[h.Entry.Topic]++
			out.Items = append(out.Items, m.itemOfHit(h, mark, out.Detail))
		}
	}
	out.More = all.Total > len(out.Items)
	return nil
}

func (m *Memory) itemOfHit(h *view.Hit, mark *text.Marker, detail string) Item {
	item := itemOf(&h.Entry)
	item.Score, item.Stale, item.Other = h.Score, h.Stale, m.elsewhere(h.Entry.Project)
	if h.Stale {
		item.Confidence = min(item.Confidence, source.Decay)
	}
	switch detail {
	case detailFull:
		n := 0
		for line := range strings.Lines(item.Text) {
			n++
			if mark.In(line) > 0 {
				item.Matching = append(item.Matching, n)
			}
		}
	case detailMedium:
		item.Text = strings.Join(mark.Snippet(item.Text, mediumLines, mediumLine), "\n")
	default:
		item.Text = strings.Join(mark.Snippet(item.Text, 1, briefLine), "\n")
	}
	return item
}
