package kb

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"helix/internal/kb/brief"
	"helix/internal/kb/entry"
	"helix/internal/kb/source"
	"helix/internal/kb/view"
)

// BriefRequest asks for a briefing.
type BriefRequest struct {
	Query   string   `json:"query,omitempty"`   // topic, pattern with *, or words; empty: about the whole memory
	Detail  string   `json:"detail,omitempty"`  // summary (default), scan, full
	Since   int      `json:"since,omitempty"`   // hours
	Focus   []string `json:"focus,omitempty"`   // categories to show, as gotchas, decisions
	Compact bool     `json:"compact,omitempty"` // shorter lines
}

// BriefResult is a briefing.
type BriefResult = brief.Result

// A briefing must be quick in any memory, so what it looks at is bounded.
const (
	briefTopic  = 500  // newest entries of the topics that are asked for
	briefHits   = 300  // best hits of a search
	briefNear   = 200  // and newest entries of topics whose names have what is searched for
	briefTopics = 20   // topics that are looked at by name
	briefLinks  = 200  // links followed
	briefRecent = 2000 // newest entries of the whole memory
)

// Relevance of entries, on the scale of search scores.
const (
	relevantTopic = 10 // of a topic that was asked for
	relevantLink  = 1  // of an entry that another one refers to
	// relevantOther is of a topic that was asked for, and of another project, as
	// searches weigh them.
	relevantOther = 7.5
)

// Brief makes one short text of what the memory knows about a topic or some words,
// or, without a query, of what it is about. With a focus and no query it looks at
// the newest entries.
func (m *Memory) Brief(ctx context.Context, r BriefRequest) (BriefResult, error) {
	o, err := m.briefOptions(r)
	if err != nil {
		return BriefResult{}, err
	}
	v, err := m.View()
	if err != nil {
		return BriefResult{}, err
	}
	defer v.Close()
	var since time.Time
	if r.Since > 0 {
		since = o.Now.Add(-time.Duration(r.Since) * time.Hour)
	}
	if o.Query == "" && len(o.Focus) == 0 {
		s, err := survey(v, o.Now, since)
		if err != nil {
			return BriefResult{}, err
		}
		return s.Build(o), nil
	}
	c := &collector{
		m: m, v: v, now: o.Now, since: since, found: map[string]int{},
		files: source.NewChecker(m.root), linkTopics: map[string][]entry.Entry{},
	}
	if err := c.collect(o.Query); err != nil {
		return BriefResult{}, err
	}
	if err := c.follow(ctx); err != nil {
		return BriefResult{}, err
	}
	o.More = c.more
	return brief.Build(c.all, o), nil
}

const maxSince = 100 * 365 * 24 // hours

func (m *Memory) briefOptions(r BriefRequest) (brief.Options, error) {
	o := brief.Options{Query: strings.TrimSpace(r.Query), Detail: r.Detail, Compact: r.Compact, Now: m.now()}
	if o.Detail != "" && !slices.Contains(brief.Details(), o.Detail) {
		return o, refuse("brief: no detail %q; there are %s", cut(o.Detail, 100), strings.Join(brief.Details(), ", "))
	}
	if r.Since < 0 || r.Since > maxSince {
		return o, refuse("brief: since %d is no number of hours back", r.Since)
	}
	var err error
	o.Focus, err = categories(r.Focus)
	if err != nil {
		return o, at("brief", err)
	}
	return o, nil
}

