package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helix/internal/kb/index"
	"helix/internal/kb/view"
)

// StatsRequest asks for figures.
type StatsRequest struct {
	Detail string `json:"detail,omitempty"` // "", tags, index
}

// TagCount says how many entries have a tag.
type TagCount struct {
	Tag     string `json:"tag"`
	Entries int    `json:"entries"`
}

// StatsResult is the figures of the memory.
type StatsResult struct {
	Detail  string     `json:"detail,omitempty"`
	Topics  int        `json:"topics"`
	Entries int        `json:"entries"`
	Oldest  time.Time  `json:"oldest,omitzero"`
	Newest  time.Time  `json:"newest,omitzero"`
	Tags    []TagCount `json:"tags,omitempty"`  // detail tags: most entries first
	Index   *IndexInfo `json:"index,omitempty"` // detail index
	Moved   *Moved     `json:"moved,omitempty"` // the project at hand, when it seems to have been moved
}

// IndexInfo describes the index.
type IndexInfo struct {
	index.Stats
	Behind int `json:"behind"` // entries of the log that it has not got yet
}

// Stats counts what the memory has.
func (m *Memory) Stats(_ context.Context, r StatsRequest) (StatsResult, error) {
	if d := r.Detail; d != "" && d != "tags" && d != "index" {
		return StatsResult{}, refuse("stats: no detail %q; there are tags, index", cut(d, 100))
	}
	v, err := m.View()
	if err != nil {
		return StatsResult{}, err
	}
	defer v.Close()
	topics, err := v.Topics()
	if err != nil {
		return StatsResult{}, err
	}
	out := StatsResult{Detail: r.Detail, Topics: len(topics)}
	for _, t := range topics {
		out.Entries += t.Entries
		if out.Oldest.IsZero() || t.First.Before(out.Oldest) {
			out.Oldest = t.First
		}
		if t.Last.After(out.Newest) {
			out.Newest = t.Last
		}
	}
	switch r.Detail {
	case "tags":
		out.Tags, err = tagCounts(v)
	case "index":
		out.Index = &IndexInfo{v.Stats(), v.Behind()}
	}
	if err == nil {
		out.Moved, err = m.Moved()
	}
	return out, err
}

func tagCounts(v *view.View) ([]TagCount, error) {
	tags, err := v.Tags()
	if err != nil {
		return nil, err
	}
	var out []TagCount
	for _, t := range tags {
		out = append(out, TagCount{t.Name, t.Entries})
	}
	slices.SortFunc(out, func(a, b TagCount) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Tag, b.Tag))
	})
	return out, nil
}

// Text gives the figures.
func (r StatsResult) Text() string {
	if r.Entries == 0 {
		return emptyMemory
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", count(r.Topics, "topic", "topics"), count(r.Entries, "entry", "entries"))
	fmt.Fprintf(&b, "oldest %s, newest %s\n", minute(r.Oldest), minute(r.Newest))
	if r.Moved != nil {
		fmt.Fprintf(&b, "%s; to have them belong to it: %s\n", r.Moved, r.Moved.Remedy)
	}
	if r.Index != nil {
		r.Index.write(&b)
	}
	if r.Detail == "tags" && len(r.Tags) == 0 {
		b.WriteString("no entry has a tag\n")
	}
	for _, t := range r.Tags {
		fmt.Fprintf(&b, "  #%s: %d\n", t.Tag, t.Entries)
	}
	return b.String()
}

func (i *IndexInfo) write(b *strings.Builder) {
	fmt.Fprintf(b, "index: %s, %s, %s, %d bytes\n",
		count(i.Docs, "entry", "entries"), count(i.Terms, "term", "terms"), count(i.Segments, "segment", "segments"), i.Bytes)
	if i.Deleted > 0 {
		fmt.Fprintf(b, "  %s deleted and still in it\n", count(i.Deleted, "entry", "entries"))
	}
	if i.Behind > 0 {
		fmt.Fprintf(b, "  %s not in it yet: they are read from the log\n", count(i.Behind, "entry", "entries"))
	}
}
