package codetree

import (
	"bytes"
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

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// project is a folder with files, and where its tree is kept.
type project struct {
	t    interface{ Fatalf(string, ...any) }
	root string
	file string
}

func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	dir := t.TempDir()
	p := &project{t, filepath.Join(dir, "root"), filepath.Join(dir, "cache", "tree.mmap")}
	if err := os.Mkdir(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

// write makes a file that looks as if it had been there for long.
func (p *project) write(name, text string) {
	name = filepath.Join(p.root, name)
	old := time.Now().Add(-time.Hour)
	for _, err := range []error{os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644), os.Chtimes(name, old, old)} {
		if err != nil {
			p.t.Fatalf("%v", err)
		}
	}
}

func (p *project) git(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = p.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p *project) update() Stats {
	s, err := Update(context.Background(), p.root, Options{File: p.file})
	if err != nil {
		p.t.Fatalf("%v", err)
	}
	return s
}

func (p *project) open(t *testing.T) *Tree {
	t.Helper()
	p.update()
	tree, err := OpenFile(p.root, p.file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	})
	return tree
}

// shop is a small Go module.
var shop = map[string]string{
	"go.mod":            "module example.org/shop\n\ngo 1.26\n",
	"README.md":         "# Shop\n\nSells things.\n\n## Buying things\n\ntext\n",
	"main.go":           "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/shop/till\"\n)\n\nfunc main() {\n\tt := till.Open(3)\n\tfmt.Println(t.Take(1))\n}\n",
	"till/doc.go":       "// Package till holds the money.\npackage till\n",
	"till/till.go":      "package till\n\n// Till holds coins.\ntype Till struct{ n int }\n\n// Open opens one.\nfunc Open(n int) *Till { return &Till{n} }\n\nfunc (t *Till) Take(n int) int {\n\treturn check(n)\n}\n\nfunc check(n int) int { return n }\n",
	"till/till_test.go": "package till\n\nimport \"testing\"\n\nfunc TestTake(t *testing.T) { Open(1).Take(1) }\n",
	"web/app.ts":        "import { sum } from './lib/sum';\nexport function render() { return sum(1, 2) }\n",
	"web/lib/sum.ts":    "export const sum = (a: number, b: number) => a + b;\n",
}

func TestNodes(t *testing.T) {
	t.Parallel()
	tree := newProject(t, shop).open(t)
	root, err := tree.Root()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[ID]bool{}
	var lines []string
	var walk func(n Node, level int)
	walk = func(n Node, level int) {
		if seen[n.ID] {
			t.Fatalf("%s is there twice", n.ID)
		}
		seen[n.ID] = true
		lines = append(lines, fmt.Sprintf("%s%s %s %d-%d %s | %s", strings.Repeat("  ", level), n.Kind, n.Qualified(), n.Line, n.EndLine, n.Signature, n.Doc))
		children, err := tree.Nodes(n.Children)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range children {
			if c.Parent != n.ID {
				t.Errorf("the parent of %s is %s and not %s", c.Name, c.Parent, n.ID)
			}
			walk(c, level+1)
		}
	}
	walk(root, 0)
	want := `dir . 0-0  | Sells things.
  dir till 0-0  | Package till holds the money.
    file doc.go 1-2  | Package till holds the money.
    file till.go 1-13  | 
      symbol Till 4-4 type Till struct | Till holds coins.
        symbol Till.Take 9-11 func (t *Till) Take(n int) int | 
      symbol Open 7-7 func Open(n int) *Till | Open opens one.
      symbol check 13-13 func check(n int) int | 
    file till_test.go 1-5  | 
      symbol TestTake 5-5 func TestTake(t *testing.T) | 
  dir web 0-0  | 
    dir lib 0-0  | 
      file sum.ts 1-1  | 
        symbol sum 1-1 export const sum = (a: number, b: number) => | 
    file app.ts 1-2  | 
      symbol render 2-2 export function render() | 
  file README.md 1-7  | Sells things.
    symbol Shop 1-7 # Shop | 
      symbol Buying things 5-7 ## Buying things | 
  file go.mod 1-3  | 
  file main.go 1-12  | 
    symbol main 9-12 func main() | `
	if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(seen) != tree.Len() {
		t.Errorf("%d nodes are to be reached, the tree says %d", len(seen), tree.Len())
	}
	for id := range seen {
		n, err := tree.Expand(id.String()[:len(id.String())-3])
		if err != nil || n.ID != id {
			t.Errorf("%s cut short gives %v, %v", id, n.ID, err)
		}
	}
	for _, bad := range []string{"", "node_", "node_12", "node_zzzzzz", "node_0123456789abcdef", "12345"} {
		if _, err := tree.Expand(bad); err == nil {
			t.Errorf("%q names a node", bad)
		}
	}
	if _, err := tree.Node(1); !errors.Is(err, ErrNotFound) {
		t.Errorf("a node that is not there: %v", err)
	}
}

