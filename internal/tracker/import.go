package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ImportOptions say how to read and what to do with beads that are there already.
type ImportOptions struct {
	Name   string // of the input, for messages
	Format Format // "" is Auto
	Update bool   // a row that is newer than the bead with its id replaces it
	DryRun bool   // say what would happen
}

// ImportReport is what an import did, row by row.
type ImportReport struct {
	Format    Format      `json:"format"`
	Created   []string    `json:"created"`
	Updated   []string    `json:"updated"`
	Unchanged []string    `json:"unchanged"` // there already and left as they are
	Bad       []LineError `json:"-"`         // rows that were not imported
	Warnings  []string    `json:"warnings"`
}

// incoming is one row of an import.
type incoming struct {
	line int
	bead *Bead
	raw  []byte // kept byte for byte where the format is ours
}

// Import reads beads of another tracker, or of an export, into the queue. A bad
// row is reported and the others are imported, all of them in one write.
func (s *Store) Import(ctx context.Context, r io.Reader, o ImportOptions) (*ImportReport, error) {
	rows, report, err := readImport(r, o)
	if err != nil {
		return nil, fmt.Errorf("tracker: import %s: %w", o.Name, err)
	}
	for i := range rows {
		if err := s.runHook(ctx, "validate-bead-create", rows[i].bead); err != nil {
			report.bad(o.Name, rows[i].line, err)
			rows[i].bead = nil
		}
	}
	rows = slices.DeleteFunc(rows, func(in incoming) bool { return in.bead == nil })
	base := *report
	err = s.change(ctx, func(d *draft) error {
		*report = base
		report.Bad = slices.Clone(base.Bad)
		for _, in := range rows {
			if err := d.bringIn(in, o, report); err != nil {
				report.bad(o.Name, in.line, err)
			}
		}
		d.warnDangling(report)
		if o.DryRun {
			clear(d.rows)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("tracker: import %s: %w", o.Name, err)
	}
	slices.SortStableFunc(report.Bad, func(a, b LineError) int { return a.Line - b.Line })
	return report, nil
}

func (r *ImportReport) bad(name string, line int, err error) {
	r.Bad = append(r.Bad, LineError{File: name, Line: line, Reason: err.Error()})
}

// readImport reads all rows of the input: JSON lines, or one JSON array as
// `bd list --json` prints.
func readImport(r io.Reader, o ImportOptions) ([]incoming, *ImportReport, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	report := &ImportReport{Format: o.Format, Created: []string{}, Updated: []string{}, Unchanged: []string{}, Warnings: []string{}}
	raws, err := splitImport(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, nil, err
	}
	var rows []incoming
	var parsed []map[string]json.RawMessage
	for _, in := range raws {
		m, err := members(in.raw)
		if err != nil {
			report.bad(o.Name, in.line, err)
			continue
		}
		rows = append(rows, in)
		parsed = append(parsed, m)
	}
	if report.Format == "" || report.Format == Auto {
		report.Format = detect(parsed)
	}
	var sound []incoming
	for i, in := range rows {
		if report.Format == DDX {
			in.bead, err = fromDDX(in.raw)
		} else {
			in.bead, err = fromForeign(parsed[i])
			in.raw = nil
		}
		if err != nil {
			report.bad(o.Name, in.line, err)
			continue
		}
		sound = append(sound, in)
	}
	return sound, report, nil
}

func splitImport(data []byte) ([]incoming, error) {
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		return splitArray(data)
	}
	var rows []incoming
	for n := 1; len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		if line = bytes.TrimSpace(line); len(line) > 0 {
			rows = append(rows, incoming{line: n, raw: line})
		}
	}
	return rows, nil
}

// splitArray splits one JSON array; a row's line is where it begins.
func splitArray(data []byte) ([]incoming, error) {
	var rows []incoming
	s := scanner{b: data}
	if err := s.enter('[', "a list"); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		more, err := s.next(first, ']')
		if err != nil {
			return nil, invalid("line %d: %v", 1+bytes.Count(data[:s.i], []byte{'\n'}), err)
		}
		if !more {
			return rows, s.end()
		}
		at := s.i
		raw, err := s.raw()
		if err != nil {
			return nil, invalid("line %d: %v", 1+bytes.Count(data[:s.i], []byte{'\n'}), err)
		}
		var line bytes.Buffer
		if err := json.Compact(&line, raw); err != nil {
			return nil, err
		}
		rows = append(rows, incoming{line: 1 + bytes.Count(data[:at], []byte{'\n'}), raw: line.Bytes()})
	}
}

// bringIn adds one row to the draft.
func (d *draft) bringIn(in incoming, o ImportOptions, report *ImportReport) error {
	b := in.bead.clone()
	if b.ID == "" {
		if err := d.name(b); err != nil {
			return err
		}
	}
	if in.raw == nil {
		d.complete(b)
	}
	existing, there := d.beads[b.ID]
	if !there {
		existing, there = d.queue.Get(b.ID)
	}
	_, again := d.rows[b.ID] // two rows of the input with one id: the newer one stays
	if there && !((again || o.Update) && b.UpdatedAt.After(existing.UpdatedAt)) {
		if !again {
			report.Unchanged = append(report.Unchanged, b.ID)
		}
		return nil
	}
	for _, dep := range b.Dependencies {
		if path := findPath(dep.DependsOnID, b.ID, d.depsOf); path != nil {
			return fmt.Errorf("%w: %s", ErrCycle, strings.Join(append([]string{b.ID}, path...), " -> "))
		}
	}
	line, err := in.raw, error(nil)
	if line == nil {
		if line, err = encode(b, nil); err != nil {
			return err
		}
	}
	stored, err := decode(line)
	if err != nil {
		return err
	}
	d.rows[b.ID], d.beads[b.ID] = line, stored
	switch {
	case again:
	case there:
		report.Updated = append(report.Updated, b.ID)
	default:
		report.Created = append(report.Created, b.ID)
	}
	return nil
}

// name gives a row without an id a new one.
func (d *draft) name(b *Bead) error {
	id, err := d.newID()
	if err != nil {
		return err
	}
	b.ID = id
	for i := range b.Dependencies {
		b.Dependencies[i].IssueID = id
	}
	return nil
}

// complete fills in what a foreign row may lack.
func (d *draft) complete(b *Bead) {
	if b.CreatedAt.IsZero() {
		b.CreatedAt = d.now
	}
	if b.UpdatedAt.IsZero() {
		b.UpdatedAt = b.CreatedAt
	}
	if _, ok := b.Extra["schema_version"]; !ok {
		b.setRaw("schema_version", json.RawMessage("1"))
	}
}

// warnDangling names beads of the import that wait for ones that exist nowhere.
func (d *draft) warnDangling(report *ImportReport) {
	for _, id := range slices.Concat(report.Created, report.Updated) {
		for _, dep := range d.depsOf(id) {
			if !d.known(dep) {
				report.Warnings = append(report.Warnings, fmt.Sprintf("%s waits for %s, which does not exist", id, dep))
			}
		}
		if p := d.parentOf(id); p != "" && !d.known(p) {
			report.Warnings = append(report.Warnings, fmt.Sprintf("the parent of %s, %s, does not exist", id, p))
		}
	}
}
