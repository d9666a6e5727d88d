package tracker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTornLineIsRepairedByTheNextWrite(t *testing.T) {
	t.Parallel()
	torn := rowText("hx-a") + "\n" + `{"id":"hx-b","tit`
	s := newStore(t)
	writeFile(t, s.Path(), torn)
	if q := load(t, s); q.Len() != 1 || len(q.Problems()) != 1 || !q.Problems()[0].Torn {
		t.Fatalf("read: %v", q.Problems())
	}
	if readFile(t, s.Path()) != torn {
		t.Fatal("a read wrote")
	}
	var warnings []string
	s.warn = func(text string) { warnings = append(warnings, text) }
	if err := s.Close(ctx, "hx-a", Closing{}); err != nil {
		t.Fatal(err)
	}
	if readFile(t, s.Path()+".bak") != torn {
		t.Error("the backup is not the file as it was")
	}
	if q := load(t, s); q.Len() != 1 || len(q.Problems()) != 0 {
		t.Errorf("after the repair: %v", q.Problems())
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "beads.jsonl:2: ") || !strings.Contains(warnings[0], "beads.jsonl.bak") {
		t.Errorf("warned %q", warnings)
	}
	writeFile(t, s.Path(), torn)
	if _, err := s.Create(ctx, New{Title: "t"}); err != nil {
		t.Fatal(err)
	}
	if readFile(t, s.Path()+".bak.1") != torn || readFile(t, s.Path()+".bak") != torn {
		t.Error("the second backup must not replace the first")
	}
}

func TestMalformedLineRefusesWrites(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"), `{"id":"hx-b",}`, rowText("hx-c"))
	before := readFile(t, s.Path())
	err := s.Close(ctx, "hx-a", Closing{})
	if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), s.Path()+":2: ") || !strings.Contains(err.Error(), "helix bead doctor --fix") {
		t.Errorf("got %v", err)
	}
	if readFile(t, s.Path()) != before {
		t.Error("the file changed")
	}
	if got := ids(load(t, s).Ready(noon)); got != "hx-a hx-c" {
		t.Errorf("the others are read on: %s", got)
	}
	writeFile(t, s.Path(), "<<<<<<< HEAD\n"+before+"=======\n>>>>>>> x\n")
	if err := s.Close(ctx, "hx-a", Closing{}); !errors.Is(err, ErrConflict) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Load(ctx); !errors.Is(err, ErrConflict) {
		t.Errorf("got %v", err)
	}
}

func TestFileModeAndLinksStay(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	real := filepath.Join(t.TempDir(), "real.jsonl")
	writeFile(t, real, rowText("hx-a")+"\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, s.Path()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(ctx, "hx-a", Closing{}); err != nil {
		t.Fatal(err)
	}
	link, err := os.Lstat(s.Path())
	if err != nil || link.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone (%v)", err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(readFile(t, real), "closed") {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
	// A link to a file that does not exist yet makes that file.
	s = newStore(t)
	if err := os.Symlink("elsewhere.jsonl", s.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(ctx, New{Title: "t"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(readFile(t, filepath.Join(s.Dir(), "elsewhere.jsonl")), `"title":"t"`) {
		t.Error("the link was not followed")
	}
}

// Someone saves the file with an editor, which takes no lock, while a change is
// being computed: the change is made anew, on what they saved.
func TestChangeSeesWhatAnEditorSaved(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	runs := 0
	b, err := s.Edit(ctx, "hx-a", func(b *Bead) error {
		if runs++; runs == 1 {
			writeFile(t, s.Path(), rowText("hx-a", "description", `"saved meanwhile"`)+"\n"+rowText("hx-b")+"\n")
		}
		b.Notes = "n"
		return nil
	})
	if err != nil || runs != 2 {
		t.Fatalf("%d runs: %v", runs, err)
	}
	if b.Description != "saved meanwhile" || b.Notes != "n" || load(t, s).Len() != 2 {
		t.Errorf("got %+v", b)
	}
}

func TestOneChangeInAForeignFolderFails(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	if err := os.Chmod(s.Dir(), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(s.Dir(), 0o755) })
	if err := s.Close(ctx, "hx-a", Closing{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
