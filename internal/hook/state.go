package hook

import (
	"cmp"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxNotes is how many files of notes are kept, maxNoteAge for how long: a
	// session that was killed never says that it ends.
	maxNotes   = 200
	maxNoteAge = 7 * 24 * time.Hour
)

// notes is what is remembered of one session: empty files
// <folder of the memory>/hook-state/<session>.<what>.
type notes struct {
	dir     string
	session string
	now     time.Time
}

func (q *request) session() (notes, error) {
	dir, err := q.dir()
	if err != nil {
		return notes{}, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(str(q.input, "session_id")))
	return notes{filepath.Join(dir, "hook-state"), strconv.FormatUint(h.Sum64(), 16), q.env.Now()}, nil
}

// file is the note that what was done.
func (n notes) file(what string) string { return filepath.Join(n.dir, n.session+"."+what) }

// once tells whether this is the first call for what in this session, also among
// processes that ask at the same time.
func (n notes) once(what string) (bool, error) {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return false, err
	}
	f, err := os.OpenFile(n.file(what), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, errors.Join(f.Close(), n.clean())
}

// forget removes the notes of the session.
func (n notes) forget() error {
	files, err := os.ReadDir(n.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), n.session+".") {
			err = errors.Join(err, os.Remove(filepath.Join(n.dir, f.Name())))
		}
	}
	return err
}

// clean removes notes that are too old, and the oldest of too many.
func (n notes) clean() error {
	return trim(n.dir, maxNotes, n.now.Add(-maxNoteAge))
}

// trim removes the files of dir that were last written before the given time, and
// then the oldest ones until at most keep are left. A file that another process
// removes meanwhile is as good as removed here.
func trim(dir string, keep int, before time.Time) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var infos []fs.FileInfo
	for _, f := range list {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
		}
	}
	// The newest first; of equally new ones in a fixed order.
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	for i, info := range infos {
		if i >= keep || info.ModTime().Before(before) {
			if err := os.Remove(filepath.Join(dir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
