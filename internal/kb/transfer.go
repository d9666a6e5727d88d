package kb

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

// ExportRequest asks for entries with everything that is stored about them, also
// those that recall does not show.
type ExportRequest struct {
	Format string `json:"format,omitempty"` // jsonl (default), markdown
	Topic  string `json:"topic,omitempty"`  // only this one, and the edges at its entries
}

// Exported says what was written.
type Exported struct {
	Entries int `json:"entries"`
	Edges   int `json:"edges"`
	// Damaged is how many places of the log cannot be read. What is in them is
	// missing.
	Damaged int `json:"damaged,omitempty"`
}

// Text says what was written.
func (e Exported) Text() string {
	text := "exported " + count(e.Entries, "entry", "entries") + andEdges(e.Edges) + "\n"
	if e.Damaged > 0 {
		text += "  incomplete: the log is damaged in " + count(e.Damaged, "place", "places") + "; helix kb verify tells more\n"
	}
	return text
}

func andEdges(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + count(n, "edge", "edges")
}

func lineNo(n int) string { return "line " + strconv.Itoa(n) }

type exporter struct {
	w      *bufio.Writer
	entry  func(*entry.Entry) error
	edge   func(*entry.Edge) error
	result Exported
	topic  string // markdown: of the entry that was written last
}

func newExporter(format string, w io.Writer) (*exporter, error) {
	x := &exporter{w: bufio.NewWriterSize(w, 64<<10)}
	switch format {
	case "", "jsonl":
		x.entry, x.edge = x.jsonEntry, x.jsonEdge
	case "markdown":
		x.entry, x.edge = x.markdownEntry, x.markdownEdge
	default:
		return nil, refuse("export: the format %q is not one of jsonl, markdown", cut(format, 40))
	}
	return x, nil
}

func (x *exporter) write(parts ...string) error {
	for _, s := range parts {
		if _, err := x.w.WriteString(s); err != nil {
			return fmt.Errorf("kb: export: %w", err)
		}
	}
	return nil
}

// Export writes the memory, or a topic of it, to w. Import reads it back exactly.
// Vectors are left out: they can be made again.
func (m *Memory) Export(ctx context.Context, r ExportRequest, w io.Writer) (Exported, error) {
	x, err := newExporter(r.Format, w)
	if err != nil {
		return Exported{}, err
	}
	reader, err := log.OpenReader(m.dir)
	if err != nil {
		return Exported{}, err
	}
	defer reader.Close()
	fold, scanned, err := reader.Fold()
	if err != nil {
		return Exported{}, err
	}
	x.result.Damaged = len(scanned.Damage)
	order, err := exportOrder(reader, fold, r)
	if err != nil {
		return Exported{}, err
	}
	if r.Topic != "" && len(order) == 0 {
		return Exported{}, m.noTopic(r.Topic)
	}
	for _, live := range order {
		if err := ctx.Err(); err != nil {
			return Exported{}, fmt.Errorf("kb: export: %w", err)
		}
		e, err := reader.Load(live)
		if err != nil {
			return Exported{}, err
		}
		if err := x.entry(&e); err != nil {
			return Exported{}, err
		}
		x.result.Entries++
	}
	if err := x.edges(fold, order, r.Topic != ""); err != nil {
		return Exported{}, err
	}
	if err := x.w.Flush(); err != nil {
		return Exported{}, fmt.Errorf("kb: export: %w", err)
	}
	return x.result, nil
}

// edges writes all edges, or only those at the entries that were written.
func (x *exporter) edges(fold *log.Fold, written []log.Live, only bool) error {
	ids := map[string]bool{}
	for _, live := range written {
		ids[live.ID] = true
	}
	for e := range fold.Edges() {
		if only && !ids[e.From] && !ids[e.To] {
			continue
		}
		if err := x.edge(&e); err != nil {
			return err
		}
		x.result.Edges++
	}
	return nil
}

func (m *Memory) noTopic(topic string) error {
	v, err := m.View()
	if err != nil {
		return err
	}
	defer v.Close()
	return noTopic(v, topic)
}

// exportOrder says which entries are exported: in the order of the log, and for
// markdown together by topic.
func exportOrder(reader *log.Reader, fold *log.Fold, r ExportRequest) ([]log.Live, error) {
	if r.Topic == "" && r.Format != "markdown" {
		return slices.Collect(fold.All()), nil
	}
	var topics []string
	byTopic := map[string][]log.Live{}
	for live := range fold.All() {
		e, err := reader.Load(live)
		if err != nil {
			return nil, err
		}
		if r.Topic != "" && e.Topic != r.Topic {
			continue
		}
		if byTopic[e.Topic] == nil {
			topics = append(topics, e.Topic)
		}
		byTopic[e.Topic] = append(byTopic[e.Topic], live)
	}
	var order []log.Live
	for _, topic := range topics {
		order = append(order, byTopic[topic]...)
	}
	return order, nil
}

// sizeOf is how many bytes r has, as far as it tells.
func sizeOf(r io.Reader) int {
	switch r := r.(type) {
	case interface{ Len() int }:
		return r.Len()
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			return int(info.Size())
		}
	}
	return 0
}

// readAll reads what is to be imported.
func readAll(r io.Reader) (string, error) {
	var b strings.Builder
	b.Grow(min(sizeOf(r), maxImport+1))
	n, err := io.Copy(&b, io.LimitReader(r, maxImport+1))
	if err != nil {
		return "", fmt.Errorf("kb: import: %w", err)
	}
	if n > maxImport {
		return "", refuse("there are more than %d MiB: import topic by topic, or as jsonl", maxImport>>20)
	}
	return b.String(), nil
}
