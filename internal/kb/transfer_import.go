package kb

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

const (
	// maxImport is how many bytes one import may have. They are held in memory,
	// because everything is checked before anything is written.
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

// parcel is what an import consists of.
type parcel struct {
	now     time.Time
	entries []*parcelEntry
	edges   []parcelEdge
	empty   int
	room    []parcelEntry // for the next entries: many are taken from the heap at once
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
	p, err := m.unpack(r)
	if err != nil {
		return Imported{}, at("import", err)
	}
	out := Imported{Empty: p.empty}
	if err := p.clean(m.cleaner(r.AllowSecrets), &out); err != nil {
		return Imported{}, at("import", err)
	}
	if err := m.checkEdges(p, r.Replace, &out); err != nil {
		return Imported{}, at("import", err)
	}
	i := importer{m: m, replace: r.Replace, used: map[string]bool{}, out: &out}
	err = i.entries(ctx, p.entries)
	if err == nil {
		err = i.edges(ctx, p.edges)
	}
	if len(i.ids) > 0 || out.Edges > 0 {
		m.wrote(i.ids)
	}
	if err != nil && len(i.ids) > 0 {
		err = at(fmt.Sprintf("after %s were imported", count(len(i.ids), "entry", "entries")), err)
	}
	if err != nil {
		return Imported{}, at("import", err)
	}
	return out, nil
}

func (m *Memory) unpack(r ImportRequest) (*parcel, error) {
	read := readJSONL
	switch r.Format {
	case "", "jsonl":
	case "markdown":
		read = readMarkdown
	case "original-json":
		read = readOriginal
	default:
		return nil, refuse("the format %q is not one of jsonl, markdown, original-json", cut(r.Format, 40))
	}
	data := r.Data
	if r.Reader != nil {
		if data != "" {
			return nil, refuse("give only one of data and a reader")
		}
		var err error
		if data, err = readAll(r.Reader); err != nil {
			return nil, err
		}
	}
	if len(data) > maxImport {
		return nil, refuse("there are more than %d MiB: import topic by topic", maxImport>>20)
	}
	p, data := &parcel{now: m.now()}, strings.TrimPrefix(data, "\ufeff")
	if err := read(data, p); err != nil {
		return nil, err
	}
	// An empty memory is exported as nothing.
	if len(p.entries)+len(p.edges)+p.empty == 0 && strings.TrimSpace(data) != "" {
		return nil, refuse("there is no entry in it: is it a file of another kind?")
	}
	return p, nil
}

// redact replaces the secrets of entries, of many on all processors.
func (p *parcel) redact(c *cleaner) {
	const worth = 1024 // entries
	n := max(1, min(len(p.entries)/worth, runtime.GOMAXPROCS(0)))
	found := make([]int, n)
	each(n, func(i int) {
		own := cleaner{redact: c.redact}
		for _, pe := range p.entries[i*len(p.entries)/n : (i+1)*len(p.entries)/n] {
			own.entry(&pe.entry)
		}
		found[i] = own.found
	})
	for _, f := range found {
		c.found += f
	}
}

// clean replaces secrets, checks everything, and drops entries that are there
// twice.
func (p *parcel) clean(c *cleaner, out *Imported) error {
	p.redact(c)
	first := map[string]int{} // id to its place among the kept
	kept := p.entries[:0]
	for _, pe := range p.entries {
		e := &pe.entry
		probe := *e
		if probe.ID == "" {
			probe.ID = "new"
		}
		if err := check(&probe); err != nil {
			return at(lineNo(pe.line), err)
		}
		if e.ID != "" {
			if i, ok := first[e.ID]; ok {
				if !sameEntry(&kept[i].entry, e) {
					return at(lineNo(pe.line), refuse("the id %s is also on line %d, with other content", e.ID, kept[i].line))
				}
				out.Same++
				continue
			}
			first[e.ID] = len(kept)
		}
		kept = append(kept, pe)
	}
	p.entries = kept
	for i := range p.edges {
		e := &p.edges[i].edge
		c.text(&e.From)
		c.text(&e.To)
		if err := checkEdge(e); err != nil {
			return at(lineNo(p.edges[i].line), err)
		}
	}
	out.Redacted = c.found
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

// sameEntry reports whether two entries are stored alike.
func sameEntry(a, b *entry.Entry) bool {
	topicA, bodyA := entry.Encode(a)
	topicB, bodyB := entry.Encode(b)
	return topicA == topicB && bodyA == bodyB && a.Created.UnixMilli() == b.Created.UnixMilli()
}

// checkEdges drops edges that are there just so.
func (m *Memory) checkEdges(p *parcel, replace bool, out *Imported) error {
	if len(p.edges) == 0 {
		return nil
	}
	there, err := m.edges()
	if err != nil {
		return err
	}
	kept := p.edges[:0]
	for _, pe := range p.edges {
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
	p.edges = kept
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
