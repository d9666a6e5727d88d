package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// document is an exported function or method of the standard library.
type document struct {
	name string // package path.Receiver.Name
	pkg  string // package path
	code string // without its doc comment, at most 60 lines
}

// query is what the doc comment of one document says in its first sentence,
// without the name of the function, which begins it.
type query struct {
	id     string
	text   string
	answer string // name of the document
}

type set struct {
	documents []document
	queries   []query
}

const (
	fewestLines = 3 // a shorter function says too little
	mostLines   = 60
	fewestWords = 6 // of a sentence
)

// readSet takes every package below src but commands, internal and vendored ones,
// of the files that Linux on amd64 or all systems have.
func readSet(src string) (*set, error) {
	r := reader{seen: map[string]bool{}, asked: map[string]int{}}
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			switch {
			case rel == "cmd", d.Name() == "testdata", d.Name() == "vendor", d.Name() == "internal":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || elsewhere(rel) {
			return nil
		}
		return r.file(path, strings.TrimSuffix(rel, "/"+d.Name()))
	})
	if err != nil {
		return nil, fmt.Errorf("read the standard library: %w", err)
	}
	if len(r.documents) == 0 {
		return nil, fmt.Errorf("%s has no Go packages: name a Go installation with -goroot", src)
	}
	// A sentence that two functions have asks for none of them.
	s := &set{documents: r.documents}
	for _, q := range r.queries {
		if r.asked[q.text] == 1 {
			q.id = fmt.Sprintf("q%04d", len(s.queries)+1)
			s.queries = append(s.queries, q)
		}
	}
	return s, nil
}

// elsewhere reports whether a file is for another system, or made by a program
// from the tables of a system.
func elsewhere(path string) bool {
	for _, part := range []string{
		"_windows", "_darwin", "_plan9", "_wasm", "_wasip1", "_js", "_aix", "_solaris", "_bsd",
		"_arm", "_386", "_s390x", "_ppc", "_mips", "_riscv", "_loong", "zsyscall", "zerrors",
	} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

type reader struct {
	documents []document
	queries   []query
	seen      map[string]bool // names
	asked     map[string]int  // how often a sentence came up
}

func (r *reader) file(path, pkg string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, src, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() || f.Body == nil || f.Doc == nil {
			continue
		}
		receiver, ok := receiverName(f)
		if !ok {
			continue
		}
		name := pkg + "." + receiver + f.Name.Name
		from, to := files.Position(f.Pos()).Offset, files.Position(f.End()).Offset
		lines := strings.Split(string(src[from:to]), "\n")
		if r.seen[name] || len(lines) < fewestLines {
			continue
		}
		r.seen[name] = true
		lines = lines[:min(len(lines), mostLines)]
		r.documents = append(r.documents, document{name, pkg, strings.Join(lines, "\n")})
		if text, ok := sentence(f); ok {
			r.asked[text]++
			r.queries = append(r.queries, query{text: text, answer: name})
		}
	}
	return nil
}

// receiverName gives "Type." for a method of an exported type and "" for a
// function; a method of another type is none of the set.
func receiverName(f *ast.FuncDecl) (name string, ok bool) {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return "", true
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	id, named := t.(*ast.Ident)
	if !named {
		return "", true
	}
	return id.Name + ".", id.IsExported()
}

func sentence(f *ast.FuncDecl) (text string, ok bool) {
	text = strings.Join(strings.Fields(f.Doc.Text()), " ")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i]
	}
	words := strings.Fields(strings.TrimSuffix(text, "."))
	if len(words) < fewestWords || !strings.EqualFold(words[0], f.Name.Name) {
		return "", false
	}
	text = strings.Join(words[1:], " ")
	return text, !strings.Contains(strings.ToLower(text), "deprecated")
}

// write writes the set in the form that retrieval benchmarks share.
func (s *set) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	corpus, queries := &lines{}, &lines{}
	for _, d := range s.documents {
		corpus.json(map[string]string{"_id": d.name, "title": "", "text": d.code})
	}
	answers := &lines{}
	answers.add("query-id\tcorpus-id\tscore")
	for _, q := range s.queries {
		queries.json(map[string]string{"_id": q.id, "text": q.text})
		answers.add(q.id + "\t" + q.answer + "\t1")
	}
	for name, l := range map[string]*lines{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.tsv": answers} {
		if err := l.save(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func writeRun(path string, queries []query, rankings [][]string) error {
	run := &lines{}
	for i, q := range queries {
		for _, name := range rankings[i] {
			run.add(q.id + "\t" + name)
		}
	}
	return run.save(path)
}

// lines is a text file in the making.
type lines struct {
	all []string
	err error
}

func (l *lines) add(line string) { l.all = append(l.all, line) }

func (l *lines) json(v any) {
	line, err := json.Marshal(v)
	if err != nil && l.err == nil {
		l.err = err
	}
	l.add(string(line))
}

func (l *lines) save(path string) error {
	if l.err != nil {
		return fmt.Errorf("write %s: %w", path, l.err)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, line := range l.all {
		w.WriteString(line)
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}
