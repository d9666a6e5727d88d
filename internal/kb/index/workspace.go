package index

import "sync/atomic"

// workspace is the memory of one question, which the next one uses again. A process that
// asks three and ends pays for every page that it touches.
type workspace struct {
	exec    exec
	newest  newest
	heap    [heapSize]found
	again   [heapSize]found // of candidates
	scorers [4]scorer
	lists   [4]postings
	used    int // how many of lists
	norms   struct {
		part     int // + 1
		from, to uint32
		room     [norms * normSize]byte
	}
}

// heapSize is enough for most questions.
const heapSize = 32

// spare is a workspace that nobody uses.
type spare struct{ atomic.Pointer[workspace] }

func (s *spare) take() *workspace {
	if r := s.Swap(nil); r != nil {
		return r
	}
	return new(workspace)
}

// list is a postings that nothing of the part at hand uses.
func (w *workspace) list() *postings {
	if w.used == len(w.lists) {
		return new(postings)
	}
	w.used++
	return &w.lists[w.used-1]
}
