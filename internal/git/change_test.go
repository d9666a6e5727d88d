package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestChangesApply(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"keep": "1", "edit": "1", "gone": "1", "file": "becomes a folder", "dir/x": "becomes a file"})
	ctx := t.Context()
	from := mustGit(t, r, "rev-parse", "HEAD^{tree}")
	for _, p := range []string{"gone", "file", "dir"} {
		if err := os.RemoveAll(filepath.Join(r.Dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	writeAll(t, r, map[string]string{"edit": "2", "file/y": "1", "dir": "1", "with space\n": "1"})
	commitAll(t, r, "second")
	to := mustGit(t, r, "rev-parse", "HEAD^{tree}")
	changes, err := r.Changes(ctx, from, to)
	if err != nil {
		t.Fatal(err)
	}
	paths := Paths(changes)
	slices.Sort(paths)
	if diff := cmp.Diff([]string{"dir", "dir/x", "edit", "file", "file/y", "gone", "with space\n"}, paths); diff != "" {
		t.Error(diff)
	}
	index := filepath.Join(t.TempDir(), "index")
	if got, err := r.ApplyToTree(ctx, index, from, changes); got != to || err != nil {
		t.Errorf("forward: %s, %v, want %s", got, err, to)
	}
	if got, err := r.ApplyToTree(ctx, index, to, Reversed(changes)); got != from || err != nil {
		t.Errorf("back: %s, %v, want %s", got, err, from)
	}
}

func TestDirty(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1", "b": "1", "c": "1", "d": "1"})
	writeAll(t, r, map[string]string{"a": "2", "new": "1", "staged": "1", "c": "2"})
	mustGit(t, r, "add", "staged", "c")
	if err := os.Remove(filepath.Join(r.Dir, "b")); err != nil {
		t.Fatal(err)
	}
	got, err := r.Dirty(t.Context())
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "b", "c", "staged"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	start := map[string]string{"edit": "1", "gone": "1", "file": "1", "dir/x": "1", "link/x": "1", "uncached": "1", ".gitignore": "*.log\nuncached"}
	for _, tc := range []struct {
		name     string
		act      func(t *testing.T, r *Repo)
		want     map[string]string // differs from start; "" = gone
		nested   []string
		unmerged []string
	}{
		{name: "nothing", act: func(*testing.T, *Repo) {}},
		{
			name: "edits, new, ignored and removed files",
			act: func(t *testing.T, r *Repo) {
				writeAll(t, r, map[string]string{"edit": "2", "new/deep": "1", "x.log": "noise"})
				os.Remove(filepath.Join(r.Dir, "gone"))
			},
			want: map[string]string{"edit": "2", "new/deep": "1", "gone": ""},
		},
		{
			name: "same size within the same moment",
			act:  func(t *testing.T, r *Repo) { writeAll(t, r, map[string]string{"edit": "3"}) },
			want: map[string]string{"edit": "3"},
		},
		{
			name: "files and folders change places, a folder becomes a link",
			act: func(t *testing.T, r *Repo) {
				for _, p := range []string{"file", "dir", "link"} {
					os.RemoveAll(filepath.Join(r.Dir, p))
				}
				writeAll(t, r, map[string]string{"file/y": "1", "dir": "now a file"})
				if err := os.Symlink("file", filepath.Join(r.Dir, "link")); err != nil {
					t.Fatal(err)
				}
			},
			want: map[string]string{"file": "", "file/y": "1", "dir/x": "", "dir": "now a file", "link/x": "", "link": "file"},
		},
		{
			name: "staged only, and forced in against the ignore rules",
			act: func(t *testing.T, r *Repo) {
				writeAll(t, r, map[string]string{"forced.log": "1"})
				mustGit(t, r, "add", "-f", "forced.log")
				mustGit(t, r, "rm", "-q", "--cached", "uncached")
			},
			want: map[string]string{"forced.log": "1", "uncached": ""},
		},
		{
			name: "a repository inside",
			act: func(t *testing.T, r *Repo) {
				inner := *r
				inner.Dir = filepath.Join(r.Dir, "vendor", "in")
				if err := os.MkdirAll(inner.Dir, 0o755); err != nil {
					t.Fatal(err)
				}
				mustGit(t, &inner, "init", "-q")
				writeAll(t, r, map[string]string{"edit": "2"})
			},
			want:   map[string]string{"edit": "2"},
			nested: []string{"vendor/in"},
		},
		{
			name: "an index that cannot be read",
			act: func(t *testing.T, r *Repo) {
				writeAll(t, r, map[string]string{"edit": "2", ".git/index": "broken"})
			},
			want: map[string]string{"edit": "2"},
		},
		{
			name: "a merge in conflict",
			act: func(t *testing.T, r *Repo) {
				mustGit(t, r, "checkout", "-q", "-b", "side")
				writeAll(t, r, map[string]string{"edit": "side"})
				mustGit(t, r, "rm", "-q", "gone")
				commitAll(t, r, "side")
				mustGit(t, r, "checkout", "-q", "main")
				writeAll(t, r, map[string]string{"edit": "main", "gone": "changed"})
				commitAll(t, r, "main")
				if _, err := r.Run(t.Context(), "merge", "side"); err == nil {
					t.Fatal("no conflict")
				}
				writeAll(t, r, map[string]string{"edit": "half"})
				os.Remove(filepath.Join(r.Dir, "gone"))
			},
			want:     map[string]string{"edit": "half", "gone": ""},
			unmerged: []string{"edit", "gone"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, start)
			mustGit(t, r, "add", "-f", "uncached")
			commitAll(t, r, "second")
			tc.act(t, r)
			index := filepath.Join(r.Dir, ".git", "index")
			before, _ := os.ReadFile(index)
			snap, err := r.Snapshot(t.Context(), index, "HEAD", filepath.Join(t.TempDir(), "scratch"))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for name, text := range start {
				want[name] = text
			}
			for name, text := range tc.want {
				if want[name] = text; text == "" {
					delete(want, name)
				}
			}
			if diff := cmp.Diff(want, treeOf(t, r, snap.Tree)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.nested, snap.Nested); diff != "" {
				t.Error("nested", diff)
			}
			if diff := cmp.Diff(tc.unmerged, snap.Unmerged); diff != "" {
				t.Error("unmerged", diff)
			}
			if after, _ := os.ReadFile(index); string(after) != string(before) {
				t.Error("the work tree's index was written")
			}
		})
	}
}

func treeOf(t *testing.T, r *Repo, tree string) map[string]string {
	t.Helper()
	r = r.WithEnv("GIT_INDEX_FILE=" + filepath.Join(t.TempDir(), "none"))
	changes, err := r.Changes(t.Context(), mustGit(t, r, "hash-object", "-t", "tree", "-w", os.DevNull), tree)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, c := range changes {
		files[c.Path] = mustGit(t, r, "cat-file", "blob", c.NewID)
	}
	return files
}

func TestSnapshotOfSubmodule(t *testing.T) {
	t.Parallel()
	lib := newRepo(t, map[string]string{"l": "1"})
	r := newRepo(t, map[string]string{"a": "1"})
	mustGit(t, r, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.Dir, "lib")
	commitAll(t, r, "with submodule")
	writeAll(t, r, map[string]string{"lib/l": "changed"})
	snap, err := r.Snapshot(t.Context(), filepath.Join(r.Dir, ".git", "index"), "HEAD", filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"lib"}, snap.Nested); diff != "" {
		t.Error(diff)
	}
	if snap.Tree != mustGit(t, r, "rev-parse", "HEAD^{tree}") {
		t.Error("a dirty submodule is no change of its own")
	}
}

