package log

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// waitQueue waits until n requests are queued.
func waitQueue(l *Log, n int) {
	for {
		l.mu.Lock()
		queued := len(l.queue)
		l.mu.Unlock()
		if queued == n {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// Appends that arrive while another process holds the lock are written with one
// write and one sync; batches among them cost one sync more.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	m, lock := newMemFS(), newMemLock()
	l := m.process(lock)
	mustAppend(t, l, Put(note("mem_0", "x")))
	unlock, _ := lock.take(ctx())
	want := map[string]string{"mem_0": "x"}
	var wg sync.WaitGroup
	ends := make([]Pos, 12)
	for i := range ends {
		ops := []Op{Put(note(fmt.Sprintf("mem_a%d", i), "a"))}
		want[fmt.Sprintf("mem_a%d", i)] = "a"
		if i >= 10 {
			ops = append(ops, Put(note(fmt.Sprintf("mem_b%d", i), "b")))
			want[fmt.Sprintf("mem_b%d", i)] = "b"
		}
		wg.Go(func() {
			c, err := l.Append(ctx(), ops...)
			if err != nil || len(c.Offsets) != len(ops) {
				t.Errorf("append %d: %+v, %v", i, c, err)
			}
			ends[i] = c.End
		})
	}
	waitQueue(l, len(ends))
	counts := map[string]int{}
	m.fault = func(_ int, op, _ string) fault { counts[op]++; return fault{} }
	unlock()
	wg.Wait()
	m.fault = nil
	if counts["write"] != 2 || counts["sync"] != 2 {
		t.Errorf("%d writes and %d syncs, want 2 and 2", counts["write"], counts["sync"])
	}
	r := m.reader(t)
	if diff := cmp.Diff(want, liveOf(t, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, end := range ends {
		if !r.Holds(end) || (i >= 10) != r.Reached(end) {
			t.Errorf("append %d ended at %v", i, end)
		}
	}
}

// When only a part of a group fits on the disk, what is whole is acknowledged and
// the rest gets the error.
func TestGroupOnAFullDisk(t *testing.T) {
	t.Parallel()
	m, lock := newMemFS(), newMemLock()
	l := m.process(lock)
	mustAppend(t, l, Put(note("mem_0", "x")))
	unlock, _ := lock.take(ctx())
	want := map[string]string{"mem_0": "x"}
	var wg sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	for i := range 10 {
		wg.Go(func() {
			id := fmt.Sprintf("mem_a%d", i)
			ops := []Op{Put(note(id, "a"))}
			if i == 9 {
				ops = append(ops, Put(note("mem_b", "b")))
			}
			_, err := l.Append(ctx(), ops...)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			want[id] = "a"
		})
	}
	waitQueue(l, 10)
	m.fault = func(_ int, op, _ string) fault {
		if op == "write" {
			return fault{err: errIO, part: 0.5}
		}
		return fault{}
	}
	unlock()
	wg.Wait()
	m.fault = nil
	if failed == 0 || failed == 10 {
		t.Errorf("%d of 10 failed", failed)
	}
	if diff := cmp.Diff(want, liveOf(t, m.reader(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if rep, err := verify(m.reader(t)); err != nil || !rep.OK() || rep.Tail != nil {
		t.Errorf("verify: %+v, %v", rep, err)
	}
}

func TestCancelledWrites(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	other := openIn(t, dir)
	mustAppend(t, l, Put(note("mem_1", "first")))
	before := readLog(t, dir)

	// Another process holds the lock, the leader and one behind it give up, a
	// third one waits and is written.
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := other.Update(ctx(), func(*Reader) ([]Op, error) {
			close(held)
			<-hold
			return nil, nil
		})
		if err != nil {
			t.Errorf("the holder: %v", err)
		}
	})
	<-held
	leader, cancelLeader := context.WithCancel(ctx())
	follower, cancelFollower := context.WithCancel(ctx())
	results := make(chan error, 2)
	wg.Go(func() { results <- ran(l.Append(leader, Put(note("mem_2", "x")))) })
	waitQueue(l, 1)
	wg.Go(func() { results <- ran(l.Append(follower, Put(note("mem_3", "x")))) })
	waitQueue(l, 2)
	wg.Go(func() {
		if _, err := l.Append(ctx(), Put(note("mem_4", "x"))); err != nil {
			t.Errorf("the one that waits: %v", err)
		}
	})
	waitQueue(l, 3)
	cancelFollower()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("the follower got %v", err)
	}
	cancelLeader()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("the leader got %v", err)
	}
	if !cmp.Equal(before, readLog(t, dir)) {
		t.Error("cancelled writes changed the file")
	}
	close(hold)
	wg.Wait()
	wantTexts(t, dir, map[string]string{"mem_1": "first", "mem_4": "x"})

	done, cancel := context.WithCancel(ctx())
	cancel()
	if err := ran(l.Append(done, Put(note("mem_5", "x")))); !errors.Is(err, context.Canceled) {
		t.Errorf("a write with a context that is done: %v", err)
	}
}

func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	other := openIn(t, dir)
	want := map[string]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			w := l
			if g%4 == 0 {
				w = other
			}
			for i := range 20 {
				id := fmt.Sprintf("mem_%d_%d", g, i)
				ops := []Op{Put(note(id, id))}
				if i%3 == 0 {
					ops = append(ops, Put(note(id+"b", id)))
				}
				if _, err := w.Append(ctx(), ops...); err != nil {
					t.Errorf("append: %v", err)
					return
				}
				if i == 10 && g < 2 {
					if _, err := w.Compact(ctx()); err != nil {
						t.Errorf("compact: %v", err)
					}
				}
				mu.Lock()
				want[id] = id
				if i%3 == 0 {
					want[id+"b"] = id
				}
				mu.Unlock()
			}
		})
	}
	wg.Go(func() { // a reader beside them never sees anything wrong
		for range 50 {
			rep, err := Verify(ctx(), dir)
			if err != nil || !rep.OK() {
				t.Errorf("verify beside writers: %v, %v", rep.Damage, err)
			}
		}
	})
	wg.Wait()
	wantTexts(t, dir, want)
	wantClean(t, dir)
}

