package tracker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"helix/internal/proc"
)

// The lock is a folder, as ddx takes it (contracts/ddx.md, 2.2): whoever makes
// the folder has the lock, and says in it who that is.
const (
	// staleAge is how old a lock may grow even when its owner lives.
	staleAge = 2 * time.Hour
	// anonymousAge is how old a lock may grow that does not say whose it is: its
	// owner died between making the folder and writing its pid.
	anonymousAge = 10 * time.Second
)

// processStart tells a lock of this process from one that a dead process with
// the same pid left, which is the rule in containers.
var processStart = time.Now()

// dirLock is a lock that this process holds.
type dirLock struct {
	dir   string
	token string
}

// lockInfo is what a lock folder says about its owner.
type lockInfo struct {
	pid   int    // 0: not said
	since string // RFC 3339
	token string
	made  time.Time // when the folder was last written to
}

// acquire waits for the lock and takes it.
func (s *Store) acquire(ctx context.Context) (*dirLock, error) {
	dir := filepath.Join(s.dir, lockName)
	deadline := time.Now().Add(s.lockTimeout)
	pause := time.Millisecond
	for {
		l, err := tryLock(dir)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s: %w", dir, bare(err))
		}
		info, why, err := judgeLock(dir)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", dir, bare(err))
		}
		if why != "" {
			if err := s.breakLock(ctx, dir, deadline); err != nil {
				return nil, fmt.Errorf("take over %s: %w", dir, err)
			}
			continue
		}
		if !time.Now().Before(deadline) {
			return nil, fmt.Errorf("%w: gave up on %s after %s; %s", ErrLocked, dir, s.lockTimeout, info)
		}
		// Unequal pauses keep many writers from always meeting again.
		if err := sleep(ctx, pause/2+mathrand.N(pause/2+1)); err != nil {
			return nil, err
		}
		pause = min(2*pause, max(s.lockPoll, time.Millisecond))
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// tryLock makes the lock folder. It fails with fs.ErrExist when there is one.
//
// The folder is signed before it gets its name, so that it never says nothing
// about its owner, not even when that one is killed here. Where the file system
// cannot rename so that nothing is replaced, it is made first, as ddx does.
func tryLock(dir string) (*dirLock, error) {
	if _, err := os.Lstat(dir); err == nil {
		return nil, fs.ErrExist
	}
	l := &dirLock{dir: dir, token: newToken()}
	signed := tombstone(dir)
	if err := l.make(signed); err != nil {
		return nil, err
	}
	err := renameNew(signed, dir)
	if err == nil {
		return l, nil
	}
	if err := os.RemoveAll(signed); err != nil {
		return nil, err
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return l, l.make(dir)
}

func newToken() string {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	return hex.EncodeToString(secret)
}

// make creates a folder, and the tracker folder around it if need be, and signs it.
func (l *dirLock) make(dir string) error {
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(dir), 0o755); err == nil {
			err = os.Mkdir(dir, 0o755)
		}
	}
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name, text string
		mode       fs.FileMode
	}{
		{"owner_token", l.token, 0o600},
		{"acquired_at", time.Now().UTC().Format(time.RFC3339), 0o644},
		{"pid", strconv.Itoa(os.Getpid()), 0o644},
	} {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), f.mode); err != nil {
			return errors.Join(fmt.Errorf("sign it: %w", bare(err)), os.RemoveAll(dir))
		}
	}
	return nil
}

// held tells whether the lock is still this one: nobody broke it.
func (l *dirLock) held() bool {
	token, err := os.ReadFile(filepath.Join(l.dir, "owner_token"))
	return err == nil && string(bytes.TrimSpace(token)) == l.token
}

// release gives the lock back, in one step, and only if it is still ours.
func (l *dirLock) release() error {
	if !l.held() {
		return fmt.Errorf("release %s: another process has taken it over", l.dir)
	}
	grave := tombstone(l.dir)
	if err := os.Rename(l.dir, grave); err != nil {
		return fmt.Errorf("release %s: %w", l.dir, bare(err))
	}
	if err := os.RemoveAll(grave); err != nil {
		return fmt.Errorf("remove the released lock %s: %w", grave, bare(err))
	}
	return nil
}

// release gives the lock back. That it is lost is no failure of what was done
// under it: the file was replaced while the lock was held, or not at all.
func (s *Store) release(l *dirLock) {
	if err := l.release(); err != nil {
		s.warn(err.Error())
	}
}

