package hook

import (
	"errors"
	"fmt"
	"io"
	"unsafe"

	"helix/internal/kb/view"
)

// maxInput bytes are read of an event. The largest ones carry the content of a file
// before and after an edit.
const maxInput = 8 << 20

// readInput reads an event. No input at all is an event that says nothing.
func readInput(in io.Reader) (value, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	// Nothing writes to data any more, so it need not be copied.
	text := unsafe.String(unsafe.SliceData(data), len(data))
	switch {
	case err != nil:
		return "", fmt.Errorf("the event cannot be read: %w", err)
	case len(text) > maxInput:
		return "", fmt.Errorf("the event has more than %d bytes", maxInput)
	case skipSpace(text, 0) == len(text):
		return "", nil
	}
	v, ok := parse(text)
	switch {
	case !ok:
		return "", errors.New("the event is not valid JSON")
	case !v.isObject():
		return "", errors.New("the event is not a JSON object")
	}
	return v, nil
}

// str is the string at path; anything else there is none.
func str(v value, path string) string { return v.get(path).string() }

// yes reads a boolean, which some clients and tools write as a string.
func yes(v value, path string) bool {
	v = v.get(path)
	return v == "true" || v.string() == "true" || v.string() == "1"
}

// request is one event being answered.
type request struct {
	input value
	env   Env
	mem   Memory
}

func (q *request) dir() (string, error) {
	if q.env.Dir != "" {
		return q.env.Dir, nil
	}
	return view.DefaultDir(q.env.Getenv)
}

// memory opens the memory at its first use.
func (q *request) memory() (Memory, error) {
	if q.mem == nil {
		dir, err := q.dir()
		if err != nil {
			return nil, err
		}
		m, err := q.env.Open(dir)
		if err != nil {
			return nil, err
		}
		q.mem = m
	}
	return q.mem, nil
}

func (q *request) close() {
	if q.mem != nil {
		_ = q.mem.Close()
	}
}
