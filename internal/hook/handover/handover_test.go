package handover

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestProject(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	one := Project(root)
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(one) {
		t.Error(one)
	}
	for _, same := range []string{root + "/", link, root + "/../" + filepath.Base(root)} {
		if got := Project(same); got != one {
			t.Errorf("%s is another project", same)
		}
	}
	if Project(filepath.Dir(root)) == one || Project("/none/such") == Project("/none/other") {
		t.Error("two projects are one")
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kb")
	if got := ReadSettings(dir, "p"); got != (Settings{}) {
		t.Errorf("without a file: %+v", got)
	}
	if err := WriteSettings(dir, "", Settings{}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made for nothing")
	}
	user, own := Settings{AutoInit: true, MinFiles: 7}, Settings{MinFiles: 9, AutoStart: true}
	for range 2 {
		if err := WriteSettings(dir, "", user, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteSettings(dir, "p", own, false); err != nil {
		t.Fatal(err)
	}
	if u, p, q := ReadSettings(dir, ""), ReadSettings(dir, "p"), ReadSettings(dir, "q"); u != user || p != own || q != user {
		t.Errorf("%+v, %+v, %+v", u, p, q)
	}
	if info, err := os.Stat(filepath.Join(dir, "cache", "settings")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if err := WriteSettings(dir, "p", Settings{}, true); err != nil {
		t.Fatal(err)
	}
	if p := ReadSettings(dir, "p"); p != user {
		t.Errorf("%+v", p)
	}
}

// FuzzSettings: whatever stands in the file, what is read can be written and read.
func FuzzSettings(f *testing.F) {
	f.Add("auto_init.enabled true\nauto_init.min_files 3\nserve.auto_start true\n")
	f.Add("auto_init.min_files -3\nauto_init.enabled\n\nmore of it x y\n")
	f.Add(strings.Repeat("\x00", 100))
	f.Fuzz(func(t *testing.T, text string) {
		var one, two Settings
		one.parse(text)
		two.parse(one.text())
		if one != two || one.MinFiles < 0 {
			t.Errorf("%q: %+v, then %+v", text, one, two)
		}
	})
}
