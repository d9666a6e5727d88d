package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	say := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}
	}
	holds := func(n, want string) {
		t.Helper()
		if got, err := os.ReadFile(name(n)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", n, got, err, want)
		}
	}
	if err := writeWhole(name("new"), 0o600, say("one")); err != nil {
		t.Fatal(err)
	}
	holds("new", "one")
	for link, to := range map[string]string{"link": "new", "early": "later", "earlier": "early"} {
		if err := os.Symlink(to, name(link)); err != nil {
			t.Fatal(err)
		}
	}
	for link, file := range map[string]string{"link": "new", "earlier": "later"} {
		if err := writeWhole(name(link), 0o600, say("two")); err != nil {
			t.Fatal(err)
		}
		holds(file, "two")
		if info, err := os.Lstat(name(link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s is gone: %v", link, err)
		}
	}
	broken := errors.New("broken")
	if err := writeWhole(name("new"), 0o600, func(w io.Writer) error { return errors.Join(say("three")(w), broken) }); !errors.Is(err, broken) {
		t.Error(err)
	}
	holds("new", "two")

	// A pipe stays one.
	if err := syscall.Mkfifo(name("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		text, err := os.ReadFile(name("pipe"))
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	if err := writeWhole(name("pipe"), 0o600, say("four")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "four" {
		t.Errorf("through the pipe: %q", got)
	}
	if info, err := os.Lstat(name("pipe")); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v", err)
	}
	for place, want := range map[string]string{".": "is a folder; name a file in it", "no/such": "there is no folder "} {
		if err := writeWhole(name(place), 0o600, say("")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// What lies in /dev/shm is a file like any other.
func TestWriteWholeInMemory(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/dev/shm", "helix-test-")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "new")
	for _, text := range []string{"the first one", "short"} {
		err := writeWhole(file, 0o600, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if got, readErr := os.ReadFile(file); err != nil || readErr != nil || string(got) != text {
			t.Errorf("%q, %v, %v, want %q", got, err, readErr, text)
		}
	}
}

// Not tried by a script: where it failed, and the user may, the machine's own
// standard output would be gone.
func TestIsStdout(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"-": true, "/dev/stdout": true, "/dev/fd/1": true, "stdout": false, "./-": false} {
		if got := isStdout([]string{name}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !isStdout(nil) {
		t.Error("no name")
	}
}
