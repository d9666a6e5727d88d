package kb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"helix/internal/kb/entry"
)

// record is an entry as it is exported: everything that is stored, with what is at
// its default left out.
type record struct {
	Type         string    `json:"type,omitempty"`
	ID           string    `json:"id,omitempty"`
	Topic        string    `json:"topic,omitempty"`
	Kind         string    `json:"kind,omitempty"`
	Tags         List      `json:"tags,omitempty"`
	Source       string    `json:"source,omitempty"` // path
	SourceLine   int       `json:"source_line,omitempty"`
	SourceHash   string    `json:"source_hash,omitempty"`
	Confidence   *float64  `json:"confidence,omitempty"`
	Links        List      `json:"links,omitempty"`
	Key          string    `json:"key,omitempty"`
	Tenant       string    `json:"tenant,omitempty"`
	User         string    `json:"user,omitempty"`
	Project      string    `json:"project,omitempty"`
	Session      string    `json:"session,omitempty"`
	Created      time.Time `json:"created,omitzero"`
	Modified     time.Time `json:"modified,omitzero"`
	ValidFrom    time.Time `json:"valid_from,omitzero"`
	ValidTo      time.Time `json:"valid_to,omitzero"`
	Expires      time.Time `json:"expires,omitzero"`
	Deleted      time.Time `json:"deleted,omitzero"`
	Supersedes   []string  `json:"supersedes,omitempty"`
	SupersededBy string    `json:"superseded_by,omitempty"`
	EventStart   time.Time `json:"event_start,omitzero"`
	EventEnd     time.Time `json:"event_end,omitzero"`
	When         string    `json:"when,omitempty"`
	Salience     *float64  `json:"salience,omitempty"`
	AccessCount  int       `json:"access_count,omitempty"`
	LastAccess   time.Time `json:"last_access,omitzero"`
	Helped       int       `json:"helped,omitempty"`
	Harmed       int       `json:"harmed,omitempty"`
	Extra        []string  `json:"extra,omitempty"`
	Text         string    `json:"text,omitempty"`
}

func recordOf(e *entry.Entry) record {
	r := record{
		ID: e.ID, Topic: e.Topic, Kind: string(e.Kind), Tags: e.Tags,
		Source: e.Source.Path, SourceLine: e.Source.Line, SourceHash: e.Source.Hash,
		Links: e.Links, Key: e.Key, Tenant: e.Tenant, User: e.User, Project: e.Project, Session: e.Session,
		Created: e.Created, Modified: e.Modified, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo,
		Expires: e.ExpiresAt, Deleted: e.DeletedAt, Supersedes: e.Supersedes, SupersededBy: e.SupersededBy,
		EventStart: e.EventStart, EventEnd: e.EventEnd, When: e.TemporalText,
		AccessCount: e.AccessCount, LastAccess: e.LastAccess, Helped: e.Helped, Harmed: e.Harmed,
		Extra: e.Extra, Text: e.Text,
	}
	if e.Confidence != 1 {
		r.Confidence = &e.Confidence
	}
	if e.Salience != entry.DefaultSalience {
		r.Salience = &e.Salience
	}
	return r
}

// entry gives the entry back; a record without a time of creation is from now.
func (r *record) entry(now time.Time) entry.Entry {
	if !r.Created.IsZero() {
		now = r.Created
	}
	e := entry.New(r.Topic, r.Text, now)
	e.ID, e.Tags, e.Links, e.Key = r.ID, some(r.Tags), some(r.Links), r.Key
	if r.Kind != "" {
		e.Kind = entry.Kind(r.Kind)
	}
	e.Source = r.source()
	e.Tenant, e.User, e.Project, e.Session = r.Tenant, r.User, r.Project, r.Session
	e.Modified, e.ValidFrom, e.ValidTo = kept(r.Modified), kept(r.ValidFrom), kept(r.ValidTo)
	e.ExpiresAt, e.DeletedAt = kept(r.Expires), kept(r.Deleted)
	e.Supersedes, e.SupersededBy = some(r.Supersedes), r.SupersededBy
	e.EventStart, e.EventEnd, e.TemporalText = kept(r.EventStart), kept(r.EventEnd), r.When
	e.AccessCount, e.LastAccess, e.Helped, e.Harmed = r.AccessCount, kept(r.LastAccess), r.Helped, r.Harmed
	e.Extra = some(r.Extra)
	if r.Confidence != nil {
		e.Confidence = *r.Confidence
	}
	if r.Salience != nil {
		e.Salience = *r.Salience
	}
	return e
}

// source gives the place that the entry comes from. What was exported has an id, and a
// path that ends like a line number is one; what was written by hand may be path:line.
func (r *record) source() entry.Source {
	s := entry.Source{Path: r.Source, Line: r.SourceLine}
	if r.ID == "" && r.SourceLine == 0 {
		if parsed, err := parseSource(r.Source); err == nil {
			s = parsed
		}
	}
	s.Hash = r.SourceHash
	return s
}

// kept is a time as the log keeps it.
func kept(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// some is nil for an empty list.
func some(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// relation is an edge as it is exported.
type relation struct {
	Type   string   `json:"type,omitempty"`
	From   string   `json:"from"`
	Rel    string   `json:"rel"`
	To     string   `json:"to"`
	Tenant string   `json:"tenant,omitempty"`
	Weight *float64 `json:"weight,omitempty"`
	Key    string   `json:"key,omitempty"`
}

func relationOf(e *entry.Edge) relation {
	r := relation{From: e.From, Rel: e.Rel, To: e.To, Tenant: e.Tenant, Key: e.Key}
	if e.Weight != 1 {
		r.Weight = &e.Weight
	}
	return r
}

func (r *relation) edge() entry.Edge {
	e := entry.Edge{From: r.From, Rel: r.Rel, To: r.To, Tenant: r.Tenant, Weight: 1, Key: r.Key}
	if r.Weight != nil {
		e.Weight = *r.Weight
	}
	return e
}

// encodeJSON gives one line of JSON without its end, with <, > and & as they are.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("kb: export: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decodeJSON reads one value with only the keys that dst has, and nothing behind.
func decodeJSON(data string, dst any) error {
	if !utf8.ValidString(data) {
		return refuse("it is not valid UTF-8")
	}
	dec := json.NewDecoder(strings.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(dst); err != nil {
		return jsonRefusal(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return refuse("there is something behind the JSON value")
	}
	return nil
}

func jsonRefusal(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse("the JSON value ends too early")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return refuse("the value of %q is no %s: it is a %s", cut(wrong.Field, 40), wanted(wrong.Type), cut(wrong.Value, 40))
	}
	msg := strings.TrimPrefix(err.Error(), "json: ")
	msg = strings.Replace(msg, "unknown field", "unknown key", 1)
	return refuse("%s", cut(msg, 200))
}

// wanted names what a type is in JSON.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "number of that kind"
}
