package kb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

const (
	// pieceBytes is about how much of an export is read together.
	pieceBytes = 256 << 10
	// maxLine is more than a line needs whose every character is escaped.
	maxLine = 64 << 20
)

// piece is a part of an export that consists of whole lines.
type piece struct {
	text string
	line int // of its first line, from 1
}

// readPieces gives an export piece by piece, until yield has enough.
func readPieces(r io.Reader, yield func(piece) bool) error {
	buf := make([]byte, pieceBytes)
	have, line := 0, 1
	for {
		n, err := io.ReadFull(r, buf[have:])
		have += n
		end := bytes.LastIndexByte(buf[:have], '\n') + 1
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case last:
			end = have
		case err != nil:
			return fmt.Errorf("kb: import: %w", err)
		case end == 0 && have >= maxLine:
			return at(lineNo(line), refuse("it has more than %d MiB", maxLine>>20))
		case end == 0:
			buf = append(buf, make([]byte, len(buf))...)
			continue
		}
		text := string(buf[:end])
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text != "" && !yield(piece{text, line}) || last {
			return nil
		}
		line += strings.Count(text, "\n")
		have = copy(buf, buf[end:have])
	}
}

// readLines takes lines of an export apart, which begin with line first. Empty lines do
// not count.
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
		e := r.entry(p.now)
		return p.put(n, &e)
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
