package log

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scenario is one operation that is tried with a fault at each of its steps.
type scenario struct {
	name  string
	build func(t *testing.T) *memFS
	run   func(l *Log) error
	// before are the live entries that must be there whatever happens, after are
	// those once run has succeeded.
	before, after map[string]string
}

func ctx() context.Context { return context.Background() }

func ran[T any](_ T, err error) error { return err }

var two = map[string]string{"mem_1": "first", "mem_2": "second"}

func with(m map[string]string, more ...string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

// small is a log with the entries of two, and one that was deleted.
func small(t *testing.T) *memFS {
	t.Helper()
	m := newMemFS()
	l := m.process(newMemLock())
	mustAppend(t, l, Put(note("mem_1", "first")))
	mustAppend(t, l, Put(note("mem_2", "second")), Put(note("mem_3", "third")))
	mustAppend(t, l, Delete("mem_3"))
	return m
}

func scenarios() []scenario {
	three := func(l *Log) error {
		return ran(l.Append(ctx(), Put(note("mem_4", "a")), Put(note("mem_5", "b")), Put(note("mem_6", "c"))))
	}
	threeMore := with(two, "mem_4", "a", "mem_5", "b", "mem_6", "c")
	v1 := map[string]string{}
	for _, r := range sampleV1().live() {
		v1[r.id] = r.body
	}
	return []scenario{
		{"first write", func(*testing.T) *memFS { return newMemFS() },
			func(l *Log) error { return ran(l.Append(ctx(), Put(note("mem_4", "a")))) }, nil, with(nil, "mem_4", "a")},
		{"append", small,
			func(l *Log) error { return ran(l.Append(ctx(), Put(note("mem_4", "a")))) }, two, with(two, "mem_4", "a")},
		{"batch", small, three, two, threeMore},
		{"update", small, func(l *Log) error {
			return ran(l.Update(ctx(), func(r *Reader) ([]Op, error) {
				_, _, err := r.Fold()
				return []Op{Put(note("mem_4", "a"))}, err
			}))
		}, two, with(two, "mem_4", "a")},
		{"compact", small, func(l *Log) error { return ran(l.Compact(ctx())) }, two, two},
		{"compact and append", small, func(l *Log) error {
			if _, err := l.Compact(ctx()); err != nil {
				return err
			}
			return three(l)
		}, two, threeMore},
		{"cut and append", func(t *testing.T) *memFS {
			m := small(t)
			m.put("/kb/"+FileName, append(m.content("/kb/"+FileName), marker+"torn"...))
			return m
		}, three, two, threeMore},
		{"keep, cut and append", func(t *testing.T) *memFS {
			m := small(t)
			m.put("/kb/"+FileName, append(m.content("/kb/"+FileName), strings.Repeat("garbage", 100)...))
			return m
		}, three, two, threeMore},
		{"upgrade", func(*testing.T) *memFS {
			m := newMemFS()
			m.put("/kb/"+FileName, sampleV1().bytes())
			return m
		}, three, v1, with(v1, "mem_4", "a", "mem_5", "b", "mem_6", "c")},
		{"recover", func(t *testing.T) *memFS {
			m := small(t)
			b := m.content("/kb/" + FileName)
			b[len(b)-frameSize] ^= 1 // the delete of mem_3, which comes back
			m.put("/kb/"+FileName, append(b, "more"...))
			return m
		}, func(l *Log) error { return ran(l.Recover(ctx())) }, with(two, "mem_3", "third"), with(two, "mem_3", "third")},
	}
}

// Every step of every operation fails once, in each way. What was there stays, a
// batch is never there by half, and the same Log can do the operation afterwards.
func TestFaultAtEveryStep(t *testing.T) {
	t.Parallel()
	faults := map[string]fault{
		"fails":             {err: errIO},
		"no space":          {err: syscall.ENOSPC},
		"half, no space":    {err: syscall.ENOSPC, part: 0.5},
		"nearly all, fails": {err: errIO, part: 0.97},
		"all, fails":        {err: errIO, part: 1},
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			m := s.build(t)
			m.steps = 0
			if err := s.run(m.process(newMemLock())); err != nil {
				t.Fatalf("without a fault: %v", err)
			}
			steps := m.steps
			for step := 1; step <= steps; step++ {
				for kind, f := range faults {
					s.withFault(t, step, kind, f)
				}
			}
			t.Logf("%d steps", steps)
		})
	}
}

