package log

import "time"

// Option changes how a log is opened.
type Option func(*options)

type options struct {
	zone   *time.Location
	report func(Repair)
	blocks bool
}

func newOptions(opts []Option) options {
	o := options{zone: time.Local, report: func(Repair) {}}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithZone sets the zone in which version 1 records are read: they hold the wall
// clock of the machine that wrote them, without saying which. The default is the
// zone of this machine.
func WithZone(zone *time.Location) Option {
	return func(o *options) { o.zone = zone }
}

// WithReport has fn told of everything that a writer repairs or rewrites before
// it writes. It is called under the writer lock and must not use the Log.
func WithReport(fn func(Repair)) Option {
	return func(o *options) { o.report = fn }
}

// WithBlocks has the texts of entries that EntryAt gives share blocks of memory, which
// stay as long as any of them is in use: for one who lets go of all of them at once.
// A block touches fewer pages than a piece of memory for each text.
func WithBlocks() Option { return func(o *options) { o.blocks = true } }

// Repair is something that a writer did to the file before it wrote.
type Repair struct {
	What     string // for a person: one line, without the path
	Path     string // of the log
	From, To int64  // range that was cut off; 0 and 0 for an upgrade
	Kept     string // file that holds what was there before; "" when nothing was worth keeping
}
