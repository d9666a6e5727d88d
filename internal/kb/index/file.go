package index

import (
	"errors"
	"fmt"
	"sync/atomic"

	"helix/internal/kb/rawfile"
)

// openSegment opens the file of a segment. It is closed when everyone who has
// retained it has released it. A file of sparse bytes or more is read sparsely,
// with 0 none.
func openSegment(path string, sparse int64) (*Segment, error) {
	f, err := rawfile.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := readSegment(f, path)
	if err == nil && (sparse == 0 || s.Size() < sparse) {
		err = s.mapFile(f, path)
	} else if err == nil {
		s.file = f
		s.close = f.Close
	}
	if err != nil || s.file == nil {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, err
	}
	s.users = new(atomic.Int32)
	s.retain()
	return s, nil
}

// readSegment reads the header.
func readSegment(f *rawfile.File, path string) (*Segment, error) {
	var head [headerSize]byte
	n, err := f.ReadAt(head[:], 0)
	if n < headerSize {
		return nil, fmt.Errorf("%w: %s is not a segment: %w", ErrCorrupt, path, err)
	}
	s, err := newSegment(head[:])
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return s, nil
}

// mapFile maps the whole file.
func (s *Segment) mapFile(f *rawfile.File, path string) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !rawfile.Regular(&st) || int64(int(st.Size)) != st.Size {
		return fmt.Errorf("%w: %s is not a segment", ErrCorrupt, path)
	}
	data, unmap, err := f.Map(int(st.Size))
	if err != nil {
		return err
	}
	if err := s.take(data); err != nil {
		return errors.Join(fmt.Errorf("%w (%s)", err, path), unmap())
	}
	s.close = unmap
	return nil
}

// mapAll maps a segment that is read sparsely, as a whole after all.
func (s *Segment) mapAll() {
	if err := s.mapFile(s.file, "a segment"); err != nil {
		panic(corrupt(err.Error()))
	}
	unmap := s.close
	s.close = func() error { return errors.Join(unmap(), s.file.Close()) }
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
