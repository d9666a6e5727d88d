// Command kb measures the memory at several sizes: whole processes as the clients
// start them, and the service as a server uses it, on entries made of the comments
// of the Go standard library (corpus.go).
//
//	go run ./bench/kb -n 1000,100000
//
// It builds helix, helix-hook and a Go program that does nothing, beside which the
// hooks are measured in turn: the ratio says what helix adds to the start of a
// process. A part that fails is named in its row, and the exit code is then 1.
package main

import (
	"context"
	"flag"
	"fmt"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if dir := os.Getenv(writerEnv); dir != "" {
		if err := write(dir, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench/kb: writer:", err)
			os.Exit(1)
		}
		return
	}
	sizes := flag.String("n", "1000,10000,100000,1000000", "numbers of entries")
	seed := flag.Uint64("seed", 1, "of the entries and the queries")
	runs := flag.Int("runs", 40, "how often each process is run")
	goroot := flag.String("goroot", build.Default.GOROOT, "Go installation whose comments are taken")
	flag.Parse()
	whole, err := bench(context.Background(), os.Stdout, *sizes, *seed, *runs, *goroot)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/kb:", err)
	}
	if err != nil || !whole {
		os.Exit(1)
	}
}

func bench(ctx context.Context, out io.Writer, sizes string, seed uint64, runs int, goroot string) (whole bool, err error) {
	var ns []int
	for _, s := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return false, fmt.Errorf("-n %s: %q is not a number of entries", sizes, s)
		}
		ns = append(ns, n)
	}
	if runs < 1 {
		return false, fmt.Errorf("-runs %d: at least one run is needed", runs)
	}
	dir, err := os.MkdirTemp("", "helix-bench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	p, err := buildAll(dir)
	if err != nil {
		return false, err
	}
	lib, err := readLibrary(filepath.Join(goroot, "src"))
	if err != nil {
		return false, err
	}
	whole = true
	for _, n := range ns {
		at := filepath.Join(dir, strconv.Itoa(n))
		b := &session{programs: p, dir: filepath.Join(at, "kb"), home: filepath.Join(at, "home"), runs: runs, corpus: newCorpus(lib, n, seed), entries: n}
		if err := os.MkdirAll(b.home, 0o755); err != nil {
			return false, err
		}
		t := b.measure(ctx)
		fmt.Fprintf(out, "\n%d entries\n", n)
		if err := t.print(out); err != nil {
			return false, err
		}
		whole = whole && !t.failed
		if err := os.RemoveAll(at); err != nil {
			return false, err
		}
	}
	return whole, nil
}

// session measures one size.
type session struct {
	programs
	dir     string // of the memory
	home    string // of the processes
	runs    int
	entries int
	corpus  *corpus
	queries []string
	files   []string // sources of entries
}

// measure loads the memory and runs every part. What a later part stores comes
// after everything that only reads.
func (s *session) measure(ctx context.Context) *table {
	t := &table{}
	if !t.part("bulk load", func() error { return s.load(ctx, t) }) {
		return t
	}
	t.part("rebuild of the index", func() error { return s.reindex(ctx, t) })
	t.part("files", func() error { return s.sizes(t) })
	t.part("search in process", func() error { return s.search(ctx, t) })
	t.part("brief in process", func() error { return s.brief(ctx, t) })
	t.part("hooks", func() error { return s.hooks(ctx, t) })
	t.part("helix kb search", func() error { return s.searchProcess(ctx, t) })
	t.part("helix serve", func() error { return s.serve(ctx, t) })
	t.part("write to searchable, same process", func() error { return s.visibleHere(ctx, t) })
	t.part("write to searchable, other process", func() error { return s.visibleThere(ctx, t) })
	return t
}

// since is the time from start in milliseconds.
func since(start time.Time) float64 { return float64(time.Since(start)) / float64(time.Millisecond) }
