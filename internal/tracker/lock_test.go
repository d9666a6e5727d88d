package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// deadPID is the pid of a process that has ended.
func deadPID(t testing.TB) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// putLock makes a lock folder as another process would have left it.
func putLock(t testing.TB, s *Store, files map[string]string, age time.Duration) string {
	t.Helper()
	dir := filepath.Join(s.Dir(), lockName)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(dir, at, at); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLockIsWhatDDXReads(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l, err := s.acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Dir(), "beads.lock")
	if got := readFile(t, filepath.Join(dir, "pid")); got != strconv.Itoa(os.Getpid()) {
		t.Errorf("pid %q", got)
	}
	at, err := time.Parse(time.RFC3339, readFile(t, filepath.Join(dir, "acquired_at")))
	if err != nil || at.Location() != time.UTC || time.Since(at).Abs() > time.Minute {
		t.Errorf("acquired_at %s (%v)", at, err)
	}
	token := filepath.Join(dir, "owner_token")
	info, err := os.Stat(token)
	if err != nil || info.Mode().Perm() != 0o600 || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(readFile(t, token)) {
		t.Errorf("owner_token %v (%v)", info, err)
	}
	if err := l.release(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir(), "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestStaleLocksAreTakenOver(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Format(time.RFC3339)
	old := time.Now().UTC().Add(-3 * time.Hour).Format(time.RFC3339)
	me, parent := strconv.Itoa(os.Getpid()), strconv.Itoa(os.Getppid())
	for name, c := range map[string]struct {
		files map[string]string
		age   time.Duration
		taken bool
	}{
		"owner is dead":            {map[string]string{"pid": fmt.Sprintln(deadPID(t)), "acquired_at": now}, 0, true},
		"older than two hours":     {map[string]string{"pid": parent, "acquired_at": old}, 0, true},
		"owner is alive":           {map[string]string{"pid": parent, "acquired_at": now}, time.Hour, false},
		"own pid in an older life": {map[string]string{"pid": me, "acquired_at": processStart.Add(-time.Hour).UTC().Format(time.RFC3339)}, 0, true},
		"own pid":                  {map[string]string{"pid": me, "acquired_at": now}, 0, false},
		"anonymous and old":        {nil, time.Minute, true},
		"anonymous and new":        {nil, 0, false},
		"half signed and old":      {map[string]string{"acquired_at": now, "pid": "", "owner_token": "x"}, time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, rowText("hx-a"))
			var warnings []string
			s.warn = func(text string) { warnings = append(warnings, text) }
			s.lockTimeout = 20 * time.Millisecond
			dir := putLock(t, s, c.files, c.age)
			err := s.Close(ctx, "hx-a", Closing{})
			if !c.taken {
				if !errors.Is(err, ErrLocked) || len(warnings) > 0 {
					t.Errorf("got %v, warned %q", err, warnings)
				}
				if _, err := os.Stat(dir); err != nil {
					t.Errorf("someone's lock is gone: %v", err)
				}
				return
			}
			if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "took over the stale lock") {
				t.Errorf("got %v, warned %q", err, warnings)
			}
			left, err := filepath.Glob(filepath.Join(s.Dir(), lockName+"*"))
			if err != nil || len(left) != 1 || !strings.HasSuffix(left[0], ".stale-break.lock") {
				t.Errorf("left behind: %v (%v)", left, err)
			}
		})
	}
}

