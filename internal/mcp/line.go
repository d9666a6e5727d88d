package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	// maxLine is the longest message that is read, in bytes.
	maxLine = 16 << 20
	// maxDepth bounds the nesting of a message. The deepest valid call has
	// fewer than ten levels.
	maxDepth = 200
)

var errTooLong = fmt.Errorf("the line is longer than %d MB", maxLine>>20)

// readLine reads up to the next newline, without it, or up to the end of the
// input. A line that is too long is skipped to its end and reported as
// errTooLong; the next call goes on behind it.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > limit+1; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !long):
			return nil, err
		case long:
			return nil, errTooLong
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}

// checkJSON says why a line is no JSON that this server reads; nil if it is.
func checkJSON(line []byte) error {
	switch {
	case !utf8.Valid(line):
		return errors.New("the line is not valid UTF-8")
	case depth(line) > maxDepth:
		return fmt.Errorf("the line is nested more than %d levels deep", maxDepth)
	case !json.Valid(line):
		return errors.New("the line is not valid JSON")
	}
	return nil
}

// depth is the deepest nesting of brackets outside of strings.
func depth(line []byte) int {
	deepest, now := 0, 0
	quoted, escaped := false, false
	for _, b := range line {
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '[' || b == '{':
			now++
			deepest = max(deepest, now)
		case b == ']' || b == '}':
			now--
		}
	}
	return deepest
}
