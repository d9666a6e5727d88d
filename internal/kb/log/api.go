package log

import (
	"context"
	"errors"
	"iter"
	"time"

	"helix/internal/kb/entry"
)

// This file fixes the shapes while the package is being built.

var errUnbuilt = errors.New("log: not built yet")

const FileName = "data.log"

type Option func(*options)
type options struct{}

// WithZone sets the zone in which the wall clock of version 1 records is read. The default is time.Local.
func WithZone(zone *time.Location) Option { return func(*options) {} }

// WithReport has fn told of every repair that a writer makes to the file (Log only).
func WithReport(fn func(Repair)) Option { return func(*options) {} }

type Repair struct {
	What     string
	From, To int64
	Kept     string // file that holds what was there before, "" if nothing was worth keeping
}

// Pos is a place between two records of one generation of the log: the watermark of a view.
// The zero Pos is the beginning of any log. It marshals as text.
type Pos struct {
	Log        [16]byte
	Generation uint64
	Offset     int64
	Last       int64  // offset of the record before it
	Sum        uint32 // header checksum of that record
}

func (p Pos) MarshalText() ([]byte, error)  { return nil, errUnbuilt }
func (p *Pos) UnmarshalText(b []byte) error { return errUnbuilt }
func (p Pos) String() string                { return "" }

type Type uint8

const (
	TypeEntry  Type = 1
	TypeDelete Type = 2
	TypeEdge   Type = 3
	TypeChange Type = 4
	TypeVector Type = 5
	TypeCommit Type = 6 // never shown to Scan
)

// Record is one committed record. It and its bytes are valid only during the call of the scan function; records from At stay valid.
type Record struct {
	Type   Type
	Offset int64
	Size   int64 // bytes on disk, framing included
	Time   time.Time
}

func (r *Record) ID() (string, error)           { return "", errUnbuilt } // the entry (or, for an edge or its deletion, the edge) it is about
func (r *Record) Entry() (entry.Entry, error)   { return entry.Entry{}, errUnbuilt }
func (r *Record) Change() (entry.Change, error) { return entry.Change{}, errUnbuilt }
func (r *Record) Edge() (entry.Edge, error)     { return entry.Edge{}, errUnbuilt }
func (r *Record) Vector() (entry.Vector, error) { return entry.Vector{}, errUnbuilt }

type Reader struct{}

func OpenReader(dir string, opts ...Option) (*Reader, error) { return nil, errUnbuilt }
func (r *Reader) Close() error                               { return errUnbuilt }
func (r *Reader) Version() int                               { return 0 } // 0 = no log yet
func (r *Reader) End() (Pos, error)                          { return Pos{}, errUnbuilt }
func (r *Reader) Holds(p Pos) bool                           { return false }
func (r *Reader) Reached(p Pos) bool                         { return false } // Holds and nothing lies beyond p: the fast check of a view
func (r *Reader) Scan(from Pos, fn func(*Record) error) (Scanned, error) {
	return Scanned{}, errUnbuilt
}
func (r *Reader) At(offset int64) (*Record, error) { return nil, errUnbuilt }
func (r *Reader) State() (State, error)            { return Same, errUnbuilt }
func (r *Reader) Fold() (*Fold, Scanned, error)    { return nil, Scanned{}, errUnbuilt }
func (r *Reader) Load(l Live) (entry.Entry, error) { return entry.Entry{}, errUnbuilt }
func (r *Reader) Entries(fn func(e entry.Entry, offset int64) error) (Scanned, error) {
	return Scanned{}, errUnbuilt
}

type Scanned struct {
	End     Pos // where to go on next time
	Records int
	Damage  []Damage
}

type State int

const (
	Same     State = iota // the file is as it was
	Grown                 // it is longer
	Replaced              // another file is there now: open a new Reader
)

// Fold is what records come to.
type Fold struct{}

type Live struct {
	ID     string
	Offset int64         // of its entry record
	Change *entry.Change // all changes after that record, nil if none
}

func NewFold() *Fold                              { return nil }
func (f *Fold) Apply(rec *Record) error           { return errUnbuilt }
func (f *Fold) Len() int                          { return 0 }
func (f *Fold) Get(id string) (Live, bool)        { return Live{}, false }
func (f *Fold) All() iter.Seq[Live]               { return nil } // order of the log
func (f *Fold) Edges() iter.Seq[entry.Edge]       { return nil }
func (f *Fold) Vectors() iter.Seq2[string, int64] { return nil } // id, offset of the record
func (f *Fold) Dead() int64                       { return 0 }   // bytes that a compaction would free

type Op struct{}

func Put(e entry.Entry) Op     { return Op{} } // adds the entry, or replaces the one with its id
func Delete(id string) Op      { return Op{} } // an entry (with its changes, vectors and edges) or an edge
func Change(c entry.Change) Op { return Op{} }
func Relate(e entry.Edge) Op   { return Op{} }
func Embed(v entry.Vector) Op  { return Op{} }

type Log struct{}

type Commit struct {
	Offsets []int64 // of each op, in order
	End     Pos
}

func Open(dir string, opts ...Option) *Log                           { return nil } // no I/O
func (l *Log) Close() error                                          { return errUnbuilt }
func (l *Log) Append(ctx context.Context, ops ...Op) (Commit, error) { return Commit{}, errUnbuilt }
func (l *Log) Update(ctx context.Context, fn func(*Reader) ([]Op, error)) (Commit, error) {
	return Commit{}, errUnbuilt
}
func (l *Log) Compact(ctx context.Context) (Compaction, error) { return Compaction{}, errUnbuilt }
func (l *Log) Recover(ctx context.Context) (Recovery, error)   { return Recovery{}, errUnbuilt }

type Compaction struct {
	Entries       int
	Before, After int64 // bytes
	End           Pos
}

type Recovery struct {
	Compaction
	Backup string // the old file; "" when nothing needed repair
	Lost   []Damage
}

// Verify reads the whole log without a lock.
func Verify(dir string, opts ...Option) (Report, error) { return Report{}, errUnbuilt }

type Report struct {
	Path    string
	Version int
	Bytes   int64
	Records map[Type]int
	Live    int
	Damage  []Damage
	Tail    *Damage // unfinished write at the end; the next writer cuts it
}

func (r Report) OK() bool { return false }
