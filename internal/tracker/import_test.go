package tracker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// bdExport is what bd writes: its names, its statuses, its relations.
var bdExport = strings.Join([]string{
	`{"id":"bd-a3f8","title":"An epic","status":"open","priority":1,"issue_type":"epic","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","content_hash":"x"}`,
	`{"id":"bd-a3f8.1","title":"A task","description":"d","design":"ds","acceptance_criteria":"- one\n- two","notes":"n","status":"in_progress","priority":0,"issue_type":"task","assignee":"alice","owner":"bob@example.com","estimated_minutes":60,"created_at":"2026-01-01T00:00:00+01:00","created_by":"carol","updated_at":"2026-01-02T00:00:00Z","external_ref":"gh-9","labels":["backend"],"dependencies":[{"issue_id":"bd-a3f8.1","depends_on_id":"bd-a3f8","type":"parent-child","created_at":"2026-01-01T00:00:00Z","created_by":"carol"},{"issue_id":"bd-a3f8.1","depends_on_id":"bd-b1","type":"blocks","created_at":"2026-01-01T00:00:00Z","created_by":"carol"},{"issue_id":"bd-a3f8.1","depends_on_id":"bd-c1","type":"discovered-from","created_at":"2026-01-01T00:00:00Z"}],"comments":[{"id":1,"author":"alice","text":"hi"}]}`,
	`{"id":"bd-b1","title":"Deferred","status":"deferred","priority":4,"issue_type":"bug","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z"}`,
	`{"id":"bd-c1","title":"Blocked","status":"blocked","priority":2,"issue_type":"chore","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","closed_at":null}`,
	`{"id":"bd-d1","title":"Gone","status":"tombstone","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","deleted_at":"2026-01-02T00:00:00Z"}`,
	`{"id":"bd-e1","title":"Done","status":"closed","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","closed_at":"2026-01-02T00:00:00Z","close_reason":"fine"}`,
}, "\n") + "\n"

