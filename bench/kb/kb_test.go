package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helix/internal/kb"
)

// smallLibrary has two packages with enough comments for a corpus, and one without.
func smallLibrary(t *testing.T) *library {
	t.Helper()
	src := t.TempDir()
	for pkg, n := range map[string]int{"net/http": 40, "text": 25, "tiny": 3} {
		var b strings.Builder
		b.WriteString("// Copyright of somebody who wrote this whole file here.\n\npackage x\n\n")
		for i := range n {
			fmt.Fprintf(&b, "// The part number %c of %s deals with requests and\n// answers them. It is short. a | b | c | d | e | f | g | h | i.\nvar v%d int\n\n", 'a'+i%26, pkg, i)
		}
		dir := filepath.Join(src, pkg)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lib, err := readLibrary(src)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func TestReadLibrary(t *testing.T) {
	t.Parallel()
	lib := smallLibrary(t)
	if got := strings.Join(lib.packages, " "); got != "net-http text" {
		t.Fatalf("packages: %s", got)
	}
	got := lib.sentences["net-http"][0]
	if got.text != "The part number a of net/http deals with requests and answers them." || got.line != 5 || filepath.Base(got.file) != "x.go" {
		t.Errorf("first sentence: %+v", got)
	}
	if len(lib.sentences["text"]) != 25 {
		t.Errorf("%d sentences, want 25: short ones, tables and the notice are none", len(lib.sentences["text"]))
	}
}

func TestCorpusIsTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	lib := smallLibrary(t)
	make := func(seed uint64) ([]byte, []string) {
		c := newCorpus(lib, 200, seed)
		lines, err := c.lines(200)
		if err != nil {
			t.Fatal(err)
		}
		return lines, c.queries(10)
	}
	a, qa := make(1)
	b, qb := make(1)
	if !bytes.Equal(a, b) || strings.Join(qa, ";") != strings.Join(qb, ";") {
		t.Error("the same seed gives another corpus")
	}
	if c, _ := make(2); bytes.Equal(a, c) {
		t.Error("another seed gives the same corpus")
	}
	topics := map[string]int{}
	for line := range bytes.Lines(a) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		topics[r.Topic]++
		if r.Text == "" || r.Created.After(end) {
			t.Errorf("%+v", r)
		}
	}
	if len(topics) != 14 {
		t.Errorf("%d topics for 200 entries, want 14", len(topics))
	}
	for i, q := range qa {
		if got := strings.Count(q, " ") + 1; got != i/10+1 {
			t.Errorf("query %d has %d words: %q", i, got, q)
		}
	}
}

// What is generated can be imported and found, in this process and another.
func TestLoadAndFind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p, err := buildAll(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{programs: p, dir: filepath.Join(t.TempDir(), "kb"), home: t.TempDir(), runs: 2, entries: 60, corpus: newCorpus(smallLibrary(t), 60, 1)}
	tab := &table{}
	for _, part := range []func(context.Context, *table) error{s.load, s.search, s.visibleHere} {
		if err := part(ctx, tab); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := write(s.dir, strings.NewReader(word("there", 1)+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	m := kb.Open(s.dir)
	defer m.Close()
	r, err := m.Search(ctx, kb.SearchRequest{Query: word("there", 1)})
	if err != nil || len(r.Items) != 1 {
		t.Errorf("found %v, %v", r.Items, err)
	}
	if err := tab.print(&out); err != nil || !strings.Contains(out.String(), "bulk load") {
		t.Errorf("%s, %v", &out, err)
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	values := []float64{5, 1, 4, 2, 3}
	if got := quantile(values, 0.5); got != 3 {
		t.Errorf("median %v", got)
	}
	if got := quantile(values, 0.95); got != 5 {
		t.Errorf("p95 %v", got)
	}
	if got := quantile(nil, 0.5); got != 0 {
		t.Errorf("of nothing %v", got)
	}
}
