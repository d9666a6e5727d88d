package kb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"helix/internal/kb/source"
	"helix/internal/kb/view"
)

// Moved is a project whose folder is gone, and that at hand, which is it by all signs.
type Moved struct {
	From    string `json:"from"` // as its entries name it
	To      string `json:"to"`
	Entries int    `json:"entries"`
	Remedy  string `json:"remedy"` // command that has them belong to the project at hand
}

// String says what was found.
func (m *Moved) String() string {
	return fmt.Sprintf("this checkout seems to have been moved from %s, to which %s", m.From, count(m.Entries, "entry still belongs", "entries still belong"))
}

// The signs of a moved project: of its last movedLook entries at least half of the
// files that they come from are here, and some of them just as they were then.
const (
	movedLook = 200
	sameName  = 1 // files as they were, where the folder has the same name
	otherName = 3 // and where it has another
)

// Moved looks whether the project at hand, of which nothing is known, is one whose
// folder is gone, of which something is: then its checkout was moved. It is nil for
// no, and where two may be meant.
func (m *Memory) Moved() (*Moved, error) {
	if m.home == "" || m.root == "" {
		return nil, nil
	}
	v, err := m.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	projects, err := v.Projects()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(projects, func(p view.Count) bool { return p.Name == m.home }) {
		return nil, nil
	}
	var found *Moved
	files := source.NewChecker(m.root)
	for _, p := range projects {
		if _, err := os.Lstat(p.Name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		is, err := m.lived(v, files, p.Name)
		if err != nil {
			return nil, err
		}
		if is && found != nil {
			return nil, nil
		}
		if is {
			found = &Moved{From: p.Name, To: m.home, Entries: p.Entries, Remedy: rename(m.dir, p.Name, m.home)}
		}
	}
	return found, nil
}

// lived tells whether the files of a project are those of the one at hand.
func (m *Memory) lived(v *view.View, files *source.Checker, project string) (bool, error) {
	last, err := v.Newest(movedLook, view.Filter{Project: project})
	if err != nil {
		return false, err
	}
	here, same := map[string]bool{}, map[string]bool{}
	for i := range last {
		s := last[i].Source
		if s.Path == "" || s.Hash == "" || filepath.IsAbs(s.Path) {
			continue
		}
		state := files.Check(s.Path, s.Hash, last[i].Created)
		here[s.Path] = state == source.Same || state == source.Changed
		if state == source.Same {
			same[s.Path] = true
		}
	}
	there := 0
	for _, is := range here {
		if is {
			there++
		}
	}
	need := otherName
	if filepath.Base(project) == filepath.Base(m.home) {
		need = sameName
	}
	return len(same) >= need && 2*there >= len(here), nil
}

// rename is the command that has the entries of one project belong to another. What was
// allowed to be stored as it is stays so.
func rename(dir, from, to string) string {
	json := func(s string) string {
		b, _ := encodeJSON(s) // a string
		return string(b)
	}
	kb := "helix kb --kb " + shellWord(dir)
	edit := "s#\"project\":" + sedText(json(from)) + "#\"project\":" + sedText(json(to)) + "#p"
	return kb + " export | sed -n " + shellWord(edit) + " | " + kb + " import --replace --allow-secrets -"
}

// sedText escapes what has a meaning for sed, on either side of s###.
func sedText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `.`, `\.`, `*`, `\*`, `[`, `\[`, `^`, `\^`, `$`, `\$`, `&`, `\&`, `#`, `\#`).Replace(s)
}

// shellWord writes a word so that a shell reads it as one.
func shellWord(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("/._-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
