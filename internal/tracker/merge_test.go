package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	at := func(minute int) string {
		return string(quote(formatTime(noon.Add(time.Duration(minute) * time.Minute))))
	}
	row := func(minute int, pairs ...string) string {
		return rowText("hx-a", append(pairs, "updated_at", at(minute))...)
	}
	event := func(minute int) string {
		return fmt.Sprintf(`{"kind":"note","created_at":%s}`, at(minute))
	}
	base := row(0, "labels", `["a","b"]`, "dependencies", depsJSON("hx-a", "hx-1", "hx-2"), "events", "["+event(0)+"]", "notes", `"n"`)
	for name, c := range map[string]struct{ base, ours, theirs, want, note string }{
		"nothing":                      {base, base, base, base, ""},
		"only ours":                    {base, row(1, "notes", `"x"`), base, row(1, "notes", `"x"`), ""},
		"only theirs":                  {base, base, row(1), row(1), ""},
		"same on both":                 {base, row(1), row(1), row(1), ""},
		"added by ours":                {"", row(1), "", row(1), ""},
		"deleted":                      {base, base, "", "", ""},
		"deleted twice":                {base, "", "", "", ""},
		"ours deleted, theirs changed": {base, "", row(1), row(1), "hx-a was deleted on one side and changed on the other: it stays"},
		"theirs deleted, ours changed": {base, row(1), "", row(1), "hx-a was deleted on one side and changed on the other: it stays"},
		"different fields": {row(0, "x", "1.0"), row(1, "x", "1.0", "notes", `"n"`), row(2, "x", "1.0", "acceptance", `"a"`),
			row(2, "x", "1.0", "notes", `"n"`, "acceptance", `"a"`), ""},
		"same field, theirs later":  {row(0), row(1, "notes", `"o"`), row(2, "notes", `"t"`), row(2, "notes", `"t"`), "hx-a: both sides changed notes: the later update wins"},
		"same field, ours later":    {row(0), row(3, "notes", `"o"`), row(2, "notes", `"t"`), row(3, "notes", `"o"`), "hx-a: both sides changed notes: the later update wins"},
		"field removed and changed": {row(0, "k", "1"), row(3), row(2, "k", "2"), row(3), "hx-a: both sides changed k: the later update wins"},
		"added twice":               {"", row(1, "notes", `"o"`, "labels", `["x"]`), row(2, "labels", `["y"]`), row(2, "notes", `"o"`, "labels", `["y","x"]`), ""},
		"labels":                    {base, row(1, "labels", `["b","c"]`), row(2, "labels", `["a","b","d"]`), row(2, "labels", `["b","d","c"]`), ""},
		"all labels gone":           {row(0, "labels", `["a","b"]`), row(1, "labels", `["b"]`), row(2, "labels", `["a"]`), row(2), ""},
		"dependencies": {row(0, "dependencies", depsJSON("hx-a", "hx-1", "hx-2")), row(1, "dependencies", depsJSON("hx-a", "hx-2", "hx-3")),
			row(2, "dependencies", depsJSON("hx-a", "hx-1", "hx-4")), row(2, "dependencies", depsJSON("hx-a", "hx-4", "hx-3")), ""},
		"history": {row(0, "events", "["+event(0)+"]"), row(3, "events", "["+event(0)+","+event(2)+"]"), row(2, "events", "["+event(0)+","+event(1)+"]"),
			row(3, "events", "["+event(0)+","+event(1)+","+event(2)+"]"), ""},
		"closed here, claimed there": {row(0), row(2, "status", `"closed"`, "closing_commit_sha", `"abc"`), row(1, "status", `"in_progress"`, "owner", `"p"`, "claimed-pid", "7", "notes", `"n"`),
			row(2, "status", `"closed"`, "closing_commit_sha", `"abc"`, "notes", `"n"`), "hx-a: both sides changed the status or claim: the later update wins"},
		"claimed twice": {row(0), row(1, "status", `"in_progress"`, "owner", `"p"`, "claimed-pid", "7", "claimed-machine", `"m"`), row(2, "status", `"in_progress"`, "owner", `"q"`, "claimed-pid", "8"),
			row(2, "status", `"in_progress"`, "owner", `"q"`, "claimed-pid", "8"), "hx-a: both sides changed the status or claim: the later update wins"},
		"spelling is kept": {`{"id":"hx-a", "title":"t"}`, `{"id":"hx-a", "title":"t"}`, `{"title":"t","id":"hx-a" , "x":1.0}`, `{"title":"t","id":"hx-a" , "x":1.0}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swapped := range []bool{false, true} {
				ours, theirs := c.ours, c.theirs
				if swapped {
					ours, theirs = theirs, ours
				}
				got, notes, err := Merge([]byte(c.base), []byte(ours), []byte(theirs))
				if err != nil {
					t.Fatal(err)
				}
				if strings.TrimSuffix(string(got), "\n") != c.want {
					t.Errorf("swapped %v\ngot  %swant %s", swapped, got, c.want)
				}
				if strings.Join(notes, "; ") != c.note {
					t.Errorf("notes %q, want %q", notes, c.note)
				}
			}
		})
	}
}

func TestMergeTellsNewCycles(t *testing.T) {
	t.Parallel()
	base := rowText("hx-a") + "\n" + rowText("hx-b") + "\n"
	ours := rowText("hx-a", "dependencies", depsJSON("hx-a", "hx-b")) + "\n" + rowText("hx-b") + "\n"
	theirs := rowText("hx-a") + "\n" + rowText("hx-b", "dependencies", depsJSON("hx-b", "hx-a")) + "\n"
	_, notes, err := Merge([]byte(base), []byte(ours), []byte(theirs))
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "hx-a -> hx-b -> hx-a") {
		t.Errorf("notes %q (%v)", notes, err)
	}
}

func TestMergeRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	good, bad := []byte(rowText("hx-a")), []byte("{oops\n")
	for i, sides := range [][3][]byte{{bad, good, good}, {good, bad, good}, {good, good, bad}} {
		if _, _, err := Merge(sides[0], sides[1], sides[2]); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), []string{"base", "ours", "theirs"}[i]+":1: ") {
			t.Errorf("side %d: %v", i, err)
		}
	}
}

// drawSide is a file that came from base by random edits.
func drawSide(t *rapid.T, base map[string]map[string]string, side string) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, id := range []string{"hx-a", "hx-b", "hx-c"} {
		fields := map[string]string{}
		for k, v := range base[id] {
			fields[k] = v
		}
		switch {
		case base[id] == nil && rapid.IntRange(0, 2).Draw(t, side+"adds") > 0:
			continue
		case base[id] != nil && rapid.IntRange(0, 4).Draw(t, side+"deletes") == 0:
			continue
		}
		changed := base[id] == nil
		for _, key := range []string{"title", "notes", "x-extra", "status", "owner", "labels", "events"} {
			if rapid.IntRange(0, 2).Draw(t, side+key) > 0 {
				continue
			}
			changed = true
			value := fmt.Sprint(rapid.IntRange(0, 2).Draw(t, side+"value"))
			switch key {
			case "labels":
				fields[key] = rapid.SampledFrom([]string{`["a"]`, `["b","a"]`, `["b"]`, `["c","a"]`}).Draw(t, side+"list")
			case "events":
				fields[key] = rapid.SampledFrom([]string{`[1]`, `[1,2]`, `[1,3]`}).Draw(t, side+"list")
			default:
				fields[key] = string(quote(value))
			}
		}
		if changed {
			fields["updated_at"] = string(quote(formatTime(noon.Add(time.Duration(rapid.IntRange(1, 3).Draw(t, side+"time")) * time.Minute))))
		}
		out[id] = fields
	}
	return out
}

func fileOf(rows map[string]map[string]string) []byte {
	var out bytes.Buffer
	for _, id := range sortedIDs(rows) {
		var pairs []string
		for k, v := range rows[id] {
			pairs = append(pairs, k, v)
		}
		fmt.Fprintln(&out, rowText(id, pairs...))
	}
	return out.Bytes()
}

func sortedIDs(rows map[string]map[string]string) []string {
	var list []string
	for id := range rows {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

func mustMerge(t *rapid.T, base, ours, theirs []byte) []byte {
	merged, _, err := Merge(base, ours, theirs)
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

// The laws of a three-way merge: it does not matter who merges whom; an
// unchanged side yields to the other; what both agree on is the result; a field
// that one side changed has that side's value, and one that both changed has
// the value of one of them.
func TestMergeLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		baseRows := drawSide(t, nil, "base")
		ourRows, theirRows := drawSide(t, baseRows, "ours"), drawSide(t, baseRows, "theirs")
		base, ours, theirs := fileOf(baseRows), fileOf(ourRows), fileOf(theirRows)
		merged := mustMerge(t, base, ours, theirs)
		if swapped := mustMerge(t, base, theirs, ours); !bytes.Equal(merged, swapped) {
			t.Fatalf("ours first\n%s\ntheirs first\n%s", merged, swapped)
		}
		if got := mustMerge(t, base, ours, base); !bytes.Equal(got, ours) {
			t.Fatalf("theirs unchanged\n%s\nours\n%s", got, ours)
		}
		if got := mustMerge(t, base, ours, ours); !bytes.Equal(got, ours) {
			t.Fatalf("both the same\n%s\nours\n%s", got, ours)
		}
		s, err := parseSnapshot("merged", merged)
		if err != nil || len(s.problems) > 0 || !s.ordered {
			t.Fatalf("merged is\n%s (%v)", merged, err)
		}
		for _, id := range []string{"hx-a", "hx-b", "hx-c"} {
			checkMerged(t, id, s.lineOf(id), baseRows[id], ourRows[id], theirRows[id])
		}
	})
}

func checkMerged(t *rapid.T, id string, line []byte, base, ours, theirs map[string]string) {
	same := func(a, b map[string]string) bool { return fmt.Sprint(a) == fmt.Sprint(b) && (a == nil) == (b == nil) }
	gone := ours == nil && (base == nil || theirs == nil || same(theirs, base)) && (theirs == nil || base != nil) ||
		theirs == nil && (ours == nil || base != nil && same(ours, base))
	if gone != (line == nil) {
		t.Fatalf("%s: merged %s of base %v, ours %v, theirs %v", id, line, base, ours, theirs)
	}
	if line == nil || ours == nil || theirs == nil {
		return
	}
	got, err := members(line)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"title", "notes", "x-extra"} {
		o, w, b := ours[key], theirs[key], base[key]
		value := string(got[key])
		if key == "title" && value == string(quote("bead "+id)) {
			value = ""
		}
		want := []string{o, w}
		switch {
		case base == nil: // both sides added the bead
		case o == b:
			want = []string{w}
		case w == b:
			want = []string{o}
		}
		if !slices.Contains(want, value) {
			t.Fatalf("%s %s: merged %q of base %q, ours %q, theirs %q", id, key, value, b, o, w)
		}
	}
	state := func(r map[string]string) string { return r["status"] + r["owner"] }
	merged := string(got["status"]) + string(got["owner"])
	merged = strings.TrimPrefix(merged, `"open"`)
	if merged != state(ours) && merged != state(theirs) {
		t.Fatalf("%s: a state that neither side has: %q of %q and %q", id, merged, state(ours), state(theirs))
	}
}

func TestSplitConflict(t *testing.T) {
	t.Parallel()
	plain := "1\n<<<<<<< HEAD\n2a\n=======\n2b\n>>>>>>> x\n3\n"
	diff3 := "1\n<<<<<<< HEAD\r\n2a\r\n||||||| base\n2\n=======\n2b\n>>>>>>> x\n3"
	for _, c := range []struct{ text, base, ours, theirs string }{
		{plain, "1\n3\n", "1\n2a\n3\n", "1\n2b\n3\n"},
		{diff3, "1\n2\n3\n", "1\n2a\n3\n", "1\n2b\n3\n"},
	} {
		base, ours, theirs, err := SplitConflict([]byte(c.text))
		if err != nil || string(base) != c.base || string(ours) != c.ours || string(theirs) != c.theirs {
			t.Errorf("%q: %q %q %q (%v)", c.text, base, ours, theirs, err)
		}
	}
	for _, bad := range []string{"<<<<<<< a\nx\n", ">>>>>>> a\n", "<<<<<<< a\n=======\nx\n"} {
		if _, _, _, err := SplitConflict([]byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
