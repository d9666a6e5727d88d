package index

import "sync/atomic"

// workspace is the memory of one question, which the next one uses again. A process that
// asks three and ends pays for every page that it touches.
type workspace struct {
	exec    exec
	newest  newest
	heap    [heapSize]found
	scorers [4]scorer
	lists   [4]postings
	used    int      // how many of lists
	norms   struct { // that were read last
		part     int // + 1
		from, to uint32
		room     [normsRead * normSize]byte
	}
}

// heapSize is enough for most questions.
const heapSize = 32

// spare is a workspace that nobody uses.
type spare struct{ atomic.Pointer[workspace] }

func (s *spare) take() *workspace {
	if w := s.Swap(nil); w != nil {
		return w
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

// normsRead is how many norms are read at once.
const normsRead = 128

// norm is that of a document of part i. Where it is read and the one before was near, so
// are those of some that come next.
func (w *workspace) norm(i int, p *part, doc uint32) []byte {
	if p.seg.file == nil {
		return p.seg.norm(doc)
	}
	n := &w.norms
	if n.part != i+1 || doc < n.from || doc >= n.to {
		to := doc + 1
		if n.part == i+1 && doc >= n.from && doc-n.from < normsRead {
			to = min(doc+normsRead, uint32(p.seg.docs))
		}
		n.part = 0 // until they are read: a question may end here
		p.seg.row(secNorms, int(doc)*normSize, n.room[:int(to-doc)*normSize])
		n.part, n.from, n.to = i+1, doc, to
	}
	return n.room[int(doc-n.from)*normSize:][:normSize]
}
