package log

import (
	"fmt"
	"time"

	"helix/internal/kb/entry"
)

// Op is one thing to write.
type Op struct {
	typ    Type
	encode func() (topic, body string, err error)
	when   time.Time // zero: the time of writing
}

// Put adds an entry, or replaces the one with its id. e must be complete: its id
// is chosen with entry.NewID.
func Put(e entry.Entry) Op { return PutOf(&e) }

// PutOf is Put of an entry that stays as it is until it is written.
func PutOf(e *entry.Entry) Op {
	return Op{typ: TypeEntry, when: e.Created, encode: func() (string, string, error) {
		if err := e.Validate(); err != nil {
			return "", "", err
		}
		topic, body := entry.Encode(e)
		return topic, body, nil
	}}
}

// PutEncoded is Put of an entry that entry.Encode gave, of one that Validate accepts.
func PutEncoded(topic, body string, created time.Time) Op {
	return Op{typ: TypeEntry, when: created, encode: func() (string, string, error) { return topic, body, nil }}
}

// Delete removes an entry with its changes, vectors and edges, or an edge, by its
// id. Its bytes leave the log with the next compaction; files that were kept
// beside the log (see FORMAT.md) may still have them. To hide an entry and be able
// to bring it back, change its DeletedAt.
func Delete(id string) Op {
	return Op{typ: TypeDelete, encode: func() (string, string, error) {
		body, err := entry.EncodeRef(id)
		return "", body, err
	}}
}

// Change records what happened to an entry.
func Change(c entry.Change) Op {
	return Op{typ: TypeChange, encode: func() (string, string, error) {
		if err := c.Validate(); err != nil {
			return "", "", err
		}
		return "", entry.EncodeChange(&c), nil
	}}
}

// Relate adds an edge, or replaces the same one.
func Relate(e entry.Edge) Op {
	return Op{typ: TypeEdge, encode: func() (string, string, error) {
		if err := e.Validate(); err != nil {
			return "", "", err
		}
		return "", entry.EncodeEdge(&e), nil
	}}
}

// Embed stores the vector of an entry, or replaces the one of the same model.
func Embed(v entry.Vector) Op {
	return Op{typ: TypeVector, encode: func() (string, string, error) {
		if err := v.Validate(); err != nil {
			return "", "", err
		}
		return "", entry.EncodeVector(&v), nil
	}}
}

// encoded is an op in its stored form.
type encoded struct {
	typ         Type
	topic, body string
	millis      int64
}

func (e *encoded) size() int { return frameSize + len(e.topic) + len(e.body) }

// MaxBatch is how many bytes the operations of one call may need together. They
// are written with one write, from memory.
const MaxBatch = 256 << 20

// encodeAll checks and encodes ops, so that bad input fails before anything is
// locked or written.
func encodeAll(ops []Op, now time.Time) ([]encoded, int, error) {
	out := make([]encoded, len(ops))
	total := 0
	for i, op := range ops {
		if op.encode == nil {
			return nil, 0, fmt.Errorf("kb/log: operation %d of %d is empty", i+1, len(ops))
		}
		topic, body, err := op.encode()
		if err != nil {
			if len(ops) > 1 {
				return nil, 0, fmt.Errorf("kb/log: %s %d of %d: %w", op.typ, i+1, len(ops), err)
			}
			return nil, 0, fmt.Errorf("kb/log: %w", err)
		}
		when := op.when
		if when.IsZero() {
			when = now
		}
		out[i] = encoded{op.typ, topic, body, when.UnixMilli()}
		if total += out[i].size(); total > MaxBatch {
			return nil, 0, fmt.Errorf("kb/log: %d operations need more than %d bytes: %w", len(ops), MaxBatch, ErrTooBig)
		}
	}
	return out, total, nil
}
