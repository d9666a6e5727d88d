package tracker

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"helix/internal/proc"
)

// errOvertaken: someone who takes no lock saved the file since it was read.
var errOvertaken = errors.New("another program saved the file meanwhile; nothing was changed, try again")

// commit replaces the file by its rows with the given lines in place of theirs.
// A torn last line is backed up first.
func (s *Store) commit(l *dirLock, snap *snapshot, lines map[string][]byte) error {
	if torn, ok := snap.torn(); ok {
		backup, err := s.backup(snap)
		if err != nil {
			return err
		}
		s.warn(fmt.Sprintf("%s; the line was removed, the file as it was is kept as %s", torn.Error(), backup))
	}
	s.sweepGraves()
	return s.replace(l, snap, assemble(snap, lines))
}

// assemble is the new content of the file, in pieces.
func assemble(snap *snapshot, lines map[string][]byte) [][]byte {
	var a assembly
	a.data = snap.data
	changed := slices.Sorted(maps.Keys(lines))
	for i := range snap.rows {
		r := &snap.rows[i]
		for len(changed) > 0 && changed[0] < r.id {
			a.line(lines[changed[0]])
			changed = changed[1:]
		}
		if len(changed) > 0 && changed[0] == r.id {
			a.line(lines[r.id])
			changed = changed[1:]
			continue
		}
		a.keep(r.at, r.at+len(r.raw))
	}
	for _, id := range changed {
		a.line(lines[id])
	}
	a.flush()
	return a.pieces
}

// assembly collects pieces; neighbouring rows that stay make one piece.
type assembly struct {
	data     []byte
	pieces   [][]byte
	from, to int // the run of kept rows, without its last line feed
}

func (a *assembly) keep(from, to int) {
	if a.to > a.from && from == a.to+1 {
		a.to = to
		return
	}
	a.flush()
	a.from, a.to = from, to
}

func (a *assembly) line(text []byte) {
	a.flush()
	a.pieces = append(a.pieces, text, []byte{'\n'})
}

func (a *assembly) flush() {
	if a.to > a.from {
		a.pieces = append(a.pieces, a.data[a.from:a.to], []byte{'\n'})
	}
	a.from, a.to = 0, 0
}

// replace writes the pieces beside the file and renames them over it: a reader
// sees the old content or the new, and so does a machine that loses power.
func (s *Store) replace(l *dirLock, snap *snapshot, pieces [][]byte) error {
	target, err := follow(s.Path())
	if err != nil {
		return fmt.Errorf("write %s: %w", s.Path(), bare(err))
	}
	sweepTemps(target)
	temp, err := writeTemp(target, snap, pieces)
	if err != nil {
		return fmt.Errorf("write %s: %w; nothing was changed", s.Path(), bare(err))
	}
	defer os.Remove(temp) // gone already when all went well
	if !l.held() {
		return fmt.Errorf("write %s: another process took over the lock; nothing was changed, try again", s.Path())
	}
	if snap.overtaken() {
		return errOvertaken
	}
	if err := os.Rename(temp, target); err != nil {
		return fmt.Errorf("write %s: %w; nothing was changed", s.Path(), bare(err))
	}
	if err := syncDir(filepath.Dir(target)); err != nil {
		return fmt.Errorf("write %s: it is written, but may not outlive a power failure: %w", s.Path(), bare(err))
	}
	return nil
}

// writeTemp writes the pieces to a new, durable file beside target.
func writeTemp(target string, snap *snapshot, pieces [][]byte) (string, error) {
	mode := fs.FileMode(0o644)
	if snap.info != nil {
		mode = 0o600 // until it gets the mode of the file it replaces
	}
	f, err := createTemp(target, mode)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	for _, p := range pieces {
		if _, err = w.Write(p); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if err == nil && snap.info != nil {
		err = f.Chmod(snap.info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// createTemp makes a file whose name says which process writes it.
func createTemp(target string, mode fs.FileMode) (*os.File, error) {
	for {
		name := fmt.Sprintf(".%s.%d-%08x.tmp", filepath.Base(target), os.Getpid(), rand.Uint32())
		f, err := os.OpenFile(filepath.Join(filepath.Dir(target), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// sweepTemps deletes the temporary files of processes that died while writing.
func sweepTemps(target string) {
	head := "." + filepath.Base(target) + "."
	temps, err := filepath.Glob(filepath.Join(globQuote(filepath.Dir(target)), globQuote(head)+"*.tmp"))
	if err != nil {
		return
	}
	for _, t := range temps {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(t), head), "-")
		if n, err := strconv.Atoi(pid); err == nil && !proc.Exists(n) {
			os.Remove(t)
		}
	}
}

// globQuote makes a path match only itself in filepath.Glob.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// follow is the file that path leads to, which need not exist.
func follow(path string) (string, error) {
	const most = 40
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			// Not a link, or nothing at all: this is the place.
			return path, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many links")
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// backup keeps the file as it was read, under a name that is free.
func (s *Store) backup(snap *snapshot) (string, error) {
	for n := 0; ; n++ {
		name := s.Path() + ".bak"
		if n > 0 {
			name += "." + strconv.Itoa(n)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			_, err = f.Write(snap.data)
			err = errors.Join(err, f.Chmod(snap.info.Mode().Perm()), f.Sync(), f.Close())
		}
		if err != nil {
			return "", fmt.Errorf("back up %s as %s: %w; nothing was changed", s.Path(), name, bare(err))
		}
		return name, nil
	}
}