func TestLockTimeoutNamesTheOwner(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.lockTimeout = 10 * time.Millisecond
	putLock(t, s, map[string]string{"pid": strconv.Itoa(os.Getppid()), "acquired_at": time.Now().UTC().Format(time.RFC3339)}, 0)
	_, err := s.Create(ctx, New{Title: "t"})
	want := fmt.Sprintf("pid %d has held it since", os.Getppid())
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	s.lockTimeout = time.Hour
	if _, err := s.Create(cancelled, New{Title: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A writer whose lock was broken while it worked neither writes nor releases the
// lock of its successor.
func TestLostLockWritesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	var warnings []string
	s.warn = func(text string) { warnings = append(warnings, text) }
	before := readFile(t, s.Path())
	token := filepath.Join(s.Dir(), lockName, "owner_token")
	_, err := s.Edit(ctx, "hx-a", func(b *Bead) error {
		b.Notes = "n"
		writeFile(t, token, "somebody else's")
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "another process took over the lock; nothing was changed") {
		t.Errorf("got %v", err)
	}
	if readFile(t, s.Path()) != before || readFile(t, token) != "somebody else's" || len(warnings) != 1 {
		t.Errorf("the file or the other's lock was touched; warned %q", warnings)
	}
	temps, err := filepath.Glob(filepath.Join(s.Dir(), ".*.tmp"))
	if err != nil || len(temps) > 0 {
		t.Errorf("left behind: %v (%v)", temps, err)
	}
}

// Between the judgement and the move another process may have broken the lock and
// a third one taken it: that one keeps it.
func TestBreakingSparesANewOwner(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	files := map[string]string{"pid": "1", "acquired_at": "2026-06-01T00:00:00Z", "owner_token": "new"}
	dir := putLock(t, s, files, 0)
	now, err := readLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, judged := range []lockInfo{
		{pid: 2, since: now.since, token: "new", made: now.made}, {pid: 1, since: "earlier", token: "new", made: now.made},
		{pid: 1, since: now.since, token: "old", made: now.made}, {pid: 1, since: now.since, token: "new", made: noon},
	} {
		if buried, err := bury(dir, judged); buried || err != nil {
			t.Errorf("%+v was taken for %+v (%v)", now, judged, err)
		}
		if got := readFile(t, filepath.Join(dir, "owner_token")); got != "new" {
			t.Errorf("the new owner's token became %q", got)
		}
	}
	if buried, err := bury(dir, now); !buried || err != nil {
		t.Errorf("the very lock is not buried (%v)", err)
	}
	if buried, err := bury(dir, now); buried || err != nil {
		t.Errorf("no lock: %v %v", buried, err)
	}
}

// An owner may give the lock back and end, and another one take it, while a third
// process reads who has it: what it read is the lock of a dead process then, and
// what is there is not.
func TestALockThatChangedHandsIsNotStale(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dead := deadPID(t)
	dir := putLock(t, s, map[string]string{"acquired_at": time.Now().UTC().Format(time.RFC3339), "owner_token": "old"}, 0)
	pipe := filepath.Join(dir, "pid") // whose reader waits for its writer
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // goes on when the reader is in the middle
		if err != nil {
			done <- err
			return
		}
		err = os.Rename(dir, dir+".released")
		if err == nil {
			_, err = s.acquire(ctx)
		}
		fmt.Fprint(w, dead)
		done <- errors.Join(err, w.Close())
	}()
	info, why, err := judgeLock(dir)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err != nil || why != "" || info.pid != os.Getpid() {
		t.Errorf("judged %+v stale: %q (%v)", info, why, err)
	}
}

// A name that can neither be taken nor read must not keep a writer busy for ever.
func TestUnusableLockTimesOut(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.lockTimeout = 10 * time.Millisecond
	if err := os.Symlink("nowhere", filepath.Join(s.Dir(), lockName)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(ctx, New{Title: "t"}); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v", err)
	}
}

func TestManyWritersOfOneProcess(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a", "n", "0"))
	s.lockTimeout = time.Minute
	const writers, rounds = 8, 5
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				_, err := s.Edit(ctx, "hx-a", func(b *Bead) error {
					n, err := strconv.Atoi(b.Str("n"))
					b.Set("n", strconv.Itoa(n+1))
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := get(t, s, "hx-a").Str("n"); got != strconv.Itoa(writers*rounds) {
		t.Errorf("%s of %d changes are there", got, writers*rounds)
	}
}

func TestLeftoversOfDeadProcessesAreSwept(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	dead := deadPID(t)
	gone := []string{fmt.Sprintf(".beads.jsonl.%d-1.tmp", dead), fmt.Sprintf("beads.lock.tombstone.%d-1-1.lock", dead)}
	stay := []string{fmt.Sprintf(".beads.jsonl.%d-1.tmp", os.Getppid()), fmt.Sprintf("beads.lock.tombstone.%d-1-1.lock", os.Getppid()), ".beads.jsonl.swp", "beads.jsonl.tmp"}
	for _, name := range append(gone, stay...) {
		writeFile(t, filepath.Join(s.Dir(), name), "x")
	}
	if err := s.Close(ctx, "hx-a", Closing{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range gone {
		if _, err := os.Stat(filepath.Join(s.Dir(), name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range stay {
		if _, err := os.Stat(filepath.Join(s.Dir(), name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
