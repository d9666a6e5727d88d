package entry

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrMalformed is wrapped by every error about a body that cannot be read.
var ErrMalformed = errors.New("not a body of an entry")

// Encode gives the form in which e is stored. The time of creation is not in the
// body: the record around it carries e.Created. For every e that Validate
// accepts, Decode(topic, body, e.Created) gives e back, times cut to the
// millisecond and an empty Kind as Fact.
func Encode(e *Entry) (topic, body string) {
	var w writer
	w.Grow(160 + len(e.Text))
	w.text("id", e.ID)
	if e.Kind != "" && e.Kind != Fact {
		w.text("kind", string(e.Kind))
	}
	w.list("tags", ", ", e.Tags)
	w.text("source", formatSource(e.Source))
	w.text("hash", e.Source.Hash)
	w.number("confidence", e.Confidence, 1)
	w.list("links", " ", e.Links)
	w.text("key", e.Key)

	w.text("tenant", e.Tenant)
	w.text("user", e.User)
	w.text("project", e.Project)
	w.text("session", e.Session)

	w.time("modified", e.Modified)
	w.span("valid", e.ValidFrom, e.ValidTo)
	w.time("expires", e.ExpiresAt)
	w.time("deleted", e.DeletedAt)
	w.list("supersedes", " ", e.Supersedes)
	w.text("superseded-by", e.SupersededBy)
	w.span("event", e.EventStart, e.EventEnd)
	w.text("when", e.TemporalText)

	w.number("salience", e.Salience, DefaultSalience)
	w.text("access", formatAccess(e.AccessCount, e.LastAccess))
	if e.Helped != 0 || e.Harmed != 0 {
		w.line("credit", fmt.Sprintf("helped %d, harmed %d", e.Helped, e.Harmed))
	}
	for _, line := range e.Extra {
		w.WriteString(line)
		w.WriteByte('\n')
	}
	w.WriteByte('\n')
	w.WriteString(e.Text)
	return e.Topic, w.String()
}

// Decode reads what Encode wrote. Lines that it does not understand end up in
// Extra; the only error is a body without an id.
func Decode(topic, body string, created time.Time) (Entry, error) {
	e := New(topic, "", created)
	rest := body
	for rest != "" {
		line, after := cutLine(rest)
		if line == "" {
			rest = after
			break
		}
		key, value, ok := splitMeta(line)
		if !ok {
			break
		}
		if !e.setMeta(key, value) {
			e.Extra = append(e.Extra, line)
		}
		rest = after
	}
	e.Text = rest
	if e.ID == "" {
		return Entry{}, fmt.Errorf("entry: %w: no id line", ErrMalformed)
	}
	return e, nil
}

// PeekID reads the id of a body without decoding the rest. It is the first line
// of every body that Encode wrote.
func PeekID(body string) (string, bool) {
	line, _ := cutLine(body)
	key, value, ok := splitMeta(line)
	if !ok || key != "id" || value == "" {
		return "", false
	}
	return unescape(value)
}

// setMeta takes over one metadata line. False means that the key is unknown or
// the value is not of its form; the entry is then as it was.
func (e *Entry) setMeta(key, raw string) bool {
	value, ok := unescape(raw)
	if !ok || value == "" {
		return false
	}
	switch key {
	case "id":
		e.ID = value
	case "kind":
		e.Kind = Kind(value)
	case "tags":
		e.Tags = strings.Split(value, ", ")
	case "source":
		e.Source.Path, e.Source.Line = parseSource(value)
	case "hash":
		e.Source.Hash = value
	case "links":
		e.Links = strings.Fields(value)
	case "key":
		e.Key = value
	case "tenant":
		e.Tenant = value
	case "user":
		e.User = value
	case "project":
		e.Project = value
	case "session":
		e.Session = value
	case "supersedes":
		e.Supersedes = strings.Fields(value)
	case "superseded-by":
		e.SupersededBy = value
	case "when":
		e.TemporalText = value
	case "credit":
		return e.setCredit(value)
	case "access":
		return e.setAccess(value)
	case "confidence":
		return set(&e.Confidence, value, parseShare)
	case "salience":
		return set(&e.Salience, value, parseShare)
	case "modified":
		return set(&e.Modified, value, parseTime)
	case "expires":
		return set(&e.ExpiresAt, value, parseTime)
	case "deleted":
		return set(&e.DeletedAt, value, parseTime)
	case "valid":
		return setSpan(&e.ValidFrom, &e.ValidTo, value)
	case "event":
		return setSpan(&e.EventStart, &e.EventEnd, value)
	default:
		return false
	}
	return true
}

// set stores what parse makes of value, and nothing when it refuses.
func set[T any](dst *T, value string, parse func(string) (T, bool)) bool {
	v, ok := parse(value)
	if ok {
		*dst = v
	}
	return ok
}

func setSpan(from, to *time.Time, value string) bool {
	a, b, ok := parseSpan(value)
	if ok {
		*from, *to = a, b
	}
	return ok
}

func (e *Entry) setCredit(value string) bool {
	helped, harmed, ok := strings.Cut(value, ", ")
	if !ok || !strings.HasPrefix(helped, "helped ") || !strings.HasPrefix(harmed, "harmed ") {
		return false
	}
	h, okH := parseCount(helped[len("helped "):])
	m, okM := parseCount(harmed[len("harmed "):])
	if !okH || !okM {
		return false
	}
	e.Helped, e.Harmed = h, m
	return true
}

// formatAccess gives "12, 2026-06-18T10:00:00Z", "12" or "".
func formatAccess(count int, last time.Time) string {
	last = clean(last)
	switch {
	case count == 0 && last.IsZero():
		return ""
	case last.IsZero():
		return strconv.Itoa(count)
	}
	return strconv.Itoa(count) + ", " + formatTime(last)
}

func parseAccess(value string) (count int, last time.Time, ok bool) {
	number, when, both := strings.Cut(value, ", ")
	count, ok = parseCount(number)
	if ok && both {
		last, ok = parseTime(when)
	}
	return count, last, ok
}

func (e *Entry) setAccess(value string) bool {
	count, last, ok := parseAccess(value)
	if ok {
		e.AccessCount, e.LastAccess = count, last
	}
	return ok
}

// formatSource gives "path:line", or "path" for a whole file. A path that ends
// like a line number gets ":0", so that it is not taken for one.
func formatSource(s Source) string {
	if s.Path == "" {
		return ""
	}
	if s.Line == 0 {
		if _, _, ambiguous := splitLineNumber(s.Path); !ambiguous {
			return s.Path
		}
	}
	return s.Path + ":" + strconv.Itoa(s.Line)
}

func parseSource(value string) (path string, line int) {
	if path, line, ok := splitLineNumber(value); ok {
		return path, line
	}
	return value, 0
}

func splitLineNumber(s string) (path string, line int, ok bool) {
	colon := strings.LastIndexByte(s, ':')
	if colon < 1 {
		return "", 0, false
	}
	line, ok = parseCount(s[colon+1:])
	return s[:colon], line, ok
}
