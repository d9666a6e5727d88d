package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCheckPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, filepath.FromSlash(n)) }
	if err := os.WriteFile(name("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"nowhere": "gone/deep", "round": "round", "good": ".", "to-file": "file"} {
		if err := os.Symlink(to, name(from)); err != nil {
			t.Fatal(err)
		}
	}
	for place, want := range map[string]string{
		".":            "",
		"new/and/deep": "",
		"good/new":     "",
		"file":         "/file is a file: ",
		"file/kb":      "/file is a file: ",
		"to-file":      "/to-file is a file: ",
		"nowhere":      "/nowhere is a link to gone/deep, which is not there: ",
		"nowhere/kb":   "/nowhere is a link to gone/deep, which is not there: ",
		"round":        "/round is a link that leads back to itself: ",
		"round/a/b":    "/round is a link that leads back to itself: ",
	} {
		err := checkPlace(name(place), "--there")
		if want == "" && err == nil {
			continue
		}
		if err == nil || want == "" || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--there") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

func TestRemedy(t *testing.T) {
	t.Parallel()
	a := &App{memory: "/m/kb"}
	at := func(path string, code error) error {
		return fmt.Errorf("store: %w", &fs.PathError{Op: "open", Path: path, Err: code})
	}
	for _, c := range []struct {
		err  error
		want string
		kb   bool
	}{
		{at("/m/kb/data.log", syscall.EACCES), "; look whose", true},
		{at("/m/kb", syscall.EROFS), "mount that for writing", true},
		{at("/m/kb/data.log", syscall.ENOSPC), "make room", true},
		{at("/m/kbx/data.log", syscall.ENOSPC), "make room", false},
		{&os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: syscall.EROFS}, "mount that for writing", false},
		{at("/o", syscall.ENOTDIR), "is a file", false},
		{at("/o", syscall.ELOOP), "leads back", false},
		{at("/o", syscall.ENAMETOOLONG), "shorten", false},
		{at("/o", syscall.ENOENT), "", false},
		{errors.New("permission denied"), "", false},
	} {
		got := a.remedy(c.err)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || strings.Contains(got, "--kb") != c.kb {
			t.Errorf("%v: %q", c.err, got)
		}
	}
}
