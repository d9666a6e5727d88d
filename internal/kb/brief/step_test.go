package brief

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
)

func TestFreshness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		c    Candidate
		want float64
	}{
		{"now", candidate("a", "t", "x", noon), 1},
		{"in the future", candidate("a", "t", "x", hours(-5)), 1},
		{"half-life", candidate("a", "t", "x", hours(7*24)), 0.5},
		{"four of them", candidate("a", "t", "x", hours(28*24)), 0.0625},
		{"invariant", candidate("a", "t", "x", hours(28*24), "Invariant"), 1},
		{"architecture", candidate("a", "t", "x", hours(28*24), "b", "architecture"), 1},
		{"gotcha", candidate("a", "t", "x", hours(7*24), "gotcha"), 0.5},
	} {
		if got := Freshness(&c.c.Entry, noon); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	revised := candidate("a", "t", "x", hours(14*24)).Entry
	revised.Modified = hours(7 * 24)
	if got := Freshness(&revised, noon); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("revised: %v", got)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	if got := Score(10, 0.5, 0.7, 2); math.Abs(got-7.5) > 1e-9 {
		t.Errorf("%v", got)
	}
	in := []Candidate{candidate("a", "t", "a1", noon), candidate("b", "t", "b1", noon), candidate("c", "t", "c1", noon)}
	in[0].Links = []string{"b", "b", "a"} // twice is one reference, and one to itself is none
	in[2].Links = []string{"b", "elsewhere"}
	if got, want := linksIn(in), map[string]int{"b": 2, "elsewhere": 1}; !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		tags []string
		kind entry.Kind
		want Category
	}{
		{"x", []string{"gotcha"}, "", Gotchas},
		{"x", []string{"Decision"}, "", Decisions},
		{"gotcha: x", []string{"decision"}, "", Decisions}, // the tag before the line
		{"x", []string{"gotcha", "architecture"}, "", Architecture},
		{"x", nil, entry.Decision, Decisions},
		{"x", nil, entry.Procedure, HowTo},
		{"x", []string{"zero-alloc"}, entry.Decision, Performance},
		{"Bug: x", nil, "", Gotchas},
		{"\n\n  Flow: x", nil, "", DataFlow},
		{"security: never", nil, "", Invariants},
		{"todo: x", []string{"api"}, "", Gaps}, // a tag of no category
		{"how to build", []string{"api"}, "", HowTo},
		{"how tough", []string{"api"}, "", Untagged}, // not the word
		{"the data-flow of x", nil, "", DataFlow},
		{"x\nthe cache silently drops it", nil, "", Gotchas},
		{"x\nthe cache silently drops it", []string{"api"}, "", Untagged}, // tagged, so the body does not count
		{"x\nlatency and throughput, which is surprising", nil, "", Performance},
		{"x", nil, "", Untagged},
		{"", nil, "", Untagged},
	} {
		e := entry.New("t", c.text, noon)
		e.Tags = c.tags
		if c.kind != "" {
			e.Kind = c.kind
		}
		if got := Classify(&e); got != c.want {
			t.Errorf("%q %q %q: %s, want %s", c.text, c.tags, c.kind, got, c.want)
		}
	}
}

