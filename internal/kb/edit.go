package kb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// EditRequest changes what is stored. Which entry is meant is said by ID, or by
// Topic and Index (from 0; negative from the end) or Match (text that exactly one
// entry has); with a topic alone it is the last one that is no other project's.
type EditRequest struct {
	Action string   `json:"action"` // append, revise, delete, tag, rename, merge
	ID     string   `json:"id,omitempty"`
	Topic  string   `json:"topic,omitempty"`
	Index  *int     `json:"index,omitempty"`
	Match  string   `json:"match,omitempty"`
	Text   string   `json:"text,omitempty"`   // append, revise
	Tags   []string `json:"tags,omitempty"`   // tag: to add
	Remove []string `json:"remove,omitempty"` // tag: to take away
	All    bool     `json:"all,omitempty"`    // delete: the whole topic
	Into   string   `json:"into,omitempty"`   // rename, merge: the topic that takes the entries

	AllowSecrets bool `json:"allow_secrets,omitempty"`
}

// Edited says what an edit did.
type Edited struct {
	Action   string   `json:"action"`
	Topic    string   `json:"topic"`
	Into     string   `json:"into,omitempty"`
	IDs      []string `json:"ids"`             // of the entries that were changed
	Index    *int     `json:"index,omitempty"` // of the one entry in its topic, where it was named by that
	All      bool     `json:"all,omitempty"`   // the whole topic was deleted
	Tags     []string `json:"tags,omitempty"`
	Redacted int      `json:"redacted,omitempty"`

	last bool // nothing but the topic said which entry
}

// Edit changes entries; they keep their ids. It never undoes what another process
// wrote meanwhile: it looks again instead.
func (m *Memory) Edit(ctx context.Context, r EditRequest) (Edited, error) {
	if err := r.check(); err != nil {
		return Edited{}, at("edit", err)
	}
	c := m.cleaner(r.AllowSecrets)
	c.text(&r.Text)
	c.list(&r.Tags)
	c.text(&r.Into)
	edit := m.editOne
	switch {
	case r.Action == "rename", r.Action == "merge":
		edit = m.moveTopic
	case r.All:
		edit = m.deleteTopic
	}
	var out Edited
	changed := false
	err := m.write(ctx, func(v *view.View) (*plan, error) {
		out = Edited{Action: r.Action, Topic: r.Topic, Redacted: c.found}
		p, err := edit(v, &r, &out)
		changed = p != nil
		return p, err
	})
	if err != nil {
		return Edited{}, at("edit "+r.Action, err)
	}
	if changed {
		m.wrote(nil)
	}
	return out, nil
}

// editOne changes or deletes one entry.
func (m *Memory) editOne(v *view.View, r *EditRequest, out *Edited) (*plan, error) {
	old, p, err := m.pick(v, r, out)
	if err != nil {
		return nil, err
	}
	out.Topic, out.IDs = old.Topic, []string{old.ID}
	if r.Action == "delete" {
		p.ops = func(func(string) bool) []log.Op { return []log.Op{log.Delete(old.ID)} }
		return p, nil
	}
	e := old
	switch r.Action {
	case "append":
		e.Text = old.Text + "\n" + r.Text
	case "revise":
		e.Text = r.Text
		// Whoever revises the text has looked at the source as it is now.
		if hash := sourceHash(m.root, e.Source.Path); hash != "" {
			e.Source.Hash = hash
		}
	case "tag":
		e.Tags = retag(old.Tags, r.Tags, r.Remove)
		if out.Tags = e.Tags; slices.Equal(e.Tags, old.Tags) {
			return nil, nil
		}
	}
	e.Modified = m.now()
	if err := check(&e); err != nil {
		return nil, err
	}
	p.ops = func(func(string) bool) []log.Op { return []log.Op{log.Put(e)} }
	return p, nil
}

// retag adds and removes tags. A tag is also removed by its stored form, and one
// that an older program stored in another form by what it is.
func retag(tags, add, remove []string) []string {
	gone := normalTags(remove)
	kept := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		return slices.Contains(remove, tag) || slices.Contains(gone, normalTag(tag))
	})
	kept = append(kept, normalTags(add)...)
	slices.Sort(kept)
	if kept = slices.Compact(kept); len(kept) == 0 {
		return nil
	}
	return kept
}

