package tracker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawJSON is any JSON value, spelled in ways that ddx never would.
func drawJSON(t *rapid.T, depth int) string {
	kinds := 6
	if depth > 0 {
		kinds = 8
	}
	space := rapid.SampledFrom([]string{"", " ", "\t", "  "})
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
	case 1:
		return rapid.SampledFrom([]string{"0", "-0", "1.0", "1E+2", "12345678901234567890", "0.10", "-1e-7"}).Draw(t, "number")
	case 2:
		return rapid.SampledFrom([]string{`"\u003c"`, `"<b>"`, `"\/"`, `"\ud83d\ude00"`, `"é"`, `"\u0000"`, "\"\u2028\""}).Draw(t, "string")
	case 3, 4, 5:
		text, err := json.Marshal(rapid.String().Draw(t, "text"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	case 6:
		n := rapid.IntRange(0, 3).Draw(t, "n")
		var items []string
		for range n {
			items = append(items, space.Draw(t, "space")+drawJSON(t, depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	var items []string
	for k := range rapid.IntRange(0, 3).Draw(t, "n") {
		items = append(items, fmt.Sprintf(`%s"k%d"%s:%s`, space.Draw(t, "space"), k, space.Draw(t, "space"), drawJSON(t, depth-1)))
	}
	return "{" + strings.Join(items, ",") + "}"
}

// drawLine is a sound row with unknown keys in any order and spelling.
func drawLine(t *rapid.T, id string) string {
	pairs := []string{
		`"id":` + string(quote(id)), `"title":` + string(quote("t"+rapid.String().Draw(t, "title"))),
		`"status":"open"`, fmt.Sprintf(`"priority":%d`, rapid.IntRange(0, 4).Draw(t, "priority")),
		`"issue_type":"task"`, `"created_at":"2026-01-01T00:00:00.000Z"`, `"updated_at" : "2026-01-01T00:00:00+00:00"`,
	}
	if rapid.Bool().Draw(t, "labels") {
		pairs = append(pairs, `"labels": [ "a" , "b" ]`)
	}
	if rapid.Bool().Draw(t, "deps") {
		pairs = append(pairs, `"dependencies": [ {"type":"blocks", "x-unknown":1.0, "depends_on_id":"hx-dep", "issue_id":"hx-old"} ]`)
	}
	for k := range rapid.IntRange(0, 6).Draw(t, "extras") {
		pairs = append(pairs, fmt.Sprintf(`"x%d":%s`, k, drawJSON(t, 3)))
	}
	pairs = rapid.Permutation(pairs).Draw(t, "order")
	return "{" + strings.Join(pairs, rapid.SampledFrom([]string{",", " , "}).Draw(t, "comma")) + "}"
}

// A row that nothing changed keeps its bytes; one that changed keeps the bytes of
// every value that did not, in a line whose keys are sorted.
func TestUnknownValuesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := drawLine(t, "hx-1")
		base, err := decode([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		same, err := encode(base.clone(), base)
		if err != nil || string(same) != line {
			t.Fatalf("unchanged, %s became %s (%v)", line, same, err)
		}
		b := base.clone()
		b.Priority = (b.Priority + 1) % 5
		b.Set("added", "<&>")
		out, err := encode(b, base)
		if err != nil {
			t.Fatal(err)
		}
		before, err := members([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		after, err := members(out)
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		for key, value := range before {
			if key != "priority" && !bytes.Equal(value, after[key]) {
				t.Fatalf("%s: %s became %s", key, value, after[key])
			}
		}
		if len(after) != len(before)+1 || string(after["added"]) != `"\u003c\u0026\u003e"` || string(after["priority"]) != fmt.Sprint(b.Priority) {
			t.Fatalf("%s became %s", line, out)
		}
		var keys []string
		s := scanner{b: out, i: 1}
		for first := true; ; first = false {
			key, more, err := s.member(first)
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
			keys = append(keys, key)
			if err := s.value(1); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.IsSorted(keys) {
			t.Fatalf("keys are not sorted: %s", out)
		}
	})
}

// The form of a new row is ddx's.
func TestEncodeLikeDDX(t *testing.T) {
	t.Parallel()
	b := &Bead{
		ID: "rh-ba12da66", Title: "a < b & c", Status: Open, Priority: 0, Type: "task",
		CreatedAt: noon.Add(5), UpdatedAt: noon, Labels: []string{"area:docs"},
		Dependencies: []Dependency{{IssueID: "rh-ba12da66", DependsOnID: "rh-e4efc4d0", Type: "blocks", CreatedAt: "2026-11-21T03:22:45Z"}},
	}
	b.Set("execution-eligible", "false")
	b.Set("custom.key", "7")
	b.setRaw("schema_version", json.RawMessage("1"))
	got, err := encode(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"created_at":"2026-06-01T12:00:00.000000005Z","custom.key":"7","dependencies":[{"issue_id":"rh-ba12da66","depends_on_id":"rh-e4efc4d0","type":"blocks","created_at":"2026-11-21T03:22:45Z"}],"execution-eligible":false,"id":"rh-ba12da66","issue_type":"task","labels":["area:docs"],"priority":0,"schema_version":1,"status":"open","title":"a \u003c b \u0026 c","updated_at":"2026-06-01T12:00:00Z"}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDependenciesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	line := rowText("hx-1", "dependencies", `[{"type":"blocks","x":1.0,"depends_on_id":"hx-2","issue_id":"hx-1"},{"depends_on_id":"hx-3","issue_id":"hx-1","type":"blocks"}]`)
	base, err := decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	b := base.clone()
	b.Dependencies = append(b.Dependencies[:1], Dependency{IssueID: "hx-1", DependsOnID: "hx-4", Type: "blocks"})
	out, err := encode(b, base)
	if err != nil {
		t.Fatal(err)
	}
	want := `"dependencies":[{"type":"blocks","x":1.0,"depends_on_id":"hx-2","issue_id":"hx-1"},{"issue_id":"hx-1","depends_on_id":"hx-4","type":"blocks"}]`
	if !strings.Contains(string(out), want) {
		t.Errorf("got %s\nwant %s", out, want)
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for key, value := range map[string]string{"status": `"x"`, "": `1`, "x": `{`, "y": "1 2"} {
		b := &Bead{ID: "hx-1"}
		b.setRaw(key, json.RawMessage(value))
		if out, err := encode(b, nil); err == nil {
			t.Errorf("key %q, value %s: accepted as %s", key, value, out)
		}
	}
}

func TestSetAndStr(t *testing.T) {
	t.Parallel()
	b := &Bead{}
	b.Set("a", "true")
	b.Set("b", "7")
	b.Set("c", "x")
	b.Set("c", "")
	if string(b.Extra["a"]) != "true" || string(b.Extra["b"]) != `"7"` || b.Extra["c"] != nil {
		t.Errorf("extra is %s", b.Extra)
	}
	b.setRaw("n", json.RawMessage(" 12 "))
	b.setRaw("o", json.RawMessage(`{"x":1}`))
	for key, want := range map[string]string{"a": "true", "b": "7", "n": "12", "o": "", "none": ""} {
		if got := b.Str(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func TestClaimIsReadFromEveryEra(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  string
		want Claim
	}{
		"helix": {rowText("a", "owner", `"helix"`, "claimed-at", `"2026-06-01T12:00:00Z"`, "claimed-pid", "42", "claimed-machine", `"vm"`, "claimed-start", `"b-9"`),
			Claim{Owner: "helix", At: noon, PID: 42, Machine: "vm", Start: "b-9"}},
		"ddx 0.6":    {rowText("a", "owner", `"helix"`, "claimed-at", `"2026-06-01T12:00:00Z"`, "claimed-pid", `"15478"`), Claim{Owner: "helix", At: noon, PID: 15478}},
		"bash helix": {rowText("a", "assignee", `"helix"`, "claimed-at", `"2026-06-01T12:00:00Z"`, "claimed-pid", "7"), Claim{Owner: "helix", At: noon, PID: 7}},
		"given back": {rowText("a", "assignee", `""`, "claimed-at", "null", "claimed-pid", "null"), Claim{}},
		"nonsense":   {rowText("a", "owner", `"x"`, "claimed-at", `"soon"`, "claimed-pid", `"-4"`), Claim{Owner: "x"}},
	} {
		b, err := decode([]byte(c.row))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Claim(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestLegacyUpdatedIsAFallback(t *testing.T) {
	t.Parallel()
	b, err := decode([]byte(rowText("a", "updated_at", "", "updated", `"2026-06-01T12:00:00Z"`)))
	if err != nil || !b.UpdatedAt.Equal(noon) {
		t.Errorf("updated at %s (%v)", b.UpdatedAt, err)
	}
}

func TestAccessors(t *testing.T) {
	t.Parallel()
	b, err := decode([]byte(rowText("a", "issue_type", `"Epic"`, "labels", `["area:x","phase:build","area:y"]`, "spec-id", `"S"`, "replaces", `"r"`, "session_id", `"s"`,
		"execution-eligible", "true", "work-retry-after", `"2026-06-01T12:00:00Z"`, "execute-loop-retry-after", `"2026-05-01T12:00:00Z"`)))
	if err != nil {
		t.Fatal(err)
	}
	if !b.IsEpic() || strings.Join(b.Areas(), " ") != "area:x area:y" || !b.HasLabel("phase:build") || b.HasLabel("phase") ||
		b.SpecID() != "S" || b.Replaces() != "r" || b.Session() != "s" || !b.Eligible() || !b.RetryAfter().Equal(noon) {
		t.Errorf("got %+v", b)
	}
	if !(&Bead{}).Eligible() || !(&Bead{}).RetryAfter().IsZero() {
		t.Error("a bead that says nothing is eligible and does not cool down")
	}
}
