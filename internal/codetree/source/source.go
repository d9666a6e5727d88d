package source

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// File is what one source file holds.
type File struct {
	Language string // "" for a text in none that is known
	Package  string // as the file says: Go and Java; of a go.mod the module
	Doc      string // first sentence of what the file says about itself
	Lines    int
	Symbols  []Symbol // ordered by line; a parent comes before its children
	Calls    []Call
	Imports  []Import
}

// Symbol is a declaration. Lines count from 1.
type Symbol struct {
	Name      string
	Container string // what it belongs to, outermost first, joined by dots
	Kind      Kind
	Line      int
	EndLine   int // inclusive
	Signature string
	Doc       string // first sentence of the comment before it
	Exported  bool
	Parent    int // index of the symbol that holds it; -1: the file
}

// Kind is what a symbol is.
type Kind string

const (
	Func      Kind = "func"
	Method    Kind = "method"
	Prototype Kind = "prototype" // a C function that is declared and not defined here
	Class     Kind = "class"
	Struct    Kind = "struct"
	Interface Kind = "interface"
	Trait     Kind = "trait"
	Impl      Kind = "impl"
	Enum      Kind = "enum"
	Type      Kind = "type"
	Const     Kind = "const"
	Var       Kind = "var"
	Module    Kind = "module" // a namespace within a file
	Macro     Kind = "macro"
	Section   Kind = "section"
)

// Call is a use of a name as a function, or the making of a value of a type.
type Call struct {
	Name string
	On   string // the name before the dot: a package, a variable, a type; "" for none
	Line int
	From int // index of the innermost symbol around it; -1: none
}

// Import is one that a file states.
type Import struct {
	Path  string   // as written, without quotes
	Names []string // what is taken from it, where the language says that here
	Line  int
}

// Limits of what is kept of a text.
const (
	maxSignature = 240 // bytes
	maxDoc       = 160
	maxName      = 200
)

// languages by file extension.
var languages = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python",
	".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".ts": "typescript", ".tsx": "typescript", ".mts": "typescript", ".cts": "typescript",
	".rs": "rust", ".java": "java",
	".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".c++": "cpp",
	".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp", ".ipp": "cpp", ".inl": "cpp",
	".md": "markdown", ".markdown": "markdown",
}

// Language is the language of a file by its name, "" for none that is known.
func Language(name string) string {
	if path.Base(name) == "go.mod" {
		return "go.mod"
	}
	return languages[strings.ToLower(path.Ext(name))]
}

// Parse reads the file of that name.
func Parse(name string, src []byte) *File {
	f := &File{Language: Language(name), Lines: lineCount(src)}
	switch f.Language {
	case "go":
		parseGo(f, src)
	case "go.mod":
		f.Package = module(src)
	case "markdown":
		parseMarkdown(f, src)
	case "python":
		parsePython(f, src)
	case "javascript", "typescript":
		parseScript(f, src)
	case "rust":
		parseRust(f, src)
	case "java":
		parseJava(f, src)
	case "c", "cpp":
		parseC(f, src)
	}
	tidy(f)
	return f
}

// Binary reports whether the content is none that a person reads: it has a NUL
// among its first bytes, as git decides it, or is not UTF-8 in its beginning.
func Binary(src []byte) bool {
	head := src[:min(len(src), 8000)]
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	bad := 0
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 && len(head)-i >= utf8.UTFMax {
			bad++
		}
		i += n
	}
	return bad > len(head)/10
}

func lineCount(src []byte) int {
	n := bytes.Count(src, []byte{'\n'})
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}

// clip is text as one line of valid UTF-8, of at most limit bytes.
func clip(text string, limit int) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if len(text) <= limit {
		return text
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// oneLine is text with every run of white space as one blank.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// summary is the first sentence of a comment or document string, on one line.
func summary(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = bare(line)
		if line == "" && b.Len() > 0 {
			break
		}
		if line == "" || strings.Trim(line, "-=*/#") == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(line)
		if cut := sentenceEnd(b.String()); cut > 0 {
			return b.String()[:cut]
		}
		if b.Len() > maxDoc { // it is cut short anyway
			break
		}
	}
	return b.String()
}

// sentenceEnd is behind the first sentence, 0 if the text is not that long.
func sentenceEnd(text string) int {
	for i := 0; i+1 < len(text); i++ {
		if (text[i] == '.' || text[i] == '!' || text[i] == '?') && text[i+1] == ' ' && !abbreviated(text[:i]) {
			return i + 1
		}
	}
	return 0
}

// abbreviated tells whether the dot behind the text belongs to its last word.
func abbreviated(text string) bool {
	word := strings.ToLower(strings.TrimLeft(text[strings.LastIndexByte(text, ' ')+1:], "("))
	return len(word) == 1 || strings.Contains(word, ".") && len(word) == 3 || word == "etc" || word == "vs" || word == "cf"
}

// bare is a line of a comment without what marks it as one.
func bare(line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"///", "//!", "//", "/**", "/*!", "/*", "*/", "*", "#", `"""`, "'''", `r"""`, `"`, "'"} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			line = rest
			break
		}
	}
	for _, mark := range []string{"*/", `"""`, "'''"} {
		line = strings.TrimSuffix(line, mark)
	}
	return strings.TrimSpace(line)
}
