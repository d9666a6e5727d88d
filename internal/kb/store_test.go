package kb

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
)

func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	ok := StoreRequest{Topic: "auth", Text: "tokens live 15 minutes"}
	with := func(change func(*StoreRequest)) StoreRequest {
		r := ok
		change(&r)
		return r
	}
	tags := make([]string, entry.MaxTags+1)
	for i := range tags {
		tags[i] = fmt.Sprintf("tag-%d", i)
	}
	for _, c := range []struct {
		name string
		r    StoreRequest
		want string
	}{
		{"no topic", with(func(r *StoreRequest) { r.Topic = " \t" }), "topic is empty"},
		{"no text", with(func(r *StoreRequest) { r.Text = "\n " }), "text is empty"},
		{"long topic", with(func(r *StoreRequest) { r.Topic = strings.Repeat("t", 256) }), "256 bytes"},
		{"long text", with(func(r *StoreRequest) { r.Text = strings.Repeat("t", entry.MaxText+1) }), "split it"},
		{"topic not UTF-8", with(func(r *StoreRequest) { r.Topic = "a\xff" }), "UTF-8"},
		{"text not UTF-8", with(func(r *StoreRequest) { r.Text = "a\xff" }), "UTF-8"},
		{"tag not UTF-8", with(func(r *StoreRequest) { r.Tags = []string{"a\xff"} }), "UTF-8"},
		{"topic of two lines", with(func(r *StoreRequest) { r.Topic = "a\nb" }), "control character"},
		{"kind", with(func(r *StoreRequest) { r.Kind = "rumour" }), `"rumour"`},
		{"confidence above 1", with(func(r *StoreRequest) { r.Confidence = ptr(1.1) }), "1.1"},
		{"confidence below 0", with(func(r *StoreRequest) { r.Confidence = ptr(-0.1) }), "-0.1"},
		{"confidence NaN", with(func(r *StoreRequest) { r.Confidence = ptr(math.NaN()) }), "NaN"},
		{"source line 0", with(func(r *StoreRequest) { r.Source = "a.go:0" }), `"a.go:0"`},
		{"source line negative", with(func(r *StoreRequest) { r.Source = "a.go:-3" }), "line"},
		{"source line a word", with(func(r *StoreRequest) { r.Source = "a.go:main" }), "line"},
		{"source line empty", with(func(r *StoreRequest) { r.Source = "Makefile:" }), "line"},
		{"source line huge", with(func(r *StoreRequest) { r.Source = "a.go:99999999999" }), "line"},
		{"source line range", with(func(r *StoreRequest) { r.Source = "a.go:3-9" }), "line"},
		{"source of two lines", with(func(r *StoreRequest) { r.Source = "a.go\nb.go:3" }), "control character"},
		{"too many tags", with(func(r *StoreRequest) { r.Tags = tags }), "65 tags"},
		{"unknown link", with(func(r *StoreRequest) { r.Links = []string{"mem_nowhere"} }), "mem_nowhere"},
		{"link to no index", with(func(r *StoreRequest) { r.Links = []string{"auth:7"} }), "auth:7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := open(t)
			_, err := m.Store(t.Context(), c.r)
			checkRefusal(t, err, ErrRefused, c.want)
			if got := snapshot(t, m.Dir()); got != nil {
				t.Fatalf("the folder was made: %v", got)
			}
			mustStore(t, m, "other", "something that is there")
			before := snapshot(t, m.Dir())
			if _, err := m.Store(t.Context(), c.r); err == nil {
				t.Fatal("stored")
			}
			if diff := cmp.Diff(before, snapshot(t, m.Dir())); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, tag string
		kind      entry.Kind
	}{
		{"gotcha: x", "gotcha", entry.Finding},
		{"Bug: x", "gotcha", entry.Finding},
		{"INVARIANT: x", "invariant", entry.Fact},
		{"security: x", "invariant", entry.Fact},
		{"decision: x", "decision", entry.Decision},
		{"design: x", "decision", entry.Decision},
		{"data flow: x", "data-flow", entry.Fact},
		{"flow: x", "data-flow", entry.Fact},
		{"perf: x", "performance", entry.Finding},
		{"benchmark: x", "performance", entry.Finding},
		{"gap: x", "gap", entry.Task},
		{"missing: x", "gap", entry.Task},
		{"todo: x", "gap", entry.Task},
		{"how-to: x", "how-to", entry.Procedure},
		{"impl: x", "how-to", entry.Procedure},
		{"fix: x", "how-to", entry.Procedure},
		{"module: x", "module-map", entry.Fact},
		{"overview: x", "architecture", entry.Fact},
		{"coupling: x", "coupling", entry.Fact},
		{"\n \n  pattern: x", "pattern", entry.Fact},
		{"a decision: x", "", entry.Fact},
		{"text\ngotcha: later", "", entry.Fact},
	} {
		if tag, kind := classify(c.text); tag != c.tag || kind != c.kind {
			t.Errorf("classify(%q) = %q %q, want %q %q", c.text, tag, kind, c.tag, c.kind)
		}
	}
	if n := len(firstWords); n != 20 {
		t.Errorf("%d prefixes", n)
	}
}

