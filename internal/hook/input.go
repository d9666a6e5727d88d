package hook

import (
	"errors"
	"fmt"
	"io"

	"github.com/tidwall/gjson"

	"helix/internal/kb/view"
)

const (
	// maxInput bytes are read of an event. The largest ones carry the content of
	// a file before and after an edit.
	maxInput = 8 << 20
	// maxDepth bounds the nesting of the event's JSON, which is checked by
	// recursion.
	maxDepth = 200
)

// readInput reads an event. No input at all is an event that says nothing.
func readInput(in io.Reader) (gjson.Result, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	switch {
	case err != nil:
		return gjson.Result{}, fmt.Errorf("the event cannot be read: %w", err)
	case len(text) > maxInput:
		return gjson.Result{}, fmt.Errorf("the event has more than %d bytes", maxInput)
	case blank(text):
		return gjson.Result{}, nil
	case depth(text) > maxDepth || !gjson.ValidBytes(text):
		return gjson.Result{}, errors.New("the event is not valid JSON")
	}
	r := gjson.ParseBytes(text)
	if !r.IsObject() {
		return gjson.Result{}, errors.New("the event is not a JSON object")
	}
	return r, nil
}

func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// depth is how deep objects and arrays lie in each other at most.
func depth(text []byte) int {
	now, most, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

// str is the string at path; anything else there is none.
func str(r gjson.Result, path string) string {
	if v := r.Get(path); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// yes reads a boolean, which some clients and tools write as a string.
func yes(r gjson.Result, path string) bool {
	v := r.Get(path)
	return v.Type == gjson.True || v.Type == gjson.String && (v.Str == "true" || v.Str == "1")
}

// request is one event being answered.
type request struct {
	input gjson.Result
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
