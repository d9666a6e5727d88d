package kb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// StoreRequest adds one entry.
type StoreRequest struct {
	Topic      string   `json:"topic"`
	Text       string   `json:"text"`
	Kind       string   `json:"kind,omitempty"`       // default fact, or what the first words of the text say
	Tags       List     `json:"tags,omitempty"`       // nil: found from the first words of the text
	Source     string   `json:"source,omitempty"`     // path or path:line
	Confidence *float64 `json:"confidence,omitempty"` // 0..1, default 1
	Links      List     `json:"links,omitempty"`      // ids, or topic:index
	// Project that it belongs to: a path in one of its checkouts, its name, or "none" for
	// what holds for all. "" is the project at hand.
	Project string `json:"project,omitempty"`

	Force        bool `json:"force,omitempty"`         // no check for similar entries
	AllowSecrets bool `json:"allow_secrets,omitempty"` // store text that looks like a secret as it is

	Session string    `json:"-"`
	Created time.Time `json:"-"` // zero: now
}

// Stored says what became of one entry.
type Stored struct {
	ID         string     `json:"id"`
	Topic      string     `json:"topic"`
	Kind       string     `json:"kind"`
	Tags       []string   `json:"tags,omitempty"`
	Confidence float64    `json:"confidence"`
	Project    string     `json:"project,omitempty"`
	Duplicate  *Duplicate `json:"duplicate,omitempty"` // an entry that says nearly the same; the new one is stored all the same
	Redacted   int        `json:"redacted,omitempty"`  // secrets replaced by a marker
	Skipped    string     `json:"skipped,omitempty"`   // of a batch: why it was not stored; ID is then empty
}

// Duplicate is an entry of the same topic whose words are more than 70 % the same.
type Duplicate struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"` // 0..1
	Preview    string  `json:"preview"`
	Project    string  `json:"project,omitempty"` // where it is another's
}

// maxCompared is how many entries of a topic, the newest, a new one is compared
// with.
const maxCompared = 200

// Store adds an entry.
func (m *Memory) Store(ctx context.Context, r StoreRequest) (Stored, error) {
	return m.store(ctx, r, false)
}

// store adds an entry. unique leaves out one that says nearly the same as another of
// its topic, which is otherwise only pointed out.
func (m *Memory) store(ctx context.Context, r StoreRequest, unique bool) (Stored, error) {
	d, err := m.drafter().draft(r)
	if err != nil {
		return Stored{}, at("store", err)
	}
	var out Stored
	err = m.write(ctx, func(v *view.View) (*plan, error) {
		out = d.stored()
		e := d.entry
		var err error
		if e.Links, err = resolveLinks(v, d.links); err != nil {
			return nil, err
		}
		var earlier []entry.Entry
		if unique || !r.Force {
			words := wordsOf(e.Text)
			if unique || len(words) >= minWords {
				if earlier, err = newestOf(v, &e, unique); err != nil {
					return nil, err
				}
			}
			out.Duplicate = duplicateOf(earlier, &e, words)
		}
		p := &plan{ops: func(taken func(string) bool) []log.Op {
			id, op := put(e, taken)
			out.ID = id
			return []log.Op{op}
		}}
		if !unique {
			return p, nil
		}
		p.topics = map[string]bool{e.Topic: true}
		if out.Duplicate == nil {
			out.Duplicate = sameText(earlier, &e)
		}
		if out.Duplicate != nil {
			out.Skipped = fmt.Sprintf("it says nearly the same as %s", out.Duplicate.ID)
			return nil, nil
		}
		return p, nil
	})
	if err != nil {
		return Stored{}, at("store", err)
	}
	if out.ID != "" {
		m.wrote([]string{out.ID})
	}
	return out, nil
}

func (d *draft) stored() Stored {
	e := &d.entry
	return Stored{Topic: e.Topic, Kind: string(e.Kind), Tags: e.Tags, Confidence: e.Confidence, Project: e.Project, Redacted: d.redacted}
}

// newestOf gives the entries of a topic that a new one is compared with, those first
// that hold where it does: of its project and of none. With only, no others. It takes
// no longer in a large topic.
func newestOf(v *view.View, e *entry.Entry, only bool) ([]entry.Entry, error) {
	in := view.Filter{Topic: e.Topic, Quick: true}
	all, err := v.Newest(maxCompared, in)
	if err != nil {
		return nil, err
	}
	var own, others []entry.Entry
	for _, old := range all {
		if holdsWith(&old, e) {
			own = append(own, old)
		} else {
			others = append(others, old)
		}
	}
	if len(all) == maxCompared && len(others) > 0 { // they may have pushed out some
		in.For = cmp.Or(e.Project, NoProject)
		if own, err = v.Newest(maxCompared, in); err != nil {
			return nil, err
		}
	}
	if only {
		return own, nil
	}
	return append(own, others...), nil
}

