package index

import (
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// openSegment maps the file of a segment. It is closed when everyone who has
// retained it has released it.
func openSegment(path string) (*Segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // a mapping outlives its file
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if !info.Mode().IsRegular() || size < headerSize || int64(int(size)) != size {
		return nil, fmt.Errorf("%w: %s is not a segment", ErrCorrupt, path)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("kb/index: map %s: %w", path, err)
	}
	var s *Segment
	err = Guard(func() (err error) {
		s, err = Load(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	s.close = func() error { return unix.Munmap(data) }
	s.users = new(atomic.Int32)
	s.retain()
	return s, nil
}

func (s *Segment) retain() {
	if s.users != nil {
		s.users.Add(1)
	}
}

func (s *Segment) release() error {
	if s.users == nil || s.users.Add(-1) > 0 {
		return nil
	}
	return s.close()
}
