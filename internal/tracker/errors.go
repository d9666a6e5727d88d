package tracker

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotFound: no bead has this id.
	ErrNotFound = errors.New("no such bead")
	// ErrClaimed: somebody else has the bead.
	ErrClaimed = errors.New("already claimed")
	// ErrNotOpen: only an open bead can be claimed.
	ErrNotOpen = errors.New("not open")
	// ErrNotClaimed: the bead is past being claimed, so there is nothing to give back.
	ErrNotClaimed = errors.New("not claimed")
	// ErrNotOwner: the bead no longer carries the claim that the caller took.
	ErrNotOwner = errors.New("claimed by someone else by now")
	// ErrCycle: beads would wait for each other.
	ErrCycle = errors.New("circular dependency")
	// ErrLocked: the lock did not come free in time.
	ErrLocked = errors.New("the tracker is locked")
	// ErrConflict: the file holds git conflict markers.
	ErrConflict = errors.New("git conflict markers")
	// ErrMalformed: the file has a line that is no bead, so it is not written.
	ErrMalformed = errors.New("malformed line")
	// ErrInvalid: the request itself makes no sense.
	ErrInvalid = errors.New("invalid")
	// ErrRefused: a validation hook of the project said no.
	ErrRefused = errors.New("refused by the project's hook")
)

// invalidError is ErrInvalid with a message that stands for itself.
type invalidError struct{ text string }

func (e *invalidError) Error() string        { return e.text }
func (e *invalidError) Is(target error) bool { return target == ErrInvalid }

func invalid(format string, args ...any) error {
	return &invalidError{fmt.Sprintf(format, args...)}
}

// NotFoundError names the id that was looked for and where.
type NotFoundError struct {
	ID   string
	Path string
	Near []string // ids that may have been meant
}

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("bead %s: not found in %s", e.ID, e.Path)
	if len(e.Near) > 0 {
		text += " (did you mean " + strings.Join(e.Near, " or ") + "?)"
	}
	return text
}

func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// LineError is one line of a tracker file that is no bead.
type LineError struct {
	File   string
	Line   int // 1-based
	Reason string
	Torn   bool // the last line, left by a write that did not finish
}

func (e LineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// joinLines is several line errors as one line of text.
func joinLines(problems []LineError) string {
	const most = 3
	var text []string
	for _, p := range problems[:min(most, len(problems))] {
		text = append(text, p.Error())
	}
	if n := len(problems) - most; n > 0 {
		text = append(text, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(text, "; ")
}