func TestParseCategory(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Category{
		"gotchas": Gotchas, "Gotcha": Gotchas, "GOTCHAS": Gotchas, "howto": HowTo, "how-to": HowTo, "data flow": DataFlow,
		"data-flow": DataFlow, "pipeline": DataFlow, "untagged": Untagged, "gap": Gaps, "constraints": Invariants,
	} {
		if got, err := ParseCategory(name); got != want || err != nil {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	for _, c := range Categories() {
		if got, err := ParseCategory(string(c)); got != c || err != nil {
			t.Errorf("%q: %s, %v", c, got, err)
		}
	}
	for _, name := range []string{"", "fun", "s", "--"} {
		if got, err := ParseCategory(name); err == nil || !strings.Contains(err.Error(), "data-flow") {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
}

// folded tells what became of entries: of each one that is shown, what it stands for.
func folded(in ...Candidate) map[string]string {
	items := prepare(in, noon)
	out := map[string]string{}
	for _, it := range compress(items) {
		it.finish()
		var members []string
		for _, m := range it.Cluster {
			members = append(members, m.ID)
		}
		out[it.id] = strings.TrimSpace(fmt.Sprint(
			mark("copies", it.Copies), mark("also", it.AlsoIn), mark("older", it.Supersedes), mark("with", members)))
	}
	return out
}

func mark(name string, of []string) string {
	if len(of) == 0 {
		return ""
	}
	return name + ":" + strings.Join(of, ",") + " "
}

func TestCompress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   []Candidate
		want map[string]string
	}{
		{
			"above 40 % of the words, the newer wins",
			[]Candidate{candidate("old", "t", "red green blue cyan", hours(90)), candidate("new", "t", "red green blue pink", hours(1))}, // 3 of 5
			map[string]string{"new": "older:old"},
		},
		{
			"exactly 40 % is not above",
			[]Candidate{candidate("old", "t", "red green blue", hours(90)), candidate("new", "t", "red green cyan pink", hours(1))}, // 2 of 5
			map[string]string{"new": "", "old": ""},
		},
		{
			"a chain ends in its newest",
			[]Candidate{
				candidate("a", "t", "red green blue cyan", hours(900)), candidate("b", "t", "blue cyan green pink", hours(600)),
				candidate("c", "t", "pink cyan green gray", hours(300)), candidate("d", "t", "gray cyan pink gold", hours(100)),
			},
			map[string]string{"d": "older:c,b,a"},
		},
		{
			"another topic supersedes nothing",
			[]Candidate{candidate("a", "t", "red green blue", hours(900)), candidate("b", "u", "the red green blue", hours(1))},
			map[string]string{"a": "", "b": ""},
		},
		{
			"the same first line in other topics",
			[]Candidate{
				candidate("a", "t", "Red green blue\nand a", hours(900)), candidate("b", "u", "red green BLUE\nand something quite other, and long", hours(1)),
				candidate("c", "v", "red green blue", hours(1000)),
			},
			map[string]string{"b": "copies:a,c also:t,v"},
		},
		{
			"a short first line says nothing",
			[]Candidate{candidate("a", "t", "Overview", hours(900)), candidate("b", "u", "Overview", hours(1))},
			map[string]string{"a": "", "b": ""},
		},
		{
			"three within 48 hours",
			[]Candidate{candidate("a", "t", "red", hours(149)), candidate("b", "t", "green", hours(110)), candidate("c", "t", "blue", hours(101))},
			map[string]string{"c": "with:b,a"},
		},
		{
			"two are no cluster",
			[]Candidate{candidate("a", "t", "red", hours(150)), candidate("b", "t", "green", hours(110)), candidate("c", "t", "blue", hours(101))},
			map[string]string{"a": "", "b": "", "c": ""},
		},
		{
			"categories stay apart",
			[]Candidate{candidate("a", "t", "red", hours(3)), candidate("b", "t", "green", hours(2)), candidate("c", "t", "blue", hours(1), "gotcha")},
			map[string]string{"a": "", "b": "", "c": ""},
		},
		{
			"invariants are never a cluster",
			[]Candidate{candidate("a", "t", "red", hours(3), "invariant"), candidate("b", "t", "green", hours(2), "invariant"), candidate("c", "t", "blue", hours(1), "invariant")},
			map[string]string{"a": "", "b": "", "c": ""},
		},
		{
			"texts without words",
			[]Candidate{candidate("a", "t", "...", hours(300)), candidate("b", "t", "!!!", hours(1))},
			map[string]string{"a": "", "b": ""},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := folded(c.in...); !cmp.Equal(got, c.want) {
				t.Error(cmp.Diff(c.want, got))
			}
		})
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"\n \n  one line \nnext", 20, "one line"},
		{"some words that are too long", 16, "some words that…"},
		{"donaudampfschifffahrt", 8, "donauda…"},
		{"größe größe größe", 12, "größe größe…"},
		{"a\x1b[2Jb", 20, "a\uFFFD[2Jb"},
		{"", 20, ""},
	} {
		if got := Preview(c.text, c.width); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func draw(t *rapid.T) []Candidate {
	word := rapid.SampledFrom([]string{"red", "green", "blue", "cyan", "pink", "gotcha:", "invariant", "decision", "\n", "größe", "\xff", "the"})
	n := rapid.IntRange(0, 25).Draw(t, "entries")
	in := make([]Candidate, n)
	for i := range in {
		text := strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "words"), " ")
		id := fmt.Sprint("e", i)
		if rapid.IntRange(0, 9).Draw(t, "again") == 0 && i > 0 {
			id = in[i-1].Entry.ID // collected twice
		}
		in[i] = candidate(id, rapid.SampledFrom([]string{"t", "u", "v"}).Draw(t, "topic"), text, hours(rapid.IntRange(-10, 400).Draw(t, "age")),
			rapid.SliceOfN(rapid.SampledFrom([]string{"gotcha", "invariant", "api"}), 0, 2).Draw(t, "tags")...)
		if id == fmt.Sprint("e", i-1) {
			in[i].Entry = in[i-1].Entry
		}
		in[i].Relevance = rapid.Float64Range(0, 20).Draw(t, "relevance")
		in[i].Confidence = rapid.Float64Range(0, 1).Draw(t, "confidence")
		in[i].Links = rapid.SliceOfN(rapid.SampledFrom([]string{"e0", "e1", "e2", "x"}), 0, 2).Draw(t, "links")
	}
	return in
}

