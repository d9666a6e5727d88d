package tracker

import (
	"strconv"
	"time"
)

// row is what a queue needs of one line to answer readiness: everything else
// stays undecoded in raw.
type row struct {
	raw          []byte // the line without its line feed
	at           int    // where raw begins in the file
	line         int    // 1-based
	id           string
	status       Status
	priority     int
	typ          string
	parent       string
	created      string
	updated      string
	supersededBy string
	retryAfter   string
	rank         float64
	ranked       bool
	ineligible   bool
	needsHuman   bool
	deps         []string // ids that the bead waits for
}

// rowParser reads rows; deps of many rows share its arena.
type rowParser struct{ arena []string }

// fieldError is a value that is JSON, but not what its key must hold.
type fieldError struct{ key, want string }

func (e *fieldError) Error() string { return e.key + " must be " + e.want }

// parse reads the line into r. The whole line is checked to be one JSON object.
func (p *rowParser) parse(line []byte, r *row) error {
	s := scanner{b: line}
	if err := s.enter('{', "an object { … }"); err != nil {
		return err
	}
	r.raw = line
	for first := true; ; first = false {
		key, more, err := s.member(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := p.field(&s, key, r); err != nil {
			return err
		}
	}
	if err := s.end(); err != nil {
		return err
	}
	if r.id == "" {
		return &fieldError{"id", "there and not empty"}
	}
	return nil
}

func (p *rowParser) field(s *scanner, key string, r *row) (err error) {
	switch key {
	case "id":
		r.id, err = s.field(key)
	case "status":
		var text string
		text, err = s.field(key)
		r.status = Status(text)
	case "priority":
		r.priority, err = s.whole(key)
	case "issue_type":
		r.typ, err = s.field(key)
	case "parent":
		r.parent, err = s.field(key)
	case "created_at":
		r.created, err = s.field(key)
	case "updated_at":
		r.updated, err = s.field(key)
	case "title", "owner", "created_by", "description", "acceptance", "notes":
		err = s.isText(key)
	case "labels":
		err = s.list(key, func() error { return s.isText(key) })
	case "dependencies":
		from := len(p.arena)
		err = s.list(key, func() error { return p.dependency(s) })
		r.deps = p.arena[from:len(p.arena):len(p.arena)]
	case "superseded-by":
		r.supersededBy, err = s.loose()
	case "work-retry-after", "execute-loop-retry-after":
		var text string
		text, err = s.loose()
		r.retryAfter = later(r.retryAfter, text)
	case "execution-eligible":
		var text string
		text, err = s.loose()
		r.ineligible = text == "false"
	case "queue-rank":
		var text string
		text, err = s.loose()
		r.rank, r.ranked = parseRank(text)
	case "needs-human-reason":
		var text string
		text, err = s.loose()
		r.needsHuman = text != ""
	default:
		err = s.value(1)
	}
	return err
}

// dependency reads the id that one element of "dependencies" waits for.
func (p *rowParser) dependency(s *scanner) error {
	if err := s.enter('{', "a dependency { … }"); err != nil {
		return s.wrongKind(err, "dependencies", "a list of objects")
	}
	on := ""
	for first := true; ; first = false {
		key, more, err := s.member(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch key {
		case "depends_on_id":
			on, err = s.field(key)
		case "issue_id", "type", "created_at", "created_by":
			err = s.isText(key)
		default:
			err = s.value(3)
		}
		if err != nil {
			return err
		}
	}
	if on == "" {
		return &fieldError{"dependencies", "objects with a depends_on_id"}
	}
	p.arena = append(p.arena, on)
	return nil
}

// field reads a key that must hold a string or null.
func (s *scanner) field(key string) (string, error) {
	text, err := s.str()
	return text, s.wrongKind(err, key, "a string")
}

// isText checks, without decoding it, that a key holds a string or null.
func (s *scanner) isText(key string) error {
	if s.null() {
		return nil
	}
	_, _, err := s.text()
	return s.wrongKind(err, key, "a string")
}

// list walks an array or null.
func (s *scanner) list(key string, element func() error) error {
	if s.null() {
		return nil
	}
	if err := s.enter('[', "a list"); err != nil {
		return s.wrongKind(err, key, "a list")
	}
	for first := true; ; first = false {
		more, err := s.next(first, ']')
		if !more || err != nil {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// whole reads a key that must hold a whole number or null.
func (s *scanner) whole(key string) (int, error) {
	if s.null() {
		return 0, nil
	}
	start := s.i
	if err := s.value(1); err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(alias(s.b[start:s.i]))
	if err != nil {
		return 0, &fieldError{key, "a whole number"}
	}
	return n, nil
}

// loose reads a key of no fixed kind: a string gives its text, null and nested
// values give "", anything else its spelling.
func (s *scanner) loose() (string, error) {
	if s.i < len(s.b) && (s.b[s.i] == '"' || s.b[s.i] == 'n') {
		if s.b[s.i] == 'n' {
			return "", s.literal("null")
		}
		return s.str()
	}
	raw, err := s.raw()
	if err != nil || raw[0] == '{' || raw[0] == '[' {
		return "", err
	}
	return alias(raw), nil
}

// wrongKind replaces "expected a string" by the more useful field error where
// the value is sound JSON of another kind.
func (s *scanner) wrongKind(err error, key, want string) error {
	if err == nil || brokeOff(err) {
		return err
	}
	if s.i < len(s.b) {
		probe := *s
		if probe.value(1) == nil {
			return &fieldError{key, want}
		}
	}
	return err
}

func parseRank(text string) (float64, bool) {
	if text == "" {
		return 0, false
	}
	rank, err := strconv.ParseFloat(text, 64)
	return rank, err == nil
}

// later returns the later of two times; one that cannot be read counts as none.
func later(a, b string) string {
	if a == "" || parseTime(b).After(parseTime(a)) {
		return b
	}
	return a
}

// parseTime reads a time as ddx, its forerunners and people write it; the zero
// time when it is none.
func parseTime(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
