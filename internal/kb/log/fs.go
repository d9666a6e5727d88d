package log

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"helix/internal/kb/rawfile"
)

// fileSystem is what the log needs of one. It exists so that tests can let any
// single step fail, or cut the power after it.
type fileSystem interface {
	OpenFile(name string, flag int, perm fs.FileMode) (file, error)
	Stat(name string) (fileInfo, error)
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
	Mkdir(name string, perm fs.FileMode) error
	// SyncDir makes the names in a folder durable.
	SyncDir(name string) error
}

type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	Stat() (fileInfo, error)
}

type fileInfo struct {
	size     int64
	dev, ino uint64
	regular  bool
	perm     fs.FileMode // its permission bits only
}

// same reports whether two infos are of one file, whatever its name.
func (a fileInfo) same(b fileInfo) bool { return a.dev == b.dev && a.ino == b.ino }

// osFS is the real file system.
type osFS struct{}

type osFile struct{ *os.File }

func (f osFile) Stat() (fileInfo, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return fileInfo{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return statInfo(&st), nil
}

// rawFile is a file that is open for reading only.
type rawFile struct{ *rawfile.File }

func (f rawFile) Stat() (fileInfo, error) {
	st, err := f.File.Stat()
	return statInfo(&st), err
}

func (rawFile) WriteAt([]byte, int64) (int, error) { return 0, fs.ErrPermission }
func (rawFile) Sync() error                        { return fs.ErrPermission }
func (rawFile) Truncate(int64) error               { return fs.ErrPermission }

func statInfo(st *unix.Stat_t) fileInfo {
	return fileInfo{size: st.Size, dev: uint64(st.Dev), ino: uint64(st.Ino), regular: rawfile.Regular(st), perm: fs.FileMode(st.Mode) & fs.ModePerm}
}

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if flag == os.O_RDONLY {
		f, err := rawfile.Open(name)
		if err != nil {
			return nil, err
		}
		return rawFile{f}, nil
	}
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Stat(name string) (fileInfo, error) {
	st, err := rawfile.Stat(name)
	return statInfo(&st), err
}

func (osFS) Rename(from, to string) error              { return os.Rename(from, to) }
func (osFS) Link(from, to string) error                { return os.Link(from, to) }
func (osFS) Remove(name string) error                  { return os.Remove(name) }
func (osFS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }

func (osFS) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// makeDir creates a folder and the ones above it that are missing, durably.
func makeDir(fsys fileSystem, dir string) error {
	err := fsys.Mkdir(dir, 0o700)
	switch {
	case err == nil:
		return fsys.SyncDir(filepath.Dir(dir))
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
		if err := makeDir(fsys, filepath.Dir(dir)); err != nil {
			return err
		}
		if err := fsys.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err // also where the one above is there and yet takes none, as below /proc
		}
		return fsys.SyncDir(filepath.Dir(dir))
	}
	return err
}

// readUpTo reads n bytes at off, or as many as there are.
func readUpTo(src readAt, off int64, n int) ([]byte, error) {
	return readInto(src, off, make([]byte, n))
}

// readAt is the method of an io.ReaderAt. To make one interface of another is dear in
// a process that does it only once.
type readAt = func(b []byte, off int64) (int, error)

// readInto fills b from off on, or as much of it as there is.
func readInto(src readAt, off int64, b []byte) ([]byte, error) {
	got, err := src(b, off)
	if err == io.EOF { //nolint:errorlint // it comes as it is, and errors.Is is dear in a process that does it once
		err = nil
	}
	return b[:got], err
}
