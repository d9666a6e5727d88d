package kb

import (
	"context"
	"errors"
	"fmt"
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

	Force        bool `json:"force,omitempty"`         // no check for similar entries
	AllowSecrets bool `json:"allow_secrets,omitempty"` // store text that looks like a secret as it is

	Project string    `json:"-"`
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
	Duplicate  *Duplicate `json:"duplicate,omitempty"` // an entry that says nearly the same; the new one is stored all the same
	Redacted   int        `json:"redacted,omitempty"`  // secrets replaced by a marker
	Skipped    string     `json:"skipped,omitempty"`   // of a batch: why it was not stored; ID is then empty
}

// Duplicate is an entry of the same topic whose words are more than 70 % the same.
type Duplicate struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"` // 0..1
	Preview    string  `json:"preview"`
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
		if unique || !r.Force {
			if out.Duplicate, err = duplicateOf(v, &e); err != nil {
				return nil, err
			}
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
			if out.Duplicate, err = sameText(v, e.Topic, e.Text); err != nil {
				return nil, err
			}
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
	return Stored{Topic: e.Topic, Kind: string(e.Kind), Tags: e.Tags, Confidence: e.Confidence, Redacted: d.redacted}
}

// newestOf gives the entries of a topic that a new one is compared with. It takes no
// longer in a large topic.
func newestOf(v *view.View, topic string) ([]entry.Entry, error) {
	return v.Newest(maxCompared, view.Filter{Topic: topic, Quick: true})
}

// duplicateOf finds the entry that says most nearly the same, or nil.
func duplicateOf(v *view.View, e *entry.Entry) (*Duplicate, error) {
	words := wordsOf(e.Text)
	if len(words) < minWords {
		return nil, nil
	}
	newest, err := newestOf(v, e.Topic)
	if err != nil {
		return nil, err
	}
	var best *Duplicate
	for _, old := range newest {
		s := words.similarity(wordsOf(old.Text))
		if old.Topic == e.Topic && s > similarShare && (best == nil || s > best.Similarity) {
			best = &Duplicate{ID: old.ID, Similarity: s, Preview: preview(old.Text)}
		}
	}
	return best, nil
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
		fmt.Fprintf(b, "  dupe warning: %s\n    %s of the words are those of %s; revise or delete one of the two\n", d.Preview, percent(d.Similarity), d.ID)
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