func TestNormalTags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in, want []string
	}{
		{nil, nil},
		{[]string{" , "}, nil},
		{[]string{"Retries, auth", "auth"}, []string{"auth", "retry"}},
		{[]string{"classes", "status", "redis", "glass", "gas", "Tokens"}, []string{"class", "gas", "glass", "redis", "status", "token"}},
	} {
		if got := normalTags(c.in); !slices.Equal(got, c.want) {
			t.Errorf("normalTags(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		once := normalTags(rapid.SliceOf(rapid.StringMatching(`[a-zA-ZäÖ ,]{0,12}s{0,3}`)).Draw(t, "tags"))
		if twice := normalTags(once); !slices.Equal(once, twice) {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}

func TestParseSource(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]entry.Source{
		"":                              {},
		"client/auth.go":                {Path: "client/auth.go"},
		" " + "client/auth.go:42" + " ": {Path: "client/auth.go", Line: 42},
		"Makefile:3":                    {Path: "Makefile", Line: 3},
		"https://example.org/a":         {Path: "https://example.org/a"},
		"https://example.org/a:b":       {Path: "https://example.org/a:b"},
		"issue:HX-12":                   {Path: "issue:HX-12"},
	} {
		got, err := parseSource(in)
		if err != nil || got != want {
			t.Errorf("parseSource(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
}

func TestStoreText(t *testing.T) {
	t.Parallel()
	m := open(t)
	s, err := m.Store(t.Context(), StoreRequest{
		Topic: "auth", Text: "tokens live 15 minutes", Tags: []string{"Sessions", "auth"}, Confidence: ptr(0.8),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "stored in auth [tags: auth, session] (~80%)\n  id: " + s.ID + "\n"
	if got := s.Text(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s = mustStore(t, m, "auth", "Decision: the client retries three times")
	if s.Kind != "decision" || !slices.Equal(s.Tags, []string{"decision"}) {
		t.Errorf("kind %q, tags %q", s.Kind, s.Tags)
	}
	s, err = m.Store(t.Context(), StoreRequest{Topic: "auth", Text: "Decision: none", Tags: []string{}, Kind: "task"})
	if err != nil || s.Kind != "task" || s.Tags != nil {
		t.Errorf("kind %q, tags %q, error %v", s.Kind, s.Tags, err)
	}
}

func TestStoreWarnsOfDuplicate(t *testing.T) {
	t.Parallel()
	const text = "the auth client retries three times with jitter before it gives up"
	m := open(t)
	first := mustStore(t, m, "auth", text)
	again := mustStore(t, m, "auth", strings.ToUpper(text)+"!")
	if again.Duplicate == nil || again.Duplicate.ID != first.ID || again.Duplicate.Similarity != 1 {
		t.Fatalf("duplicate %+v", again.Duplicate)
	}
	if got := again.Text(); !strings.Contains(got, "dupe warning: "+text) || !strings.Contains(got, first.ID) {
		t.Errorf("text %q", got)
	}
	if n := len(entries(t, m.Dir())); n != 2 {
		t.Errorf("%d entries, want both", n)
	}
	for name, r := range map[string]StoreRequest{
		"other topic": {Topic: "authx", Text: text},
		"forced":      {Topic: "auth", Text: text, Force: true},
		"few words":   {Topic: "auth", Text: "auth client retries"},
		"other words": {Topic: "auth", Text: "the auth client caches tokens until five seconds before they expire"},
	} {
		if s, err := m.Store(t.Context(), r); err != nil || s.Duplicate != nil {
			t.Errorf("%s: duplicate %+v, error %v", name, s.Duplicate, err)
		}
	}
}

// nearby must find what comparing each with each finds.
func TestNearbyFindsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom(strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda"))
		var sets []wordSet
		for range rapid.IntRange(1, 12).Draw(t, "texts") {
			sets = append(sets, wordsOf(strings.Join(rapid.SliceOfN(word, 0, 16).Draw(t, "words"), " ")))
		}
		near := newNearby(sets)
		for i, set := range sets {
			want := len(set) >= minWords && slices.ContainsFunc(sets[:i], func(old wordSet) bool {
				return set.similarity(old) > similarShare
			})
			if got := near.find(set); got != want {
				t.Fatalf("set %d: found %v, want %v", i, got, want)
			}
			near.add(set)
		}
	})
}

func TestStoreLinks(t *testing.T) {
	t.Parallel()
	m := open(t)
	a, b := mustStore(t, m, "retry policy", "first"), mustStore(t, m, "retry policy", "second")
	c := mustStore(t, m, "auth", "third")
	s, err := m.Store(t.Context(), StoreRequest{Topic: "x", Text: "y", Links: []string{"retry policy:0", b.ID, "auth:-1 " + a.ID}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{a.ID, b.ID, c.ID, a.ID}
	if got := entries(t, m.Dir())[s.ID].Links; !slices.Equal(got, want) {
		t.Errorf("links %q, want %q", got, want)
	}
}

func TestStoreRecordsSource(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "auth.go"), []byte("package auth\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "other.go")
	if err := os.WriteFile(outside, []byte("package other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := open(t, WithRoot(root))
	const sum = "7be6e10a367ed31a" // sha256sum auth.go
	for _, c := range []struct {
		source string
		want   entry.Source
	}{
		{"auth.go:1", entry.Source{Path: "auth.go", Line: 1, Hash: sum}},
		{"./auth.go", entry.Source{Path: "auth.go", Hash: sum}},
		{filepath.Join(root, "auth.go") + ":7", entry.Source{Path: "auth.go", Line: 7, Hash: sum}},
		{"gone.go", entry.Source{Path: "gone.go"}},
		{outside, entry.Source{Path: outside}},
		{"../x.go", entry.Source{Path: "../x.go"}},
	} {
		s, err := m.Store(t.Context(), StoreRequest{Topic: "t", Text: "from " + c.source, Source: c.source})
		if err != nil {
			t.Fatal(err)
		}
		if got := entries(t, m.Dir())[s.ID].Source; got != c.want {
			t.Errorf("source %q is kept as %+v, want %+v", c.source, got, c.want)
		}
	}
}

const secret = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"

func TestStoreReplacesSecrets(t *testing.T) {
	t.Parallel()
	m := open(t)
	r := StoreRequest{Topic: "key " + secret, Text: "use " + secret + " to log in", Tags: []string{secret}, Source: "cfg/" + secret}
	s, err := m.Store(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if s.Redacted != 4 || !strings.Contains(s.Text(), "4 secrets replaced\n") {
		t.Errorf("%d replaced, text %q", s.Redacted, s.Text())
	}
	b, err := os.ReadFile(filepath.Join(m.Dir(), "data.log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ToLower(string(b)), strings.ToLower(secret)) {
		t.Error("the log has the secret")
	}
	r.AllowSecrets = true
	if s, err = m.Store(t.Context(), r); err != nil || s.Redacted != 0 {
		t.Fatalf("%d replaced, error %v", s.Redacted, err)
	}
	if got := entries(t, m.Dir())[s.ID].Text; got != r.Text {
		t.Errorf("text %q", got)
	}
}

// What is stored can be read, with every field.
func TestStoreReadRoundTrip(t *testing.T) {
	t.Parallel()
	m := open(t)
	m.redact = nil
	rapid.Check(t, func(t *rapid.T) {
		r := StoreRequest{
			Topic:      rapid.StringMatching(`[^\pC\pZ]{1,12}( [^\pC\pZ]{1,8})?`).Draw(t, "topic"),
			Text:       someText().Draw(t, "text"),
			Kind:       string(rapid.SampledFrom(entry.Kinds()).Draw(t, "kind")),
			Tags:       rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,9}`), 0, 4).Draw(t, "tags"),
			Confidence: ptr(rapid.Float64Range(0, 1).Draw(t, "confidence")),
		}
		s, err := m.Store(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, ask := range []ReadRequest{{ID: s.ID}, {Topic: r.Topic, Index: ptr(-1)}} {
			got, err := m.Read(t.Context(), ask)
			if err != nil || len(got.Items) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			item := got.Items[0]
			if item.ID != s.ID || item.Text != r.Text || item.Topic != r.Topic || item.Kind != r.Kind ||
				item.Confidence != *r.Confidence || !slices.Equal(item.Tags, normalTags(r.Tags)) {
				t.Fatalf("stored %+v, read %+v", r, item)
			}
		}
	})
}

// Several handles, as in several processes, on one folder.
func TestStoreConcurrently(t *testing.T) {
	t.Parallel()
	const handles, each = 3, 12
	dir := filepath.Join(t.TempDir(), "kb")
	var wait sync.WaitGroup
	var mu sync.Mutex
	stored := map[string]bool{}
	for range handles {
		m := openIn(t, dir) // the same clock times, so that the ids collide
		wait.Go(func() {
			for i := range each {
				s, err := m.Store(t.Context(), StoreRequest{Topic: "t", Text: fmt.Sprint("number ", i)})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				stored[s.ID] = true
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if n := len(stored); n != handles*each {
		t.Errorf("%d different ids, want %d", n, handles*each)
	}
	if n := len(entries(t, dir)); n != handles*each {
		t.Errorf("%d entries, want %d", n, handles*each)
	}
}

// someText favours what could confuse a text form.
func someText() *rapid.Generator[string] {
	part := rapid.OneOf(rapid.SampledFrom([]string{
		"\n", "\n\n", "\r\n", "```", "````\n", "\n```text\n", "# a", "\n## b\n", "\n---\n", "- kind: x\n",
		"[id: mem_x]", "[tags: a]\n", `\`, `"`, "\x00", "\u2028", "\ufeff", "<&>", "漢字", " ",
	}), rapid.StringN(0, 6, 24))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") + "x" +
			rapid.SampledFrom([]string{"", "\n", "\n\n", "\r", "`"}).Draw(t, "end")
	})
}
