package entry

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of what can be stored. Sizes are bytes of UTF-8.
const (
	MaxTopic  = 255
	MaxText   = 4 << 20
	MaxID     = 200
	MaxField  = 1 << 10 // each of the other short fields
	MaxPath   = 4 << 10
	MaxTags   = 64
	MaxLinks  = 1 << 10 // also of supersedes
	MaxExtra  = 64      // lines
	MaxVector = 1 << 16 // numbers
)

// ErrInvalid is wrapped by every error about something that must not be stored.
var ErrInvalid = errors.New("cannot be stored")

func invalid(format string, args ...any) error {
	return fmt.Errorf("entry %w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Validate says in one line what is wrong with e, or nil. What it accepts, Encode
// and Decode carry without a change.
func (e *Entry) Validate() error {
	if err := checkID("id", e.ID); err != nil {
		return err
	}
	if err := checkTopic(e.Topic); err != nil {
		return err
	}
	if err := checkText(e.Text); err != nil {
		return err
	}
	if e.Kind != "" && !e.Kind.Known() {
		return invalid("kind %q is not one of %v", e.Kind, Kinds())
	}
	if err := e.checkFields(); err != nil {
		return err
	}
	if err := e.checkTimes(); err != nil {
		return err
	}
	return e.checkNumbers()
}

func checkTopic(topic string) error {
	switch {
	case strings.TrimSpace(topic) == "":
		return invalid("the topic is empty")
	case len(topic) > MaxTopic:
		return invalid("the topic has %d bytes, at most %d are allowed", len(topic), MaxTopic)
	case !utf8.ValidString(topic):
		return invalid("the topic is not valid UTF-8 at byte %d", badByte(topic))
	case strings.ContainsFunc(topic, unicode.IsControl):
		return invalid("the topic contains a control character")
	}
	return nil
}

func checkText(text string) error {
	switch {
	case text == "":
		return invalid("the text is empty")
	case len(text) > MaxText:
		return invalid("the text has %d bytes, at most %d are allowed; split it", len(text), MaxText)
	case !utf8.ValidString(text):
		return invalid("the text is not valid UTF-8 at byte %d", badByte(text))
	}
	return nil
}

func badByte(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// checkID accepts what can stand in a URL path and in a list split at spaces.
func checkID(what, id string) error {
	if id == "" {
		return invalid("the %s is empty", what)
	}
	if len(id) > MaxID {
		return invalid("the %s has %d bytes, at most %d are allowed", what, len(id), MaxID)
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if i == 0 && !letter {
			return invalid("the %s %q does not start with a letter or digit", what, id)
		}
		if !letter && !strings.ContainsRune("_-.:@", rune(c)) {
			return invalid("the %s %q contains %q; letters, digits and _-.:@ are allowed", what, id, c)
		}
	}
	return nil
}

func checkField(what, value string, limit int) error {
	if len(value) > limit {
		return invalid("the %s has %d bytes, at most %d are allowed", what, len(value), limit)
	}
	if !utf8.ValidString(value) {
		return invalid("the %s is not valid UTF-8", what)
	}
	return nil
}

func (e *Entry) checkFields() error {
	for _, f := range []struct {
		what, value string
		limit       int
	}{
		{"source", e.Source.Path, MaxPath},
		{"source hash", e.Source.Hash, MaxField},
		{"idempotency key", e.Key, MaxField},
		{"tenant", e.Tenant, MaxField},
		{"user", e.User, MaxField},
		{"project", e.Project, MaxPath},
		{"session", e.Session, MaxField},
		{"temporal text", e.TemporalText, MaxField},
	} {
		if err := checkField(f.what, f.value, f.limit); err != nil {
			return err
		}
	}
	if err := checkList("tag", e.Tags, MaxTags, ","); err != nil {
		return err
	}
	if err := checkList("link", e.Links, MaxLinks, " "); err != nil {
		return err
	}
	return e.checkRelated()
}

func (e *Entry) checkRelated() error {
	if len(e.Supersedes) > MaxLinks {
		return invalid("it supersedes %d entries, at most %d are allowed", len(e.Supersedes), MaxLinks)
	}
	for _, id := range e.Supersedes {
		if err := checkID("superseded id", id); err != nil {
			return err
		}
	}
	if e.SupersededBy != "" {
		if err := checkID("superseding id", e.SupersededBy); err != nil {
			return err
		}
	}
	if len(e.Extra) > MaxExtra {
		return invalid("it has %d extra lines, at most %d are allowed", len(e.Extra), MaxExtra)
	}
	for _, line := range e.Extra {
		if err := checkField("extra line", line, MaxPath); err != nil {
			return err
		}
		if !wellFormedExtra(line) {
			return invalid("the extra line %q is not an unknown metadata line", line)
		}
	}
	return nil
}

// checkList checks values that are stored on one line, with sep between them.
func checkList(what string, values []string, limit int, sep string) error {
	if len(values) > limit {
		return invalid("it has %d %ss, at most %d are allowed", len(values), what, limit)
	}
	for _, v := range values {
		if err := checkField(what, v, MaxField); err != nil {
			return err
		}
		bad := func(r rune) bool { return strings.ContainsRune(sep, r) || unicode.IsControl(r) }
		if sep == " " {
			bad = func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
		}
		if v == "" || strings.TrimSpace(v) != v || strings.ContainsFunc(v, bad) {
			return invalid("the %s %q is empty, padded, or contains a separator", what, v)
		}
	}
	return nil
}

// wellFormedExtra reports whether Decode would put the line into Extra again.
func wellFormedExtra(line string) bool {
	if strings.ContainsAny(line, "\n") || !utf8.ValidString(line) {
		return false
	}
	key, value, ok := splitMeta(line)
	var probe Entry
	return ok && !probe.setMeta(key, value)
}

func (e *Entry) checkTimes() error {
	if e.Created.IsZero() {
		return invalid("the time of creation is missing")
	}
	for _, f := range []struct {
		what string
		at   time.Time
	}{
		{"created", e.Created}, {"modified", e.Modified}, {"valid from", e.ValidFrom}, {"valid to", e.ValidTo},
		{"expires", e.ExpiresAt}, {"deleted", e.DeletedAt}, {"event start", e.EventStart},
		{"event end", e.EventEnd}, {"last access", e.LastAccess},
	} {
		if err := checkYear(f.what, f.at); err != nil {
			return err
		}
	}
	return nil
}

func checkYear(what string, t time.Time) error {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return invalid("the time %q is in the year %d", what, y)
	}
	return nil
}

func (e *Entry) checkNumbers() error {
	if err := checkShare("confidence", e.Confidence); err != nil {
		return err
	}
	if err := checkShare("salience", e.Salience); err != nil {
		return err
	}
	if e.AccessCount < 0 || e.Helped < 0 || e.Harmed < 0 {
		return invalid("a counter is negative")
	}
	if e.Source.Line < 0 {
		return invalid("the source line %d is negative", e.Source.Line)
	}
	if e.Source.Line != 0 && e.Source.Path == "" {
		return invalid("the source has a line but no path")
	}
	return nil
}

func checkShare(what string, f float64) error {
	if math.IsNaN(f) || f < 0 || f > 1 {
		return invalid("the %s %v is not between 0 and 1", what, f)
	}
	return nil
}
