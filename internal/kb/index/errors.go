package index

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

var (
	// ErrNone: there is no index.
	ErrNone = errors.New("there is no index")
	// ErrCorrupt: the files of the index cannot be used. They must be built again.
	ErrCorrupt = errors.New("the index is damaged")
)

// corrupt is the panic with which the code that decodes postings gives up.
type corrupt string

// Guard runs fn and turns what damaged files do to it into ErrCorrupt: decoding
// checks only what keeps it from going round in circles, and leaves the rest to
// the bounds of slices and mappings.
func Guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case corrupt:
			err = fmt.Errorf("%w: %s", ErrCorrupt, string(p))
		case runtime.Error:
			err = fmt.Errorf("%w: %s", ErrCorrupt, p.Error())
		default:
			panic(p)
		}
	}()
	return fn()
}
