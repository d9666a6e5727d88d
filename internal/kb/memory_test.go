package kb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

// clock gives a later second each time it is asked.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 6, 18, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

// open opens a memory in a folder that does not exist yet.
func open(t testing.TB, opts ...Option) *Memory {
	t.Helper()
	return openIn(t, filepath.Join(t.TempDir(), "kb"), opts...)
}

func openIn(t testing.TB, dir string, opts ...Option) *Memory {
	t.Helper()
	m := Open(dir, append([]Option{WithClock(newClock().Now)}, opts...)...)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func mustStore(t testing.TB, m *Memory, topic, text string) Stored {
	t.Helper()
	s, err := m.Store(t.Context(), StoreRequest{Topic: topic, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// entries gives everything that is in the log of a folder, by id.
func entries(t testing.TB, dir string) map[string]entry.Entry {
	t.Helper()
	r, err := log.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[string]entry.Entry{}
	if _, err := r.Entries(func(e entry.Entry, _ int64) error {
		all[e.ID] = e
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// snapshot is the content of every file below dir; nil when there is no such folder.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	var files map[string]string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if files == nil {
			files = map[string]string{}
		}
		if d.IsDir() {
			files[path] = "dir"
			return nil
		}
		b, err := os.ReadFile(path)
		sum := sha256.Sum256(b)
		files[path] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// checkRefusal wants one line that is for a person and says what.
func checkRefusal(t *testing.T, err, kind error, want string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want one that is %v", err, kind)
	}
	if msg := err.Error(); !strings.Contains(msg, want) || strings.Contains(msg, "\n") || len(msg) > 700 {
		t.Fatalf("error %q, want one line with %q", msg, want)
	}
}

func ptr[T any](v T) *T { return &v }
