package tracker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var ctx = context.Background()

func TestCreate(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first, err := s.Create(ctx, New{Title: " One ", Priority: DefaultPriority})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^hx-[0-9a-f]{8}$`).MatchString(first.ID) {
		t.Errorf("id %q", first.ID)
	}
	b, err := s.Create(ctx, New{
		Title: "Two", Type: "bug", Priority: 0, Labels: []string{"area:x"}, Parent: first.ID, Description: "d", Acceptance: "a",
		Notes: "n", CreatedBy: "me", DependsOn: []string{}, Set: map[string]string{"spec-id": "S", "execution-eligible": "false"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"acceptance":"a","created_at":"2026-06-01T12:00:00Z","created_by":"me","description":"d","execution-eligible":false,"id":"` + b.ID +
		`","issue_type":"bug","labels":["area:x"],"notes":"n","parent":"` + first.ID + `","priority":0,"schema_version":1,"spec-id":"S","status":"open","title":"Two","updated_at":"2026-06-01T12:00:00Z"}`
	if row, _ := b.JSON(); string(row) != want {
		t.Errorf("got  %s\nwant %s", row, want)
	}
	text := readFile(t, s.Path())
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, want+"\n") || !strings.Contains(text, `"title":"One"`) {
		t.Errorf("the file is %s", text)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-epic"), rowText("hx-kid", "parent", `"hx-epic"`))
	before := readFile(t, s.Path())
	for name, c := range map[string]struct {
		n    New
		want string
		is   error
	}{
		"no title":          {New{Title: "  "}, "a bead needs a title", ErrInvalid},
		"two lines":         {New{Title: "a\nb"}, "a title is one line", ErrInvalid},
		"priority":          {New{Title: "t", Priority: 5}, "priority 5: use 0", ErrInvalid},
		"status":            {New{Title: "t", Status: "odd"}, `unknown status "odd"`, ErrInvalid},
		"blocked":           {New{Title: "t", Status: Blocked}, "must say what it waits for", ErrInvalid},
		"empty label":       {New{Title: "t", Labels: []string{" "}}, "a label is empty", ErrInvalid},
		"unknown parent":    {New{Title: "t", Parent: "hx-none"}, "parent: bead hx-none: not found", ErrNotFound},
		"unknown dep":       {New{Title: "t", DependsOn: []string{"hx-none"}}, "dependency: bead hx-none: not found", ErrNotFound},
		"dep on ancestor":   {New{Title: "t", Parent: "hx-kid", DependsOn: []string{"hx-epic"}}, "is part of hx-epic, which closes after it", ErrCycle},
		"field as an extra": {New{Title: "t", Set: map[string]string{"status": "closed"}}, "status has a field of its own", ErrInvalid},
	} {
		_, err := s.Create(ctx, c.n)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") && name != "two lines" {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if readFile(t, s.Path()) != before {
		t.Error("a refused bead changed the file")
	}
}

