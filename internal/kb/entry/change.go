package entry

import (
	"fmt"
	"time"
)

// Change is something that happened to an entry after it was written: it was
// used, credited, forgotten, superseded. It is stored as a record of its own, so
// that writers need not read the entry first: counters are added up, everything
// else replaces what was there. A nil pointer leaves a field alone; a pointer to
// a zero time or empty string clears it.
type Change struct {
	ID  string
	Key string // idempotency key, "" for none

	Accessed   int       // added to AccessCount
	LastAccess time.Time // the later one wins
	Helped     int       // added
	Harmed     int       // added

	Salience     *float64
	Confidence   *float64
	ValidFrom    *time.Time
	ValidTo      *time.Time
	ExpiresAt    *time.Time
	DeletedAt    *time.Time
	SupersededBy *string
}

// Apply makes the change to e.
func (c *Change) Apply(e *Entry) {
	e.AccessCount += c.Accessed
	if c.LastAccess.After(e.LastAccess) {
		e.LastAccess = clean(c.LastAccess)
	}
	e.Helped += c.Helped
	e.Harmed += c.Harmed
	override(&e.Salience, c.Salience)
	override(&e.Confidence, c.Confidence)
	override(&e.ValidFrom, c.ValidFrom)
	override(&e.ValidTo, c.ValidTo)
	override(&e.ExpiresAt, c.ExpiresAt)
	override(&e.DeletedAt, c.DeletedAt)
	override(&e.SupersededBy, c.SupersededBy)
}

// Then adds a later change of the same entry to c.
func (c *Change) Then(later *Change) {
	c.Accessed += later.Accessed
	if later.LastAccess.After(c.LastAccess) {
		c.LastAccess = later.LastAccess
	}
	c.Helped += later.Helped
	c.Harmed += later.Harmed
	replace(&c.Salience, later.Salience)
	replace(&c.Confidence, later.Confidence)
	replace(&c.ValidFrom, later.ValidFrom)
	replace(&c.ValidTo, later.ValidTo)
	replace(&c.ExpiresAt, later.ExpiresAt)
	replace(&c.DeletedAt, later.DeletedAt)
	replace(&c.SupersededBy, later.SupersededBy)
	if later.Key != "" {
		c.Key = later.Key
	}
}

func override[T any](dst, src *T) {
	if src != nil {
		*dst = *src
	}
}

func replace[T any](dst **T, src *T) {
	if src != nil {
		*dst = src
	}
}

// Validate says in one line what is wrong with c, or nil.
func (c *Change) Validate() error {
	if err := checkID("id", c.ID); err != nil {
		return err
	}
	if err := checkField("idempotency key", c.Key, MaxField); err != nil {
		return err
	}
	if c.Accessed < 0 || c.Helped < 0 || c.Harmed < 0 {
		return invalid("a counter of the change is negative")
	}
	if err := checkOptional("salience", c.Salience, checkShare); err != nil {
		return err
	}
	if err := checkOptional("confidence", c.Confidence, checkShare); err != nil {
		return err
	}
	for _, f := range []struct {
		what string
		at   *time.Time
	}{
		{"last access", &c.LastAccess}, {"valid from", c.ValidFrom}, {"valid to", c.ValidTo},
		{"expires", c.ExpiresAt}, {"deleted", c.DeletedAt},
	} {
		if err := checkOptional(f.what, f.at, checkYear); err != nil {
			return err
		}
	}
	if c.SupersededBy != nil && *c.SupersededBy != "" {
		return checkID("superseding id", *c.SupersededBy)
	}
	return nil
}

func checkOptional[T any](what string, v *T, check func(string, T) error) error {
	if v == nil {
		return nil
	}
	return check(what, *v)
}

// cleared is the value of a field that a change empties.
const cleared = "-"

// EncodeChange gives the stored form, which DecodeChange reads back.
func EncodeChange(c *Change) string {
	var w writer
	w.text("id", c.ID)
	w.text("key", c.Key)
	w.text("access", formatAccess(c.Accessed, c.LastAccess))
	if c.Helped != 0 {
		w.line("helped", fmt.Sprint(c.Helped))
	}
	if c.Harmed != 0 {
		w.line("harmed", fmt.Sprint(c.Harmed))
	}
	w.share("salience", c.Salience)
	w.share("confidence", c.Confidence)
	w.moment("valid-from", c.ValidFrom)
	w.moment("valid-to", c.ValidTo)
	w.moment("expires", c.ExpiresAt)
	w.moment("deleted", c.DeletedAt)
	if by := c.SupersededBy; by != nil {
		if *by == "" {
			w.line("superseded-by", cleared)
		} else {
			w.text("superseded-by", *by)
		}
	}
	return w.String()
}

func (w *writer) share(key string, f *float64) {
	if f != nil {
		w.number(key, *f, -1)
	}
}

func (w *writer) moment(key string, t *time.Time) {
	switch {
	case t == nil:
	case t.IsZero():
		w.line(key, cleared)
	default:
		w.time(key, *t)
	}
}

// DecodeChange reads what EncodeChange wrote. A line that this version does not
// understand is skipped.
func DecodeChange(body string) (Change, error) {
	var c Change
	for rest := body; rest != ""; {
		var line string
		line, rest = cutLine(rest)
		key, raw, ok := splitMeta(line)
		if !ok {
			return Change{}, fmt.Errorf("entry: %w: %q is no line of a change", ErrMalformed, line)
		}
		if value, ok := unescape(raw); ok {
			c.setMeta(key, value)
		}
	}
	if c.ID == "" {
		return Change{}, fmt.Errorf("entry: %w: a change without an id", ErrMalformed)
	}
	return c, nil
}

func (c *Change) setMeta(key, value string) {
	switch key {
	case "id":
		c.ID = value
	case "key":
		c.Key = value
	case "access":
		if n, last, ok := parseAccess(value); ok {
			c.Accessed, c.LastAccess = n, last
		}
	case "helped":
		set(&c.Helped, value, parseCount)
	case "harmed":
		set(&c.Harmed, value, parseCount)
	case "salience":
		point(&c.Salience, value, parseShare)
	case "confidence":
		point(&c.Confidence, value, parseShare)
	case "valid-from":
		point(&c.ValidFrom, value, parseMoment)
	case "valid-to":
		point(&c.ValidTo, value, parseMoment)
	case "expires":
		point(&c.ExpiresAt, value, parseMoment)
	case "deleted":
		point(&c.DeletedAt, value, parseMoment)
	case "superseded-by":
		if value == cleared {
			value = ""
		}
		c.SupersededBy = &value
	}
}

func point[T any](dst **T, value string, parse func(string) (T, bool)) {
	if v, ok := parse(value); ok {
		*dst = &v
	}
}

func parseMoment(s string) (time.Time, bool) {
	if s == cleared {
		return time.Time{}, true
	}
	return parseTime(s)
}