// holdsWith reports whether an old entry is no other project's than a new one.
func holdsWith(old, e *entry.Entry) bool { return old.Project == "" || old.Project == e.Project }

// duplicateOf finds the entry that says most nearly the same, or nil. One that holds
// where the new one does comes before one of another project.
func duplicateOf(earlier []entry.Entry, e *entry.Entry, words wordSet) *Duplicate {
	if len(words) < minWords {
		return nil
	}
	var best *Duplicate
	for i := range earlier {
		old := &earlier[i]
		if best != nil && best.Project == "" && !holdsWith(old, e) {
			break
		}
		s := words.similarity(wordsOf(old.Text))
		if old.Topic == e.Topic && s > similarShare && (best == nil || s > best.Similarity) {
			best = duplicate(old, e, s)
		}
	}
	return best
}

func duplicate(old, e *entry.Entry, similarity float64) *Duplicate {
	d := &Duplicate{ID: old.ID, Similarity: similarity, Preview: preview(old.Text)}
	if !holdsWith(old, e) {
		d.Project = old.Project
	}
	return d
}

// resolveLinks gives the ids that links mean. A link that is neither an id nor
// topic:index may be several of them with spaces between.
func resolveLinks(v *view.View, links []string) ([]string, error) {
	var ids []string
	for _, link := range links {
		id, err := resolveLink(v, strings.TrimSpace(link))
		if parts := strings.Fields(link); errors.Is(err, ErrRefused) && len(parts) > 1 {
			some, err := resolveLinks(v, parts)
			if err != nil {
				return nil, err
			}
			ids = append(ids, some...)
			continue
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func resolveLink(v *view.View, link string) (string, error) {
	_, err := v.Get(link)
	if err == nil {
		return link, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return "", err
	}
	colon := strings.LastIndexByte(link, ':')
	if colon < 0 {
		return "", refuse("the link %q is no entry: give an id, or topic:index", cut(link, 100))
	}
	index, err := strconv.Atoi(link[colon+1:])
	if err != nil {
		return "", refuse("the link %q is no entry: give an id, or topic:index", cut(link, 100))
	}
	entries, err := topicEntries(v, link[:colon], false)
	if err != nil {
		return "", err
	}
	i, ok := place(index, len(entries))
	if !ok {
		return "", refuse("the link %q is no entry: the topic has %d", cut(link, 100), len(entries))
	}
	return entries[i].ID, nil
}

// place turns an index, negative ones from the end, into a place among n.
func place(index, n int) (int, bool) {
	if index < 0 {
		index += n
	}
	return index, index >= 0 && index < n
}

// Text says what was stored.
func (s Stored) Text() string {
	var b strings.Builder
	b.WriteString(s.line() + "\n")
	if s.ID != "" {
		b.WriteString("  id: " + s.ID + "\n")
	}
	if s.ID != "" && s.Project != "" {
		b.WriteString("  project: " + oneLine(s.Project) + "\n")
	}
	s.notes(&b)
	return b.String()
}

// line is the first line, without its end.
func (s *Stored) line() string {
	if s.Skipped != "" {
		return "skipped: " + s.Skipped
	}
	line := "stored in " + s.Topic
	if len(s.Tags) > 0 {
		line += " [tags: " + strings.Join(s.Tags, ", ") + "]"
	}
	if s.Confidence < 1 {
		line += " (" + percent(s.Confidence) + ")"
	}
	return line
}

func (s *Stored) notes(b *strings.Builder) {
	if d := s.Duplicate; d != nil {
		what := "; revise or delete one of the two"
		if d.Project != "" {
			what = " of the project " + line(filepath.Base(d.Project))
		}
		fmt.Fprintf(b, "  dupe warning: %s\n    %s of the words are those of %s%s\n", d.Preview, percent(d.Similarity), d.ID, what)
	}
	if s.Redacted > 0 {
		b.WriteString("  " + replaced(s.Redacted) + "\n")
	}
}

func percent(share float64) string { return fmt.Sprintf("~%.0f%%", share*100) }

func replaced(secrets int) string {
	return count(secrets, "secret", "secrets") + " replaced"
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