func doImport(t testing.TB, s *Store, text string, o ImportOptions) *ImportReport {
	t.Helper()
	o.Name = "in"
	r, err := s.Import(ctx, strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestImportFromBD(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	r := doImport(t, s, bdExport, ImportOptions{})
	if r.Format != BD || len(r.Created) != 6 || len(r.Bad) > 0 || len(r.Warnings) > 0 {
		t.Fatalf("report %+v", r)
	}
	b := get(t, s, "bd-a3f8.1")
	if b.Acceptance != "- one\n- two" || b.Owner != "alice" || b.Str("bd-owner") != "bob@example.com" || b.Parent != "bd-a3f8" ||
		b.Str("design") != "ds" || b.Str("estimated_minutes") != "60" || b.Str("external_ref") != "gh-9" || b.Status != InProgress ||
		string(b.Extra["comments"]) != `[{"id":1,"author":"alice","text":"hi"}]` {
		t.Errorf("the task is %s", readRow(t, s, b.ID))
	}
	if len(b.Dependencies) != 1 || b.Dependencies[0].DependsOnID != "bd-b1" || b.Dependencies[0].CreatedBy != "carol" {
		t.Errorf("dependencies %+v", b.Dependencies)
	}
	if want := `[{"issue_id":"bd-a3f8.1","depends_on_id":"bd-c1","type":"discovered-from","created_at":"2026-01-01T00:00:00Z"}]`; string(b.Extra[keyLinks]) != want {
		t.Errorf("links %s", b.Extra[keyLinks])
	}
	for id, want := range map[string]Status{"bd-a3f8": Open, "bd-b1": Proposed, "bd-c1": Blocked, "bd-d1": Cancelled, "bd-e1": Closed} {
		if got := get(t, s, id).Status; got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	if got := get(t, s, "bd-c1").Str(keyExternal); got == "" {
		t.Error("a blocked bead must say why")
	}
	// Back to bd: nothing that it wrote is lost.
	var out bytes.Buffer
	if n, err := s.Export(ctx, &out, BD); err != nil || n != 6 {
		t.Fatal(n, err)
	}
	was, now := strings.Split(strings.TrimSpace(bdExport), "\n"), strings.Split(strings.TrimSpace(out.String()), "\n")
	for i := range was {
		before, after := map[string]any{}, map[string]any{}
		if json.Unmarshal([]byte(was[i]), &before) != nil || json.Unmarshal([]byte(now[i]), &after) != nil {
			t.Fatal(now[i])
		}
		for key, value := range before {
			switch key {
			case "created_at":
				continue // the same time in UTC
			case "dependencies":
				if len(after[key].([]any)) != len(value.([]any)) {
					t.Errorf("dependencies became %v", after[key])
				}
				continue
			}
			if value != nil && fmt.Sprint(after[key]) != fmt.Sprint(value) {
				t.Errorf("%v: %s was %v and is %v", before["id"], key, value, after[key])
			}
		}
	}
	again := newStore(t)
	if r := doImport(t, again, out.String(), ImportOptions{}); len(r.Created) != 6 || readFile(t, again.Path()) != readFile(t, s.Path()) {
		t.Errorf("a second time around: %+v\n%s\n%s", r, readFile(t, again.Path()), readFile(t, s.Path()))
	}
}

func TestImportOfTheOldTracker(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	r := doImport(t, s, `{"id":"hx-83dba0f1","title":"Good","type":"bug","status":"in_progress","priority":1,"labels":["helix"],"deps":["hx-00000001"],"parent":"","spec-id":"SD-1","design":"","acceptance":"ok","assignee":"helix","execution-eligible":true,"superseded-by":"","created":"2026-01-01T00:00:00Z","updated":"2026-01-02T00:00:00Z","claimed-at":"2026-01-02T00:00:00Z","claimed-pid":27639}
{"id":"hx-00000001","title":"First","type":"task","status":"open","created":"2026-01-01T00:00:00Z","updated":"2026-01-02T00:00:00Z","claimed-pid":null}`, ImportOptions{})
	if r.Format != Plain || len(r.Created) != 2 || len(r.Bad) > 0 {
		t.Fatalf("report %+v", r)
	}
	b := get(t, s, "hx-83dba0f1")
	if b.Type != "bug" || b.Owner != "helix" || b.Claim().PID != 27639 || b.SpecID() != "SD-1" || !b.Eligible() || b.SupersededBy() != "" ||
		len(b.Dependencies) != 1 || b.Dependencies[0].Type != "blocks" || !b.UpdatedAt.Equal(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("got %s", readRow(t, s, b.ID))
	}
	if got := readRow(t, s, "hx-00000001"); strings.Contains(got, "claimed") || !strings.Contains(got, `"priority":2`) {
		t.Errorf("got %s", got)
	}
}

func TestImportOfFlatRows(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	r := doImport(t, s, `[
  {"title": " Just a   title "},
  {"title":"More","priority":"high","labels":"a, b,,a","acceptance":["one","two"],"depends_on":["hx-1"],"status":"done","issue_type":"x"},
  {"id":7,"title":"Numbered"}
]`, ImportOptions{Format: Plain})
	if len(r.Created) != 3 || len(r.Bad) > 0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "waits for hx-1, which does not exist") {
		t.Fatalf("report %+v", r)
	}
	byTitle := map[string]*Bead{}
	for _, b := range load(t, s).All() {
		byTitle[b.Title] = b
	}
	more := byTitle["More"]
	if byTitle["Just a title"] == nil || byTitle["Numbered"].ID != "7" || more.Priority != 1 || strings.Join(more.Labels, " ") != "a b" ||
		more.Acceptance != "one\ntwo" || more.Status != Closed || more.Type != "x" || more.Dependencies[0].IssueID != more.ID {
		t.Errorf("got %+v", byTitle)
	}
}

func TestImportReportsBadRowsAndTakesTheOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ row, format, want string }{
		"no JSON":       {`{"id":`, "auto", "breaks off"},
		"a list":        {`[]`, "auto", "expected an object"},
		"no title":      {`{"id":"hx-bad","schema_version":1,"status":"open"}`, "ddx", "it has no title"},
		"bad id":        {`{"id":"../x","title":"t"}`, "jsonl", "is no bead id"},
		"long id":       {`{"id":"` + strings.Repeat("x", 65) + `","title":"t"}`, "jsonl", "is no bead id"},
		"status":        {rowText("hx-bad", "status", `"odd"`), "ddx", `status "odd" is unknown`},
		"bd status":     {rowText("hx-bad", "status", `"odd"`), "bd", `status must be open,`},
		"priority":      {rowText("hx-bad", "priority", "9"), "ddx", "priority 9"},
		"bd priority":   {rowText("hx-bad", "priority", `"soon"`), "bd", "priority must be 0 to 4"},
		"time":          {rowText("hx-bad", "created_at", `"soon"`), "bd", "created_at must be a time"},
		"dependencies":  {rowText("hx-bad", "dependencies", `[7]`), "bd", "dependencies must be a list of ids"},
		"dependencies2": {rowText("hx-bad", "dependencies", `7`), "bd", "dependencies must be a list"},
		"labels":        {rowText("hx-bad", "labels", `[7]`), "bd", "labels must be a list of strings"},
		"title":         {rowText("hx-bad", "title", `{}`), "bd", "title must be a string"},
		"own cycle":     {rowText("hx-bad", "dependencies", depsJSON("hx-bad", "hx-bad")), "ddx", "circular dependency: hx-bad -> hx-bad"},
		"cycle":         {rowText("hx-good", "dependencies", depsJSON("hx-good", "hx-there")), "ddx", "circular dependency: hx-good -> hx-there -> hx-good"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, rowText("hx-there", "dependencies", depsJSON("hx-there", "hx-good")))
			r := doImport(t, s, rowText("hx-fine")+"\n\n"+c.row+"\n"+rowText("hx-also"), ImportOptions{Format: Format(c.format)})
			if len(r.Bad) != 1 || r.Bad[0].Line != 3 || !strings.HasPrefix(r.Bad[0].Error(), "in:3: ") || !strings.Contains(r.Bad[0].Reason, c.want) {
				t.Errorf("bad rows %v, want %q", r.Bad, c.want)
			}
			if got := strings.Join(r.Created, " "); got != "hx-fine hx-also" {
				t.Errorf("created %s", got)
			}
			if q := load(t, s); q.Len() != 3 {
				t.Errorf("%d beads are there", q.Len())
			}
		})
	}
}

func TestImportOfWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a", "notes", `"mine"`))
	newer := rowText("hx-a", "notes", `"theirs"`, "updated_at", `"2026-07-01T00:00:00Z"`)
	before := readFile(t, s.Path())
	if r := doImport(t, s, newer, ImportOptions{}); len(r.Unchanged) != 1 || readFile(t, s.Path()) != before {
		t.Errorf("report %+v", r)
	}
	if r := doImport(t, s, rowText("hx-a", "notes", `"old"`), ImportOptions{Update: true}); len(r.Unchanged) != 1 || readFile(t, s.Path()) != before {
		t.Errorf("an older row: %+v", r)
	}
	if r := doImport(t, s, newer, ImportOptions{Update: true, DryRun: true}); len(r.Updated) != 1 || readFile(t, s.Path()) != before {
		t.Errorf("dry run: %+v", r)
	}
	if r := doImport(t, s, newer+"\n"+rowText("hx-a"), ImportOptions{Update: true}); len(r.Updated) != 1 || readFile(t, s.Path()) != newer+"\n" {
		t.Errorf("report %+v, file %s", r, readFile(t, s.Path()))
	}
	twice := rowText("hx-b") + "\n" + rowText("hx-b", "notes", `"later"`, "updated_at", `"2026-07-01T00:00:00Z"`)
	if r := doImport(t, s, twice, ImportOptions{}); len(r.Created) != 1 || get(t, s, "hx-b").Notes != "later" {
		t.Errorf("two rows with one id: %+v", r)
	}
}

func TestImportRefusesWhole(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"), "{oops", rowText("hx-b"))
	if _, err := s.Import(ctx, strings.NewReader(rowText("hx-c")), ImportOptions{Name: "in"}); !errors.Is(err, ErrMalformed) {
		t.Errorf("into a malformed file: %v", err)
	}
	s = newStore(t)
	if _, err := s.Import(ctx, strings.NewReader("[\n{\"title\":\"a\"},\n{]"), ImportOptions{Name: "in"}); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a broken array: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(s.Dir(), "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(s.Dir(), "hooks", "validate-bead-create")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ngrep -q hx-no && { echo no >&2; exit 1; }\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := doImport(t, s, rowText("hx-no")+"\n"+rowText("hx-yes"), ImportOptions{})
	if len(r.Bad) != 1 || r.Bad[0].Line != 1 || len(r.Created) != 1 {
		t.Errorf("with a hook: %+v", r)
	}
}

func TestExportOfAttachedEvents(t *testing.T) {
	t.Parallel()
	row := rowText("hx-a", "events", `[{"kind":"new"}]`, "events_attachment", `"attachments/hx-a/events.jsonl"`)
	s := newStore(t, row, rowText("hx-b", "events_attachment", `"x"`))
	dir := filepath.Join(s.Dir(), "attachments", "hx-a")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "events.jsonl"), `{"kind":"old"}`+"\n\nbroken\n")
	var warnings []string
	s.warn = func(text string) { warnings = append(warnings, text) }
	var out bytes.Buffer
	if _, err := s.Export(ctx, &out, DDX); err != nil {
		t.Fatal(err)
	}
	want := rowText("hx-a", "events", `[{"kind":"old"},{"kind":"new"}]`) + "\n" + rowText("hx-b", "events_attachment", `"x"`) + "\n"
	if out.String() != want || len(warnings) != 2 {
		t.Errorf("got  %swant %swarned %q", out.String(), want, warnings)
	}
}

