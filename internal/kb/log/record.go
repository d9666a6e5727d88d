package log

import (
	"fmt"
	"strings"
	"time"

	"helix/internal/kb/entry"
)

// Record is one committed record. During a Scan it is valid only until the
// function returns; what its methods give stays valid.
type Record struct {
	Type   Type
	Offset int64     // of its first byte in the file
	Size   int64     // bytes in the file, framing included
	Time   time.Time // UTC: creation for an entry, else when it was written

	topic []byte
	body  []byte
	v1    *v1Source // set for a record of a version 1 log
}

// v1Source is what is needed to decode a version 1 entry.
type v1Source struct {
	minutes int32
	zone    *time.Location
}

// ID names what the record is about: the entry, or the edge. It is cheaper than
// decoding the whole record.
func (r *Record) ID() (string, error) {
	switch {
	case r.v1 != nil:
		e, err := r.Entry()
		return e.ID, err
	case r.Type == TypeEdge:
		e, err := r.Edge()
		return e.ID(), err
	}
	head := r.body[:min(len(r.body), entry.MaxID+len("[id: ]\n"))]
	id, ok := entry.PeekID(string(head))
	if !ok {
		return "", fmt.Errorf("kb/log: the %s record at offset %d has no id", r.Type, r.Offset)
	}
	return id, nil
}

// Entry decodes an entry record. Changes written later are not in it: see Fold.
func (r *Record) Entry() (entry.Entry, error) {
	if err := r.want(TypeEntry); err != nil {
		return entry.Entry{}, err
	}
	if r.v1 != nil {
		return entry.DecodeV1(entry.V1{
			Topic:   validText(r.topic),
			Body:    validText(r.body),
			Minutes: r.v1.minutes,
			Offset:  r.Offset,
		}, r.v1.zone), nil
	}
	return r.entry(string(r.topic), string(r.body))
}

func (r *Record) entry(topic, body string) (entry.Entry, error) {
	e, err := entry.Decode(topic, body, r.Time)
	return e, r.wrap(err)
}

// validText replaces what is not UTF-8, as the original does when it reads.
func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// Change decodes a change record.
func (r *Record) Change() (entry.Change, error) {
	if err := r.want(TypeChange); err != nil {
		return entry.Change{}, err
	}
	c, err := entry.DecodeChange(string(r.body))
	return c, r.wrap(err)
}

// Edge decodes an edge record.
func (r *Record) Edge() (entry.Edge, error) {
	if err := r.want(TypeEdge); err != nil {
		return entry.Edge{}, err
	}
	e, err := entry.DecodeEdge(string(r.body))
	return e, r.wrap(err)
}

// Vector decodes a vector record.
func (r *Record) Vector() (entry.Vector, error) {
	if err := r.want(TypeVector); err != nil {
		return entry.Vector{}, err
	}
	v, err := entry.DecodeVector(string(r.body))
	return v, r.wrap(err)
}

func (r *Record) want(t Type) error {
	if r.Type != t {
		return fmt.Errorf("kb/log: the record at offset %d is of type %s, not %s", r.Offset, r.Type, t)
	}
	return nil
}

func (r *Record) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("kb/log: the %s record at offset %d: %w", r.Type, r.Offset, err)
}

// fromFrame makes the record of a step that found one.
func (r *Record) fromFrame(f frame, payload []byte) {
	*r = Record{
		Type:   f.typ,
		Offset: f.offset,
		Size:   f.end() - f.offset,
		Time:   time.UnixMilli(f.millis).UTC(),
		topic:  payload[:f.topicLen],
		body:   payload[f.topicLen:],
	}
}
