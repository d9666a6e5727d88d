package redact

import (
	"go/build"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// checkText checks what holds for every text.
func checkText(t interface {
	Helper()
	Fatalf(string, ...any)
}, s string) {
	t.Helper()
	end := 0
	for _, f := range Find(s) {
		if f.Start < end || f.End <= f.Start || f.End > len(s) {
			t.Fatalf("finding %v in %d bytes, after one that ends at %d: %q", f, len(s), end, s)
		}
		end = f.End
	}
	out, n := Text(s)
	if (n == 0) != (out == s) {
		t.Fatalf("%d found in %q, which became %q", n, s, out)
	}
	if utf8.ValidString(s) && !utf8.ValidString(out) {
		t.Fatalf("%q became invalid UTF-8: %q", s, out)
	}
	if again, m := Text(out); m != 0 || again != out {
		t.Fatalf("%q became %q, and that %q", s, out, again)
	}
}

func TestTextProperties(t *testing.T) {
	t.Parallel()
	pieces := []string{" ", "\n", ": ", "=", "\"", "'", ",", ";", "é", "日本", "password", "token", "api_key", "key", "://", "@", "[redacted: jwt]", "[redacted: ", "]", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", `\n`, "machine a login b password "}
	cases := secretCases()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 12).Draw(t, "parts") {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				c := rapid.SampledFrom(cases).Draw(t, "case")
				b.WriteString(c.before + c.secret + c.after)
			case 1:
				c := rapid.SampledFrom(cases).Draw(t, "secret")
				b.WriteString(c.secret)
			case 2:
				b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
			default:
				b.WriteString(rapid.StringN(0, 40, -1).Draw(t, "text"))
			}
		}
		checkText(t, b.String())
	})
}

// A secret is found wherever it stands in a long text, with the right offsets.
func TestOffsets(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("Der Schlüssel wird täglich erneuert, the token is refreshed. ", 40)
	cases := secretCases()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(cases).Draw(t, "case")
		before := prose[:strings.LastIndexByte(prose[:rapid.IntRange(1, len(prose)).Draw(t, "at")], ' ')+1] + "\n"
		text := before + c.before + c.secret + c.after + "\n" + prose
		got := Find(text)
		if len(got) != 1 {
			t.Fatalf("%s: found %v in %q", c.name, got, text)
		}
		start := len(before) + len(c.before)
		if f := got[0]; f.Start != start || f.End != start+len(strings.TrimSpace(c.secret)) {
			t.Fatalf("%s: found %q", c.name, text[f.Start:f.End])
		}
	})
}

func FuzzText(f *testing.F) {
	for _, c := range secretCases() {
		f.Add(c.before + c.secret + c.after)
	}
	f.Add("password: \xff\xfe1234 [redacted: password] token=[redacted: ")
	f.Fuzz(func(t *testing.T, s string) { checkText(t, s) })
}

// The scan finds what a search for each word finds.
func TestMatcher(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc-]{1,4}`)
		var words []keyword
		for i, w := range rapid.SliceOfN(word, 1, 12).Draw(t, "words") {
			words = append(words, keyword{w, i * 20})
		}
		text := rapid.StringMatching(`[abcABCd -]{0,40}`).Draw(t, "text")
		var want hits
		for _, w := range words {
			if strings.Contains(strings.ToLower(text), w.word) {
				want.add(w.rule)
			}
		}
		if got, any := newMatcher(words).scan(text); got != want || any != (want != hits{}) {
			t.Fatalf("%v in %q: %v, want %v", words, text, got, want)
		}
	})
}

// Every expression of the rule file compiles, and so do ours.
func TestRules(t *testing.T) {
	t.Parallel()
	theirs, err := gitleaks(gitleaksFile)
	if err != nil || len(theirs) < 200 {
		t.Fatalf("%d rules, %v", len(theirs), err)
	}
	id := regexp.MustCompile(`^[a-z0-9-]+$`)
	for _, r := range append(ownRules(), theirs...) {
		if !id.MatchString(r.id) {
			t.Errorf("%s would not make a marker", r.id)
		}
		re, err := regexp.Compile(r.pattern)
		if err != nil || r.group > re.NumSubexp() {
			t.Errorf("%s: group %d, %v", r.id, r.group, err)
		}
		for i := range r.allow {
			a := &r.allow[i]
			for _, p := range a.patterns {
				if _, err := regexp.Compile(p); err != nil {
					t.Errorf("%s: %v", r.id, err)
				}
			}
		}
	}
	if _, err := newRuleSet([]*rule{{id: "all"}}); err == nil {
		t.Error("a rule without keywords is accepted")
	}
	if _, err := gitleaks([]byte("[[rules]\n")); err == nil {
		t.Error("a broken rule file is accepted")
	}
}

// Prose about programs, of which some is about passwords and keys, has no secrets.
func TestDocCommentsStay(t *testing.T) {
	t.Parallel()
	// net/http and net/url give examples of HTTP authentication that a person
	// would take for real too; two are allowed.
	const allowed = 2
	comments, found := 0, 0
	for _, pkg := range []string{"net/http", "net/url", "crypto/tls", "crypto/x509", "go/token", "go/scanner", "database/sql", "encoding/json", "net/smtp", "os/exec", "text/template", "context"} {
		files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(gotoken.NewFileSet(), path, src, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range file.Comments {
				comments++
				text := group.Text()
				for _, f := range Find(text) {
					found++
					t.Logf("%s: %s: %q", filepath.Base(path), f.Rule, text[f.Start:f.End])
				}
			}
		}
	}
	if comments == 0 {
		t.Skip("the sources of the standard library are not installed")
	}
	t.Logf("%d findings in %d comments", found, comments)
	if found > allowed {
		t.Errorf("%d findings in comments, at most %d are known", found, allowed)
	}
}

func BenchmarkText(b *testing.B) {
	m := newMaker(1)
	plain := strings.Repeat("The view is built in order, so that old ones win over new. ", 5)
	for _, c := range []struct{ name, text string }{
		{"plain", plain},
		{"words", "The token is refreshed each hour; password: must be long. " + plain},
		{"assignments", "max_tokens = 4096, key: internal/kb/log2.go, api_key=config.Get2Key " + plain},
		{"secret", "api_key = " + m.of(alnum, 32) + " " + plain},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Text(c.text)
			}
		})
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		theirs, err := gitleaks(gitleaksFile)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := newRuleSet(append(ownRules(), theirs...)); err != nil {
			b.Fatal(err)
		}
	}
}