// categories reads a focus; each of its parts may name several, with commas.
func categories(focus []string) ([]brief.Category, error) {
	var out []brief.Category
	for _, part := range focus {
		for name := range strings.SplitSeq(part, ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			c, err := brief.ParseCategory(cut(name, 100))
			if err != nil {
				return nil, refuse("%v", err)
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// survey gathers what a briefing about the whole memory is made of.
func survey(v *view.View, now, since time.Time) (brief.Survey, error) {
	topics, err := v.Topics()
	if err != nil {
		return brief.Survey{}, err
	}
	tags, err := v.Tags()
	if err != nil {
		return brief.Survey{}, err
	}
	recent, err := v.Newest(briefRecent+1, view.Filter{Since: now.Add(-brief.WindowLong)})
	if err != nil {
		return brief.Survey{}, err
	}
	s := brief.Survey{Recent: recent, Since: since}
	if s.Cut = len(recent) > briefRecent; s.Cut {
		s.Recent = recent[:briefRecent]
	}
	for _, t := range topics {
		s.Topics = append(s.Topics, brief.TopicState{Topic: t.Name, Entries: t.Entries, Last: t.Last})
	}
	for _, t := range tags {
		s.Tags = append(s.Tags, brief.Topic{Topic: t.Name, Entries: t.Entries})
	}
	return s, nil
}

// collector gathers the candidates of a briefing.
type collector struct {
	m     *Memory
	v     *view.View
	now   time.Time
	since time.Time
	files *source.Checker

	all   []brief.Candidate
	found map[string]int // place in all, by id
	more  bool

	linkTopics map[string][]entry.Entry
}

// collect finds the entries that a query means: those of a topic and of the topics
// below it, of all topics that fit a pattern, or what a search finds, together
// with the topics that have its words in their names.
func (c *collector) collect(query string) error {
	switch {
	case query == "":
		return c.newest(briefTopic, "")
	case strings.Contains(query, "*"):
		return c.newest(briefTopic, query)
	}
	topics, err := c.v.Topics()
	if err != nil {
		return err
	}
	name := topicName(query)
	exact, near := topicsNamed(topics, query, name)
	if len(exact) > 0 {
		return c.topics(briefTopic, below(topics, exact))
	}
	if err := c.topics(briefNear, near); err != nil {
		return err
	}
	return c.search(query)
}

// topics collects the n newest entries of some topics, as many of each.
func (c *collector) topics(n int, names []string) error {
	if len(names) > briefTopics {
		names, c.more = names[:briefTopics], true
	}
	for _, name := range names {
		if err := c.newest(n/len(names), name); err != nil {
			return err
		}
	}
	return nil
}

// below adds the topics below some.
func below(topics []view.Topic, names []string) []string {
	out := slices.Clone(names)
	for _, t := range topics {
		under := func(name string) bool { return strings.HasPrefix(t.Name, name+"/") }
		if slices.ContainsFunc(names, under) && !slices.Contains(names, t.Name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// topicsNamed gives the topics that a query names, and else those whose name has
// it as a part, the last used first.
func topicsNamed(topics []view.Topic, query, tidy string) (exact, near []string) {
	var has []view.Topic
	for _, t := range topics {
		name := topicName(t.Name)
		switch {
		case t.Name == query:
			return []string{t.Name}, nil
		case tidy != "" && name == tidy:
			exact = append(exact, t.Name)
		case len(tidy) >= 3 && strings.Contains(name, tidy):
			has = append(has, t)
		}
	}
	slices.SortStableFunc(has, func(a, b view.Topic) int { return b.Last.Compare(a.Last) })
	for _, t := range has {
		near = append(near, t.Name)
	}
	return exact, near
}

func (c *collector) newest(n int, topic string) error {
	entries, err := c.v.Newest(n+1, view.Filter{Topic: topic, Since: c.since})
	if err != nil {
		return err
	}
	if len(entries) > n {
		c.more, entries = true, entries[:n]
	}
	for _, e := range entries {
		relevance := float64(relevantTopic)
		if c.m.home != "" && c.m.elsewhere(e.Project) {
			relevance = relevantOther
		}
		c.add(e, relevance)
	}
	return nil
}

func (c *collector) search(query string) error {
	found, err := c.v.Search(view.Query{Text: query, Limit: briefHits, Filter: view.Filter{Since: c.since}})
	if errors.Is(err, view.ErrQuery) {
		return refuse("brief: %v", err)
	}
	if err != nil {
		return err
	}
	c.more = c.more || found.More
	for _, h := range found.Hits {
		c.add(h.Entry, h.Score)
	}
	return nil
}

// add counts the relevance of an entry that is found twice, twice.
func (c *collector) add(e entry.Entry, relevance float64) {
	if i, ok := c.found[e.ID]; ok {
		c.all[i].Relevance += relevance
		return
	}
	shown := c.m.show(c.files, &e)
	c.found[e.ID] = len(c.all)
	c.all = append(c.all, brief.Candidate{Entry: e, Relevance: relevance, Confidence: shown.Confidence, Stale: shown.Stale, Other: shown.Other})
}

// follow resolves the links of what was collected, and adds what they lead to. It
// goes no further than that.
func (c *collector) follow(ctx context.Context) error {
	left := briefLinks
	for i := range len(c.all) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, link := range c.all[i].Entry.Links {
			if left == 0 {
				return nil
			}
			left--
			e, ok, err := c.linked(link)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			c.all[i].Links = append(c.all[i].Links, e.ID)
			if _, known := c.found[e.ID]; !known && e.Active(c.now) && !e.Created.Before(c.since) {
				c.add(e, relevantLink)
			}
		}
	}
	return nil
}

// linked finds what a link, an id or topic:index, leads to. A link may outlive its
// target.
func (c *collector) linked(link string) (e entry.Entry, ok bool, err error) {
	if i, ok := c.found[link]; ok {
		return c.all[i].Entry, true, nil
	}
	if e, err = c.v.Get(link); !errors.Is(err, ErrNotFound) {
		return e, err == nil, err
	}
	colon := strings.LastIndexByte(link, ':')
	if colon < 0 {
		return e, false, nil
	}
	index, err := strconv.Atoi(link[colon+1:])
	if err != nil {
		return e, false, nil
	}
	entries, err := c.linkedTopic(link[:colon])
	if err != nil {
		return e, false, err
	}
	i, ok := place(index, len(entries))
	if !ok {
		return e, false, nil
	}
	return entries[i], true, nil
}

// linkedTopic reads a topic once, and no more of them than a few.
func (c *collector) linkedTopic(topic string) ([]entry.Entry, error) {
	entries, ok := c.linkTopics[topic]
	if ok || len(c.linkTopics) >= briefTopics {
		return entries, nil
	}
	entries, err := topicEntries(c.v, topic, false)
	c.linkTopics[topic] = entries
	return entries, err
}
