package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"helix/internal/kb"
)

// loads is how often a memory is filled, one that is not too large: the first time, the
// machine has to find the room too.
const (
	loads    = 3
	tooLarge = 200_000
)

// load fills the memory as a person would: helix kb import, which ends when the index
// is up too.
func (s *session) load(ctx context.Context, t *table) error {
	file := filepath.Join(s.home, "entries.jsonl")
	if err := s.write(file); err != nil {
		return err
	}
	runtime.GC() // not beside what is measured
	var took []float64
	for i := range loads {
		dir := s.dir
		if i < loads-1 {
			dir = fmt.Sprintf("%s-%d", s.dir, i)
			if s.entries > tooLarge {
				continue
			}
		}
		ms, err := s.importFile(ctx, dir, file, s.entries)
		if err != nil {
			return err
		}
		took = append(took, ms)
	}
	if err := os.Remove(file); err != nil {
		return err
	}
	s.pick()
	t.times("bulk load", took, fmt.Sprintf("%.0f entries/s; helix kb import, whole process, with the index", float64(s.entries)/quantile(took, 0.5)*1000))
	return nil
}

// write writes all entries to a file, and the file to the disk, so that nobody else's
// sync has to.
func (s *session) write(name string) error {
	const piece = 100_000 // entries in memory at once
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for left := s.entries; left > 0 && err == nil; left -= piece {
		var lines []byte
		if lines, err = s.corpus.lines(min(left, piece)); err == nil {
			_, err = f.Write(lines)
		}
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func (s *session) importFile(ctx context.Context, dir, file string, n int) (ms float64, err error) {
	out, ms, err := s.run(ctx, "", s.helix, "kb", "import", "--kb", dir, file)
	if err != nil {
		return 0, err
	}
	if want := fmt.Sprintf("imported %d ", n); !strings.HasPrefix(out, want) {
		return 0, fmt.Errorf("helix kb import says %q, not %q", out, want)
	}
	return ms, nil
}

// pick chooses the queries, and the files whose entries the hooks are asked for.
func (s *session) pick() {
	seen := map[string]bool{}
	s.queries = s.corpus.queries(100)
	for _, topic := range s.corpus.topics {
		for _, sentence := range s.corpus.lib.sentences[topic.pkg][:3] {
			if !seen[sentence.file] && len(s.files) < 100 {
				seen[sentence.file] = true
				s.files = append(s.files, sentence.file)
			}
		}
	}
}

func (s *session) sizes(t *table) error {
	var logSize, rest int64
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.Name() == "data.log" {
			logSize += info.Size()
		} else {
			rest += info.Size()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if logSize == 0 {
		return errors.New("the memory has no data.log")
	}
	t.value("log", fmt.Sprintf("%.1f MB", float64(logSize)/1e6), fmt.Sprintf("%d bytes an entry", logSize/int64(s.entries)))
	t.value("index and other files", fmt.Sprintf("%.1f MB", float64(rest)/1e6), fmt.Sprintf("%.2f × the log", float64(rest)/float64(logSize)))
	return nil
}

func (s *session) search(ctx context.Context, t *table) error {
	m := kb.Open(s.dir)
	defer m.Close()
	var took []float64
	first := 0.0
	for round := range 2 { // the first one warms
		for i, q := range s.queries {
			start := time.Now()
			if _, err := m.Search(ctx, kb.SearchRequest{Query: q, Limit: 10}); err != nil {
				return fmt.Errorf("search %q: %w", q, err)
			}
			switch {
			case round > 0:
				took = append(took, since(start))
			case i == 0:
				first = since(start)
			}
		}
	}
	t.value("first search in process", duration(first), "opens the memory")
	t.times("search in process", took, fmt.Sprintf("%d queries of 1 to 3 words, warm", len(took)))
	return nil
}

func (s *session) brief(ctx context.Context, t *table) error {
	m := kb.Open(s.dir)
	defer m.Close()
	runs := min(s.runs, 20)
	for _, with := range []string{"", "with a query"} {
		var took []float64
		for i := range runs {
			r := kb.BriefRequest{}
			if with != "" {
				r.Query = s.corpus.topics[i%len(s.corpus.topics)].name
			}
			start := time.Now()
			if _, err := m.Brief(ctx, r); err != nil {
				return err
			}
			took = append(took, since(start))
		}
		if with == "" {
			with = "of everything"
		}
		t.times("brief "+with, took, "")
	}
	return nil
}

func (s *session) reindex(ctx context.Context, t *table) error {
	m := kb.Open(s.dir)
	defer m.Close()
	start := time.Now()
	if _, err := m.Reindex(ctx); err != nil {
		return err
	}
	t.value("rebuild of the index", duration(since(start)), "")
	return nil
}
