package tracker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// snapshot is a tracker file as it was read: its rows by id, and what is wrong.
type snapshot struct {
	path     string
	data     []byte      // nobody writes to it: rows and beads share its bytes
	info     fs.FileInfo // nil when there was no file
	rows     []row       // by id, one an id
	problems []LineError
	folded   []duplicate
	ordered  bool // the rows stand in the file as in rows
}

// duplicate is a line that another line with the same id, and newer, replaces.
type duplicate struct {
	ID         string
	Line, Kept int
}

// readSnapshot reads a tracker file; a missing one is empty. It fails on git
// conflict markers, and on nothing else that is merely wrong with the content.
func readSnapshot(path string) (*snapshot, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &snapshot{path: path, ordered: true}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, bare(err))
	}
	defer f.Close()
	const tries = 3
	for try := 1; ; try++ {
		info, err := f.Stat()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, bare(err))
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("read %s: it is not a file", path)
		}
		data, err := readAll(f, info.Size())
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, bare(err))
		}
		// An editor may be writing into the very file.
		if after, err := f.Stat(); try < tries && (err != nil || !sameState(info, after)) {
			continue
		}
		snap, err := parseSnapshot(path, data)
		if err != nil {
			return nil, err
		}
		snap.info = info
		return snap, nil
	}
}

func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// overtaken tells whether the file is no longer the one that was read.
func (s *snapshot) overtaken() bool {
	now, err := os.Stat(s.path)
	if s.info == nil {
		return err == nil
	}
	return err != nil || !sameState(s.info, now)
}

// smallPart is the least work worth a goroutine of its own, in bytes.
const smallPart = 1 << 20

func parts(size int) int { return max(1, min(runtime.GOMAXPROCS(0), size/smallPart)) }

