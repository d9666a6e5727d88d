package kb

import (
	"slices"
	"sync"
)

// maxSession is how many of the entries that a process stored it remembers.
const maxSession = 10_000

// session is what this process has stored, in the order in which it did.
type session struct {
	mu    sync.Mutex
	total int
	ids   []string // the last of them
}

// wrote is called after every write that succeeded, with the ids of the entries
// that are new.
func (m *Memory) wrote(ids []string) {
	m.session.add(ids)
	if m.afterWrite != nil {
		m.afterWrite()
	}
}

func (s *session) add(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += len(ids)
	s.ids = append(s.ids, ids...)
	if extra := len(s.ids) - maxSession; extra > 0 {
		s.ids = slices.Delete(s.ids, 0, extra)
	}
}

// stored gives the ids that are remembered, the oldest first, and how many were
// stored altogether.
func (s *session) stored() (ids []string, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids), s.total
}
