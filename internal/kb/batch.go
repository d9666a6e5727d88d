package kb

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

// MaxBatch is how many entries one batch may have.
const MaxBatch = 10_000

// BatchRequest adds several entries, all or none.
type BatchRequest struct {
	Entries      []StoreRequest `json:"entries"`
	Project      string         `json:"project,omitempty"` // of entries that name none
	AllowSecrets bool           `json:"allow_secrets,omitempty"`
	Verbose      bool           `json:"verbose,omitempty"` // the text names each entry, not only those that were skipped
}

// Batched says what became of a batch, in the order of the request.
type Batched struct {
	Stored  int      `json:"stored"`
	Skipped int      `json:"skipped"`
	Entries []Stored `json:"entries"`

	verbose bool
}

// Batch adds entries with one write. An entry without a topic or text, and one that
// is nearly the same as an earlier one of its topic and project in the batch, is skipped; one
// that is wrong in any other way refuses the batch.
func (m *Memory) Batch(ctx context.Context, r BatchRequest) (Batched, error) {
	switch n := len(r.Entries); {
	case n == 0:
		return Batched{}, refuse("batch: there are no entries")
	case n > MaxBatch:
		return Batched{}, refuse("batch: batch too large (%d, max %d): split it", n, MaxBatch)
	}
	bytes := 0
	for i := range r.Entries {
		if bytes += len(r.Entries[i].Text); bytes > log.MaxBatch {
			return Batched{}, refuse("batch: the texts are more than %d MiB together: split it", log.MaxBatch>>20)
		}
	}
	drafts, out, err := m.draftAll(r)
	if err != nil {
		return Batched{}, at("batch", err)
	}
	var ids []string
	err = m.write(ctx, func(v *view.View) (*plan, error) {
		if out.Stored == 0 {
			return nil, nil
		}
		for i, d := range drafts {
			if out.Entries[i].Skipped != "" {
				continue
			}
			links, err := resolveLinks(v, d.links)
			if err != nil {
				return nil, at(fmt.Sprintf("entry %d of %d", i+1, len(drafts)), err)
			}
			drafts[i].entry.Links = links
		}
		return &plan{ops: func(taken func(string) bool) (ops []log.Op) {
			ids, ops = putAll(drafts, &out, taken)
			return ops
		}}, nil
	})
	if err != nil {
		return Batched{}, at("batch", err)
	}
	if len(ids) > 0 {
		m.wrote(ids)
	}
	return out, nil
}

func putAll(drafts []draft, out *Batched, taken func(string) bool) (ids []string, ops []log.Op) {
	used := map[string]bool{}
	for i := range drafts {
		if out.Entries[i].Skipped != "" {
			continue
		}
		id, op := put(drafts[i].entry, func(id string) bool { return used[id] || taken(id) })
		used[id] = true
		out.Entries[i].ID = id
		ids, ops = append(ids, id), append(ops, op)
	}
	return ids, ops
}

// draftAll checks every entry and says which are skipped.
func (m *Memory) draftAll(r BatchRequest) ([]draft, Batched, error) {
	d := m.drafter()
	end := d.now
	out := Batched{Entries: make([]Stored, len(r.Entries)), verbose: r.Verbose}
	drafts := make([]draft, len(r.Entries))
	for i, one := range r.Entries {
		if strings.TrimSpace(one.Topic) == "" || strings.TrimSpace(one.Text) == "" {
			out.Entries[i] = Stored{Skipped: "missing topic or text"}
			continue
		}
		one.Project = cmp.Or(one.Project, r.Project)
		one.AllowSecrets = one.AllowSecrets || r.AllowSecrets
		// Times that go up keep the order of the batch, also when one of its
		// entries is edited.
		d.now = end.Add(-time.Duration(len(r.Entries)-1-i) * time.Millisecond)
		var err error
		if drafts[i], err = d.draft(one); err != nil {
			return nil, Batched{}, at(fmt.Sprintf("entry %d of %d", i+1, len(r.Entries)), err)
		}
		out.Entries[i] = drafts[i].stored()
	}
	skipSimilar(drafts, r.Entries, out.Entries)
	for i := range out.Entries {
		if out.Entries[i].Skipped != "" {
			out.Skipped++
		} else {
			out.Stored++
		}
	}
	return drafts, out, nil
}

// skipSimilar marks entries that say nearly the same as an earlier one.
func skipSimilar(drafts []draft, requests []StoreRequest, out []Stored) {
	sets := make([]wordSet, len(drafts))
	type place struct{ topic, project string }
	of := func(i int) place { return place{drafts[i].entry.Topic, drafts[i].entry.Project} }
	byPlace := map[place][]wordSet{}
	for i := range drafts {
		sets[i] = wordsOf(drafts[i].entry.Text)
		byPlace[of(i)] = append(byPlace[of(i)], sets[i])
	}
	earlier := map[place]*nearby{}
	for at, all := range byPlace {
		earlier[at] = newNearby(all)
	}
	for i := range drafts {
		if out[i].Skipped != "" {
			continue
		}
		near := earlier[of(i)]
		if !requests[i].Force && near.find(sets[i]) {
			out[i] = Stored{Topic: out[i].Topic, Skipped: "similar to earlier entry"}
			continue
		}
		near.add(sets[i])
	}
}

// Text says what became of the batch.
func (b Batched) Text() string {
	var w strings.Builder
	fmt.Fprintf(&w, "batch: %d/%d stored\n", b.Stored, len(b.Entries))
	secrets := 0
	for i := range b.Entries {
		s := &b.Entries[i]
		secrets += s.Redacted
		switch {
		case s.Skipped != "":
			fmt.Fprintf(&w, "  [%d] %s\n", i, s.line())
		case b.verbose:
			fmt.Fprintf(&w, "  [%d] %s as %s\n", i, s.line(), s.ID)
		}
	}
	if secrets > 0 {
		w.WriteString("  " + replaced(secrets) + "\n")
	}
	return w.String()
}
