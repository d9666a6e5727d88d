package index

import (
	"fmt"
	"sync/atomic"

	"helix/internal/kb/rawfile"
)

// openSegment maps the file of a segment. It is closed when everyone who has
// retained it has released it.
func openSegment(path string) (*Segment, error) {
	f, err := rawfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
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
	var s *Segment
	err = Guard(func() (err error) {
		s, err = Load(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	s.close, s.users = unmap, new(atomic.Int32)
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
