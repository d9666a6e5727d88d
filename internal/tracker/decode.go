package tracker

import (
	"encoding/json"
	"strings"
)

// decode reads a whole row. The bead shares its text with line, which must not
// be written to afterwards.
func decode(line []byte) (*Bead, error) {
	b := &Bead{raw: line}
	s := scanner{b: line}
	if err := s.enter('{', "an object { … }"); err != nil {
		return nil, err
	}
	assignee, updated := "", ""
	for first := true; ; first = false {
		key, more, err := s.member(first)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if known, err := b.decodeKnown(&s, key); err != nil {
			return nil, err
		} else if known {
			continue
		}
		raw, err := s.raw()
		if err != nil {
			return nil, err
		}
		b.setRaw(key, raw)
		switch key {
		case "assignee":
			assignee = rawText(raw)
		case "updated":
			updated = rawText(raw)
		}
	}
	if b.Owner == "" {
		b.Owner = assignee
	}
	if b.UpdatedAt.IsZero() {
		b.UpdatedAt = parseTime(updated)
	}
	return b, s.end()
}

func (b *Bead) decodeKnown(s *scanner, key string) (known bool, err error) {
	into := func(p *string) (bool, error) {
		*p, err = s.field(key)
		return true, err
	}
	switch key {
	case "id":
		return into(&b.ID)
	case "title":
		return into(&b.Title)
	case "status":
		return into((*string)(&b.Status))
	case "priority":
		b.Priority, err = s.whole(key)
	case "issue_type":
		return into(&b.Type)
	case "owner":
		return into(&b.Owner)
	case "created_by":
		return into(&b.CreatedBy)
	case "parent":
		return into(&b.Parent)
	case "description":
		return into(&b.Description)
	case "acceptance":
		return into(&b.Acceptance)
	case "notes":
		return into(&b.Notes)
	case "created_at", "updated_at":
		var text string
		text, err = s.field(key)
		if key == "created_at" {
			b.CreatedAt = parseTime(text)
		} else {
			b.UpdatedAt = parseTime(text)
		}
	case "labels":
		b.Labels = nil
		err = s.list(key, func() error {
			label, err := s.field(key)
			b.Labels = append(b.Labels, label)
			return err
		})
	case "dependencies":
		b.Dependencies, b.rawDeps = nil, nil
		err = s.list(key, func() error { return b.decodeDependency(s) })
	default:
		return false, nil
	}
	return true, err
}

func (b *Bead) decodeDependency(s *scanner) error {
	raw, err := s.raw()
	if err != nil {
		return err
	}
	var d Dependency
	if err := json.Unmarshal(raw, &d); err != nil {
		return &fieldError{"dependencies", "a list of objects with text in them"}
	}
	b.Dependencies = append(b.Dependencies, d)
	b.rawDeps = append(b.rawDeps, raw)
	return nil
}

// rawText is the text of a value of no fixed kind: of a string its content, of a
// number or a boolean its spelling, of anything else nothing.
func rawText(raw json.RawMessage) string {
	s := scanner{b: raw}
	s.space()
	text, err := s.loose()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}
