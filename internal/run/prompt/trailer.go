package prompt

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrUninterpretable: an answer lacks a trailer line that must be there, or gives
// it a value that means nothing. Nothing may be assumed from such an answer.
var ErrUninterpretable = errors.New("cannot be interpreted")

// find is the value of the first line with the field's key, "" and false when
// there is none.
//
// A key counts at the start of a line only. Markdown around it is tolerated:
// emphasis, backticks, white space, a list dash, a heading's marks. A quotation
// (">") or any other text before the key makes it somebody else's words.
//
// A template, the form in which a prompt asks for the line ("KEY: <number>", "KEY:
// A | B"), is no answer and is passed over, for agents repeat what they were asked.
// Any other first line decides, also one with a value that makes no sense: the
// agent said something that we do not understand, and a later line that we would
// understand does not undo it.
func (f Field) find(answer string) (string, bool) {
	for line := range strings.Lines(answer) {
		value, ok := cutKey(line, f.Key)
		if ok && !f.template(value) {
			return value, true
		}
	}
	return "", false
}

var emphasis = strings.NewReplacer("*", "", "`", "")

// cutKey is what follows "KEY:" in a line that begins with it.
func cutKey(line, key string) (string, bool) {
	if !strings.Contains(line, key) {
		return "", false
	}
	line = strings.TrimPrefix(line, "\ufeff")
	line = strings.TrimSpace(emphasis.Replace(line))
	line = strings.TrimLeft(strings.TrimPrefix(line, "- "), "# \t")
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, "_"), key)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, "_ \t"), ":")
	if !ok {
		return "", false
	}
	rest = strings.TrimLeft(rest, " \t")
	if marks, ok := strings.CutPrefix(rest, "__"); ok { // the end of __KEY:__
		rest = marks
	}
	return strings.TrimSpace(rest), true
}

// template tells whether a value is a place to fill in.
func (f Field) template(value string) bool {
	if strings.HasPrefix(value, "<") {
		return true
	}
	if f.Kind != Choice {
		return false
	}
	_, rest := firstWord(value)
	rest = strings.TrimSpace(rest)
	for _, sep := range []string{"|", "/", ",", "or "} {
		if after, ok := strings.CutPrefix(rest, sep); ok {
			next, _ := firstWord(strings.TrimPrefix(strings.TrimSpace(after), "or "))
			return f.allows(next)
		}
	}
	return false
}

func (f Field) allows(word string) bool { return slices.Contains(f.Values, word) }

// firstWord splits a value behind its first word. Letters of any script and
// dashes belong to a word: neither STOPPING nor STOP-GAP is STOP.
func firstWord(value string) (word, rest string) {
	value = strings.TrimLeft(value, "_ \t")
	end := strings.IndexFunc(value, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '-'
	})
	if end < 0 {
		end = len(value)
	}
	return strings.TrimRight(value[:end], "_"), value[end:]
}

// read is the field's value in an answer: a Choice as the bare word, a Count as
// digits, a Text without quotes; "" when an optional field is absent.
func (f Field) read(answer string) (string, error) {
	value, ok := f.find(answer)
	switch {
	case !ok && !f.Required:
		return "", nil
	case !ok && f.Kind == Choice:
		return "", fmt.Errorf("%w: no line begins with %s: and one of %s", ErrUninterpretable, f.Key, strings.Join(f.Values, ", "))
	case !ok:
		return "", fmt.Errorf("%w: no line begins with %s: and a value", ErrUninterpretable, f.Key)
	}
	switch f.Kind {
	case Choice:
		if word, _ := firstWord(value); f.allows(word) {
			return word, nil
		}
		return "", f.wrong(value, "one of "+strings.Join(f.Values, ", "))
	case Count:
		if n, ok := wholeNumber(value); ok {
			return strconv.Itoa(n), nil
		}
		return "", f.wrong(value, "a number")
	}
	value = strings.Trim(value, `"' `)
	if value == "" && f.Required {
		return "", f.wrong(value, "a value")
	}
	return value, nil
}

func (f Field) wrong(value, want string) error {
	const most = 80
	if len(value) > most {
		value = cut(value, most) + "…"
	}
	return fmt.Errorf("%w: %s is %q, not %s", ErrUninterpretable, f.Key, value, want)
}

// wholeNumber reads "3", "3 beads" and "none".
func wholeNumber(value string) (int, bool) {
	word, rest := firstWord(value)
	if strings.EqualFold(word, "none") {
		return 0, true
	}
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return 0, false
		}
	}
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',' || rest[0] == '/') {
		if r, _ := utf8.DecodeRuneInString(rest[1:]); unicode.IsDigit(r) {
			return 0, false
		}
	}
	n, err := strconv.Atoi(word)
	return n, err == nil
}

// fields are the values of an answer by their keys.
type fields map[string]string

// read reads the whole trailer of an action.
func (a Action) read(answer string) (fields, error) {
	got := fields{}
	for _, f := range a.spec().trailer {
		value, err := f.read(answer)
		if err != nil {
			return nil, err
		}
		if value != "" {
			got[f.Key] = value
		}
	}
	return got, nil
}

func (f fields) count(key string) int {
	n, _ := strconv.Atoi(f[key]) // read has checked it; 0 when it is absent
	return n
}

// ids are the ids of a list; none for "none".
func (f fields) ids(key string) []string {
	if strings.EqualFold(f[key], "none") {
		return nil
	}
	return strings.FieldsFunc(f[key], func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}
