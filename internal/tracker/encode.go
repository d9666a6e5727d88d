package tracker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// encode renders a bead as its line: keys sorted, empty fields left out, HTML
// characters escaped, as ddx writes it. base is the bead as it was read, nil for
// a new one: every value that is the same as there keeps the bytes it has there,
// and a bead without any difference keeps its line.
func encode(b, base *Bead) ([]byte, error) {
	e := encoder{}
	if err := e.read(base); err != nil {
		return nil, err
	}
	if err := e.putKnown(b, base); err != nil {
		return nil, err
	}
	if err := e.putExtra(b, base); err != nil {
		return nil, err
	}
	if base != nil && !e.changed {
		return base.raw, nil
	}
	return render(e.row), nil
}

// render writes a row with its keys in order.
func render(row map[string]json.RawMessage) []byte {
	var out bytes.Buffer
	sep := byte('{')
	for _, key := range slices.Sorted(maps.Keys(row)) {
		out.WriteByte(sep)
		out.Write(quote(key))
		out.WriteByte(':')
		out.Write(row[key])
		sep = ','
	}
	out.WriteByte('}')
	return out.Bytes()
}

// members are the keys and values of a line, undecoded.
func members(line []byte) (map[string]json.RawMessage, error) {
	row := map[string]json.RawMessage{}
	s := scanner{b: line}
	if err := s.enter('{', "an object { … }"); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		key, more, err := s.member(first)
		if err != nil {
			return nil, err
		}
		if !more {
			return row, s.end()
		}
		if row[key], err = s.raw(); err != nil {
			return nil, err
		}
	}
}

// encoder is a row in the making.
type encoder struct {
	row     map[string]json.RawMessage
	changed bool
}

func (e *encoder) read(base *Bead) (err error) {
	if base == nil {
		e.row = map[string]json.RawMessage{}
		return nil
	}
	e.row, err = members(base.raw)
	return err
}

func (e *encoder) set(key string, value json.RawMessage) {
	e.row[key], e.changed = value, true
}

func (e *encoder) drop(key string) {
	delete(e.row, key)
	e.changed = true
}

// putKnown replaces the fields of b that differ from base's.
func (e *encoder) putKnown(b, base *Bead) error {
	now, err := known(b)
	if err != nil {
		return err
	}
	was := map[string]json.RawMessage{}
	if base != nil {
		if was, err = known(base); err != nil {
			return err
		}
	}
	for _, key := range knownKeys {
		value, ok := now[key]
		old, had := was[key]
		switch {
		case ok == had && bytes.Equal(value, old):
		case ok:
			e.set(key, value)
		default:
			e.drop(key)
		}
	}
	if base != nil && b.Owner != base.Owner {
		e.drop("assignee")
	}
	return nil
}

// known renders the fields of a bead that are not left out.
func known(b *Bead) (map[string]json.RawMessage, error) {
	row := map[string]json.RawMessage{
		"id": quote(b.ID), "title": quote(b.Title), "status": quote(string(b.Status)),
		"priority": json.RawMessage(strconv.Itoa(b.Priority)), "issue_type": quote(b.Type),
		"created_at": quote(formatTime(b.CreatedAt)), "updated_at": quote(formatTime(b.UpdatedAt)),
	}
	for key, text := range map[string]string{
		"owner": b.Owner, "created_by": b.CreatedBy, "parent": b.Parent,
		"description": b.Description, "acceptance": b.Acceptance, "notes": b.Notes,
	} {
		if text != "" {
			row[key] = quote(text)
		}
	}
	if len(b.Labels) > 0 {
		labels, err := json.Marshal(b.Labels)
		if err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
		row["labels"] = labels
	}
	if len(b.Dependencies) > 0 {
		deps, err := encodeDependencies(b)
		if err != nil {
			return nil, err
		}
		row["dependencies"] = deps
	}
	return row, nil
}

// encodeDependencies keeps the bytes of the dependencies that were there before.
func encodeDependencies(b *Bead) (json.RawMessage, error) {
	before := map[string]json.RawMessage{}
	for _, raw := range b.rawDeps {
		var d Dependency
		if err := json.Unmarshal(raw, &d); err != nil {
			return nil, fmt.Errorf("dependencies: %w", err)
		}
		plain, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("dependencies: %w", err)
		}
		before[string(plain)] = raw
	}
	out := []byte{'['}
	for i, d := range b.Dependencies {
		if i > 0 {
			out = append(out, ',')
		}
		plain, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("dependencies: %w", err)
		}
		if raw, ok := before[string(plain)]; ok {
			plain = raw
		}
		out = append(out, plain...)
	}
	return append(out, ']'), nil
}

// putExtra replaces the extra keys of b that differ from base's.
func (e *encoder) putExtra(b, base *Bead) error {
	var was map[string]json.RawMessage
	if base != nil {
		was = base.Extra
	}
	for key := range was {
		if _, ok := b.Extra[key]; !ok {
			e.drop(key)
		}
	}
	for key, value := range b.Extra {
		if old, ok := was[key]; ok && bytes.Equal(old, value) {
			continue
		}
		if slices.Contains(knownKeys, key) {
			return invalid("%s has a field of its own and cannot be an extra key", key)
		}
		if key == "" {
			return invalid("an extra key needs a name")
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, value); err != nil {
			return invalid("the value of %s is not JSON: %v", key, err)
		}
		e.set(key, compact.Bytes())
	}
	return nil
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
