package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	queries := []query{{answer: "a"}, {answer: "b"}, {answer: "c"}, {answer: "d"}}
	deep := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "d"}
	got := evaluate(queries, [][]string{{"a"}, {"x", "y", "b"}, {"1", "2", "3", "4", "5", "6", "c"}, deep})
	want := quality{
		queries: 4,
		nDCG10:  (1 + 1/math.Log2(4) + 1/math.Log2(8)) / 4,
		r5:      0.5, r10: 0.75,
		mrr10: (1 + 1.0/3 + 1.0/7) / 4,
	}
	if math.Abs(got.nDCG10-want.nDCG10)+math.Abs(got.mrr10-want.mrr10) > 1e-12 || got.r5 != want.r5 || got.r10 != want.r10 || got.queries != 4 {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := evaluate(nil, nil); got != (quality{}) {
		t.Errorf("no query: %v", got)
	}
}

// The whole way on a library of three functions: read, store, ask.
func TestSmallLibrary(t *testing.T) {
	t.Parallel()
	src := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("strings/fold.go", `package strings

// Fold says whether a is like b under simple case folding. It is slow.
func Fold(a, b string) bool {
	return lower(a) == lower(b) // folding of case
}

// Short is too short to be taken, I fear.
func Short() {}

// Other has a comment that begins with the name, and its receiver is hidden.
func (h *hidden) Other() {
	return
}
`)
	write("net/dial.go", `package net

// Dial connects to the address on the network named in the argument.
func (d *Dialer) Dial(network, address string) {
	connect(network, address)
}

// This comment does not begin with the name of its function at all.
func Listen(address string) {
	bind(address)
}
`)
	write("cmd/tool.go", "package cmd\n\n// Tool is no part of the library, since it is a command.\nfunc Tool() {\n\tx()\n}\n")
	write("net/dial_windows.go", "package net\n\n// Pipe is only on another system and so is not taken.\nfunc Pipe() {\n\tx()\n}\n")

	s, err := readSet(src)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.documents) != 3 || len(s.queries) != 2 {
		t.Fatalf("%d documents and %d queries: %v", len(s.documents), len(s.queries), s)
	}
	if q := s.queries[0]; q.text != "connects to the address on the network named in the argument" || q.answer != "net.Dialer.Dial" {
		t.Errorf("first query: %+v", q)
	}
	dir := t.TempDir()
	names, err := load(dir, s.documents)
	if err != nil {
		t.Fatal(err)
	}
	rankings, _, err := ask(dir, s.queries, names)
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluate(s.queries, rankings); got.r10 != 1 {
		t.Errorf("%v: %q", got, rankings)
	}
}
