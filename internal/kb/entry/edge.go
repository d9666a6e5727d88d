package entry

import (
	"fmt"
	"strings"
)

// Edge says how one thing relates to another. From and To are ids of entries or
// names of other nodes, such as "entity:maya".
type Edge struct {
	From   string
	Rel    string // depends_on, contradicts, refines, …: small letters, digits, _ and -
	To     string
	Tenant string
	Weight float64 // 0..1, 1 when nothing else is said
	Key    string  // idempotency key, "" for none
}

// ID identifies the edge. The same relation always has the same id, so writing it
// twice leaves one edge, and a delete record can name it.
func (e *Edge) ID() string {
	h := newDigest()
	for _, part := range []string{e.Tenant, e.From, e.Rel, e.To} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return "edge_" + h.hex()[:16]
}

// Validate says in one line what is wrong with e, or nil.
func (e *Edge) Validate() error {
	if err := checkNode("start of the edge", e.From); err != nil {
		return err
	}
	if err := checkNode("end of the edge", e.To); err != nil {
		return err
	}
	if e.Rel == "" || len(e.Rel) > 64 || strings.Trim(e.Rel, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return invalid("the relation %q is not a word of small letters, digits, _ and -", e.Rel)
	}
	if err := checkField("tenant", e.Tenant, MaxField); err != nil {
		return err
	}
	if err := checkField("idempotency key", e.Key, MaxField); err != nil {
		return err
	}
	return checkShare("weight", e.Weight)
}

func checkNode(what, name string) error {
	if strings.TrimSpace(name) == "" {
		return invalid("the %s is empty", what)
	}
	return checkField(what, name, MaxField)
}

// EncodeEdge gives the stored form, which DecodeEdge reads back.
func EncodeEdge(e *Edge) string {
	var w writer
	w.text("from", e.From)
	w.text("rel", e.Rel)
	w.text("to", e.To)
	w.text("tenant", e.Tenant)
	w.number("weight", e.Weight, 1)
	w.text("key", e.Key)
	return w.String()
}

// DecodeEdge reads what EncodeEdge wrote. A line that this version does not
// understand is skipped.
func DecodeEdge(body string) (Edge, error) {
	e := Edge{Weight: 1}
	for rest := body; rest != ""; {
		var line string
		line, rest = cutLine(rest)
		key, raw, ok := splitMeta(line)
		if !ok {
			return Edge{}, fmt.Errorf("entry: %w: %q is no line of an edge", ErrMalformed, line)
		}
		value, ok := unescape(raw)
		if !ok {
			continue
		}
		switch key {
		case "from":
			e.From = value
		case "rel":
			e.Rel = value
		case "to":
			e.To = value
		case "tenant":
			e.Tenant = value
		case "key":
			e.Key = value
		case "weight":
			set(&e.Weight, value, parseShare)
		}
	}
	if e.From == "" || e.Rel == "" || e.To == "" {
		return Edge{}, fmt.Errorf("entry: %w: an edge without both ends and a relation", ErrMalformed)
	}
	return e, nil
}
