package log

import (
	"errors"
	"fmt"
)

var (
	// ErrForeign: the file is not a helix log. Nothing touches it.
	ErrForeign = errors.New("not a helix memory log; move it away, or give another folder")
	// ErrNewer: the log was written by a newer helix. Nothing touches it.
	ErrNewer = errors.New("written by a newer helix; use that one, or give another folder")
	// ErrDamaged: bytes of the log are not what was written.
	ErrDamaged = errors.New("the log is damaged")
	// ErrStale: a Pos does not belong to this generation of the log, so a view
	// that was built up to it must be rebuilt.
	ErrStale = errors.New("the position is not in this log any more")
	// ErrNoRecord: no record starts at that offset.
	ErrNoRecord = errors.New("no record starts there")
	// ErrNotDurable: the records were handed to the system, but it could not
	// confirm that they are on the disk. They may or may not survive; writing
	// them again is safe, because ids make it idempotent.
	ErrNotDurable = errors.New("not confirmed to be on the disk")
	// ErrTooBig: the operations of one call are together too big.
	ErrTooBig = errors.New("too much for one batch")
	// Stop, returned by the function of a Scan, ends it without an error.
	Stop = errors.New("stop")
)

// Damage is a range of the log that cannot be read.
type Damage struct {
	From, To int64 // offsets; To is not part of it
	What     string
}

func (d Damage) String() string {
	return fmt.Sprintf("offset %d to %d: %s", d.From, d.To, d.What)
}
