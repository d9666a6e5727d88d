package handover

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const attempt = "20260601T120000-0a1b2c3d"

// checkout is a folder that passes for one.
func checkout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestAttempt(t *testing.T) {
	t.Parallel()
	root := checkout(t)
	path, err := WriteAttempt(root, attempt, "what is known")
	if err != nil || path != AttemptContext(root, attempt) {
		t.Fatalf("%s, %v", path, err)
	}
	if text, err := ReadAttempt(path, attempt); err != nil || text != "what is known" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(root, ".helix-logs", ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("git sees it: %q, %v", text, err)
	}
	if path, err := WriteAttempt(root, attempt, "more"); err != nil {
		t.Errorf("%s, %v", path, err)
	}
}

// TestAttemptIsTrusted: nothing is read but what WriteAttempt wrote for this attempt.
func TestAttemptIsTrusted(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, root, path string) (string, string){
		"another attempt's": func(_ *testing.T, _, path string) (string, string) { return path, "20260601T120000-ffffffff" },
		"no attempt":        func(_ *testing.T, _, path string) (string, string) { return path, "" },
		"a relative path":   func(_ *testing.T, _, path string) (string, string) { return path[1:], attempt },
		"a path with dots": func(_ *testing.T, root, _ string) (string, string) {
			return root + "/x/../.helix-logs/attempts/" + attempt + "/context.md", attempt
		},
		"another file": func(t *testing.T, _, path string) (string, string) {
			other := filepath.Join(filepath.Dir(path), "other.md")
			if err := os.Rename(path, other); err != nil {
				t.Fatal(err)
			}
			return other, attempt
		},
		"what others can read, as a repository brings it": func(t *testing.T, _, path string) (string, string) {
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
			return path, attempt
		},
		"a link": func(t *testing.T, root, path string) (string, string) {
			if err := errors.Join(os.Rename(path, root+"/secret"), os.Symlink(root+"/secret", path)); err != nil {
				t.Fatal(err)
			}
			return path, attempt
		},
		"a folder": func(t *testing.T, _, path string) (string, string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
			return path, attempt
		},
		"too large a file": func(t *testing.T, _, path string) (string, string) {
			if err := os.Truncate(path, mostAttempt+1); err != nil {
				t.Fatal(err)
			}
			return path, attempt
		},
		"outside a checkout": func(t *testing.T, root, path string) (string, string) {
			if err := os.Remove(root + "/.git"); err != nil {
				t.Fatal(err)
			}
			return path, attempt
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := checkout(t)
			path, err := WriteAttempt(root, attempt, "what is known")
			if err != nil {
				t.Fatal(err)
			}
			path, id := spoil(t, root, path)
			if text, err := ReadAttempt(path, id); !errors.Is(err, ErrUntrusted) || text != "" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	if _, err := ReadAttempt("/nowhere/at/all", attempt); !errors.Is(err, ErrUntrusted) {
		t.Error(err)
	}
}

// TestTold: a session is told once, and what counts is what an agent at work was told.
func TestTold(t *testing.T) {
	t.Parallel()
	root, tree := checkout(t), checkout(t)
	path, err := WriteAttempt(root, attempt, "what is known")
	if err != nil {
		t.Fatal(err)
	}
	tell := func(session, checkout string, n int, want bool) {
		t.Helper()
		if first, err := Tell(path, session, checkout, n); err != nil || first != want {
			t.Errorf("%s: %t, %v", session, first, err)
		}
	}
	wantTold := func(want int) {
		t.Helper()
		if got := Told(root, path); got != want {
			t.Errorf("told %d bytes, want %d", got, want)
		}
	}
	wantTold(0)
	tell("is it ready?", root, 13, true)
	wantTold(0)
	tell("the attempt", tree, 5, true)
	tell("the attempt", tree, 13, false)
	wantTold(5)
	tell("its review", tree+"-gone", 9, true)
	wantTold(9)
	tell("nowhere", "", 11, true)
	wantTold(11)
	if err := os.WriteFile(path+".told-0", []byte("many /x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantTold(11)
	if first, err := Tell(filepath.Join(root, "gone", "context.md"), "s", tree, 1); err == nil || first {
		t.Errorf("told of a folder that is gone: %t, %v", first, err)
	}
	if n := Told(root, filepath.Join(root, "gone", "context.md")); n != 0 {
		t.Errorf("told %d bytes of nothing", n)
	}
}
