package socket

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

const (
	// Name is the socket's file in the folder of the memory.
	Name = "hook.sock"
	// maxPath is the longest path that every system takes for a unix socket.
	maxPath = 103
	// patience is how long each half of an exchange may take.
	patience = 100 * time.Millisecond
)

var (
	// ErrTaken: another server of this folder has the socket.
	ErrTaken = errors.New("another server has the socket")
	// ErrTooLong: the system cannot have a socket at this path.
	ErrTooLong = errors.New("the path is too long for a unix socket")
)

// Socket is a socket that is listened on.
type Socket struct {
	path     string
	file     os.FileInfo // the socket file that is ours
	listener *net.UnixListener
	lock     *flock.Flock
}

// Listen takes the socket of the memory in dir, which is made if it is missing.
// ErrTaken, ErrTooLong.
func Listen(dir string) (*Socket, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, Name)
	if len(path)+1 > maxPath { // the name while it is made is one longer
		return nil, fmt.Errorf("%w: %s has %d bytes, the most is %d", ErrTooLong, path, len(path), maxPath-1)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("socket: lock %s: %w", lock.Path(), err)
	case !ok || answered(path):
		return nil, errors.Join(fmt.Errorf("%w %s", ErrTaken, path), lock.Close())
	}
	// For a person who looks for the server; whether there is one tells the lock.
	if err := os.WriteFile(lock.Path(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("socket: %w", err), lock.Close())
	}
	s := &Socket{path: path, lock: lock}
	if err := s.bind(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("socket: %w", err), lock.Close())
	}
	return s, nil
}

// answered tells whether somebody listens at path. Servers of other programs do
// not know the lock.
func answered(path string) bool {
	c, err := net.DialTimeout("unix", path, patience)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// bind makes the socket in a folder that only the user can enter and moves it to
// its place when its mode is right, whatever the umask is.
func (s *Socket) bind(dir string) error {
	private, err := os.MkdirTemp(dir, ".h")
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	made := filepath.Join(private, "s")
	if len(made) > maxPath { // MkdirTemp has picked more digits than it mostly does
		return fmt.Errorf("%w: %s", ErrTooLong, made)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: made, Net: "unix"})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	if err := s.publish(made); err != nil {
		return errors.Join(err, listener.Close())
	}
	s.listener = listener
	return nil
}

func (s *Socket) publish(made string) error {
	if err := os.Chmod(made, 0o600); err != nil {
		return err
	}
	file, err := os.Lstat(made)
	if err != nil {
		return err
	}
	if old, err := os.Lstat(s.path); err == nil && old.Mode().Type() != os.ModeSocket {
		return fmt.Errorf("%s is there and is no socket", s.path)
	}
	s.file = file
	return os.Rename(made, s.path)
}

// Path is where the socket is.
func (s *Socket) Path() string { return s.path }

// Close ends listening and removes the socket if it is still the one that Listen
// has made.
func (s *Socket) Close() error {
	err := s.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	if now, statErr := os.Lstat(s.path); statErr == nil && os.SameFile(now, s.file) {
		err = errors.Join(err, os.Remove(s.path))
	}
	return errors.Join(err, s.lock.Close())
}
