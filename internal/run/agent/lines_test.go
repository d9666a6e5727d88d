package agent

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However the output is torn into writes, the same lines come out, those of
// more than the limit left out.
func TestLinesDoNotDependOnWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const most = 8
		text := rapid.StringMatching(`([ab\r]{0,12}\n?){0,8}`).Draw(t, "text")
		var want []string
		all := strings.Split(text, "\n")
		for i, line := range all {
			if len(line) <= most && (line != "" || i < len(all)-1) {
				want = append(want, strings.TrimSuffix(line, "\r"))
			}
		}
		var got []string
		r := &lineReader{max: most, each: func(b []byte) { got = append(got, string(b)) }}
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			_, _ = r.Write(rest[:n])
			rest = rest[n:]
		}
		r.end()
		if !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, want %q", text, got, want)
		}
	})
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 20).Draw(t, "max")
		kept, all := &tail{max: most}, ""
		for _, s := range rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,30}`), 0, 20).Draw(t, "writes") {
			_, _ = kept.Write([]byte(s))
			all += s
			if len(kept.buf) > 3*most {
				t.Fatalf("keeps %d bytes for %d", len(kept.buf), most)
			}
		}
		if want := all[max(0, len(all)-most):]; kept.String() != want {
			t.Fatalf("got %q, want %q", kept.String(), want)
		}
	})
}

// Two streams share a log: nothing is lost, and no line is torn by the other.
func TestJournalKeepsLinesWhole(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	j := &journal{w: &log}
	a, b := &stream{journal: j}, &stream{journal: j}
	for _, w := range []struct {
		s    *stream
		text string
	}{{a, "one "}, {b, "two\nthr"}, {a, "more\n"}, {b, "ee\n"}, {a, "no end"}} {
		_, _ = w.s.Write([]byte(w.text))
	}
	a.end()
	b.end()
	if want := "two\none more\nthree\nno end"; log.String() != want {
		t.Errorf("log %q, want %q", log.String(), want)
	}
	// An endless line does not wait for its end.
	_, _ = a.Write([]byte(strings.Repeat("x", longPart+1)))
	if len(a.partial) != 0 {
		t.Errorf("%d bytes are held back", len(a.partial))
	}
}

type brokenLog struct{ writes int }

func (b *brokenLog) Write([]byte) (int, error) { b.writes++; return 0, errors.New("disk full") }

func TestBrokenLogIsGivenUp(t *testing.T) {
	t.Parallel()
	log := &brokenLog{}
	s := &stream{journal: &journal{w: log}}
	for range 3 {
		if n, err := s.Write([]byte("line\n")); n != 5 || err != nil {
			t.Fatalf("Write: %d %v", n, err)
		}
	}
	if log.writes != 1 {
		t.Errorf("%d writes after a failure", log.writes)
	}
}
