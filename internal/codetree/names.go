package codetree

import (
	"cmp"
	"encoding/binary"
	"sort"
	"strings"
)

// Fields of a name's row.
const (
	nameText     = 0 // offset and length in strings
	namePostings = 8 // offset and length in postings
)

// compareNames orders names without regard to case first, so that all spellings of
// one are together. Case is folded for ASCII alone.
func compareNames(a, b string) int {
	return cmp.Or(compareFolded(a, b), strings.Compare(a, b))
}

func compareFolded(a, b string) int {
	for i := range min(len(a), len(b)) {
		if x, y := lower(a[i]), lower(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func (t *Tree) name(i int) string {
	row := t.names.row(i)
	return t.stringAt(u32(row, nameText), u32(row, nameText+4))
}

// lookup gives the row of the name, and that of each of its other spellings.
func (t *Tree) lookup(name string) (exact int, others []int) {
	exact = -1
	i := sort.Search(t.names.n, func(i int) bool { return compareFolded(t.name(i), name) >= 0 })
	for ; i < t.names.n && compareFolded(t.name(i), name) == 0; i++ {
		if t.name(i) == name {
			exact = i
		} else {
			others = append(others, i)
		}
	}
	return exact, others
}

// slots are the files to which the name of that row is r.
func (t *Tree) slots(row int, r role) []int {
	if row < 0 {
		return nil
	}
	p := decodePostings(t.encoded(row), t.files.n)
	return p[r]
}

// encoded are the postings of a name as they are stored.
func (t *Tree) encoded(row int) []byte {
	b := t.names.row(row)
	return slice(t.postings, u32(b, namePostings), u32(b, namePostings+4))
}

// slotsOf is slots of one name, spelled exactly so.
func (t *Tree) slotsOf(name string, r role) []int {
	exact, _ := t.lookup(name)
	return t.slots(exact, r)
}

// postings are the files of a name, by role, in ascending order.
type postings [roles][]int

// encode writes for each role the number of files, and of each how far it is from
// the one before.
func (p *postings) encode(b []byte) []byte {
	for _, slots := range p {
		b = binary.AppendUvarint(b, uint64(len(slots)))
		last := 0
		for _, s := range slots {
			b = binary.AppendUvarint(b, uint64(s-last))
			last = s
		}
	}
	return b
}

// decodePostings leaves out what is not below limit.
func decodePostings(b []byte, limit int) (p postings) {
	c := cursor{b: b}
	for r := range p {
		n := c.number()
		if n > len(b) {
			return p
		}
		p[r] = make([]int, 0, n)
		for slot := 0; n > 0; n-- {
			if slot += c.number(); c.bad || slot >= limit {
				return p
			}
			p[r] = append(p[r], slot)
		}
	}
	return p
}

func (p *postings) empty() bool {
	for _, slots := range p {
		if len(slots) > 0 {
			return false
		}
	}
	return true
}
