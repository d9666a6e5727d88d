package codetree

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"helix/internal/git"
	"helix/internal/kb/rawfile"
)

// listing is a list of files that is kept with everything that it depends on: a
// folder's time changes when a file comes or goes, and then there are the files
// from which git knows what is tracked and what is ignored. In a large project it
// takes git longer to walk through all folders than us to look at their times.
type listing struct {
	root   string
	paths  []string
	stamps []stamp
}

// stamp is what a file or folder looked like.
type stamp struct {
	path string // relative to the root, or absolute
	size int64  // 0 of a folder
	time int64  // of its last change, in ns; -1: there was none
}

// look gives the stamp of what is at path now.
func (l *listing) look(path string) stamp {
	name := path
	if !filepath.IsAbs(path) {
		name = l.root + "/" + path
	}
	st, err := rawfile.Stat(name)
	if err != nil {
		return stamp{path, 0, -1}
	}
	s := stamp{path, st.Size, st.Mtim.Nano()}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		s.size = 0
	}
	return s
}

// current tells whether everything looks as it did.
func (l *listing) current() bool {
	var wg sync.WaitGroup
	var stale atomic.Bool
	half := len(l.stamps) / 2
	for _, part := range [][]stamp{l.stamps[:half], l.stamps[half:]} {
		wg.Go(func() {
			for _, s := range part {
				if stale.Load() || l.look(s.path) != s {
					stale.Store(true)
					return
				}
			}
		})
	}
	wg.Wait()
	return !stale.Load()
}

// listMagic begins the file; it is followed by a sum of the rest.
const listMagic = "TRAL\x01"

func (l *listing) encode() []byte {
	b := append([]byte(listMagic), 0, 0, 0, 0)
	b = appendString(b, l.root)
	b = binary.AppendUvarint(b, uint64(len(l.stamps)))
	for _, s := range l.stamps {
		b = appendString(b, s.path)
		b = binary.AppendVarint(b, s.size)
		b = binary.AppendVarint(b, s.time)
	}
	b = appendString(b, strings.Join(l.paths, "\x00"))
	binary.LittleEndian.PutUint32(b[len(listMagic):], checksum(b[len(listMagic)+4:]))
	return b
}

// maxListing bounds the file that is read, in bytes.
const maxListing = 1 << 30

// readListing reads the listing of the project in root; nil if there is none that
// can be used.
func readListing(name, root string) *listing {
	b, err := rawfile.ReadAll(name, maxListing)
	if err != nil {
		return nil
	}
	return decodeListing(b, root)
}

func decodeListing(b []byte, root string) *listing {
	body := len(listMagic) + 4
	if len(b) < body || string(b[:len(listMagic)]) != listMagic || checksum(b[body:]) != binary.LittleEndian.Uint32(b[len(listMagic):]) {
		return nil
	}
	c := cursor{b: b, off: body}
	l := &listing{root: c.string()}
	n := c.number()
	if c.bad || l.root != root || n > len(b) {
		return nil
	}
	l.stamps = make([]stamp, 0, n)
	for range n {
		l.stamps = append(l.stamps, stamp{c.string(), c.signed(), c.signed()})
	}
	if paths := c.string(); paths != "" {
		l.paths = strings.Split(paths, "\x00")
	}
	if c.bad {
		return nil
	}
	return l
}

// visit looks for everything that a list depends on.
type visit struct {
	ctx     context.Context
	root    string
	repo    *git.Repo
	paths   []string // as git lists them
	listed  map[string]bool
	folders map[string]bool
	ignores []string // the .gitignore files, ignored ones too
}

