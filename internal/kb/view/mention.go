package view

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"

	"helix/internal/kb/index"
)

// Mentions gives for each of the names how many active entries of each topic have all
// of its words, the most first; of a topic whose own name has one of the words, the
// entries that have them in their text. Only entries of the topic within count, ""
// for those of all. step is called after each name, never twice at the same time, and
// ends it with an error.
func (v *View) Mentions(names []string, within string, step func(done int) error) (out [][]Count, err error) {
	err = v.guard(func() error {
		out = make([][]Count, len(names))
		f := index.Filter{Now: v.opts.now()}
		if within != "" {
			f.Require = [][]string{{index.TopicKey(within)}}
		}
		return together(len(names), step, func() func(int) {
			m := v.snap.Mentions(&f)
			return func(i int) {
				for _, c := range m.Of(nameWords(names[i])) {
					out[i] = append(out[i], Count{c.Name, c.Docs})
				}
				slices.SortStableFunc(out[i], func(a, b Count) int { return cmp.Compare(b.Entries, a.Entries) })
			}
		})
	})
	return out, err
}

// together does n things that read the index, on all processors where there are many.
// start is called once for each processor, and gives what does the i-th.
func together(n int, step func(done int) error, start func() func(i int)) error {
	const worth = 64 // things for one processor
	var wg sync.WaitGroup
	var mu sync.Mutex // of what follows
	var next, done int
	var failed error
	take := func() (i int, more bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, failed == nil && next <= n
	}
	finish := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; failed == nil {
			failed = step(done)
		}
	}
	work := func() {
		err := index.Guard(func() error {
			do := start()
			for i, more := take(); more; i, more = take() {
				do(i)
				finish()
			}
			return nil
		})
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	}
	for range max(1, min(n/worth, runtime.GOMAXPROCS(0))) {
		wg.Go(work)
	}
	wg.Wait()
	return failed
}

// nameWords are the words of a name: identifiers as a whole only where they have no
// parts that are words.
func nameWords(name string) []string {
	var p parsed
	p.addWords(name)
	if len(p.words) == 0 {
		return p.wholes
	}
	return p.words
}
