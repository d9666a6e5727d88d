package kb

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// itemOf shows an entry whole.
func itemOf(e *entry.Entry) Item {
	return Item{
		ID: e.ID, Topic: e.Topic, Kind: string(e.Kind), Tags: e.Tags, Source: sourceText(e.Source),
		Confidence: e.Confidence, Links: e.Links, Project: e.Project, Created: e.Created, Modified: e.Modified, Text: e.Text,
	}
}

// sourceText gives path or path:line.
func sourceText(s entry.Source) string {
	if s.Line > 0 {
		return s.Path + ":" + strconv.Itoa(s.Line)
	}
	return s.Path
}

// topicEntries gives the entries of exactly this topic, the oldest first: the
// place of an entry in it is its index. hidden adds those that recall does not
// show.
func topicEntries(v *view.View, topic string, hidden bool) ([]entry.Entry, error) {
	var out []entry.Entry
	for e, err := range v.Entries(view.Filter{Topic: topic, Hidden: hidden}) {
		if err != nil {
			return nil, err
		}
		if e.Topic == topic { // the filter may have read it as a pattern
			out = append(out, e)
		}
	}
	// By age: an edit puts an entry at the end of the log, and must not shift
	// the index of others.
	slices.SortStableFunc(out, func(a, b entry.Entry) int { return a.Created.Compare(b.Created) })
	return out, nil
}

// noTopic says that a topic does not exist, and which ones have a similar name.
func noTopic(v *view.View, topic string) error {
	topics, err := v.Topics()
	if err != nil {
		return err
	}
	hint := "see the list of topics"
	if e, err := v.Get(topic); err == nil {
		hint = "it is the id of an entry of topic '" + e.Topic + "'"
	} else if near := nearNames(topics, topic); len(near) > 0 {
		hint = "did you mean '" + strings.Join(near, "', '") + "'?"
	}
	return notFound("topic '%s' not found: %s", cut(topic, 100), hint)
}

// nearNames gives up to three names that resemble the one that was asked for, the
// nearest first.
func nearNames(topics []view.Topic, name string) []string {
	type near struct {
		name string
		far  int
	}
	var found []near
	want := strings.ToLower(cut(name, entry.MaxTopic))
	for _, t := range topics {
		have := strings.ToLower(t.Name)
		if min(len(want), len(have)) >= 3 && (strings.Contains(have, want) || strings.Contains(want, have)) {
			found = append(found, near{t.Name, 0})
			continue
		}
		typos := min((len(want)+2)/3, len(want)-1)
		if len(have) < len(want)-typos || len(have) > len(want)+typos {
			continue // not worth comparing
		}
		if far := distance(want, have); far <= typos {
			found = append(found, near{t.Name, far})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, n := range found[:min(3, len(found))] {
		names = append(names, n.name)
	}
	return names
}

// distance is how many bytes must be changed, added or taken away.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// cut shortens a string to at most n bytes of whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const more = "…"
	n -= len(more)
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + more
}

// preview is the beginning of a text on one line.
func preview(text string) string {
	return cut(strings.Join(strings.Fields(cut(text, 400)), " "), 100)
}
