package agent

import (
	"bytes"
	"io"
	"sync"
)

const (
	// maxLine bounds the memory for one line of an agent's output. A longer line
	// is logged but not read; agents print those only for large tool results.
	maxLine = 16 << 20
	// maxText bounds an answer. Of a longer one the end is kept, where an answer
	// says what it came to.
	maxText = 1 << 20
	// maxErrors bounds what is kept of standard error.
	maxErrors = 64 << 10
)

// lineReader is an io.Writer that hands over whole lines without their end. The
// line is valid during the call only.
type lineReader struct {
	each func(line []byte)
	max  int

	partial []byte
	tooLong bool
}

func (r *lineReader) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		if !found {
			r.keep(p)
			return n, nil
		}
		if len(r.partial) > 0 || r.tooLong {
			r.keep(line)
			r.end()
		} else if len(line) <= r.max {
			r.each(bytes.TrimSuffix(line, []byte("\r")))
		}
		p = rest
	}
}

func (r *lineReader) keep(part []byte) {
	if len(part) == 0 || r.tooLong {
		return
	}
	if len(r.partial)+len(part) > r.max {
		r.tooLong, r.partial = true, nil
		return
	}
	r.partial = append(r.partial, part...)
}

// end hands over a last line that has no line end.
func (r *lineReader) end() {
	if len(r.partial) > 0 {
		r.each(bytes.TrimSuffix(r.partial, []byte("\r")))
	}
	r.partial, r.tooLong = r.partial[:0], false
	if cap(r.partial) > 1<<20 {
		r.partial = nil
	}
}

// tail is an io.Writer that keeps the last max bytes.
type tail struct {
	max int
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > t.max {
		p, t.buf = p[len(p)-t.max:], t.buf[:0]
	}
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.max; over > t.max { // seldom enough that the moving does not count
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return n, nil
}

func (t *tail) String() string {
	return clean(string(t.buf[max(0, len(t.buf)-t.max):]))
}

// journal passes the lines of several streams to one writer without tearing
// them. After a failed write it stays silent: an agent's work is worth more than
// its log.
type journal struct {
	mu     sync.Mutex
	w      io.Writer
	failed bool
}

func (j *journal) write(p []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.w == nil || j.failed || len(p) == 0 {
		return
	}
	_, err := j.w.Write(p)
	j.failed = err != nil
}

// longPart is how much of an unfinished line may wait for its end.
const longPart = 64 << 10

// stream is one stream of a journal.
type stream struct {
	journal *journal
	partial []byte
}

func (s *stream) Write(p []byte) (int, error) {
	s.partial = append(s.partial, p...)
	whole := bytes.LastIndexByte(s.partial, '\n') + 1
	if len(s.partial)-whole > longPart {
		whole = len(s.partial)
	}
	s.journal.write(s.partial[:whole])
	s.partial = append(s.partial[:0], s.partial[whole:]...)
	return len(p), nil
}

func (s *stream) end() {
	s.journal.write(s.partial)
	s.partial = nil
}
