package log

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
	mode     fs.FileMode
}

// same reports whether two infos are of one file, whatever its name.
func (a fileInfo) same(b fileInfo) bool { return a.dev == b.dev && a.ino == b.ino }

// osFS is the real file system.
type osFS struct{}

type osFile struct{ *os.File }

func (f osFile) Stat() (fileInfo, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return fileInfo{}, err
	}
	return toInfo(fi)
}

func toInfo(fi fs.FileInfo) (fileInfo, error) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fileInfo{}, fmt.Errorf("%s: the system does not say which file it is", fi.Name())
	}
	return fileInfo{size: fi.Size(), dev: uint64(st.Dev), ino: uint64(st.Ino), mode: fi.Mode()}, nil
}

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Stat(name string) (fileInfo, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return fileInfo{}, err
	}
	return toInfo(fi)
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
		return makeDir(fsys, dir)
	}
	return err
}

// readUpTo reads n bytes at off, or as many as there are.
func readUpTo(src io.ReaderAt, off int64, n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := src.ReadAt(b, off)
	if err == io.EOF {
		err = nil
	}
	return b[:got], err
}