func (m *Memory) deleteTopic(v *view.View, r *EditRequest, out *Edited) (*plan, error) {
	entries, p, err := wholeTopic(v, r.Topic)
	if err != nil {
		return nil, err
	}
	out.All, out.IDs = true, ids(entries)
	p.ops = func(func(string) bool) (ops []log.Op) {
		for _, id := range out.IDs {
			ops = append(ops, log.Delete(id))
		}
		return ops
	}
	return p, nil
}

// moveTopic gives all entries of a topic another one: rename wants one that does
// not exist, merge takes any.
func (m *Memory) moveTopic(v *view.View, r *EditRequest, out *Edited) (*plan, error) {
	entries, p, err := wholeTopic(v, r.Topic)
	if err != nil {
		return nil, err
	}
	there, err := topicEntries(v, r.Into, true)
	if err != nil {
		return nil, err
	}
	if out.Into = r.Into; r.Action == "rename" || len(there) == 0 {
		if out.Into = topicName(r.Into); out.Into == "" {
			return nil, refuse("%q has no letter or digit to make a topic of", cut(r.Into, 100))
		}
		if there, err = topicEntries(v, out.Into, true); err != nil {
			return nil, err
		}
	}
	switch {
	case out.Into == r.Topic:
		return nil, refuse("the topic is '%s' already", out.Into)
	case r.Action == "rename" && len(there) > 0:
		return nil, refuse("topic '%s' exists with %s: merge into it, or take another name", out.Into, count(len(there), "entry", "entries"))
	}
	for i := range entries {
		entries[i].Topic = out.Into
		if err := check(&entries[i]); err != nil {
			return nil, err
		}
	}
	out.IDs = ids(entries)
	p.topics[out.Into] = true
	p.ops = func(func(string) bool) (ops []log.Op) {
		for _, e := range entries {
			ops = append(ops, log.Put(e))
		}
		return ops
	}
	return p, nil
}

// wholeTopic gives all entries of a topic, also hidden ones, and a plan that
// depends on them.
func wholeTopic(v *view.View, topic string) ([]entry.Entry, *plan, error) {
	entries, err := topicEntries(v, topic, true)
	if err != nil {
		return nil, nil, err
	}
	if len(entries) == 0 {
		return nil, nil, noTopic(v, topic)
	}
	return entries, dependsOn(topic, entries), nil
}

func dependsOn(topic string, entries []entry.Entry) *plan {
	p := &plan{ids: map[string]bool{}, topics: map[string]bool{topic: true}}
	for i := range entries {
		p.ids[entries[i].ID] = true
	}
	return p
}

func ids(entries []entry.Entry) []string {
	out := make([]string, len(entries))
	for i := range entries {
		out[i] = entries[i].ID
	}
	return out
}

// Text says what was done.
func (e Edited) Text() string {
	var b strings.Builder
	b.WriteString(e.line() + "\n")
	if len(e.IDs) == 1 && e.Action != "rename" && e.Action != "merge" {
		b.WriteString("  id: " + e.IDs[0] + "\n")
	}
	if e.Redacted > 0 {
		b.WriteString("  " + replaced(e.Redacted) + "\n")
	}
	return b.String()
}

func (e *Edited) line() string {
	n := count(len(e.IDs), "entry", "entries")
	switch e.Action {
	case "append":
		if e.last {
			return "appended to last entry in " + e.Topic
		}
		return "appended to entry in " + e.Topic
	case "revise":
		return "revised entry in " + e.Topic
	case "delete":
		switch {
		case e.All:
			return fmt.Sprintf("deleted %s (%s)", e.Topic, n)
		case e.last:
			return "removed last entry from " + e.Topic
		case e.Index != nil:
			return fmt.Sprintf("removed entry [%d] from %s", *e.Index, e.Topic)
		}
		return "removed entry from " + e.Topic
	case "tag":
		tags := strings.Join(e.Tags, ", ")
		if tags == "" {
			tags = "none"
		}
		return fmt.Sprintf("updated tags on %s: %s", e.Topic, tags)
	case "rename":
		return fmt.Sprintf("renamed %s → %s (%s)", e.Topic, e.Into, n)
	}
	return fmt.Sprintf("merged %s from %s into %s", n, e.Topic, e.Into)
}
