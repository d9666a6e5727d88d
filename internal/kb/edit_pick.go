package kb

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

var editActions = []string{"append", "revise", "delete", "tag", "rename", "merge"}

// check refuses a request that says too little or contradicts itself.
func (r *EditRequest) check() error {
	one := r.ID != "" || r.Index != nil || r.Match != ""
	text := r.Action == "append" || r.Action == "revise"
	move := r.Action == "rename" || r.Action == "merge"
	switch {
	case !slices.Contains(editActions, r.Action):
		return refuse("the action %q is not one of %s", cut(r.Action, 40), strings.Join(editActions, ", "))
	case r.ID == "" && strings.TrimSpace(r.Topic) == "":
		return refuse("neither a topic nor an id says what to %s", r.Action)
	case r.ID != "" && (r.Index != nil || r.Match != ""), r.Index != nil && r.Match != "":
		return refuse("give only one of id, index and match")
	case text && strings.TrimSpace(r.Text) == "":
		return refuse("the text is empty")
	case len(r.Text) > entry.MaxText:
		return refuse("the text has %d bytes, at most %d are allowed: split it", len(r.Text), entry.MaxText)
	case r.Action == "tag" && len(normalTags(r.Tags))+len(normalTags(r.Remove)) == 0:
		return refuse("no tag to add or to remove is given")
	case move && (one || strings.TrimSpace(r.Topic) == ""):
		return refuse("%s works on a whole topic: give topic and into only", r.Action)
	case move && strings.TrimSpace(r.Into) == "":
		return refuse("into is empty: which topic takes the entries?")
	case r.All && (r.Action != "delete" || one):
		return refuse("all is for deleting a whole topic: give the action delete and a topic only")
	}
	return checkTags(slices.Concat(r.Tags, r.Remove))
}

// pick finds the one entry that a request means, and what that depends on.
func (m *Memory) pick(v *view.View, r *EditRequest, out *Edited) (entry.Entry, *plan, error) {
	if r.ID != "" {
		e, err := v.Get(r.ID)
		if errors.Is(err, ErrNotFound) {
			return e, nil, notFound("no entry has the id %q: search for it, or read its topic", cut(r.ID, 100))
		}
		if err == nil && r.Topic != "" && r.Topic != e.Topic {
			err = refuse("%s is in topic '%s', not in '%s'", r.ID, e.Topic, cut(r.Topic, 100))
		}
		return e, &plan{ids: map[string]bool{r.ID: true}}, err
	}
	entries, err := topicEntries(v, r.Topic, false)
	if err != nil {
		return entry.Entry{}, nil, err
	}
	if len(entries) == 0 {
		if _, err := v.Get(r.Topic); err == nil {
			return entry.Entry{}, nil, refuse("%s is the id of an entry, no topic: give it as the id (--id)", cut(r.Topic, 100))
		}
		return entry.Entry{}, nil, noTopic(v, r.Topic)
	}
	var i int
	switch {
	case r.Match != "":
		if i, err = onlyMatch(entries, r.Match); err != nil {
			return entry.Entry{}, nil, err
		}
	case r.Index != nil:
		var ok bool
		if i, ok = place(*r.Index, len(entries)); !ok {
			return entry.Entry{}, nil, notFound("topic '%s' has no entry [%d]: it has %s, from [0]",
				r.Topic, *r.Index, count(len(entries), "entry", "entries"))
		}
	default:
		if i = m.lastHere(entries); i < 0 {
			return entry.Entry{}, nil, refuse("topic '%s' has only entries of other projects: say by its id which one is meant", cut(r.Topic, 100))
		}
		out.last = true
	}
	out.Index = &i
	return entries[i], dependsOn(r.Topic, entries), nil
}

// lastHere is the last entry that holds for the project at hand, -1 for none: who names
// nothing but a topic does not mean another project's.
func (m *Memory) lastHere(entries []entry.Entry) int {
	i := len(entries) - 1
	for m.home != "" && i >= 0 && m.elsewhere(entries[i].Project) {
		i--
	}
	return i
}

// onlyMatch finds the one entry that has a text, if need be without regard to
// case.
func onlyMatch(entries []entry.Entry, text string) (int, error) {
	found := matching(entries, func(s string) bool { return strings.Contains(s, text) })
	if len(found) == 0 {
		lower := strings.ToLower(text)
		found = matching(entries, func(s string) bool { return strings.Contains(strings.ToLower(s), lower) })
	}
	switch len(found) {
	case 0:
		return 0, notFound("no entry of topic '%s' has the text %q", entries[0].Topic, cut(text, 100))
	case 1:
		return found[0], nil
	}
	const shown = 5
	var names []string
	for _, i := range found[:min(shown, len(found))] {
		names = append(names, entries[i].ID+" ("+cut(preview(entries[i].Text), 40)+")")
	}
	if more := len(found) - shown; more > 0 {
		names = append(names, count(more, "more", "more"))
	}
	return 0, refuse("%d entries of topic '%s' have the text %q, give the id of one: %s",
		len(found), entries[0].Topic, cut(text, 100), strings.Join(names, ", "))
}

func matching(entries []entry.Entry, has func(string) bool) (found []int) {
	for i := range entries {
		if has(entries[i].Text) {
			found = append(found, i)
		}
	}
	return found
}

// topicName makes a tidy topic of a name: small letters, digits, '-', and '/'
// between its levels.
func topicName(name string) string {
	var levels []string
	for level := range strings.SplitSeq(strings.ToLower(name), "/") {
		level = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
				return r
			}
			return '-'
		}, level)
		if level = strings.Trim(level, "-"); level != "" {
			levels = append(levels, level)
		}
	}
	return strings.Join(levels, "/")
}