// Any sequence of edits, staging and commits is in the snapshot, whatever the
// index says.
func TestSnapshotHoldsEverything(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{"a": "1", "b/c": "1"})
	scratch := filepath.Join(t.TempDir(), "scratch")
	names := []string{"a", "b", "b/c", "b/d", "e", "e/f"}
	rapid.Check(t, func(rt *rapid.T) {
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 5), 1, 8).Draw(rt, "steps") {
			name := rapid.SampledFrom(names).Draw(rt, "name")
			path := filepath.Join(r.Dir, name)
			switch step {
			case 0:
				_, _ = r.Run(t.Context(), "add", "-A")
			case 1:
				_, _ = r.Run(t.Context(), "rm", "-q", "-r", "--cached", name)
			case 2:
				os.RemoveAll(path)
			default:
				os.RemoveAll(path)
				if parent := filepath.Dir(path); parent != r.Dir {
					if info, err := os.Lstat(parent); err == nil && !info.IsDir() {
						os.Remove(parent)
					}
				}
				writeAll(t, r, map[string]string{name: rapid.SampledFrom([]string{"1", "2", "long"}).Draw(rt, "text")})
			}
		}
		snap, err := r.Snapshot(t.Context(), filepath.Join(r.Dir, ".git", "index"), "HEAD", scratch)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(filesOn(t, r.Dir), treeOf(t, r, snap.Tree)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func filesOn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(dir, path)
		text, err := os.ReadFile(path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestParseRawRefuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"x", ":1 2 3 4\x00p\x00", ":1 2 3 4 M\x00", ":1 2 3 4 M\x00\x00", "1 2 3 4 M\x00p\x00"} {
		if _, err := parseRaw(raw); err == nil {
			t.Errorf("%q was read", raw)
		}
	}
}

func FuzzParseRaw(f *testing.F) {
	f.Add(":100644 100644 aaaa bbbb M\x00path\x00:000000 160000 0000 cccc A\x00sub\x00")
	f.Add(":100644 000000 aaaa 0000 D\x00a\nb\x00")
	f.Fuzz(func(t *testing.T, raw string) {
		changes, err := parseRaw(raw)
		if err != nil {
			return
		}
		for _, c := range changes {
			if c.Path == "" {
				t.Errorf("a change without a path from %q", raw)
			}
		}
	})
}

func FuzzParseWorktrees(f *testing.F) {
	f.Add("worktree /a\nHEAD 1234\nbranch refs/heads/main\n\nworktree /b\nHEAD 0000\ndetached\n")
	f.Add("worktree /bare\nbare\n\nHEAD")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range parseWorktrees(text) {
			if w.Head != "" && w.Head == "0000" {
				t.Error("an unborn branch has no head")
			}
		}
	})
}