// tombstone is a name for a lock folder that is not in force: one that is being
// signed, or deleted. It is the name that ddx gives to the latter.
func tombstone(dir string) string {
	return fmt.Sprintf("%s.tombstone.%d-%d-%d.lock", dir, os.Getpid(), time.Now().UnixNano(), mathrand.Uint32())
}

// readLock fails with fs.ErrNotExist when there is no lock.
func readLock(dir string) (lockInfo, error) {
	stat, err := os.Stat(dir)
	if err != nil {
		return lockInfo{}, err
	}
	info := lockInfo{made: stat.ModTime(), since: lockFile(dir, "acquired_at"), token: lockFile(dir, "owner_token")}
	if pid, err := strconv.Atoi(lockFile(dir, "pid")); err == nil && pid > 0 {
		info.pid = pid
	}
	return info, nil
}

func lockFile(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// judgeLock reads a lock and says why it may be taken over, "" when it may not or
// is gone. An owner that is found dead may have released the lock, and another
// one taken it, since its pid was read: only a lock that is the same afterwards
// is stale, since the dead release nothing.
func judgeLock(dir string) (info lockInfo, why string, err error) {
	info, err = readLock(dir)
	if err == nil {
		why = info.staleness(time.Now())
	}
	if why != "" {
		var again lockInfo
		if again, err = readLock(dir); err == nil && !again.same(info) {
			info, why = again, ""
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return lockInfo{}, "", nil
	}
	return info, why, err
}

// staleness is why the lock may be taken over, "" when it may not.
func (i lockInfo) staleness(now time.Time) string {
	since := parseTime(i.since)
	switch {
	case i.pid == 0 && now.Sub(i.made) > anonymousAge:
		return "it does not say whose it is"
	case i.pid == 0:
		return ""
	case i.pid == os.Getpid() && !since.IsZero() && since.Before(processStart.Truncate(time.Second)):
		return fmt.Sprintf("its owner had this process's pid, %d, before", i.pid)
	case !proc.Exists(i.pid):
		return fmt.Sprintf("its owner, pid %d, is gone", i.pid)
	case !since.IsZero() && now.Sub(since) > staleAge:
		return fmt.Sprintf("pid %d has held it since %s", i.pid, i.since)
	}
	return ""
}

func (i lockInfo) String() string {
	if i.pid == 0 {
		return "it does not say whose it is"
	}
	return fmt.Sprintf("pid %d has held it since %s", i.pid, i.since)
}

func (i lockInfo) same(o lockInfo) bool {
	return i.pid == o.pid && i.since == o.since && i.token == o.token && i.made.Equal(o.made)
}

// breakLock removes a stale lock. Whoever breaks one holds the flock that ddx
// holds for it and looks again, so that two processes never both break what
// each took for the dead owner's lock.
func (s *Store) breakLock(ctx context.Context, dir string, deadline time.Time) error {
	guard := flock.New(dir + ".stale-break.lock")
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(time.Second))
	defer cancel()
	if ok, err := guard.TryLockContext(ctx, 5*time.Millisecond); err != nil || !ok {
		return fmt.Errorf("%w: another process is taking over the stale lock", errors.Join(ErrLocked, err))
	}
	defer func() { _ = guard.Unlock() }()
	judged, why, err := judgeLock(dir)
	if why == "" || err != nil {
		return err
	}
	buried, err := bury(dir, judged)
	if buried {
		s.warn(fmt.Sprintf("took over the stale lock %s: %s", dir, why))
	}
	return err
}

// bury deletes the lock that was judged stale. An older ddx breaks locks without
// the flock, and an owner may live beyond the age limit: if what it moved away is
// the lock of a newer owner, that is put back.
func bury(dir string, judged lockInfo) (bool, error) {
	grave := tombstone(dir)
	if err := os.Rename(dir, grave); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, bare(err)
	}
	if moved, err := readLock(grave); err == nil && !moved.same(judged) {
		return false, os.Rename(grave, dir)
	}
	return true, os.RemoveAll(grave)
}

// sweepGraves deletes what processes left that died while they made or deleted a
// lock. Those of living processes are theirs to delete.
func (s *Store) sweepGraves() {
	graves, err := filepath.Glob(filepath.Join(globQuote(s.dir), lockName+".tombstone.*.lock"))
	if err != nil {
		return
	}
	for _, g := range graves {
		name := strings.TrimPrefix(filepath.Base(g), lockName+".tombstone.")
		pid, _, _ := strings.Cut(name, "-")
		if n, err := strconv.Atoi(pid); err == nil && !proc.Exists(n) {
			os.RemoveAll(g)
		}
	}
}
