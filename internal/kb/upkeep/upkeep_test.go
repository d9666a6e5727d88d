package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
	"helix/internal/kb/log"
	"helix/internal/kb/upkeep"
	"helix/internal/kb/view"
)

var now = time.Date(2026, 6, 18, 10, 0, 0, 0, time.UTC)

// asWorker makes the test binary a process that updates the index of a folder, and
// nothing else.
const asWorker = "HELIX_TEST_CATCH_UP"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asWorker); dir != "" {
		for {
			if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{MaxMerge: 1 << 20, Rebuild: true}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Println("done")
		}
	}
	os.Exit(m.Run())
}

func fill(t *testing.T, dir string, from, to int) {
	t.Helper()
	l := log.Open(dir)
	defer l.Close()
	var ops []log.Op
	for i := from; i < to; i++ {
		e := entry.New(fmt.Sprintf("topic-%d", i%7), fmt.Sprintf("entry number %d says word%dx", i, i%50), now)
		e.ID = fmt.Sprintf("mem_%d", i)
		ops = append(ops, log.Put(e))
	}
	if _, err := l.Append(context.Background(), ops...); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, dir string, entries int) {
	t.Helper()
	v, err := view.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if n := v.Len(); n != entries {
		t.Fatalf("%d entries, want %d", n, entries)
	}
	m, err := v.Matches(view.Query{Text: "word7x"})
	if err != nil || m.Total != (entries+42)/50 {
		t.Fatalf("%d matches, %v, want %d", m.Total, err, (entries+42)/50)
	}
}

func TestCatchUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if done, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{}); err != nil || done.Added != 0 {
		t.Fatal(done, err)
	}
	if _, err := os.Stat(filepath.Join(dir, view.IndexDir)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("an index of nothing: %v", err)
	}
	fill(t, dir, 0, 500)
	for i, want := range []int{500, 0} {
		if done, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{}); err != nil || done.Added != want {
			t.Fatalf("round %d: %+v, %v", i, done, err)
		}
	}
	var last [2]int64
	done, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{Rebuild: true, Progress: func(done, total int64) { last = [2]int64{done, total} }})
	if err != nil || done.Added != 500 || last[0] == 0 || last[0] != last[1] {
		t.Fatal(done, err, last)
	}
	check(t, dir, 500)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fill(t, dir, 500, 510)
	if _, err := upkeep.CatchUp(ctx, dir, upkeep.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	check(t, dir, 510)

	w, err := index.OpenWriter(context.Background(), filepath.Join(dir, view.IndexDir), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{Try: true}); !errors.Is(err, index.ErrBusy) {
		t.Fatal(err)
	}
}

// TestKilled kills a process that rebuilds the index, at moments spread over its
// work. Readers see every entry at each of them, and the next update is whole.
func TestKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	const n = 4000
	fill(t, dir, 0, n)
	for i := range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asWorker+"="+dir)
		var out strings.Builder
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*i) * 2 * time.Millisecond) // the moment is what varies; nothing waits for it
		check(t, dir, n)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if out.Len() > 0 {
			t.Fatal(out.String())
		}
		check(t, dir, n)
	}
	if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{MaxMerge: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	v, err := view.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if v.Behind() != 0 || v.VerifyIndex() != nil {
		t.Errorf("behind %d, %v", v.Behind(), v.VerifyIndex())
	}
	check(t, dir, n)
}

// TestReadersMeanwhile reads while others write, update, merge and compact.
func TestReadersMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, dir, 0, 300)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	work := func(fn func() error) {
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := fn(); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	work(func() error {
		_, err := upkeep.CatchUp(ctx, dir, upkeep.Options{MaxMerge: 1 << 20})
		return err
	})
	l := log.Open(dir)
	defer l.Close()
	work(func() error {
		_, err := l.Compact(ctx)
		return err
	})
	for i := range 60 {
		fill(t, dir, 300+5*i, 305+5*i)
		check(t, dir, 305+5*i)
	}
	cancel()
	wg.Wait()
}

// TestChangesOfLongTail: what a later part of a long tail changes or deletes is in an
// earlier part, which is being added meanwhile.
func TestChangesOfLongTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 20_000 // more than one part has
	fill(t, dir, 0, n)
	l := log.Open(dir)
	defer l.Close()
	if _, err := l.Append(context.Background(),
		log.Change(entry.Change{ID: "mem_3", Helped: 2}), log.Delete("mem_4"), log.Change(entry.Change{ID: "mem_19999", Harmed: 1}),
	); err != nil {
		t.Fatal(err)
	}
	done, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{MaxMerge: 1 << 30, Ongoing: true})
	if err != nil || done.Added < n {
		t.Fatal(done, err)
	}
	if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{MaxMerge: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	v, err := view.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if v.Behind() != 0 || v.Len() != n-1 {
		t.Errorf("%d entries, %d behind", v.Len(), v.Behind())
	}
	for id, want := range map[string][2]int{"mem_3": {2, 0}, "mem_19999": {0, 1}, "mem_5": {0, 0}} {
		if e, err := v.Get(id); err != nil || [2]int{e.Helped, e.Harmed} != want {
			t.Errorf("%s: %d helped, %d harmed, %v", id, e.Helped, e.Harmed, err)
		}
	}
	if _, err := v.Get("mem_4"); !errors.Is(err, view.ErrNotFound) {
		t.Errorf("mem_4: %v", err)
	}
}