// An export in any format, imported elsewhere, gives the same beads; in ddx's it
// gives the same bytes.
func TestExportAndImportRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		beads := drawQueue(rt)
		from := newStore(t)
		var lines []string
		for _, b := range beads {
			b.Status = rapid.SampledFrom(statuses).Draw(rt, "status")
			b.UpdatedAt = noon
			if b.Status == Blocked {
				b.Set(keyExternal, "x")
			}
			if b.Status == InProgress {
				b.Owner = "p"
			}
			// A dependency on itself or a loop would be refused, rightly.
			b.Dependencies = nil
			if len(lines) > 0 && rapid.Bool().Draw(rt, "dep") {
				b.Dependencies = []Dependency{{IssueID: b.ID, DependsOnID: beads[0].ID, Type: "blocks"}}
			}
			b.setRaw("schema_version", json.RawMessage("1"))
			line, err := b.JSON()
			if err != nil {
				rt.Fatal(err)
			}
			lines = append(lines, string(line))
		}
		writeFile(t, from.Path(), strings.Join(append(lines, ""), "\n"))
		for _, f := range []Format{DDX, BD, Plain} {
			var out bytes.Buffer
			if _, err := from.Export(ctx, &out, f); err != nil {
				rt.Fatal(err)
			}
			to := newStore(t)
			r := doImport(t, to, out.String(), ImportOptions{Format: f})
			if len(r.Bad) > 0 || len(r.Created) != len(beads) {
				rt.Fatalf("%s: %+v", f, r)
			}
			if len(beads) == 0 {
				continue
			}
			if got, want := readFile(t, to.Path()), readFile(t, from.Path()); f == DDX && got != want {
				rt.Fatalf("ddx:\n%s\n%s", got, want)
			}
			if a, b := load(t, from).Counts(noon), load(t, to).Counts(noon); f != BD && a != b {
				rt.Fatalf("%s: %+v became %+v by\n%s", f, a, b, out.String())
			}
		}
	})
}

// FuzzImport: no input makes an import panic, break the file or bring in a bead
// that the checks of a new one would refuse.
func FuzzImport(f *testing.F) {
	for _, line := range strings.Split(bdExport, "\n") {
		f.Add(line, "auto")
		f.Add(line, "bd")
	}
	f.Add(rowText("hx-a", "dependencies", depsJSON("hx-a", "hx-b")), "ddx")
	f.Add(`[{"title":"a","deps":["b"]},{"id":"b","title":"c","dependencies":[{"id":"x","dependency_type":"related"}]}]`, "jsonl")
	f.Add(`{"title":"a","acceptance":null,"owner":"x","assignee":"y","type":"t","issue_type":"u"}`, "jsonl")
	f.Fuzz(func(t *testing.T, text, format string) {
		o := ImportOptions{Name: "in", Format: Format(format)}
		if _, err := ParseFormat(format); err != nil {
			o.Format = Auto
		}
		rows, report, err := readImport(strings.NewReader(text), o)
		if err != nil {
			return
		}
		s := OpenStore("no-such-folder", WithPrefix("hx"), WithClock(func() time.Time { return noon }))
		d := s.draft(newQueue(&snapshot{}))
		for _, in := range rows {
			if d.bringIn(in, o, report) != nil {
				continue
			}
		}
		var lines [][]byte
		for id, line := range d.rows {
			b, err := decode(line)
			if err != nil || b.ID != id || checkImported(b) != nil || bytes.IndexByte(line, '\n') >= 0 {
				t.Fatalf("%q brought in %q (%v)", text, line, err)
			}
			lines = append(lines, line)
		}
		snap, err := parseSnapshot("f", bytes.Join(lines, []byte("\n")))
		if err != nil || len(snap.problems) > 0 {
			t.Fatalf("%q makes a file with %v (%v)", text, snap, err)
		}
		if cycles := findCycles(newQueue(snap), (*row).waitsFor); len(cycles) > 0 {
			t.Fatalf("%q makes cycles %v", text, cycles)
		}
	})
}