func TestPanicInUpdateFreesTheLock(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	func() {
		defer func() { _ = recover() }()
		_, _ = l.Update(ctx(), func(*Reader) ([]Op, error) { panic("oops") })
	}()
	mustAppend(t, openIn(t, dir), Put(note("mem_1", "first")))
	mustAppend(t, l, Put(note("mem_2", "second")))
	wantTexts(t, dir, two)
}

func TestClosedLog(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	mustAppend(t, l, Put(note("mem_1", "first")))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ran(l.Append(ctx(), Put(note("mem_2", "second")))); err == nil {
		t.Error("a closed log took a write")
	}
	wantTexts(t, dir, map[string]string{"mem_1": "first"})
}

func TestReadersKeepTheirView(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	mustAppend(t, l, Put(note("mem_1", "first")), Put(note("mem_2", "gone")))
	old := openRead(t, dir)
	end, err := old.End()
	if err != nil {
		t.Fatal(err)
	}
	state := func(want State) {
		t.Helper()
		if got, err := old.State(); got != want || err != nil {
			t.Errorf("state %v, %v, want %v", got, err, want)
		}
	}
	state(Same)
	mustAppend(t, l, Put(note("mem_3", "third")), Delete("mem_2"))
	state(Grown)
	if _, err := l.Compact(ctx()); err != nil {
		t.Fatal(err)
	}
	state(Replaced)
	if diff := cmp.Diff(map[string]string{"mem_1": "first", "mem_2": "gone"}, liveOf(t, old)); diff != "" {
		t.Errorf("the old view (-want +got):\n%s", diff)
	}
	now := openRead(t, dir)
	if now.Holds(end) {
		t.Error("a place in the old file holds in the new one")
	}
	if _, err := now.Scan(end, func(*Record) error { return nil }); !errors.Is(err, ErrStale) {
		t.Errorf("scan from an old place: %v", err)
	}
	wantTexts(t, dir, map[string]string{"mem_1": "first", "mem_3": "third"})
}

// Someone copies a backup of another generation into the file while a Log has it
// open. The Log must not take what it finds for garbage.
func TestBackupCopiedIntoTheFile(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	mustAppend(t, l, Put(note("mem_1", "first")), Put(note("mem_2", "second")))
	backup := readLog(t, dir)
	if _, err := l.Compact(ctx()); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, l, Put(note("mem_3", "third")))
	writeLog(t, dir, backup) // the same file, other content
	mustAppend(t, l, Put(note("mem_4", "fourth")))
	wantTexts(t, dir, with(two, "mem_4", "fourth"))
	wantClean(t, dir)
}
