package kb

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

const (
	// maxImport is how many bytes an import may have that is read as a whole: of any
	// format but jsonl.
	maxImport = 512 << 20
	// importChunk is how many entries are written together, importBytes about how
	// many bytes of text.
	importChunk = 4096
	importBytes = 64 << 20
)

// ImportRequest adds what was exported.
type ImportRequest struct {
	Format       string    `json:"format,omitempty"` // jsonl (default), markdown, original-json
	Data         string    `json:"data,omitempty"`
	Reader       io.Reader `json:"-"`                 // instead of Data
	Replace      bool      `json:"replace,omitempty"` // an entry with the same id and other content is replaced
	AllowSecrets bool      `json:"allow_secrets,omitempty"`
}

// Imported says what was written.
type Imported struct {
	Entries  int `json:"entries"`
	Replaced int `json:"replaced,omitempty"` // of these, how many were there with other content
	Edges    int `json:"edges,omitempty"`
	Same     int `json:"same,omitempty"`  // entries and edges that were there already, just so
	Empty    int `json:"empty,omitempty"` // entries without a text, which are left out
	Redacted int `json:"redacted,omitempty"`
}

// Text says what was written.
func (i Imported) Text() string {
	var b strings.Builder
	b.WriteString("imported " + count(i.Entries, "entry", "entries") + andEdges(i.Edges) + "\n")
	for _, note := range []struct {
		n    int
		what string
	}{
		{i.Replaced, "replaced an older one"}, {i.Same, "already there"}, {i.Empty, "left out: no text"},
	} {
		if note.n > 0 {
			fmt.Fprintf(&b, "  %d %s\n", note.n, note.what)
		}
	}
	if i.Redacted > 0 {
		b.WriteString("  " + replaced(i.Redacted) + "\n")
	}
	return b.String()
}

// parcel is what was read of an import: all of it, or of jsonl some lines.
type parcel struct {
	now     time.Time
	entries []*parcelEntry
	edges   []parcelEdge
	empty   int
	put     func(line int, e *entry.Entry) error // is given the entries of jsonl one by one
	room    []parcelEntry                        // for the next entries: many are taken from the heap at once
}

type parcelEntry struct {
	line  int // where it begins, from 1
	entry entry.Entry
}

// add adds the entry that begins on a line.
func (p *parcel) add(line int, e entry.Entry) {
	if len(p.room) == 0 {
		p.room = make([]parcelEntry, min(64, len(p.entries)+1))
	}
	pe := &p.room[0]
	p.room = p.room[1:]
	pe.line, pe.entry = line, e
	p.entries = append(p.entries, pe)
}

type parcelEdge struct {
	line int
	edge entry.Edge
}

// Import adds entries and edges. Everything is checked before anything is
// written; an import that is interrupted later can be done again.
func (m *Memory) Import(ctx context.Context, r ImportRequest) (Imported, error) {
	s, err := m.gather(ctx, r)
	if err != nil {
		return Imported{}, at("import", err)
	}
	defer s.spool.close()
	out := Imported{Empty: s.empty, Same: s.same, Redacted: s.redacted}
	if err := m.checkEdges(s, r.Replace, &out); err != nil {
		return Imported{}, at("import", err)
	}
	i := importer{m: m, replace: r.Replace, used: make(map[uint64]struct{}, s.named), given: s.first, out: &out}
	err = i.entries(ctx, s)
	if err == nil {
		err = i.edges(ctx, s.edges)
	}
	if out.Entries > 0 || out.Edges > 0 {
		m.wrote(nil) // which entries, the session knows
	}
	if err != nil && out.Entries > 0 {
		err = at(fmt.Sprintf("after %s were imported", count(out.Entries, "entry", "entries")), err)
	}
	if err != nil {
		return Imported{}, at("import", err)
	}
	return out, nil
}

// readWhole reads an import whose format has no pieces.
func readWhole(r ImportRequest, p *parcel) error {
	data := r.Data
	if r.Reader != nil {
		var err error
		if data, err = readAll(r.Reader); err != nil {
			return err
		}
	}
	if len(data) > maxImport {
		return refuse("there are more than %d MiB: import topic by topic, or as jsonl", maxImport>>20)
	}
	data = strings.TrimPrefix(data, "\ufeff")
	read := readOriginal
	if r.Format == "markdown" {
		read = readMarkdown
	}
	if err := read(data, p); err != nil {
		return err
	}
	// An empty memory is exported as nothing.
	if len(p.entries)+len(p.edges)+p.empty == 0 && strings.TrimSpace(data) != "" {
		return refuse("there is no entry in it: is it a file of another kind?")
	}
	return nil
}

func checkEdge(e *entry.Edge) error {
	if err := e.Validate(); err != nil {
		return refuse("%s", strings.TrimPrefix(err.Error(), "entry "+entry.ErrInvalid.Error()+": "))
	}
	return nil
}

func (c *cleaner) entry(e *entry.Entry) {
	c.text(&e.Topic)
	c.text(&e.Text)
	c.text(&e.Source.Path)
	c.list(&e.Tags)
	c.list(&e.Links)
	c.list(&e.Extra)
}

// checkEdges drops edges that are there just so.
func (m *Memory) checkEdges(s *shipment, replace bool, out *Imported) error {
	if len(s.edges) == 0 {
		return nil
	}
	there, err := m.edges()
	if err != nil {
		return err
	}
	kept := s.edges[:0]
	for _, pe := range s.edges {
		old, ok := there[pe.edge.ID()]
		switch {
		case ok && old == pe.edge:
			out.Same++
		case ok && !replace:
			return at(lineNo(pe.line), refuse("the edge %s is there with another weight or key: replace it, or leave it out", pe.edge.ID()))
		default:
			kept = append(kept, pe)
			there[pe.edge.ID()] = pe.edge
		}
	}
	s.edges = kept
	return nil
}

func (m *Memory) edges() (map[string]entry.Edge, error) {
	r, err := log.OpenReader(m.dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	fold, _, err := r.Fold()
	if err != nil {
		return nil, err
	}
	there := map[string]entry.Edge{}
	for e := range fold.Edges() {
		there[e.ID()] = e
	}
	return there, nil
}
