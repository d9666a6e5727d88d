// Package rawfile reads regular files without the poller of package os: opening
// one costs a system call and not six, and starts no thread. A hook process opens
// half a dozen and lives for a millisecond.
package rawfile

import (
	"errors"
	"io"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// File is a file that is open for reading. It is safe for concurrent use.
type File struct {
	fd   int
	name string
}

// Open opens a file for reading.
func Open(name string) (*File, error) {
	fd, err := retry(func() (int, error) { return unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &File{fd, name}, nil
}

// Stat describes the file.
func (f *File) Stat() (unix.Stat_t, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstat(f.fd, &st) })
	return st, f.wrap("stat", err)
}

// Stat describes the file with that name.
func Stat(name string) (unix.Stat_t, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Stat(name, &st) })
	if err != nil {
		err = &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return st, err
}

// Lstat is Stat that does not follow a link.
func Lstat(name string) (unix.Stat_t, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Lstat(name, &st) })
	if err != nil {
		err = &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return st, err
}

// Exists reports whether there is anything with that name, be it a link to nothing.
func Exists(name string) bool {
	_, err := Lstat(name)
	return err == nil
}

// Regular reports whether a file is one with bytes of its own.
func Regular(st *unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFREG }

// ReadAt is that of io.ReaderAt.
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	read := 0
	for read < len(b) {
		n, err := retry(func() (int, error) { return unix.Pread(f.fd, b[read:], off+int64(read)) })
		if err != nil {
			return read, f.wrap("read", err)
		}
		if n == 0 {
			return read, io.EOF
		}
		read += n
	}
	return read, nil
}

// Map maps the first size bytes into memory, for reading. The mapping outlives the
// file; unmap ends it.
func (f *File) Map(size int) (data []byte, unmap func() error, err error) {
	// unix.Mmap would keep a table of all mappings.
	at, err := unix.MmapPtr(f.fd, 0, nil, uintptr(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, f.wrap("map", err)
	}
	return unsafe.Slice((*byte)(at), size), func() error { return unix.MunmapPtr(at, uintptr(size)) }, nil
}

// Close lets go of the file.
func (f *File) Close() error { return f.wrap("close", unix.Close(f.fd)) }

// ReadAll reads a whole file of at most limit bytes; what is behind is left out.
func ReadAll(name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, min(st.Size, limit))
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}

func (f *File) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR { //nolint:errorlint // not wrapped, and errors.Is would cost pages
			return n, err
		}
	}
}
