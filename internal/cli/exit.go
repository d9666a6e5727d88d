package cli

import (
	"errors"
	"fmt"
)

// Exit codes. They are part of the interface: scripts depend on them.
const (
	ExitOK          = 0
	ExitError       = 1   // the command failed, or its input was refused
	ExitAlreadyLive = 2   // another helix run is live in this repository
	ExitNeedsPerson = 3   // the run stopped because nothing moved or the provider is in trouble
	ExitIssuesFound = 10  // the review found issues
	ExitInterrupted = 130 // ended by SIGINT
	ExitTerminated  = 143 // ended by SIGTERM
)

// exitError carries an exit code other than ExitError. A nil err means that
// everything worth saying has been printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &e):
		return e.code
	}
	return ExitError
}
