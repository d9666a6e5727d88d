package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"helix/internal/kb"
	"helix/internal/kb/view"
)

// writerEnv makes this program the other process of a measurement: it stores what
// standard input names, in the memory that the variable names.
const writerEnv = "HELIX_BENCH_WRITER"

// patience is how long something that was stored may take to be found.
const patience = 30 * time.Second

func finding(word string) kb.StoreRequest {
	return kb.StoreRequest{Topic: "bench-visible", Text: "The word to be found at once is " + word + ".", Force: true}
}

// word gives one that no entry has yet, of letters only.
func word(kind string, i int) string {
	digits := []byte(strconv.Itoa(i))
	for k := range digits {
		digits[k] += 'a' - '0'
	}
	return "qzx" + kind + "v" + string(digits) + "w"
}

// visibleHere stores and searches in one process, until the search finds it.
func (s *session) visibleHere(ctx context.Context, t *table) error {
	m := kb.Open(s.dir)
	defer m.Close()
	var stored, found []float64
	for i := range s.runs {
		w := word("here", i)
		start := time.Now()
		if _, err := m.Store(ctx, finding(w)); err != nil {
			return err
		}
		stored = append(stored, since(start))
		for {
			r, err := m.Search(ctx, kb.SearchRequest{Query: w, Limit: 1})
			if err != nil {
				return err
			}
			if len(r.Items) == 1 && !r.Fallback {
				break
			}
			if time.Since(start) > patience {
				return fmt.Errorf("%s is not found", w)
			}
		}
		found = append(found, since(start))
	}
	t.times("store", stored, "durable")
	t.times("write to searchable, same process", found, "from the call of store")
	return nil
}

// visibleThere has another process store, and looks with views of this one.
func (s *session) visibleThere(ctx context.Context, t *table) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := s.command(ctx, self)
	cmd.Env = append(cmd.Env, writerEnv+"="+s.dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close(), cmd.Wait()) }()
	answers := bufio.NewReader(out)
	var found []float64
	for i := range s.runs {
		w := word("there", i)
		if _, err := fmt.Fprintln(in, w); err != nil {
			return err
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the writer: %w", err)
		}
		nanos, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return err
		}
		start := time.Unix(0, nanos) // of the wall clock, which both processes share
		if err := s.lookFor(w, start); err != nil {
			return err
		}
		found = append(found, since(start))
	}
	t.times("write to searchable, other process", found, "from its call of store")
	return nil
}

func (s *session) lookFor(w string, start time.Time) error {
	for time.Since(start) < patience {
		v, err := view.Open(s.dir)
		if err != nil {
			return err
		}
		r, err := v.Search(view.Query{Text: w, Limit: 1})
		if err := errors.Join(err, v.Close()); err != nil {
			return err
		}
		if len(r.Hits) == 1 && !r.Fallback {
			return nil
		}
	}
	return fmt.Errorf("%s is not found", w)
}

// write stores each word of in, after it has told out when.
func write(dir string, in io.Reader, out io.Writer) error {
	m := kb.Open(dir)
	defer m.Close()
	words := bufio.NewScanner(in)
	for words.Scan() {
		r := finding(words.Text())
		if _, err := fmt.Fprintln(out, time.Now().UnixNano()); err != nil {
			return err
		}
		if _, err := m.Store(context.Background(), r); err != nil {
			return err
		}
	}
	return words.Err()
}
