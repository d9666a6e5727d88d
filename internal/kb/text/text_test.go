package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// all gives the words of s, with their roles marked: wholes in <>, singles in ().
func all(s string) string {
	var out []string
	var sc Scanner
	sc.Scan(s, func(w []byte, role Role, _, _ int) bool {
		switch role {
		case Whole:
			out = append(out, "<"+string(w)+">")
		case Single:
			out = append(out, "("+string(w)+")")
		default:
			out = append(out, string(w))
		}
		return true
	})
	return strings.Join(out, " ")
}

func TestScan(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                          "",
		"Hello, World!":             "hello world",
		"CachedEntry":               "cached entry <cachedentry>",
		"HTTPServer":                "http server <httpserver>",
		"getHTTPResponseCode":       "get http response code <gethttpresponsecode>",
		"get_file_name":             "get file name <getfilename>",
		"__init__":                  "init",
		"MAX_SIZE":                  "max size <maxsize>",
		"x":                         "x",
		"x_axis":                    "axis <xaxis>",
		"sha256 utf8 Int64Value":    "sha256 utf8 int64 value <int64value>",
		"don't":                     "don t",
		"a.b/c-d":                   "a b c d",
		"https://example.com/Path1": "https example com path1",
		"\u037a \u0384x":            "x",
		"Café CAFÉ cafe\u0301":      "cafe cafe cafe",
		"Straße":                    "strasse",
		"ＡＢＣ":                       "abc",
		"Überraschung":              "uberraschung",
		"ΟΔΥΣΣΕΥΣ":                  "οδυσσευσ",
		"naïveBayes":                "naivebayes",
		"日本語":                       "(日) (本) 日本 (語) 本語",
		"日":                         "日",
		"Go言語":                      "go (言) (語) 言語",
		"東京 大阪":                     "(東) (京) 東京 (大) (阪) 大阪",
		"한국어":                       "(한) (국) 한국 (어) 국어",
		"\xff\xfe ok \x80":          "ok",
		"—→":                        "",
		strings.Repeat("a", 65):     "",
		strings.Repeat("ab_", 40):   strings.TrimSpace(strings.Repeat("ab ", 40)),
	} {
		if got := all(in); got != want {
			t.Errorf("%q: %s\nwant %s", in, got, want)
		}
	}
}

func TestScanStops(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"one two", "oneTwo x", "日本 x", "é x"} {
		n := 0
		var sc Scanner
		sc.Scan(s, func([]byte, Role, int, int) bool { n++; return false })
		if n != 1 {
			t.Errorf("%q: called %d times", s, n)
		}
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for _, group := range [][]string{
		{"cache", "caches", "cached", "caching"},
		{"retry", "retries", "retried"},
		{"connection", "connections", "connect"},
	} {
		for _, w := range group {
			if Stem(w) != Stem(group[0]) {
				t.Errorf("%s: %s, %s: %s", w, Stem(w), group[0], Stem(group[0]))
			}
		}
	}
	for _, w := range []string{"", "go", "sha256", "café", "日本"} {
		if Stem(w) != w {
			t.Errorf("%q became %q", w, Stem(w))
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	if got := Words("the HTTPServer's cache and the cache"); !slices.Equal(got, []string{"http", "server", "s", "cache"}) {
		t.Errorf("%q", got)
	}
	if got := Words("to be or not"); !slices.Equal(got, []string{"to", "be", "or", "not"}) {
		t.Errorf("only stop words: %q", got)
	}
}

func TestPhrase(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		phrase, text string
		want         bool
	}{
		{"refresh token", "The Refresh\nToken is rotated", true},
		{"refresh token", "token refresh", false},
		{"refresh token", "refresh the token", false},
		{"a b a c", "a b a b a c", true},
		{"file name", "get_file_name()", true},
		{"本語", "日本語", true},
		{"日語", "日本語", false},
		{"", "anything", true},
		{"...", "anything", true},
	} {
		if got := NewPhrase(tc.phrase).In(tc.text); got != tc.want {
			t.Errorf("%q in %q: %v", tc.phrase, tc.text, got)
		}
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	body := "First line.\n\n  second about Caching  \nthird: cache retries\nlast"
	for _, tc := range []struct {
		words string
		n     int
		want  string
	}{
		{"nothing", 2, "First line.|second about Caching"},
		{"cached", 1, "second about Caching"},
		{"caches retry", 1, "third: cache retries"},
		{"caches retry", 2, "second about Caching|third: cache retries"},
		{"last", 3, "second about Caching|third: cache retries|last"},
	} {
		got := strings.Join(NewMarker(strings.Fields(tc.words)).Snippet(body, tc.n, 100), "|")
		if got != tc.want {
			t.Errorf("%s, %d lines: %q, want %q", tc.words, tc.n, got, tc.want)
		}
	}
	if got := NewMarker(nil).Snippet(" \n ", 2, 10); got != nil {
		t.Errorf("of nothing: %q", got)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s    string
		max  int
		want string
	}{
		{"short", 10, "short"},
		{"some longer words", 15, "some longer…"},
		{"unbroken-long-word", 10, "unbroke…"},
		{"ééééé", 8, "éé…"},
		{"abc", 2, ""},
	} {
		if got := Cut(tc.s, tc.max); got != tc.want {
			t.Errorf("%q to %d: %q, want %q", tc.s, tc.max, got, tc.want)
		}
	}
}

func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if Fold(Fold(s)) != Fold(s) {
			t.Fatalf("folding twice: %q, %q", Fold(s), Fold(Fold(s)))
		}
		checkWords(t, s)
		if c := Cut(s, 20); len(c) > 20 || !utf8.ValidString(c) {
			t.Fatalf("cut: %q", c)
		}
		w := Words(s)
		if len(w) > 0 && NewMarker(w).In(s) == 0 {
			t.Fatalf("none of %q is in %q", w, s)
		}
		if p := NewPhrase(s); !p.In("before " + s + " after") {
			t.Fatalf("%q is not in itself", s)
		}
	})
}

// checkWords: every word is folded, not empty, of bounded length, and from a place
// inside s; places do not go back.
func checkWords(t interface{ Fatalf(string, ...any) }, s string) {
	var sc Scanner
	prev := 0
	sc.Scan(s, func(w []byte, role Role, start, end int) bool {
		switch {
		case len(w) == 0 || len(w) > maxWord || !utf8.Valid(w):
			t.Fatalf("%q: word %q", s, w)
		case role != Whole && Fold(string(w)) != string(w):
			t.Fatalf("%q: word %q is not folded: %q", s, w, Fold(string(w)))
		case start < 0 || end > len(s) || start >= end || end < prev:
			t.Fatalf("%q: word %q at %d to %d, after %d", s, w, start, end, prev)
		}
		prev = end
		return true
	})
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"", "CachedEntry x_y", "日本語 Go言語", "\xff", "ẞß İı", "e\u0301\u0301", "ﬁ", "_", "à_B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkWords(t, s) })
}

func BenchmarkScan(b *testing.B) {
	s := strings.Repeat("The CachedEntry of get_file_name is served by an HTTPServer that retries. ", 10)
	b.SetBytes(int64(len(s)))
	var sc Scanner
	for b.Loop() {
		sc.Scan(s, func([]byte, Role, int, int) bool { return true })
	}
}
