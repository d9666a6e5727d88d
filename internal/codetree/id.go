package codetree

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// ID names a node. It is made from what the node is (its path; for a symbol also
// its container, kind and name), so that it stays the same while the file around
// it changes.
type ID uint64

const (
	idBits   = 48
	idDigits = idBits / 4
	idPrefix = "node_"
	// leastDigits of an id must be given for it to be completed.
	leastDigits = 4
)

func (id ID) String() string { return fmt.Sprintf("%s%0*x", idPrefix, idDigits, uint64(id)) }

// MarshalText gives the id as String does.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads a whole id.
func (id *ID) UnmarshalText(text []byte) error {
	from, to, ok := parseID(string(text))
	if !ok || from != to {
		return fmt.Errorf("codetree: %q is no node id; one looks like %s", text, ID(0x1a2b3c4d5e6f))
	}
	*id = from
	return nil
}

// parseID reads node_<hex>: the ids that begin so, from the first to the last.
func parseID(text string) (from, to ID, ok bool) {
	digits, marked := strings.CutPrefix(text, idPrefix)
	if !marked || len(digits) < leastDigits || len(digits) > idDigits {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	rest := 4 * (idDigits - len(digits))
	return ID(n << rest), ID((n+1)<<rest - 1), true
}

// newID is made from the parts.
func newID(parts ...string) ID {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	sum := h.Sum64()
	return ID((sum ^ sum>>idBits<<3) & (1<<idBits - 1))
}

func dirID(path string) ID  { return newID("dir", path) }
func fileID(path string) ID { return newID("file", path) }