func TestSkeleton(t *testing.T) {
	t.Parallel()
	tree := newProject(t, shop).open(t)
	for depth, want := range []string{".", ". till web", ". till web web/lib", ". till web web/lib"} {
		all, err := tree.Skeleton(depth)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range all {
			got = append(got, o.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("depth %d: %v, want %s", depth, got, want)
		}
	}
	if root, err := tree.Root(); err != nil || root.FileCount != len(shop) {
		t.Errorf("the root has %d files, want %d (%v)", root.FileCount, len(shop), err)
	}
}

// TestUpdate: what an update reads, keeps and removes.
func TestUpdate(t *testing.T) {
	t.Parallel()
	p := newProject(t, shop)
	n := len(shop)
	if s := p.update(); !s.Rebuilt || !s.Written || s.Files != n || s.Parsed != n || s.Removed != 0 {
		t.Errorf("first build: %+v", s)
	}
	before, err := OpenFile(p.root, p.file)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if s := p.update(); s.Rebuilt || s.Written || s.Files != n || s.Parsed != 0 {
		t.Errorf("nothing changed: %+v", s)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(p.root, "main.go"), old, old); err != nil {
		t.Fatal(err)
	}
	if s := p.update(); !s.Written || s.Parsed != 0 {
		t.Errorf("touched only: %+v", s)
	}
	p.write("till/till.go", strings.Replace(shop["till/till.go"], "func check", "// A line more.\n\nfunc added() {}\n\nfunc check", 1))
	if s := p.update(); !s.Written || s.Parsed != 1 || s.Removed != 0 {
		t.Errorf("one changed: %+v", s)
	}
	if err := os.Remove(filepath.Join(p.root, "web/app.ts")); err != nil {
		t.Fatal(err)
	}
	if s := p.update(); !s.Written || s.Parsed != 0 || s.Removed != 1 || s.Files != n-1 {
		t.Errorf("one removed: %+v", s)
	}
	after := p.open(t)
	for _, name := range []string{"main", "Open", "check", "Till.Take"} {
		a, err := before.Symbols(name)
		if err != nil || len(a) != 1 {
			t.Fatalf("%s before: %v, %v", name, a, err)
		}
		b, err := after.Symbols(name)
		if err != nil || len(b) != 1 || b[0].ID != a[0].ID {
			t.Errorf("%s has another id after the change: %v and %v (%v)", name, a, b, err)
		}
	}
	if found, err := after.Symbols("added"); err != nil || len(found) != 1 || found[0].Line != 15 {
		t.Errorf("added: %+v, %v", found, err)
	}
	if info, err := os.Stat(filepath.Dir(p.file)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the cache folder: %v, %v", info.Mode(), err)
	}
}

// TestChosen: which files are in the tree, within git and outside of it.
func TestChosen(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{true, false} {
		t.Run(fmt.Sprintf("git=%v", git), func(t *testing.T) {
			t.Parallel()
			p := newProject(t, map[string]string{
				".gitignore": "*.log\n/build/\n", "a.go": "package a\n", "sub/.gitignore": "!keep.log\nhidden.go\n",
				"sub/keep.log": "kept\n", "sub/hidden.go": "package x\n", "x.log": "no\n", "build/out.go": "package b\n",
				"data.bin": "a\x00b", "large.go": "package l\n" + strings.Repeat("// x\n", MaxFileSize/5), "exact.txt": strings.Repeat("x", MaxFileSize),
				"empty.go": "", "with space.py": "def f(): pass\n", "ümlaut.py": "def g(): pass\n",
			})
			want := []string{".gitignore", "a.go", "empty.go", "exact.txt", "with space.py", "ümlaut.py", "sub/.gitignore", "sub/keep.log"}
			if err := os.Symlink("a.go", filepath.Join(p.root, "link.go")); err != nil {
				t.Fatal(err)
			}
			if git {
				p.write("tracked.log", "tracked\n")
				p.write("gone.go", "package gone\n")
				p.git("init", "-q")
				p.git("add", "-f", "tracked.log", "gone.go", "a.go")
				if err := os.Remove(filepath.Join(p.root, "gone.go")); err != nil {
					t.Fatal(err)
				}
				want = []string{".gitignore", "a.go", "empty.go", "exact.txt", "tracked.log", "with space.py", "ümlaut.py", "sub/.gitignore", "sub/keep.log"}
			}
			if diff := cmp.Diff(want, p.open(t).Files()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s := p.update(); s.Written {
				t.Errorf("an update with nothing to do wrote: %+v", s)
			}
		})
	}
}

// TestUpdateIsBuild: after any edits, an update gives the bytes of a fresh build.
func TestUpdateIsBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		base := filepath.Join(dir, fmt.Sprint(round))
		p := &project{t, filepath.Join(base, "root"), filepath.Join(dir, "cache", fmt.Sprint(round)+".mmap")}
		if err := os.MkdirAll(p.root, 0o755); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(base)
		names := []string{"a.go", "b/b.go", "b/c/c.py", "b-c/d.ts", "b/README.md", "z.bin", "b/c.rs", "B.java", "go.mod", "x/y/z/w.c"}
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				name := rapid.SampledFrom(names).Draw(t, "file")
				if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
					os.RemoveAll(filepath.Join(p.root, name))
					continue
				}
				p.write(name, someSource(t, name))
			}
			p.update()
			other := *p
			other.file = p.file + "2"
			os.Remove(other.file)
			other.update()
			a, err := os.ReadFile(p.file)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(other.file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Fatalf("the update differs from a fresh build")
			}
		}
	})
}

