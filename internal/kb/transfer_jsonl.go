package kb

import (
	"strings"

	"helix/internal/kb/entry"
)

// JSONL: one object a line. "type" says whether it is an "entry" or an "edge";
// entries come first, in the order in which they were written.

func (x *exporter) jsonEntry(e *entry.Entry) error {
	r := recordOf(e)
	r.Type = "entry"
	return x.jsonLine(r)
}

func (x *exporter) jsonEdge(e *entry.Edge) error {
	r := relationOf(e)
	r.Type = "edge"
	return x.jsonLine(r)
}

func (x *exporter) jsonLine(v any) error {
	line, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return x.write(string(line), "\n")
}

// readJSONL takes a JSONL export apart. Empty lines do not count.
func readJSONL(data string, p *parcel) error {
	for n := 1; data != ""; n++ {
		var line string
		line, data, _ = strings.Cut(data, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := p.jsonLine(n, line); err != nil {
			return at(lineNo(n), err)
		}
	}
	return nil
}

func (p *parcel) jsonLine(n int, line string) error {
	var r record
	err := decodeJSON(line, &r)
	if err == nil && (r.Type == "" || r.Type == "entry") {
		p.entries = append(p.entries, &parcelEntry{line: n, entry: r.entry(p.now)})
		return nil
	}
	if err == nil && r.Type != "edge" {
		return refuse("the type %q is neither entry nor edge", cut(r.Type, 40))
	}
	// An edge has keys that an entry does not have.
	var edge relation
	if edgeErr := decodeJSON(line, &edge); edge.Type != "edge" {
		return err
	} else if edgeErr != nil {
		return edgeErr
	}
	p.edges = append(p.edges, parcelEdge{line: n, edge: edge.edge()})
	return nil
}
