package codetree

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// age makes everything below dir look as if nothing had changed for an hour.
func age(t interface{ Fatalf(string, ...any) }, dir string) {
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, old, old)
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// TestListingIsList: whatever changes, the list that is kept is given up before it
// is wrong.
func TestListingIsList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "cache", "empty.git")
	round, kept := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		if round++; round > 20 { // git makes a round slow
			return
		}
		base := filepath.Join(dir, fmt.Sprint(round))
		p := &project{t, filepath.Join(base, "root"), filepath.Join(dir, "cache", fmt.Sprint(round)+".mmap")}
		for _, d := range []string{p.root, filepath.Dir(p.file)} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		defer os.RemoveAll(base)
		git := rapid.Bool().Draw(t, "git")
		if git {
			p.git("init", "-q")
		}
		p.write("a.go", "")
		p.write("d/b.go", "")
		p.write("d/.gitignore", "*.log\nout/\n")
		p.write("d/x.log", "")
		p.write("d/out/y.go", "")
		if err := os.MkdirAll(filepath.Join(p.root, "empty/deep"), 0o755); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "cache", fmt.Sprint(round)+".list")
		now := func() []string {
			paths, err := list(context.Background(), p.root, p.file, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			return paths
		}
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			now() // makes the empty repository where it is needed
			age(t, p.root)
			if _, err := os.Stat(empty); err == nil {
				age(t, empty)
			}
			now()
			if l := readListing(name, p.root); l == nil {
				t.Fatal("the list is not kept")
			} else if l.current() {
				kept++
			}
			for range rapid.IntRange(0, 2).Draw(t, "changes") {
				change(t, p, git)
			}
			got := now()
			other := *p
			other.file = filepath.Join(dir, "cache", "fresh.mmap")
			os.Remove(filepath.Join(dir, "cache", "fresh.list"))
			want, err := list(context.Background(), p.root, other.file, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("the list is not what it would be without the last one (-want +got):\n%s", diff)
			}
		}
	})
	if kept == 0 {
		t.Error("the list was never good for a second time")
	}
}

// change does something that may change the list.
func change(t *rapid.T, p *project, git bool) {
	file := rapid.SampledFrom([]string{"a.go", "n.go", "d/b.go", "d/n.go", "d/x.log", "d/out/z.go", "empty/e.go", "empty/deep/e.go", "empty/deep/new/e.go", "q/r/s.go"}).Draw(t, "file")
	switch what := rapid.SampledFrom([]string{"write", "remove", "mkdir", "ignore", "exclude", "add", "untrack"}).Draw(t, "what"); what {
	case "write":
		name := filepath.Join(p.root, file)
		for _, err := range []error{os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("x"), 0o644)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	case "remove":
		os.Remove(filepath.Join(p.root, file))
	case "mkdir":
		if err := os.MkdirAll(filepath.Join(p.root, filepath.Dir(file), "more"), 0o755); err != nil {
			t.Fatal(err)
		}
	case "ignore":
		text := rapid.SampledFrom([]string{"*.log\n", "*.go\n", "out/\nempty/\n", ""}).Draw(t, "rules")
		if err := os.WriteFile(filepath.Join(p.root, "d/.gitignore"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	case "exclude":
		if git {
			if err := os.WriteFile(filepath.Join(p.root, ".git/info/exclude"), []byte("n.go\n/empty/\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	case "add", "untrack":
		if _, err := os.Lstat(filepath.Join(p.root, file)); !git || err != nil {
			return
		}
		if what == "add" {
			p.git("add", "-f", file)
		} else {
			p.git("rm", "-q", "--cached", "--ignore-unmatch", file)
		}
	}
}

func TestListingDamaged(t *testing.T) {
	t.Parallel()
	l := &listing{root: "/r", paths: []string{"a", "b/c"}, stamps: []stamp{{"", 0, 5}, {"/x", 7, -1}}}
	b := l.encode()
	if diff := cmp.Diff(l, decodeListing(b, "/r"), cmp.AllowUnexported(listing{}, stamp{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if decodeListing(b, "/other") != nil {
		t.Error("the list of another project is read")
	}
	for i := range b {
		bad := append([]byte(nil), b...)
		bad[i] ^= 1
		if decodeListing(bad, "/r") != nil || decodeListing(b[:i], "/r") != nil {
			t.Errorf("damage at byte %d is not seen", i)
		}
	}
}

// FuzzListing: whatever follows a sum that is right, reading it does no harm.
func FuzzListing(f *testing.F) {
	whole := (&listing{root: "/r", paths: []string{"a", "b/c"}, stamps: []stamp{{"", 0, 5}, {"/x", 7, -1}}}).encode()
	f.Add(whole[len(listMagic)+4:])
	f.Add([]byte("\x02/r\xff\xff\xff\xff\x07"))
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append([]byte(listMagic), 0, 0, 0, 0)
		b = append(b, body...)
		binary.LittleEndian.PutUint32(b[len(listMagic):], checksum(body))
		if l := decodeListing(b, "/r"); l != nil && l.root != "/r" {
			t.Fatalf("of %q", l.root)
		}
	})
}