// someSource is a file with functions that call each other.
func someSource(t *rapid.T, name string) string {
	var b strings.Builder
	word := func(what string) string {
		return rapid.SampledFrom([]string{"f", "F", "g", "open", "Open", "h"}).Draw(t, what)
	}
	form := map[string]string{
		".go": "func %s() { %s(); x.%s() }\n", ".py": "def %s():\n    %s(x.%s())\n", ".ts": "export function %s() { %s(); x.%s() }\n",
		".rs": "fn %s() { %s(x.%s()) }\n", ".java": "class %s { void a() { %s(); x.%s(); } }\n", ".md": "# %s\n\n## %s %s\n", ".c": "int %s() { return %s(%s); }\n", ".bin": "\x00%s%s%s", ".mod": "module %s/%s/%s\n",
	}[filepath.Ext(name)]
	if filepath.Ext(name) == ".go" {
		b.WriteString("package a\n\nimport \"f/g\"\n")
	}
	for range rapid.IntRange(0, 3).Draw(t, "functions") {
		fmt.Fprintf(&b, form, word("a"), word("b"), word("c"))
	}
	return b.String()
}

// TestTogether: updates and readers at the same time do not disturb each other.
func TestTogether(t *testing.T) {
	t.Parallel()
	p := newProject(t, shop)
	p.update()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 5 {
				name := filepath.Join(p.root, fmt.Sprintf("new%d.go", i))
				if err := os.WriteFile(name, fmt.Appendf(nil, "package main\n\nfunc n%d() {}\n", n), 0o644); err != nil {
					t.Error(err)
				}
				if _, err := Update(context.Background(), p.root, Options{File: p.file}); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 10 {
				tree, err := OpenFile(p.root, p.file)
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(walkAll(tree), tree.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	tree := p.open(t)
	if found, err := tree.Symbols("n4"); err != nil || len(found) != 4 {
		t.Errorf("after all of them: %v, %v", found, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(p.file), ".tree-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestStopped: an update that is stopped leaves the last tree.
func TestStopped(t *testing.T) {
	t.Parallel()
	p := newProject(t, shop)
	p.update()
	before, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	p.write("more.go", "package main\n")
	ctx, cancel := context.WithCancel(context.Background())
	_, err = Update(ctx, p.root, Options{File: p.file, Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if after, err := os.ReadFile(p.file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the tree has changed (%v)", err)
	}
}