// readAll reads the file in parallel parts: a large file is mostly the copying
// of pages. Someone may be rewriting it in place, so it may come out shorter.
func readAll(f *os.File, size int64) ([]byte, error) {
	data := make([]byte, size)
	n := parts(len(data))
	ends := make([]int, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for k := range n {
		from, to := len(data)*k/n, len(data)*(k+1)/n
		wg.Go(func() {
			got, err := f.ReadAt(data[from:to], int64(from))
			ends[k] = from + got
			if !errors.Is(err, io.EOF) {
				errs[k] = err
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for k, end := range ends {
		if end < len(data)*(k+1)/n {
			return data[:end], nil
		}
	}
	return data, nil
}

// parseSnapshot splits data into rows.
func parseSnapshot(path string, data []byte) (*snapshot, error) {
	snap := &snapshot{path: path, data: data}
	body := bytes.TrimPrefix(data, []byte("\ufeff"))
	cuts := cut(body, parts(len(body)))
	results := make([]part, len(cuts))
	var wg sync.WaitGroup
	for k := range cuts {
		wg.Go(func() { results[k].parse(path, cuts[k]) })
	}
	wg.Wait()
	line, last, at := 0, 0, len(data)-len(body)
	for k := range results {
		p := &results[k]
		for i := range p.rows {
			p.rows[i].line += line
			p.rows[i].at += at
		}
		for _, problem := range p.problems {
			problem.Line += line
			snap.problems = append(snap.problems, problem)
		}
		if p.marker != 0 {
			return nil, fmt.Errorf("%s:%d: %w; merge both sides with: helix bead merge", path, p.marker+line, ErrConflict)
		}
		if p.last > 0 {
			last = p.last + line
		}
		line += p.lines
		at += len(cuts[k])
		if snap.rows == nil {
			snap.rows = p.rows
		} else {
			snap.rows = append(snap.rows, p.rows...)
		}
	}
	tornAt(last, snap.problems)
	snap.order()
	return snap, nil
}

// cut divides data into at most n parts at line ends.
func cut(data []byte, n int) [][]byte {
	var cuts [][]byte
	from := 0
	for k := range n {
		to := max(from, len(data)*(k+1)/n)
		if nl := bytes.IndexByte(data[to:], '\n'); nl >= 0 {
			to += nl + 1
		} else {
			to = len(data)
		}
		cuts = append(cuts, data[from:to])
		from = to
	}
	return cuts
}

// part is what one stretch of the file holds, with lines counted from its start.
type part struct {
	rows     []row
	problems []LineError
	lines    int
	last     int // last line that is not empty
	marker   int // first line with a git conflict marker
}

func (p *part) parse(path string, data []byte) {
	parser := rowParser{}
	size := len(data)
	for len(data) > 0 {
		at := size - len(data)
		var line []byte
		var ended bool
		line, data, ended = bytes.Cut(data, []byte{'\n'})
		p.lines++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		p.last = p.lines
		if p.rows == nil { // the first line tells how many there will be
			p.rows = make([]row, 0, 16+len(data)/(len(line)+1))
		}
		p.rows = append(p.rows, row{})
		r := &p.rows[len(p.rows)-1]
		r.line, r.at = p.lines, at
		err := parser.parse(line, r)
		if err == nil {
			continue
		}
		p.rows = p.rows[:len(p.rows)-1]
		if isMarker(line) && p.marker == 0 {
			p.marker = p.lines
		}
		p.problems = append(p.problems, LineError{File: path, Line: p.lines, Reason: err.Error(), Torn: !ended || brokeOff(err) || bytes.IndexByte(line, 0) >= 0})
	}
}

// isMarker recognises the lines that git puts around a conflict. A row of equal
// signs alone would also be a marker, but never comes without these.
func isMarker(line []byte) bool {
	text := strings.TrimRight(alias(line), "\r")
	return strings.HasPrefix(text, "<<<<<<< ") || strings.HasPrefix(text, ">>>>>>> ")
}

// tornAt leaves the mark of a torn write only on the last line: one that has no
// line feed, whose JSON breaks off, or that a crash filled with zeros.
func tornAt(last int, problems []LineError) {
	for i := range problems {
		problems[i].Torn = problems[i].Torn && problems[i].Line == last
	}
}

// order sorts the rows by id and folds those that share one: the newest by
// updated_at stays, of equally new ones the later line.
func (s *snapshot) order() {
	s.ordered = true
	for i := 1; i < len(s.rows); i++ {
		if s.rows[i-1].id >= s.rows[i].id {
			s.ordered = false
			break
		}
	}
	if s.ordered {
		return
	}
	slices.SortStableFunc(s.rows, func(a, b row) int { return strings.Compare(a.id, b.id) })
	kept := s.rows[:0]
	for _, r := range s.rows {
		last := len(kept) - 1
		if last < 0 || kept[last].id != r.id {
			kept = append(kept, r)
			continue
		}
		older, newer := kept[last], r
		if parseTime(newer.updated).Before(parseTime(older.updated)) {
			older, newer = newer, older
		}
		kept[last] = newer
		s.folded = append(s.folded, duplicate{ID: r.id, Line: older.line, Kept: newer.line})
	}
	s.rows = kept
}

// find is the position of the row with this id.
func (s *snapshot) find(id string) (int, bool) { return find(s.rows, id) }

func find(rows []row, id string) (int, bool) {
	return slices.BinarySearchFunc(rows, id, func(r row, id string) int { return strings.Compare(r.id, id) })
}

// writable tells why the file must not be rewritten, if so: a rewrite would
// lose the lines that are no beads. A torn last line was never a bead.
func (s *snapshot) writable() error {
	bad := slices.DeleteFunc(slices.Clone(s.problems), func(p LineError) bool { return p.Torn })
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%w %s; nothing was written, mend or delete the line, or run: helix bead doctor --fix", ErrMalformed, joinLines(bad))
}

// torn is the torn last line, if there is one.
func (s *snapshot) torn() (LineError, bool) {
	for _, p := range s.problems {
		if p.Torn {
			return p, true
		}
	}
	return LineError{}, false
}

// bare strips the operation and path that the message names already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
