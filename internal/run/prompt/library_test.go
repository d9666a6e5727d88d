package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	bare, own, other := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(bare, "workflows", "ci.yaml"), "x") // another tool's folder
	write(t, filepath.Join(own, "workflows", "actions", "check.md"), "own check")
	write(t, filepath.Join(other, "actions", "plan.md"), "other plan")
	for _, c := range []struct {
		name, root, override string
		dir                  string
		check, plan          string // "" is the built-in document
	}{
		{"nothing", bare, "", "", "", ""},
		{"the project's", own, "", filepath.Join(own, "workflows"), "own check", ""},
		{"the named one wins", own, other, other, "", "other plan"},
		{"a relative name", filepath.Dir(other), filepath.Base(other), other, "", "other plan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := OpenLibrary(c.root, c.override)
			if err != nil {
				t.Fatal(err)
			}
			if l.Dir() != c.dir {
				t.Errorf("Dir is %q, want %q", l.Dir(), c.dir)
			}
			for a, want := range map[Action]string{Check: c.check, Plan: c.plan} {
				text, from, err := l.Document(a)
				if err != nil {
					t.Fatal(err)
				}
				wantFrom := BuiltIn
				if want != "" {
					wantFrom = filepath.Join(c.dir, a.Document())
				} else {
					want = document(t, a)
				}
				if text != want || from != wantFrom {
					t.Errorf("%s is from %s: %.40q; want it from %s", a, from, text, wantFrom)
				}
			}
		})
	}
}

func TestBrokenLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "x")
	for override, want := range map[string]string{
		filepath.Join(dir, "missing"): "is not a folder",
		filepath.Join(dir, "file"):    "is not a folder",
		dir:                           "has no folder actions",
	} {
		_, err := OpenLibrary(t.TempDir(), override)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), override) || !strings.Contains(err.Error(), "HELIX_LIBRARY_ROOT") {
			t.Errorf("%s: error %v", override, err)
		}
	}

	write(t, filepath.Join(dir, "lib", "actions", "plan.md"), " \n")
	write(t, filepath.Join(dir, "lib", "actions", "polish.md"), strings.Repeat("x", maxDocument+1))
	if err := os.Mkdir(filepath.Join(dir, "lib", "actions", "check.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLibrary("", filepath.Join(dir, "lib"))
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[Action]string{Plan: "is empty", Polish: "is larger than", Check: "is not a file"} {
		_, _, err := l.Document(a)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", a, err)
		}
	}
}