// remember writes the listing. That it cannot be kept, as something has changed just
// now or is beyond us, only means that git is asked the next time as well.
func (v *visit) remember(paths []string, name string, now time.Time) {
	l := &listing{root: v.root, paths: paths}
	v.known()
	for folder := range v.folders {
		if !l.add(folder, now) {
			return
		}
	}
	known := len(v.folders)
	files, err := v.deciding()
	if err != nil || !v.walk() {
		return
	}
	if len(v.folders) > known { // those that hold nothing yet
		l.stamps = l.stamps[:0]
		for folder := range v.folders {
			files = append(files, folder)
		}
	}
	for _, f := range slices.Concat(files, v.ignores) {
		if !l.add(f, now) {
			return
		}
	}
	slices.SortFunc(l.stamps, func(a, b stamp) int { return strings.Compare(a.path, b.path) })
	_ = renameio.WriteFile(name, l.encode(), 0o600)
}

// add notes what is at path; false if it has changed so lately that it may change
// again without another time.
func (l *listing) add(path string, now time.Time) bool {
	s := l.look(path)
	l.stamps = append(l.stamps, s)
	return s.time < now.Add(-youngest).UnixNano()
}

// deciding are git's own files that decide what is listed.
func (v *visit) deciding() ([]string, error) {
	out, err := v.repo.Run(v.ctx, "rev-parse", "--git-path", "index", "--git-path", "info/exclude", "--git-path", "config", "--git-path", "config.worktree")
	if err != nil {
		return nil, err
	}
	files := strings.Split(out, "\n")
	for i, p := range files {
		if !filepath.IsAbs(p) {
			files[i] = filepath.Join(v.root, p)
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(config, "git", "config"), filepath.Join(config, "git", "ignore"))
	if p, err := v.repo.Run(v.ctx, "config", "--type=path", "core.excludesFile"); err == nil && filepath.IsAbs(p) {
		files = append(files, p)
	}
	return files, nil
}

// Bounds of what walk looks at before it gives up.
const (
	maxRounds  = 8
	maxUnknown = 20000
)

// known finds the folders of the files.
func (v *visit) known() {
	v.folders, v.listed = map[string]bool{"": true}, map[string]bool{}
	for _, p := range v.paths {
		p = strings.TrimSuffix(p, "/")
		v.listed[p] = true
		for dir, _ := splitPath(p); !v.folders[dir]; dir, _ = splitPath(dir) {
			v.folders[dir] = true
		}
	}
}

// walk adds the folders below the known ones that hold nothing that is listed and
// are not ignored: a file that comes there is.
func (v *visit) walk() bool {
	next := make([]string, 0, len(v.folders))
	for folder := range v.folders {
		next = append(next, folder)
	}
	for range maxRounds {
		var unknown []string
		for _, folder := range next {
			entries, err := os.ReadDir(filepath.Join(v.root, folder))
			if err != nil {
				return false
			}
			for _, e := range entries {
				p := strings.TrimPrefix(folder+"/"+e.Name(), "/")
				switch {
				case e.Name() == ".gitignore":
					v.ignores = append(v.ignores, p)
				case e.IsDir() && e.Name() != ".git" && !v.folders[p] && !v.listed[p]:
					unknown = append(unknown, p)
				}
			}
		}
		if len(unknown) == 0 {
			return true
		}
		if len(unknown) > maxUnknown {
			return false
		}
		var err error
		if next, err = v.watched(unknown); err != nil {
			return false
		}
		for _, folder := range next {
			v.folders[folder] = true
		}
	}
	return false
}

// watched are the folders that are not ignored.
func (v *visit) watched(folders []string) ([]string, error) {
	out, err := v.repo.RunInput(v.ctx, strings.Join(folders, "\x00")+"\x00", "check-ignore", "-z", "--stdin")
	var none *git.Error
	if errors.As(err, &none) && none.Code == 1 { // not one of them is
		err = nil
	}
	if err != nil {
		return nil, err
	}
	ignored := map[string]bool{}
	for _, p := range strings.Split(out, "\x00") {
		ignored[p] = true
	}
	return slices.DeleteFunc(folders, func(p string) bool { return ignored[p] }), nil
}