// named gives every id that items and what they stand for have.
func named(items []Item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.ID)
		out = append(out, it.Copies...)
		out = append(out, it.Supersedes...)
		for _, m := range it.Cluster {
			out = append(out, m.ID)
			out = append(out, m.Copies...)
			out = append(out, m.Supersedes...)
		}
	}
	return out
}

// Each entry is somewhere, once; the newest is not folded into another; and the
// figures add up.
func TestEveryEntryIsAccountedForOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := unique(draw(t))
		var want []string
		for _, c := range in {
			want = append(want, c.Entry.ID)
		}
		items := prepare(in, noon)
		newest := ""
		if len(items) > 0 {
			newest = items[0].id
		}
		var kept []Item
		for _, it := range compress(items) {
			it.finish()
			kept = append(kept, it.Item)
		}
		got := named(kept)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if len(kept) > 0 && kept[0].ID != newest {
			t.Fatalf("the newest is %s, kept first is %s", newest, kept[0].ID)
		}
	})
}

func TestResultHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		o := Options{
			Query: "q", Now: noon, Detail: rapid.SampledFrom(Details()).Draw(t, "detail"), Compact: rapid.Bool().Draw(t, "compact"),
			Focus: rapid.SliceOfN(rapid.SampledFrom(Categories()), 0, 2).Draw(t, "focus"),
		}
		r := Build(in, o)
		if r.Entries != r.Kept+r.Copies+r.Replaced+r.Grouped {
			t.Fatalf("figures do not add up: %+v", r)
		}
		shown := named(r.Hot)
		for _, s := range r.Sections {
			shown = append(shown, named(s.Items)...)
			if len(o.Focus) > 0 && !slices.Contains(o.Focus, s.Category) {
				t.Fatalf("%s is not in focus", s.Category)
			}
		}
		slices.Sort(shown)
		if n := len(shown); n != len(slices.Compact(shown)) {
			t.Fatalf("shown twice: %q", shown)
		}
		if len(o.Focus) == 0 && (len(r.Sections) == 0) != (len(in) == 0) {
			t.Fatalf("%d entries, %d sections", len(in), len(r.Sections))
		}
		text := r.Text()
		if !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) {
			t.Fatalf("%q", text)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		mixed := slices.Clone(in)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if again := Build(mixed, o).Text(); again != text {
			t.Fatalf("another order of the same input:\n%s\nthe first:\n%s", again, text)
		}
	})
}

func TestSurveyIsDeterministic(t *testing.T) {
	t.Parallel()
	s := survey()
	want := s.Build(Options{Now: noon}).Text()
	for range 20 {
		if got := s.Build(Options{Now: noon}).Text(); got != want {
			t.Fatalf("got:\n%s\nwant:\n%s", got, want)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var in []Candidate
	for i := range 500 {
		var words []string
		for range 60 {
			words = append(words, fmt.Sprint("word", int(math.Pow(2000, r.Float64()))))
		}
		in = append(in, candidate(fmt.Sprint("e", i), fmt.Sprint("t", i%2), strings.Join(words, " "), noon.Add(-time.Duration(i)*3*time.Hour)))
	}
	for b.Loop() {
		Build(in, Options{Query: "t", Now: noon, Detail: Full})
	}
}

// TestCopiesOfTheSuperseded: an entry that was folded into one that is then
// superseded itself is still accounted for.
func TestCopiesOfTheSuperseded(t *testing.T) {
	t.Parallel()
	var in []Candidate
	for i, id := range []string{"new", "old", "copy"} {
		e := entry.New([]string{"t", "t", "u"}[i], []string{"decision green", "decision: green", "decision: green"}[i], noon.Add(-time.Duration(i)*time.Hour))
		e.ID = id
		in = append(in, Candidate{Entry: e, Relevance: 1, Confidence: 1})
	}
	r := Build(in, Options{Query: "q", Now: noon, Detail: "full"})
	if r.Entries != 3 || r.Kept != 1 || r.Copies != 1 || r.Replaced != 1 {
		t.Errorf("%+v", r)
	}
}
