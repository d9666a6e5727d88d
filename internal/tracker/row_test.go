package tracker

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParseRow(t *testing.T) {
	t.Parallel()
	line := rowText("hx-1", "status", `"in_progress"`, "priority", "0", "parent", `"hx-9"`, "issue_type", `"epic"`,
		"superseded-by", `"hx-8"`, "execution-eligible", `"false"`, "queue-rank", `"-1.5"`,
		"work-retry-after", `"2026-06-01T00:00:00Z"`, "execute-loop-retry-after", `"2026-07-01T00:00:00Z"`,
		"needs-human-reason", `"look"`, "dependencies", depsJSON("hx-1", "hx-2", "hx-3"), "events", `[{"a":[1,{"b":"]}"}]}]`)
	var r row
	if err := (&rowParser{}).parse([]byte(line), &r); err != nil {
		t.Fatal(err)
	}
	if r.id != "hx-1" || r.status != InProgress || r.priority != 0 || r.parent != "hx-9" || r.typ != "epic" ||
		r.supersededBy != "hx-8" || !r.ineligible || !r.ranked || r.rank != -1.5 || !r.needsHuman ||
		r.retryAfter != "2026-07-01T00:00:00Z" || strings.Join(r.deps, " ") != "hx-2 hx-3" {
		t.Errorf("parsed %+v", r)
	}
}

func TestParseRowRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, want string }{
		"no object":        {`[1]`, "expected an object"},
		"no id":            {`{"title":"x"}`, "id must be there"},
		"empty id":         {`{"id":""}`, "id must be there"},
		"null id":          {`{"id":null}`, "id must be there"},
		"id of a kind":     {`{"id":7}`, "id must be a string"},
		"title of a kind":  {`{"id":"a","title":{"x":1}}`, "title must be a string"},
		"priority text":    {`{"id":"a","priority":"high"}`, "priority must be a whole number"},
		"priority float":   {`{"id":"a","priority":1.5}`, "priority must be a whole number"},
		"labels text":      {`{"id":"a","labels":"x"}`, "labels must be a list"},
		"labels of a kind": {`{"id":"a","labels":[1]}`, "labels must be a string"},
		"deps of ids":      {`{"id":"a","dependencies":["b"]}`, "dependencies must be a list of objects"},
		"deps without id":  {`{"id":"a","dependencies":[{"type":"blocks"}]}`, "objects with a depends_on_id"},
		"deps of a kind":   {`{"id":"a","dependencies":[{"depends_on_id":"b","type":1}]}`, "type must be a string"},
		"two values":       {`{"id":"a"} {"id":"b"}`, "expected the end of the line"},
		"single quotes":    {`{'id':'a'}`, "not JSON at column 2"},
		"broken off":       {`{"id":"a","ti`, "breaks off"},
	} {
		t.Run(name, func(t *testing.T) {
			err := (&rowParser{}).parse([]byte(c.line), &row{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.line, err, c.want)
			}
		})
	}
}

// FuzzRow: a line that the hot path accepts is JSON, decodes, and comes back from
// the encoder byte for byte when nothing changed.
func FuzzRow(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(`{"id":"a","x":` + s + `}`))
	}
	f.Add([]byte(rowText("hx-1", "labels", `["a",null]`, "dependencies", depsJSON("hx-1", "hx-2"), "assignee", `"me"`)))
	f.Add([]byte(`{"id":"a","\u0069d":"b","updated":"2026-01-01","priority":null,"dependencies":null,"labels":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var r row
		if (&rowParser{}).parse(line, &r) != nil {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("%q is accepted and no JSON", line)
		}
		b, err := decode(line)
		if err != nil {
			t.Fatalf("%q is accepted and does not decode: %v", line, err)
		}
		if b.ID != r.id || b.Status != r.status || b.Priority != r.priority || len(b.Dependencies) != len(r.deps) {
			t.Fatalf("%q: the row says %+v, the bead %+v", line, r, b)
		}
		same, err := encode(b.clone(), b)
		if err != nil || !bytes.Equal(same, line) {
			t.Fatalf("unchanged, %q became %q (%v)", line, same, err)
		}
		changed := b.clone()
		changed.Notes += "more"
		out, err := encode(changed, b)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&rowParser{}).parse(out, &row{}); err != nil || bytes.IndexByte(out, '\n') >= 0 {
			t.Fatalf("changed, %q became %q (%v)", line, out, err)
		}
	})
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, text := range []string{"2026-01-02T03:04:05Z", "2026-01-02T05:04:05+02:00", "2026-01-02T03:04:05", "2026-01-02 03:04:05", "2026-01-02 03:04:05Z"} {
		if got := parseTime(text); !got.Equal(want) {
			t.Errorf("%s is %s", text, got)
		}
	}
	if !parseTime("yesterday").IsZero() || !parseTime("").IsZero() {
		t.Error("what is no time must be the zero time")
	}
}
