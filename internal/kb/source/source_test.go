package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func write(t *testing.T, path, text string, modified time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, modified, modified); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	written := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	before, after := written.Add(-time.Hour), written.Add(time.Hour)
	write(t, filepath.Join(root, "old.go"), "package a", before)
	write(t, filepath.Join(root, "new.go"), "package a", after)
	write(t, filepath.Join(root, "sub-ms.go"), "package a", written.Add(900*time.Microsecond))
	write(t, filepath.Join(root, "large.bin"), "", before)
	if err := os.Truncate(filepath.Join(root, "large.bin"), MaxSize+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(root, "large.bin"), before, before); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := Hash(filepath.Join(root, "new.go"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "7663fa2eaf2e6846"; sum != want {
		t.Fatalf("hash %q, want %q", sum, want)
	}
	other := strings.Repeat("0", hashLen)

	for _, c := range []struct {
		name, path, hash string
		want             State
	}{
		{"untouched since", "old.go", "", Same},
		{"modified since", "new.go", "", Changed},
		{"saved in the millisecond of the entry", "sub-ms.go", "", Same},
		{"touched, same content", "new.go", sum, Same},
		{"other content under an old time", "old.go", other, Changed},
		{"hash of another make, so the time decides", "old.go", "abc", Same},
		{"hash of another make, modified", "new.go", "abc", Changed},
		{"missing", "never.go", "", Gone},
		{"missing, hashed", "never.go", sum, Gone},
		{"below a file", "old.go/x", "", Gone},
		{"whole path", filepath.Join(root, "new.go"), "", Changed},
		{"folder", "dir", "", Unknown},
		{"pipe", "pipe", sum, Unknown},
		{"grown too large to be hashed", "large.bin", sum, Changed},
		{"large, by time", "large.bin", "", Same},
		{"leaves the root", "../" + filepath.Base(root) + "/new.go", "", Unknown},
		{"leaves and returns", "dir/../../x", "", Unknown},
		{"inner dots", "dir/../new.go", "", Changed},
		{"URL", "https://example.org/new.go", "", Unknown},
		{"zero byte", "a\x00b", "", Unknown},
		{"none", "", "", Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := NewChecker(root).Check(c.path, c.hash, written); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if got := NewChecker("").Check("new.go", "", written); got != Unknown {
		t.Errorf("without a root: %v", got)
	}
}

func TestCheckLooksOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "a.go")
	written := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	write(t, path, "a", written)
	sum, err := Hash(path)
	if err != nil {
		t.Fatal(err)
	}
	c := NewChecker(root)
	if got := c.Check("a.go", sum, written); got != Same {
		t.Fatal(got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := c.Check("a.go", sum, written); got != Same {
		t.Errorf("the same checker looked again: %v", got)
	}
	if got := NewChecker(root).Check("a.go", sum, written); got != Gone {
		t.Errorf("a new checker: %v", got)
	}
}

func TestHashRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Hash(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("folder: %v", err)
	}
	if _, err := Hash(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	large := filepath.Join(dir, "large")
	write(t, large, "", time.Now())
	if err := os.Truncate(large, MaxSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Hash(large); !errors.Is(err, ErrTooLarge) {
		t.Errorf("large: %v", err)
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s         State
		own, want float64
	}{{Same, 1, 1}, {Changed, 1, Decay}, {Changed, 0.3, 0.3}, {Gone, 1, 1}, {Unknown, 0.9, 0.9}} {
		if got := c.s.Confidence(c.own); got != c.want {
			t.Errorf("%v of %v: %v", c.s, c.own, got)
		}
	}
}

// By content, a file is Same exactly while it has the content that was hashed.
func TestHashTellsContentsApart(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		was := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "was")
		is := rapid.OneOf(rapid.Just(was), rapid.SliceOfN(rapid.Byte(), 0, 40)).Draw(rt, "is")
		path := filepath.Join(root, "f")
		write(t, path, string(was), time.Now())
		sum, err := Hash(path)
		if err != nil {
			rt.Fatal(err)
		}
		write(t, path, string(is), time.Now())
		want := Changed
		if string(was) == string(is) {
			want = Same
		}
		if got := NewChecker(root).Check("f", sum, time.Time{}); got != want {
			rt.Fatalf("got %v, want %v", got, want)
		}
	})
}
