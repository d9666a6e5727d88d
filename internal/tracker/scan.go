package tracker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"unsafe"
)

// maxDepth is how deep values may nest; encoding/json has the same limit.
const maxDepth = 10000

// syntaxError says where a text stops being JSON.
type syntaxError struct {
	at    int  // byte offset
	ended bool // the text is the beginning of JSON and breaks off
	want  string
}

func (e *syntaxError) Error() string {
	if e.ended {
		return "the line breaks off: unexpected end of JSON, expected " + e.want
	}
	return fmt.Sprintf("not JSON at column %d: expected %s", e.at+1, e.want)
}

// scanner walks a JSON text once and accepts exactly what encoding/json accepts.
// It exists because a queue must be read at every decision: it decodes nothing
// and allocates nothing, so that a reader pays only for what it looks at.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) fail(want string) error {
	return &syntaxError{at: s.i, ended: s.i >= len(s.b), want: want}
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

// enter consumes the bracket that opens an object or array.
func (s *scanner) enter(open byte, want string) error {
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != open {
		return s.fail(want)
	}
	s.i++
	return nil
}

// next moves to the next element of an array or object; false means that the
// closing bracket was consumed.
func (s *scanner) next(first bool, closing byte) (bool, error) {
	s.space()
	if s.i >= len(s.b) {
		return false, s.fail("more of the value")
	}
	if s.b[s.i] == closing {
		s.i++
		return false, nil
	}
	if first {
		return true, nil
	}
	if s.b[s.i] != ',' {
		return false, s.fail("a comma or the closing bracket")
	}
	s.i++
	s.space()
	return true, nil
}

// member moves to the next member of an object and consumes its key. The value
// is at the current position then.
func (s *scanner) member(first bool) (key string, more bool, err error) {
	more, err = s.next(first, '}')
	if !more || err != nil {
		return "", false, err
	}
	raw, escaped, err := s.text()
	if err != nil {
		return "", false, err
	}
	key = alias(raw)
	if escaped {
		key = unquote(raw)
	}
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != ':' {
		return "", false, s.fail("a colon")
	}
	s.i++
	s.space()
	return key, true, nil
}

// value consumes one value of any kind.
func (s *scanner) value(depth int) error {
	if s.i >= len(s.b) {
		return s.fail("a value")
	}
	switch c := s.b[s.i]; {
	case c == '"':
		_, _, err := s.text()
		return err
	case c == '{' || c == '[':
		return s.nested(depth+1, c)
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	case c == '-' || isDigit(c):
		return s.number()
	}
	return s.fail("a value")
}

func (s *scanner) nested(depth int, open byte) error {
	if depth > maxDepth {
		return s.fail("less nesting")
	}
	s.i++
	for first := true; ; first = false {
		var more bool
		var err error
		if open == '{' {
			_, more, err = s.member(first)
		} else {
			more, err = s.next(first, ']')
		}
		if !more || err != nil {
			return err
		}
		if err := s.value(depth); err != nil {
			return err
		}
	}
}

func (s *scanner) literal(word string) error {
	for k := range len(word) {
		if s.i >= len(s.b) || s.b[s.i] != word[k] {
			return s.fail(word)
		}
		s.i++
	}
	return nil
}

func (s *scanner) number() error {
	if s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		return s.digits()
	}
	return nil
}

func (s *scanner) digits() error {
	start := s.i
	for s.i < len(s.b) && isDigit(s.b[s.i]) {
		s.i++
	}
	if s.i == start {
		return s.fail("a digit")
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// text consumes a string and returns what is between its quotes.
func (s *scanner) text() (raw []byte, escaped bool, err error) {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return nil, false, s.fail("a string")
	}
	s.i++
	start := s.i
	for {
		s.i += plain(s.b[s.i:])
		if s.i >= len(s.b) {
			return nil, false, s.fail("the closing quote")
		}
		switch s.b[s.i] {
		case '"':
			s.i++
			return s.b[start : s.i-1 : s.i-1], escaped, nil
		case '\\':
			escaped = true
			if err := s.escape(); err != nil {
				return nil, false, err
			}
		default:
			return nil, false, s.fail("no raw control character in a string")
		}
	}
}

func (s *scanner) escape() error {
	s.i++
	if s.i >= len(s.b) {
		return s.fail("an escape sequence")
	}
	switch s.b[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return nil
	case 'u':
		s.i++
		for range 4 {
			if s.i >= len(s.b) || !isHex(s.b[s.i]) {
				return s.fail("four hex digits")
			}
			s.i++
		}
		return nil
	}
	return s.fail("an escape sequence")
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// plain counts the bytes up to the first quote, backslash or control character,
// eight at a time. In each term the lowest flagged byte is exact (a borrow can
// only flag bytes above a true one), and the lowest is all that is used.
func plain(b []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, e := w^(ones*'"'), w^(ones*'\\')
		if m := ((q-ones) & ^q | (e-ones) & ^e | (w-ones*0x20) & ^w) & high; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\'; i++ {
	}
	return i
}

// end checks that nothing but space follows.
func (s *scanner) end() error {
	s.space()
	if s.i < len(s.b) {
		return s.fail("the end of the line")
	}
	return nil
}

// str consumes a string or null and returns its decoded text.
func (s *scanner) str() (string, error) {
	if s.null() {
		return "", nil
	}
	raw, escaped, err := s.text()
	if err != nil || !escaped {
		return alias(raw), err
	}
	return unquote(raw), nil
}

// null consumes null if it is there.
func (s *scanner) null() bool {
	if s.i+4 <= len(s.b) && string(s.b[s.i:s.i+4]) == "null" {
		s.i += 4
		return true
	}
	return false
}

// raw consumes one value and returns its bytes, which are shared with the text.
func (s *scanner) raw() (json.RawMessage, error) {
	start := s.i
	err := s.value(1)
	return json.RawMessage(s.b[start:s.i:s.i]), err
}

// unquote decodes the inside of a string that is known to be valid JSON.
func unquote(raw []byte) string {
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return string(raw)
	}
	return text
}

// alias is b as a string without a copy. It is for bytes that nobody writes to
// any more: those of a file that was read.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func brokeOff(err error) bool {
	var e *syntaxError
	return errors.As(err, &e) && e.ended
}
