package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds adds the samples with that extension, and texts that end in the middle of
// something.
func seeds(f *testing.F, extension string) {
	names, _ := filepath.Glob("testdata/*" + extension)
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
		f.Add(src[:len(src)/2])
	}
	for _, text := range []string{"", "\x00", "(", "}})]", "\"", "'", "`${`${", "/*", "/* /*", "#if 0\n#if\n", "#else", "#", "r##\"", "R\"x(", "@", "def", "class\n", "fn<", "impl for", "import", "use a::{b::{c", "package", "\xff\xfe", "a<b<c", "operator", "namespace", "export default", "# x\n####### y\n", "\"\"\"", "\\\n", "'\\"} {
		f.Add([]byte(text))
	}
}

// check: whatever the text, what is found is consistent.
func check(t *testing.T, name string, src []byte) {
	f := Parse(name, src)
	last := 0
	for i, s := range f.Symbols {
		if s.Name == "" || s.Line < 1 || s.Line < last || s.EndLine < s.Line || s.EndLine > max(1, f.Lines) {
			t.Fatalf("symbol %d: %+v of %d lines, after line %d", i, s, f.Lines, last)
		}
		last = s.Line
		if s.Parent < -1 || s.Parent >= i {
			t.Fatalf("symbol %d has the parent %d", i, s.Parent)
		}
		for _, text := range []string{s.Name, s.Container, s.Signature, s.Doc} {
			if !utf8.ValidString(text) || strings.Contains(text, "\n") || len(text) > 300 {
				t.Fatalf("symbol %d has the text %q", i, text)
			}
		}
	}
	for _, c := range f.Calls {
		if c.Name == "" || c.Line < 1 || c.Line > f.Lines || c.From < -1 || c.From >= len(f.Symbols) {
			t.Fatalf("call %+v", c)
		}
		if c.From >= 0 && (c.Line < f.Symbols[c.From].Line || c.Line > f.Symbols[c.From].EndLine) {
			t.Fatalf("call %+v is not within %+v", c, f.Symbols[c.From])
		}
	}
	for _, i := range f.Imports {
		if i.Path == "" || i.Line < 1 || i.Line > f.Lines {
			t.Fatalf("import %+v", i)
		}
	}
	if !slices.EqualFunc(f.Symbols, Parse(name, src).Symbols, func(a, b Symbol) bool { return a == b }) {
		t.Fatal("a second reading finds something else")
	}
}

func fuzz(f *testing.F, extension string) {
	seeds(f, extension)
	f.Fuzz(func(t *testing.T, src []byte) { check(t, "x"+extension, src) })
}

func FuzzGo(f *testing.F) {
	seeds(f, ".go.txt")
	f.Fuzz(func(t *testing.T, src []byte) { check(t, "x.go", src) })
}
func FuzzPython(f *testing.F)     { fuzz(f, ".py") }
func FuzzTypeScript(f *testing.F) { fuzz(f, ".ts") }
func FuzzRust(f *testing.F)       { fuzz(f, ".rs") }
func FuzzJava(f *testing.F)       { fuzz(f, ".java") }
func FuzzC(f *testing.F)          { fuzz(f, ".c") }
func FuzzCPlusPlus(f *testing.F)  { fuzz(f, ".cpp") }
func FuzzMarkdown(f *testing.F)   { fuzz(f, ".md") }

// TestLong: no text that repeats the beginning of something takes more than linear
// time. It does not measure; what is worse than quadratic never comes back.
func TestLong(t *testing.T) {
	t.Parallel()
	for extension, parts := range map[string][]string{
		".ts":   {"class ", "a.\n", "x<", "function ", "=[/", "`${", "({[", "get ", "import ", "export default ", "type a=", "const a=\n", "class A<", "@a ", "a=>", "class a{b(", "from '", "${/"},
		".py":   {"def ", "@", "(", "class a:\n", " def a():\n", "from ", "import a,", "\\\n", "x=", "def a(:\n"},
		".rs":   {"fn ", "impl<", "impl ", "#[", "use a::{", "mod ", "r#\"", "pub ", "fn a<", "'a", "mod a{", "unsafe ", "#!"},
		".java": {"class ", "class a{", "@a ", "<", "a(", "enum a{", "import ", "public "},
		".cpp":  {"struct ", "template<", "operator", "A>::b(", "class a{", "namespace ", "typedef ", "a(", "a:", "R\"(", "#if\n", "#else\n", "extern \"C\"{", "X\n", "enum a", "a<", "int f():a("},
		".md":   {"# ", "#\n", "```\n", "# a\n## b\n"},
		".go":   {"func ", "type a ", "import \"a\";", "package a;", "func f(){", "/*"},
	} {
		for _, part := range parts {
			check(t, "x"+extension, []byte("package a;\n"+strings.Repeat(part, 20_000/len(part))))
		}
	}
}
