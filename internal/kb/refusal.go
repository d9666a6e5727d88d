package kb

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

// refusal is an error whose whole text is for the user; what it wraps is for the
// program.
type refusal struct {
	msg  string
	kind error
}

func (r *refusal) Error() string { return r.msg }
func (r *refusal) Unwrap() error { return r.kind }

func refuse(format string, args ...any) error {
	return &refusal{oneLine(fmt.Sprintf(format, args...)), ErrRefused}
}

func notFound(format string, args ...any) error {
	return &refusal{oneLine(fmt.Sprintf(format, args...)), ErrNotFound}
}

// oneLine is for what a user gave and a message repeats.
func oneLine(msg string) string {
	if !strings.ContainsFunc(msg, unicode.IsControl) {
		return msg
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, msg)
}

// check refuses an entry that cannot be stored.
func check(e *entry.Entry) error {
	err := e.Validate()
	if err == nil {
		return nil
	}
	return refuse("%s", strings.TrimPrefix(err.Error(), "entry "+entry.ErrInvalid.Error()+": "))
}

// at says to which of several things a refusal belongs, and keeps its kind.
func at(place string, err error) error {
	var r *refusal
	if errors.As(err, &r) {
		return &refusal{place + ": " + r.msg, r.kind}
	}
	if errors.Is(err, log.ErrTooBig) {
		return refuse("%s: it is more than %d MiB together: split it", place, log.MaxBatch>>20)
	}
	return fmt.Errorf("%s: %w", place, err)
}
