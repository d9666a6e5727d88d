package kb

import (
	"bufio"
	"context"
	"fmt"
	"io"
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
}

// Text says what was written.
func (e Exported) Text() string {
	return "exported " + count(e.Entries, "entry", "entries") + andEdges(e.Edges) + "\n"
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
	result Exported
	topic  string // markdown: of the entry that was written last
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
func (m *Memory) Export(_ context.Context, r ExportRequest, w io.Writer) (Exported, error) {
	x := &exporter{w: bufio.NewWriterSize(w, 64<<10)}
	entryTo, edgeTo := x.jsonEntry, x.jsonEdge
	switch r.Format {
	case "", "jsonl":
	case "markdown":
		entryTo, edgeTo = x.markdownEntry, x.markdownEdge
	default:
		return Exported{}, refuse("export: the format %q is not one of jsonl, markdown", cut(r.Format, 40))
	}
	reader, err := log.OpenReader(m.dir)
	if err != nil {
		return Exported{}, err
	}
	defer reader.Close()
	fold, _, err := reader.Fold()
	if err != nil {
		return Exported{}, err
	}
	order, err := exportOrder(reader, fold, r)
	if err != nil {
		return Exported{}, err
	}
	if r.Topic != "" && len(order) == 0 {
		return Exported{}, m.noTopic(r.Topic)
	}
	if err := x.all(reader, fold, order, r.Topic != "", entryTo, edgeTo); err != nil {
		return Exported{}, err
	}
	if err := x.w.Flush(); err != nil {
		return Exported{}, fmt.Errorf("kb: export: %w", err)
	}
	return x.result, nil
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

func (x *exporter) all(reader *log.Reader, fold *log.Fold, order []log.Live, someOnly bool,
	entryTo func(*entry.Entry) error, edgeTo func(*entry.Edge) error) error {
	written := map[string]bool{}
	for _, live := range order {
		e, err := reader.Load(live)
		if err != nil {
			return err
		}
		if err := entryTo(&e); err != nil {
			return err
		}
		x.result.Entries++
		if someOnly {
			written[e.ID] = true
		}
	}
	for e := range fold.Edges() {
		if someOnly && !written[e.From] && !written[e.To] {
			continue
		}
		if err := edgeTo(&e); err != nil {
			return err
		}
		x.result.Edges++
	}
	return nil
}

// readAll reads what is to be imported.
func readAll(r io.Reader) (string, error) {
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(r, maxImport+1))
	if err != nil {
		return "", fmt.Errorf("kb: import: %w", err)
	}
	if n > maxImport {
		return "", refuse("import: there are more than %d MiB: export and import topic by topic", maxImport>>20)
	}
	return b.String(), nil
}
