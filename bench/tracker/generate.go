package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// generate writes a queue of n beads as a project that ran for a while has it:
// epics of twelve, dependencies backwards, most work closed, rows of about 1 KB,
// one in a hundred with 17 KB of events. The same n gives the same file.
func generate(path string, n int) (size int64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	g := generator{rand: rand.New(rand.NewPCG(1, uint64(n))), start: time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)}
	for i := range n {
		g.row(w, i)
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), f.Close()
}

const epicSize = 12

type generator struct {
	rand  *rand.Rand
	start time.Time
}

func beadID(i int) string { return fmt.Sprintf("hx-%08x", i*257) }

func (g *generator) row(w *bufio.Writer, i int) {
	at := g.start.Add(time.Duration(i) * time.Minute)
	epic := i%epicSize == 0
	fmt.Fprintf(w, `{"acceptance":"%s","created_at":"%s"`, g.text(20), at.Format(time.RFC3339Nano))
	if i > epicSize && !epic {
		fmt.Fprintf(w, `,"dependencies":[`)
		for k := range 1 + g.rand.IntN(2) {
			if k > 0 {
				w.WriteByte(',')
			}
			on := i - 1 - g.rand.IntN(epicSize)
			if on%epicSize == 0 {
				on++
			}
			if on >= i {
				on = i - 2
			}
			fmt.Fprintf(w, `{"issue_id":"%s","depends_on_id":"%s","type":"blocks","created_at":"%s"}`, beadID(i), beadID(on), at.Format(time.RFC3339))
		}
		w.WriteByte(']')
	}
	fmt.Fprintf(w, `,"description":"%s"`, g.text(28))
	if g.rand.IntN(100) == 0 {
		g.events(w, at, 17<<10)
	} else {
		g.events(w, at, 200)
	}
	typ := "task"
	if epic {
		typ = "epic"
	}
	fmt.Fprintf(w, `,"id":"%s","issue_type":"%s","labels":["helix","phase:build","area:a%d"]`, beadID(i), typ, i%9)
	if !epic {
		fmt.Fprintf(w, `,"parent":"%s"`, beadID(i-i%epicSize))
	}
	status := "closed"
	switch k := g.rand.IntN(10); {
	case k < 4:
		status = "open"
	case k == 4 && !epic:
		status = "in_progress"
		fmt.Fprintf(w, `,"owner":"helix"`)
	}
	fmt.Fprintf(w, `,"priority":%d,"schema_version":1,"spec-id":"FEAT-%03d","status":"%s","title":"%s","updated_at":"%s"}`+"\n",
		g.rand.IntN(5), i%40, status, g.text(6), at.Add(time.Hour).Format(time.RFC3339Nano))
}

func (g *generator) events(w *bufio.Writer, at time.Time, size int) {
	w.WriteString(`,"events":[`)
	for k := 0; size > 0; k++ {
		if k > 0 {
			w.WriteByte(',')
		}
		n, _ := fmt.Fprintf(w, `{"kind":"execute-bead","summary":"%s","body":"%s\nresult_rev=%016x\nbase_rev=%016x","created_at":"%s"}`,
			g.text(4), g.text(8), g.rand.Uint64(), g.rand.Uint64(), at.Format(time.RFC3339))
		size -= n
	}
	w.WriteByte(']')
}

var words = strings.Fields(`the queue reads a bead and its claim before it writes one line under the lock so
that nobody loses work when two agents \"close\" it at once \n see internal/tracker/lock.go for how`)

func (g *generator) text(n int) string {
	out := make([]string, n)
	for k := range out {
		out[k] = words[g.rand.IntN(len(words))]
	}
	return strings.Join(out, " ")
}
