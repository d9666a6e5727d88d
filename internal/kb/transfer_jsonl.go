package kb

import (
	"runtime"
	"strings"
	"sync"

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

// readJSONL takes a JSONL export apart. Empty lines do not count. A long one is cut
// into pieces, which are read at the same time.
func readJSONL(data string, p *parcel) error {
	pieces := piecesOf(data)
	parcels, errs := make([]parcel, len(pieces)), make([]error, len(pieces))
	each(len(pieces), func(i int) {
		parcels[i].now = p.now
		errs[i] = readLines(pieces[i].text, pieces[i].line, &parcels[i])
	})
	for i := range pieces {
		if errs[i] != nil {
			return errs[i]
		}
		p.entries = append(p.entries, parcels[i].entries...)
		p.edges = append(p.edges, parcels[i].edges...)
	}
	return nil
}

// piece is a part of an export that consists of whole lines.
type piece struct {
	text string
	line int // of its first line, from 1
}

// piecesOf cuts a text that is long enough to be worth it into a piece for each
// processor.
func piecesOf(data string) []piece {
	const worth = 1 << 20 // bytes
	n := max(1, min(len(data)/worth, runtime.GOMAXPROCS(0)))
	var out []piece
	for line := 1; data != ""; n-- {
		end := len(data)
		if n > 1 {
			at := len(data) / n
			if i := strings.IndexByte(data[at:], '\n'); i >= 0 {
				end = at + i + 1
			}
		}
		out = append(out, piece{data[:end], line})
		line += strings.Count(data[:end], "\n")
		data = data[end:]
	}
	return out
}

// each calls do for 0 to n-1, at the same time, and returns when all are done.
func each(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

func readLines(data string, first int, p *parcel) error {
	var r record // of each line in turn: it is large
	for n := first; data != ""; n++ {
		var line string
		line, data, _ = strings.Cut(data, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := p.jsonLine(n, line, &r); err != nil {
			return at(lineNo(n), err)
		}
	}
	return nil
}

func (p *parcel) jsonLine(n int, line string, r *record) error {
	var err error
	*r = record{}
	if !quickRecord(line, r) {
		*r = record{}
		err = decodeJSON(line, r)
	}
	if err == nil && (r.Type == "" || r.Type == "entry") {
		p.add(n, r.entry(p.now))
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
