package tracker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Export writes all beads as JSON lines, in the order of their ids, and returns
// how many. Events that ddx moved to an attachment come back into their rows.
func (s *Store) Export(ctx context.Context, w io.Writer, f Format) (int, error) {
	q, err := s.Load(ctx)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range q.rows {
		line, err := s.exportRow(q, int32(i), f)
		if err != nil {
			return 0, fmt.Errorf("tracker: export %s: %w", q.rows[i].id, err)
		}
		out.Write(line) // Flush reports its error
		out.WriteByte('\n')
	}
	if err := out.Flush(); err != nil {
		return 0, fmt.Errorf("tracker: export: %w", err)
	}
	return len(q.rows), nil
}

func (s *Store) exportRow(q *Queue, i int32, f Format) ([]byte, error) {
	b := q.bead(i)
	attached := b.Extra["events_attachment"] != nil
	if f == DDX && !attached {
		return bytes.TrimSpace(q.rows[i].raw), nil
	}
	b = b.clone()
	if attached {
		if err := s.inlineEvents(b); err != nil {
			return nil, err
		}
	}
	switch f {
	case DDX:
		return encode(b, q.bead(i))
	case BD:
		return toBD(b)
	case Plain:
		return toPlain(b)
	}
	return nil, invalid("unknown format %q: use ddx, bd or jsonl", f)
}

// inlineEvents puts the events of attachments/<id>/events.jsonl before those of
// the row. Where the attachment is gone, the row keeps its pointer to it.
func (s *Store) inlineEvents(b *Bead) error {
	if checkID(b.ID) != nil {
		return nil
	}
	path := filepath.Join(s.dir, "attachments", b.ID, "events.jsonl")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		s.warn(fmt.Sprintf("%s: its events are gone: %s does not exist", b.ID, path))
		return nil
	}
	if err != nil {
		return err
	}
	var events []json.RawMessage
	for _, line := range bytes.Split(data, []byte{'\n'}) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !json.Valid(line) {
			s.warn(fmt.Sprintf("%s: a line of %s is no JSON and is left out", b.ID, path))
			continue
		}
		events = append(events, line)
	}
	var own []json.RawMessage
	if raw := b.Extra[keyEvents]; raw != nil {
		if err := json.Unmarshal(raw, &own); err != nil {
			return &fieldError{keyEvents, "a list"}
		}
	}
	b.setRaw(keyEvents, joinRaw(append(events, own...)))
	b.Unset("events_attachment")
	return nil
}

func joinRaw(list []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte("["), bytes.Join(rawBytes(list), []byte(",")), []byte("]"))
}

// toBD renders a bead under bd's names; it reverses fromForeign.
func toBD(b *Bead) ([]byte, error) {
	row, err := flatten(b)
	if err != nil {
		return nil, err
	}
	move(row, "acceptance", "acceptance_criteria")
	move(row, "owner", "assignee")
	move(row, keyBDOwner, "owner")
	deps, err := bdRelations(b)
	if err != nil {
		return nil, err
	}
	delete(row, "parent")
	delete(row, keyLinks)
	delete(row, "dependencies")
	if len(deps) > 0 {
		row["dependencies"] = joinRaw(deps)
	}
	switch was := b.Str(keyBDStatus); {
	case foreignStatus[strings.ToLower(was)] == b.Status && was != "":
		row["status"] = quote(was)
	case b.Status == Proposed:
		row["status"] = quote("deferred")
	case b.Status == Cancelled:
		row["status"] = quote("closed")
		if row[keyCloseReason] == nil {
			row[keyCloseReason] = quote("cancelled")
		}
	}
	delete(row, keyBDStatus)
	delete(row, "schema_version")
	return render(row), nil
}

func bdRelations(b *Bead) ([]json.RawMessage, error) {
	var deps, links []json.RawMessage
	for _, d := range b.Dependencies {
		raw, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		deps = append(deps, raw)
	}
	if b.Parent != "" {
		raw, err := json.Marshal(Dependency{IssueID: b.ID, DependsOnID: b.Parent, Type: typeParent, CreatedAt: formatTime(b.CreatedAt)})
		if err != nil {
			return nil, err
		}
		deps = append(deps, raw)
	}
	if raw := b.Extra[keyLinks]; raw != nil {
		if err := json.Unmarshal(raw, &links); err != nil {
			return nil, &fieldError{keyLinks, "a list"}
		}
	}
	return append(deps, links...), nil
}

// toPlain renders a bead as a flat row: short names, dependencies as ids.
func toPlain(b *Bead) ([]byte, error) {
	row, err := flatten(b)
	if err != nil {
		return nil, err
	}
	move(row, "issue_type", "type")
	move(row, "created_at", "created")
	move(row, "updated_at", "updated")
	delete(row, "dependencies")
	if ids := rowOf(b).deps; len(ids) > 0 {
		if row["depends_on"], err = json.Marshal(ids); err != nil {
			return nil, err
		}
	}
	delete(row, "schema_version")
	return render(row), nil
}

// flatten is the bead's row with an owner that is called owner.
func flatten(b *Bead) (map[string]json.RawMessage, error) {
	row, err := known(b)
	if err != nil {
		return nil, err
	}
	for key, raw := range b.Extra {
		if key != "assignee" {
			row[key] = raw
		}
	}
	return row, nil
}

func move(row map[string]json.RawMessage, from, to string) {
	if raw, ok := row[from]; ok {
		row[to] = raw
		delete(row, from)
	}
}