func (s *scenario) withFault(t *testing.T, at int, kind string, f fault) {
	t.Helper()
	m := s.build(t)
	l := m.process(newMemLock())
	m.steps = 0
	what := ""
	m.fault = func(step int, op, name string) fault {
		if step != at {
			return fault{}
		}
		what = fmt.Sprintf("%s: step %d, %s of %s %s", s.name, at, op, name, kind)
		return f
	}
	err := s.run(l)
	m.fault = nil
	if err != nil && !strings.Contains(err.Error(), "/kb") {
		t.Errorf("%s: the error names no file: %v", what, err)
	}
	if err != nil && !errors.Is(err, f.err) {
		t.Errorf("%s: another error: %v", what, err)
	}
	s.compare(t, what+", then", m, err == nil)
	// Losing everything that was not synced must not lose what was acknowledged.
	s.compare(t, what+", then a power cut", m.powerCut(rand.New(rand.NewPCG(0, uint64(at)))), err == nil)
	if err := s.run(l); err != nil {
		t.Fatalf("%s, then again: %v", what, err)
	}
	s.compare(t, what+", then again", m, true)
	rep, err := verify(m.reader(t))
	if err != nil || !rep.OK() || rep.Tail != nil {
		t.Errorf("%s, then again: damage %v, tail %v, %v", what, rep.Damage, rep.Tail, err)
	}
	s.compare(t, what+", then again, then a power cut", m.powerCut(rand.New(rand.NewPCG(1, uint64(at)))), true)
}

// compare checks the live entries: those of before are there, and the new ones
// all or none, all if done.
func (s *scenario) compare(t *testing.T, what string, m *memFS, done bool) {
	t.Helper()
	r, err := openReader(m, "/kb/"+FileName, time.UTC)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got := liveOf(t, r)
	fresh := 0
	for id, text := range s.after {
		if s.before[id] != text && got[id] == text {
			fresh++
		}
	}
	if fresh != 0 && fresh != len(s.after)-len(s.before) || done && fresh != len(s.after)-len(s.before) {
		t.Errorf("%s: %d of %d new entries are there", what, fresh, len(s.after)-len(s.before))
	}
	for id, text := range s.before {
		if got[id] != text {
			t.Errorf("%s: %s is %q, not %q", what, id, got[id], text)
		}
	}
	if extra := len(got) - fresh - len(s.before); extra != 0 {
		t.Errorf("%s: %d entries too many: %v", what, extra, got)
	}
}

// A failed sync poisons the handle: the next write opens the file again.
func TestNothingIsAcknowledgedAfterAFailedSync(t *testing.T) {
	t.Parallel()
	m := small(t)
	l := m.process(newMemLock())
	mustAppend(t, l, Put(note("mem_4", "a")))
	opens := 0
	m.fault = func(_ int, op, _ string) fault {
		if op == "sync" {
			return fault{err: errIO}
		}
		return fault{}
	}
	_, err := l.Append(ctx(), Put(note("mem_5", "b")))
	if !errors.Is(err, ErrNotDurable) || !errors.Is(err, errIO) {
		t.Fatalf("a failed sync gave %v", err)
	}
	m.fault = func(_ int, op, name string) fault {
		if op == "open" && name == "/kb/"+FileName {
			opens++
		}
		return fault{}
	}
	mustAppend(t, l, Put(note("mem_6", "c")))
	if opens == 0 {
		t.Error("the file was not opened again")
	}
	r, err := openReader(m.powerCut(rand.New(rand.NewPCG(1, 1))), "/kb/"+FileName, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if got := liveOf(t, r); got["mem_4"] != "a" || got["mem_6"] != "c" {
		t.Errorf("acknowledged entries are lost: %v", got)
	}
}
