// Command ranking measures how well the memory finds things: it takes the Go
// standard library apart into functions (goset.go), stores the code of each
// without its doc comment, asks for each by the first sentence of that comment,
// and prints how high the right one was ranked.
//
//	go run ./bench/ranking
//
// A query gives the words of the sentence, any of which may be in an entry, and
// takes the first ten. -set and -run write what other evaluators of rankings read.
package main

import (
	"context"
	"flag"
	"fmt"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"helix/internal/kb"
	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

func main() {
	goroot := flag.String("goroot", build.Default.GOROOT, "Go installation whose src is taken")
	most := flag.Int("queries", 0, "ask only the first `n` queries; 0: all")
	set := flag.String("set", "", "also write corpus.jsonl, queries.jsonl and qrels.tsv into this `folder`")
	run := flag.String("run", "", "also write the rankings to this `file`: query, tab, document, the best first")
	flag.Parse()
	if err := bench(os.Stdout, *goroot, *most, *set, *run); err != nil {
		fmt.Fprintln(os.Stderr, "bench/ranking:", err)
		os.Exit(1)
	}
}

func bench(out io.Writer, goroot string, most int, setDir, runFile string) error {
	s, err := readSet(filepath.Join(goroot, "src"))
	if err != nil {
		return err
	}
	if most > 0 && most < len(s.queries) {
		s.queries = s.queries[:most]
	}
	if setDir != "" {
		if err := s.write(setDir); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "helix-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	names, err := load(dir, s.documents)
	if err != nil {
		return err
	}
	rankings, took, err := ask(dir, s.queries, names)
	if err != nil {
		return err
	}
	if runFile != "" {
		if err := writeRun(runFile, s.queries, rankings); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "documents %d  %v\n", len(s.documents), evaluate(s.queries, rankings))
	slices.Sort(took)
	fmt.Fprintf(out, "median %v and p95 %v a query\n", took[len(took)/2].Round(time.Microsecond), took[len(took)*95/100].Round(time.Microsecond))
	return nil
}

// load stores and indexes the documents and gives the name of each by the id of its entry,
// which must not have the name in it: it would answer the query.
func load(dir string, documents []document) (names map[string]string, err error) {
	const chunk = 1000
	l := log.Open(dir)
	defer l.Close()
	names = make(map[string]string, len(documents))
	start := time.Now().Add(-time.Hour)
	var ops []log.Op
	for i, d := range documents {
		e := entry.New(d.pkg, d.code, start.Add(time.Duration(i)*time.Millisecond))
		e.ID = fmt.Sprintf("mem_%06d", i)
		e.Kind = entry.Snippet
		names[e.ID] = d.name
		ops = append(ops, log.Put(e))
		if len(ops) == chunk || i == len(documents)-1 {
			if _, err := l.Append(context.Background(), ops...); err != nil {
				return nil, err
			}
			ops = ops[:0]
		}
	}
	m := kb.Open(dir)
	defer m.Close()
	if _, err := m.Reindex(context.Background()); err != nil {
		return nil, err
	}
	return names, nil
}

// ask gives, for each query, the names of the documents found, the best first.
func ask(dir string, queries []query, names map[string]string) (rankings [][]string, took []time.Duration, err error) {
	v, err := view.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	defer v.Close()
	for _, q := range queries {
		start := time.Now()
		found, err := v.Search(view.Query{Text: plainWords(q.text), Any: true, Limit: depth})
		if err != nil {
			return nil, nil, fmt.Errorf("query %s: %w", q.id, err)
		}
		took = append(took, time.Since(start))
		var ranking []string
		for _, h := range found.Hits {
			ranking = append(ranking, names[h.Entry.ID])
		}
		rankings = append(rankings, ranking)
	}
	return rankings, took, nil
}

// plainWords leaves nothing in a sentence that the query language would take for
// a phrase, an exclusion or a filter.
func plainWords(sentence string) string {
	return strings.Join(strings.FieldsFunc(sentence, func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}), " ")
}
