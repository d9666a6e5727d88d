// Command tracker measures helix bead on large queues: whole processes, as a
// person or an agent starts them, on queues like those of a project that ran for
// a while (generate.go).
//
//	go run ./bench/tracker
//
// It builds helix, runs every case several times and prints the medians beside
// the times that they must stay under. The exit code is 1 when one does not.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	runs := flag.Int("runs", 10, "how often each case is run")
	helix := flag.String("helix", "", "helix to measure, instead of building this source")
	flag.Parse()
	within, err := bench(*helix, *runs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/tracker:", err)
	}
	if err != nil || !within {
		os.Exit(1)
	}
}

func bench(helix string, runs int) (within bool, err error) {
	dir, err := os.MkdirTemp("", "helix-bench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if helix == "" {
		helix = filepath.Join(dir, "helix")
		build := exec.Command("go", "build", "-o", helix, "helix/cmd/helix")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return false, fmt.Errorf("build helix: %w\n%s", err, out)
		}
	} else if helix, err = filepath.Abs(helix); err != nil {
		return false, err
	}
	small, err := newQueue(helix, filepath.Join(dir, "small"), 10_000)
	if err != nil {
		return false, err
	}
	large, err := newQueue(helix, filepath.Join(dir, "large"), 100_000)
	if err != nil {
		return false, err
	}
	return report(os.Stdout, runs, []measure{
		{"ready --json", small, 60 * time.Millisecond, small.ready},
		{"ready --json", large, 500 * time.Millisecond, large.ready},
		{"update --claim, then close", small, 120 * time.Millisecond, small.claimAndClose},
		{"create", small, 0, small.create},
		{"status --json", small, 0, small.status},
		{"status --json", large, 0, large.status},
	})
}

// measure is one row of the table; a limit of 0 is none.
type measure struct {
	name  string
	queue *queue
	limit time.Duration
	run   func() (time.Duration, error)
}

func report(w io.Writer, runs int, measures []measure) (within bool, err error) {
	within = true
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "helix bead\tbeads\tfile\tmedian of %d\tfastest\tslowest\tlimit\n", runs)
	for _, m := range measures {
		var times []time.Duration
		for range runs {
			took, err := m.run()
			if err != nil {
				return false, fmt.Errorf("%s at %d beads: %w", m.name, m.queue.beads, err)
			}
			times = append(times, took)
		}
		slices.Sort(times)
		median := (times[(runs-1)/2] + times[runs/2]) / 2
		limit := "-"
		if m.limit > 0 {
			limit = ms(m.limit)
			if median > m.limit {
				limit += " exceeded"
				within = false
			}
		}
		fmt.Fprintf(table, "%s\t%d\t%.1f MB\t%s\t%s\t%s\t%s\n", m.name, m.queue.beads, float64(m.queue.size)/1e6, ms(median), ms(times[0]), ms(times[runs-1]), limit)
	}
	return within, table.Flush()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond)) }

// queue is a repository with a generated tracker.
type queue struct {
	helix string
	dir   string
	beads int
	size  int64
	open  []string // ids of executable beads that are not used up yet
}

func newQueue(helix, dir string, beads int) (*queue, error) {
	q := &queue{helix: helix, dir: dir, beads: beads}
	for _, d := range []string{filepath.Join(dir, ".git"), filepath.Join(dir, ".ddx")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	var err error
	if q.size, err = generate(filepath.Join(dir, ".ddx", "beads.jsonl"), beads); err != nil {
		return nil, err
	}
	out, _, err := q.start("bead", "ready", "--execution", "--json")
	if err != nil {
		return nil, err
	}
	var ready []struct{ ID string }
	if err := json.Unmarshal(out, &ready); err != nil {
		return nil, fmt.Errorf("ready --json: %w", err)
	}
	for _, b := range ready {
		q.open = append(q.open, b.ID)
	}
	return q, nil
}

// start runs helix and takes the time from its start to its end.
func (q *queue) start(args ...string) ([]byte, time.Duration, error) {
	cmd := exec.Command(q.helix, args...)
	cmd.Dir = q.dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "DDX_BEAD_") || strings.HasPrefix(kv, "HELIX_TRACKER_")
	})
	begin := time.Now()
	out, err := cmd.Output()
	return out, time.Since(begin), err
}

func (q *queue) ready() (time.Duration, error) {
	out, took, err := q.start("bead", "ready", "--json")
	if err == nil && !json.Valid(out) {
		err = fmt.Errorf("what it prints is no JSON")
	}
	return took, err
}

func (q *queue) status() (time.Duration, error) {
	_, took, err := q.start("bead", "status", "--json")
	return took, err
}

func (q *queue) create() (time.Duration, error) {
	_, took, err := q.start("bead", "create", "One more")
	return took, err
}

func (q *queue) claimAndClose() (time.Duration, error) {
	if len(q.open) == 0 {
		return 0, fmt.Errorf("the queue has no executable bead left")
	}
	id := q.open[0]
	q.open = q.open[1:]
	_, claim, err := q.start("bead", "update", id, "--claim")
	if err != nil {
		return 0, err
	}
	_, closing, err := q.start("bead", "close", id)
	return claim + closing, err
}
