package index

import (
	"errors"
	"fmt"
	"sync/atomic"

	"helix/internal/kb/rawfile"
)

// openSegment maps the file of a segment. It is closed when everyone who has
// retained it has released it. A file of sparse bytes or more is read sparsely,
// with 0 none.
func openSegment(path string, sparse int64) (*Segment, error) {
	f, err := rawfile.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := mapSegment(f, path, sparse)
	if err != nil || s.file == nil {
		err = errors.Join(err, f.Close())
	}
	return s, err
}

func mapSegment(f *rawfile.File, path string, sparse int64) (*Segment, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !rawfile.Regular(&st) || st.Size < headerSize || int64(int(st.Size)) != st.Size {
		return nil, fmt.Errorf("%w: %s is not a segment", ErrCorrupt, path)
	}
	data, unmap, err := f.Map(int(st.Size))
	if err != nil {
		return nil, err
	}
	var head [headerSize]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrCorrupt, err), unmap())
	}
	s, err := load(head[:], data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w (%s)", err, path), unmap())
	}
	s.close, s.users = unmap, new(atomic.Int32)
	if sparse > 0 && st.Size >= sparse {
		s.file = f
		s.close = func() error { return errors.Join(unmap(), f.Close()) }
	}
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