func TestRewritingKeepsOtherRows(t *testing.T) {
	t.Parallel()
	odd := `{ "zz" : 1.0, "id":"hx-odd", "title":"\u0041", "status":"open","priority":2,"issue_type":"task","created_at":"x","updated_at":"y" }`
	s := newStore(t, rowText("hx-z"), "", odd+"\r", rowText("hx-b"))
	if _, err := s.Edit(ctx, "hx-b", func(b *Bead) error { b.Notes = "n"; return nil }); err != nil {
		t.Fatal(err)
	}
	want := rowText("hx-b", "notes", `"n"`, "updated_at", `"2026-06-01T12:00:00Z"`) + "\n" + odd + "\r\n" + rowText("hx-z") + "\n"
	if got := readFile(t, s.Path()); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestEditingNothingWritesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-b"), rowText("hx-a"))
	before, err := os.Stat(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := s.Edit(ctx, "hx-b", func(*Bead) error { return nil }); err != nil || b.ID != "hx-b" {
		t.Fatal(b, err)
	}
	after, err := os.Stat(s.Path())
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was replaced (%v)", err)
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a", "title", `""`, "priority", "9"), rowText("hx-b", "parent", `"hx-a"`), rowText("hx-c", "status", `"closed"`), rowText("hx-x", "status", `"odd"`))
	before := readFile(t, s.Path())
	for name, c := range map[string]struct {
		id, want string
		fn       func(*Bead) error
	}{
		"id":            {"hx-a", "the id of a bead cannot change", func(b *Bead) error { b.ID = "hx-9"; return nil }},
		"missing":       {"hx-none", "bead hx-none: not found in", func(*Bead) error { return nil }},
		"own error":     {"hx-a", "no, thanks", func(*Bead) error { return errors.New("no, thanks") }},
		"parent loop":   {"hx-a", "circular dependency of parents: hx-a -> hx-b -> hx-a", func(b *Bead) error { b.Parent = "hx-b"; return nil }},
		"own parent":    {"hx-a", "circular dependency of parents: hx-a -> hx-a", func(b *Bead) error { b.Parent = "hx-a"; return nil }},
		"closed to wip": {"hx-c", "a bead that is closed cannot become in_progress, only open", func(b *Bead) error { b.Status = InProgress; return nil }},
		"no type":       {"hx-b", "a bead needs a type", func(b *Bead) error { b.Type = ""; return nil }},
		"odd status":    {"hx-b", `unknown status "odd"`, func(b *Bead) error { b.Status = "odd"; return nil }},
	} {
		if _, err := s.Edit(ctx, c.id, c.fn); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if readFile(t, s.Path()) != before {
		t.Error("a refused edit changed the file")
	}
	// What was odd before does not keep a bead from being changed.
	if _, err := s.Edit(ctx, "hx-a", func(b *Bead) error { b.Notes = "n"; return nil }); err != nil {
		t.Error(err)
	}
	if _, err := s.Edit(ctx, "hx-x", func(b *Bead) error { b.Status = Closed; return nil }); err != nil {
		t.Error(err)
	}
}

func TestClaimAndGiveBack(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a", "claimed-pid", `"7"`, "assignee", `"left over"`), rowText("hx-c", "status", `"closed"`))
	mine := Claim{Owner: "me", PID: 42, Start: "b-9", Machine: "vm"}
	b, err := s.Claim(ctx, "hx-a", mine)
	if err != nil {
		t.Fatal(err)
	}
	want := rowText("hx-a", "status", `"in_progress"`, "owner", `"me"`, "claimed-at", `"2026-06-01T12:00:00Z"`, "claimed-pid", "42",
		"claimed-machine", `"vm"`, "claimed-start", `"b-9"`, "updated_at", `"2026-06-01T12:00:00Z"`)
	if row, _ := b.JSON(); string(row) != want {
		t.Errorf("got  %s\nwant %s", row, want)
	}
	if _, err := s.Claim(ctx, "hx-a", Claim{}); !errors.Is(err, ErrClaimed) || !strings.Contains(err.Error(), "me, pid 42 on vm, since 2026-06-01T12:00:00Z") {
		t.Errorf("second claim: %v", err)
	}
	if _, err := s.Claim(ctx, "hx-c", Claim{}); !errors.Is(err, ErrNotOpen) {
		t.Errorf("claim of a closed bead: %v", err)
	}
	if _, err := s.Claim(ctx, "hx-none", Claim{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("claim of nothing: %v", err)
	}
	for _, other := range []Claim{{}, {PID: 42}, {PID: 42, Start: "b-8", Machine: "vm"}, {PID: 42, Start: "b-9", Machine: "else"}} {
		if err := s.Unclaim(ctx, "hx-a", &other); !errors.Is(err, ErrNotOwner) {
			t.Errorf("unclaim as %+v: %v", other, err)
		}
		if err := s.Close(ctx, "hx-a", Closing{Owner: &other}); !errors.Is(err, ErrNotOwner) {
			t.Errorf("close as %+v: %v", other, err)
		}
	}
	if err := s.Unclaim(ctx, "hx-c", nil); !errors.Is(err, ErrNotClaimed) {
		t.Errorf("unclaim of a closed bead: %v", err)
	}
	if err := s.Unclaim(ctx, "hx-a", &mine); err != nil {
		t.Fatal(err)
	}
	// updated_at always grows, even when the clock does not.
	if got, want := readRow(t, s, "hx-a"), rowText("hx-a", "updated_at", `"2026-06-01T12:00:00.000001Z"`); got != want {
		t.Errorf("given back: %s", got)
	}
	if err := s.Unclaim(ctx, "hx-a", &mine); !errors.Is(err, ErrNotOwner) {
		t.Errorf("second unclaim: %v", err)
	}
	if err := s.Unclaim(ctx, "hx-a", nil); err != nil {
		t.Errorf("anybody may give back what nobody has: %v", err)
	}
}

func readRow(t testing.TB, s *Store, id string) string {
	t.Helper()
	row, err := get(t, s, id).JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(row)
}

func TestCloseAndReopen(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	mine := Claim{PID: 1, Start: "s", Machine: "m"}
	if _, err := s.Claim(ctx, "hx-a", mine); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(ctx, "hx-a", Closing{Commit: "abc", Session: "run-1", Reason: "done", Owner: &mine}); err != nil {
		t.Fatal(err)
	}
	want := rowText("hx-a", "status", `"closed"`, "owner", `"helix"`, "closing_commit_sha", `"abc"`, "session_id", `"run-1"`,
		"events", `[{"kind":"close","summary":"done","source":"helix","created_at":"2026-06-01T12:00:00Z"}]`, "updated_at", `"2026-06-01T12:00:00.000001Z"`)
	if got := readRow(t, s, "hx-a"); got != want {
		t.Errorf("closed\ngot  %s\nwant %s", got, want)
	}
	if err := s.Close(ctx, "hx-a", Closing{}); err == nil || !strings.Contains(err.Error(), "closed already") {
		t.Errorf("second close: %v", err)
	}
	if err := s.Reopen(ctx, "hx-a", "not so"); err != nil {
		t.Fatal(err)
	}
	b := get(t, s, "hx-a")
	if b.Status != Open || b.Owner != "" || b.ClosingCommit() != "" || !strings.Contains(string(b.Extra["events"]),
		`,{"kind":"reopen","summary":"not so","body":"closing_commit_sha=abc",`) {
		t.Errorf("reopened: %s", readRow(t, s, "hx-a"))
	}
	if err := s.Reopen(ctx, "hx-a", ""); err == nil || !strings.Contains(err.Error(), "open already") {
		t.Errorf("second reopen: %v", err)
	}
}

// A status that an edit changes takes the claim and the blocker's reason along.
func TestStatusChangesKeepTheRowConsistent(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	if _, err := s.Claim(ctx, "hx-a", Claim{PID: 1, Start: "s", Machine: "m"}); err != nil {
		t.Fatal(err)
	}
	set := func(status Status, reason string) *Bead {
		t.Helper()
		b, err := s.Edit(ctx, "hx-a", func(b *Bead) error { b.Status = status; b.Set(keyExternal, reason); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := set(Blocked, "vendor"); b.Claim() != (Claim{}) || b.Str(keyExternal) != "vendor" {
		t.Errorf("blocked: %+v", b)
	}
	b, err := s.Edit(ctx, "hx-a", func(b *Bead) error { b.Status = Open; return nil })
	if err != nil || b.Str(keyExternal) != "" {
		t.Errorf("open again: %+v (%v)", b, err)
	}
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"), rowText("hx-b"), rowText("hx-c"), rowText("hx-kid", "parent", `"hx-a"`))
	add := func(id, on, typ, want string) {
		t.Helper()
		err := s.AddDep(ctx, id, on, typ)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s on %s: %v, want %q", id, on, err, want)
		}
	}
	add("hx-a", "hx-b", "", "")
	add("hx-a", "hx-b", "", "")
	add("hx-b", "hx-c", "related", "")
	add("hx-c", "hx-a", "", "circular dependency: hx-c -> hx-a -> hx-b -> hx-c")
	add("hx-c", "hx-c", "", "circular dependency: hx-c -> hx-c")
	add("hx-c", "hx-none", "", "hx-none: not found")
	add("hx-none", "hx-a", "", "hx-none: not found")
	add("hx-kid", "hx-a", "", "hx-kid is part of hx-a")
	if got, want := readRow(t, s, "hx-a"), rowText("hx-a", "updated_at", `"2026-06-01T12:00:00Z"`,
		"dependencies", `[{"issue_id":"hx-a","depends_on_id":"hx-b","type":"blocks","created_at":"2026-06-01T12:00:00Z"}]`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := s.RemoveDep(ctx, "hx-b", "hx-c", "blocks"); !errors.Is(err, ErrNotFound) {
		t.Errorf("removing another kind: %v", err)
	}
	if err := s.RemoveDep(ctx, "hx-b", "hx-c"); err != nil {
		t.Error(err)
	}
	add("hx-c", "hx-a", "", "")
	if got := readRow(t, s, "hx-b"); strings.Contains(got, "dependencies") {
		t.Errorf("left over: %s", got)
	}
}

func TestArchivedBeadsCount(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a", "dependencies", depsJSON("hx-a", "hx-old")), rowText("hx-b", "dependencies", depsJSON("hx-b", "hx-dropped")))
	writeFile(t, filepath.Join(s.Dir(), archiveName), rowText("hx-dropped", "status", `"cancelled"`)+"\n"+rowText("hx-old", "status", `"closed"`)+"\n")
	q := load(t, s)
	if got := ids(q.Ready(noon)); got != "hx-a" {
		t.Errorf("ready: %s", got)
	}
	if why := q.Why("hx-b", noon); len(why) != 1 || why[0].Detail != "waits for hx-dropped (archived as cancelled)" {
		t.Errorf("hx-b: %v", why)
	}
	if err := s.AddDep(ctx, "hx-b", "hx-old"); err != nil {
		t.Errorf("an archived bead can be waited for: %v", err)
	}
	if archive, err := s.LoadArchive(ctx); err != nil || archive.Len() != 2 {
		t.Errorf("archive: %v", err)
	}
}
