package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *snapshot {
	t.Helper()
	s, err := parseSnapshot("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rowIDs(s *snapshot) string {
	var list []string
	for i := range s.rows {
		list = append(list, fmt.Sprintf("%s@%d", s.rows[i].id, s.rows[i].line))
	}
	return strings.Join(list, " ")
}

func TestParseSnapshot(t *testing.T) {
	t.Parallel()
	a, b := rowText("hx-a"), rowText("hx-b")
	for name, c := range map[string]struct{ text, rows, problems string }{
		"empty":              {"", "", ""},
		"two rows":           {a + "\n" + b + "\n", "hx-a@1 hx-b@2", ""},
		"no last line feed":  {a + "\n" + b, "hx-a@1 hx-b@2", ""},
		"CRLF":               {a + "\r\n" + b + "\r\n", "hx-a@1 hx-b@2", ""},
		"empty lines":        {"\n" + a + "\n  \n\n" + b + "\n\n", "hx-a@2 hx-b@5", ""},
		"byte order mark":    {"\ufeff" + a + "\n", "hx-a@1", ""},
		"not in order":       {b + "\n" + a + "\n", "hx-a@2 hx-b@1", ""},
		"malformed middle":   {a + "\n{oops\n" + b + "\n", "hx-a@1 hx-b@3", "2 kept"},
		"torn":               {a + "\n" + b[:40], "hx-a@1", "2 torn"},
		"torn with feed":     {a + "\n" + b[:40] + "\n", "hx-a@1", "2 torn"},
		"torn before blank":  {a + "\n" + b[:40] + "\n\n", "hx-a@1", "2 torn"},
		"last line is wrong": {a + "\n{\"id\": oops}\n", "hx-a@1", "2 kept"},
		"cut and wrong":      {a + "\n{\"id\": oo", "hx-a@1", "2 torn"},
		"zeros after crash":  {a + "\n" + b[:40] + "\x00\x00\x00\n", "hx-a@1", "2 torn"},
		"torn in the middle": {a[:40] + "\n" + b + "\n", "hx-b@2", "1 kept"},
	} {
		t.Run(name, func(t *testing.T) {
			s := parse(t, c.text)
			if got := rowIDs(s); got != c.rows {
				t.Errorf("rows %q, want %q", got, c.rows)
			}
			var problems []string
			for _, p := range s.problems {
				kind := "kept"
				if p.Torn {
					kind = "torn"
				}
				problems = append(problems, fmt.Sprintf("%d %s", p.Line, kind))
			}
			if got := strings.Join(problems, ", "); got != c.problems {
				t.Errorf("problems %q, want %q", got, c.problems)
			}
		})
	}
}

func TestDuplicatesFoldToTheLatest(t *testing.T) {
	t.Parallel()
	old := rowText("hx-a", "title", `"old"`, "updated_at", `"2026-01-01T00:00:00Z"`)
	recent := rowText("hx-a", "title", `"new"`, "updated_at", `"2026-01-01T00:00:00.5Z"`)
	same := rowText("hx-a", "title", `"later line"`, "updated_at", `"2026-01-01T02:00:00.500+02:00"`)
	for _, c := range []struct {
		lines []string
		title string
	}{
		{[]string{old, recent}, "new"}, {[]string{recent, old}, "new"}, {[]string{recent, same}, "later line"},
		{[]string{same, recent, old}, "new"},
	} {
		s := parse(t, strings.Join(c.lines, "\n"))
		if len(s.rows) != 1 || len(s.folded) != len(c.lines)-1 {
			t.Fatalf("%d rows, %d folded", len(s.rows), len(s.folded))
		}
		if b, _ := newQueue(s).Get("hx-a"); b.Title != c.title {
			t.Errorf("kept %q of %q", b.Title, c.lines)
		}
	}
}

func TestConflictMarkersAreTold(t *testing.T) {
	t.Parallel()
	text := rowText("hx-a") + "\n<<<<<<< HEAD\n" + rowText("hx-b") + "\n=======\n>>>>>>> branch\n"
	_, err := parseSnapshot("f", []byte(text))
	if !errors.Is(err, ErrConflict) || !strings.HasPrefix(err.Error(), "f:2: ") || !strings.Contains(err.Error(), "helix bead merge") {
		t.Errorf("got %v", err)
	}
}

// A file large enough to be read in parts gives what reading it line by line does.
func TestPartsAgreeWithOnePass(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for i := range 3000 {
		switch {
		case i%500 == 7:
			fmt.Fprintf(&text, "{broken %d\n", i)
		case i%400 == 9:
			text.WriteString("\r\n")
		default:
			fmt.Fprintln(&text, rowText(fmt.Sprintf("hx-%06d", i), "description", string(quote(strings.Repeat("text ", i%450)))))
		}
	}
	data := text.Bytes()
	for n := range 9 {
		var joined []byte
		for _, c := range cut(data, n+1) {
			joined = append(joined, c...)
			if len(c) > 0 && c[len(c)-1] != '\n' && len(joined) != len(data) {
				t.Fatal("a part ends within a line")
			}
		}
		if !bytes.Equal(joined, data) {
			t.Fatalf("%d parts do not make the whole", n+1)
		}
	}
	s := parse(t, string(data))
	if len(data) < 2*smallPart {
		t.Fatalf("the file of %d bytes is too small for parts", len(data))
	}
	at, k := 0, 0
	for n, line := range bytes.Split(data, []byte{'\n'}) {
		if bytes.HasPrefix(line, []byte(`{"`)) {
			if r := &s.rows[k]; r.line != n+1 || r.at != at || !bytes.Equal(r.raw, line) {
				t.Fatalf("row %d is line %d at %d, want line %d at %d", k, r.line, r.at, n+1, at)
			}
			k++
		}
		at += len(line) + 1
	}
	if k != len(s.rows) || len(s.problems) != 6 || s.problems[1].Line != 508 {
		t.Errorf("%d of %d rows, problems %v", k, len(s.rows), s.problems)
	}
}

// FuzzFile: any bytes are read without a panic; rows are exactly lines of the
// file, ordered, and writing them back gives a file that reads the same.
func FuzzFile(f *testing.F) {
	a, b := rowText("hx-a"), rowText("hx-b")
	for _, s := range []string{"", a + "\n" + b, b + "\r\n\n" + a + "\n" + a, a + "\n" + b[:30], "\ufeff" + a, "<<<<<<< x\n" + a, "{\x00\n" + a} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSnapshot("f", data)
		if err != nil {
			if !errors.Is(err, ErrConflict) {
				t.Fatal(err)
			}
			return
		}
		q := newQueue(s)
		last := ""
		for i, b := range q.All() {
			r := &s.rows[i]
			if b.ID != r.id || b.ID <= last && i > 0 {
				t.Fatalf("bead %q after %q", b.ID, last)
			}
			if !bytes.Equal(data[r.at:r.at+len(r.raw)], r.raw) {
				t.Fatalf("row %q is not at %d", r.raw, r.at)
			}
			last = b.ID
		}
		q.Ready(noon)
		q.Counts(noon)
		q.HeldUp(noon)
		out := bytes.Join(assemble(s, nil), nil)
		again, err := parseSnapshot("f", out)
		if err != nil || len(again.problems) > 0 || len(again.rows) != len(s.rows) || !again.ordered {
			t.Fatalf("%q was written as %q: %v %v", data, out, err, again)
		}
		for i := range s.rows {
			if !bytes.Equal(s.rows[i].raw, again.rows[i].raw) {
				t.Fatalf("%q became %q", s.rows[i].raw, again.rows[i].raw)
			}
		}
	})
}
