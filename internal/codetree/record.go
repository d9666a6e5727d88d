package codetree

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"helix/internal/codetree/source"
)

// A record is what is kept of one source file:
//
//	head      five numbers of 32 bits: symbols, lines, offsets of the table, of the
//	          calls, of the imports; then language, package and doc
//	table     for each symbol 16 bytes: id, offset, index of its parent + 1
//	symbols   varints and strings
//	calls     by name: the name, then each call of it
//	imports   by line
//
// Strings are a length and bytes. Nothing in it depends on other files.
const (
	recordHead = 20
	entrySize  = 16
)

// kinds of symbols by their number in a record; new ones are added at the end.
var kinds = []source.Kind{
	source.Func, source.Method, source.Prototype, source.Class, source.Struct, source.Interface, source.Trait, source.Impl,
	source.Enum, source.Type, source.Const, source.Var, source.Module, source.Macro, source.Section,
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// encodeRecord makes the record of the file at path.
func encodeRecord(path string, f *source.File) []byte {
	le := binary.LittleEndian
	b := make([]byte, recordHead, 256+len(f.Symbols)*96+len(f.Calls)*8)
	le.PutUint32(b, uint32(len(f.Symbols)))
	le.PutUint32(b[4:], uint32(f.Lines))
	b = appendString(b, f.Language)
	b = appendString(b, f.Package)
	b = appendString(b, f.Doc)
	table := len(b)
	le.PutUint32(b[8:], uint32(table))
	b = append(b, make([]byte, entrySize*len(f.Symbols))...)
	seen := map[ID]int{}
	for i, s := range f.Symbols {
		id := symbolID(path, s, seen)
		e := b[table+i*entrySize:]
		le.PutUint64(e, uint64(id))
		le.PutUint32(e[8:], uint32(len(b)))
		le.PutUint32(e[12:], uint32(s.Parent+1))
		b = appendSymbol(b, s)
	}
	le.PutUint32(b[12:], uint32(len(b)))
	b = appendCalls(b, f.Calls)
	le.PutUint32(b[16:], uint32(len(b)))
	b = binary.AppendUvarint(b, uint64(len(f.Imports)))
	for _, i := range f.Imports {
		b = appendString(b, i.Path)
		b = binary.AppendUvarint(b, uint64(i.Line))
		b = binary.AppendUvarint(b, uint64(len(i.Names)))
		for _, n := range i.Names {
			b = appendString(b, n)
		}
	}
	return b
}

// symbolID counts symbols that have the same place and name.
func symbolID(path string, s source.Symbol, seen map[ID]int) ID {
	id := newID("symbol", path, s.Container, string(s.Kind), s.Name)
	n := seen[id]
	seen[id]++
	if n == 0 {
		return id
	}
	return newID("symbol", path, s.Container, string(s.Kind), s.Name, strconv.Itoa(n))
}

func appendSymbol(b []byte, s source.Symbol) []byte {
	kind := slices.Index(kinds, s.Kind) << 1
	if s.Exported {
		kind |= 1
	}
	b = binary.AppendUvarint(b, uint64(kind))
	b = binary.AppendUvarint(b, uint64(s.Line))
	b = binary.AppendUvarint(b, uint64(s.EndLine-s.Line))
	for _, text := range []string{s.Name, s.Container, s.Signature, s.Doc} {
		b = appendString(b, text)
	}
	return b
}

func appendCalls(b []byte, calls []source.Call) []byte {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b source.Call) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Line, b.Line), cmp.Compare(a.On, b.On))
	})
	groups := 0
	for i := range calls {
		if i == 0 || calls[i].Name != calls[i-1].Name {
			groups++
		}
	}
	b = binary.AppendUvarint(b, uint64(groups))
	for len(calls) > 0 {
		n := 1
		for n < len(calls) && calls[n].Name == calls[0].Name {
			n++
		}
		b = appendString(b, calls[0].Name)
		b = binary.AppendUvarint(b, uint64(n))
		for _, c := range calls[:n] {
			b = appendString(b, c.On)
			b = binary.AppendUvarint(b, uint64(c.Line))
			b = binary.AppendUvarint(b, uint64(c.From+1))
		}
		calls = calls[n:]
	}
	return b
}

// cursor reads a record. After the first thing that does not fit, bad is set and
// everything is empty.
type cursor struct {
	b   []byte
	off int
	bad bool
}

func (c *cursor) number() int {
	if c.bad || c.off < 0 || c.off > len(c.b) {
		c.bad = true
		return 0
	}
	v, n := binary.Uvarint(c.b[c.off:])
	if n <= 0 || v > 1<<31-1 {
		c.bad = true
		return 0
	}
	c.off += n
	return int(v)
}

// signed is a number that may be below 0 or large.
func (c *cursor) signed() int64 {
	if c.bad || c.off < 0 || c.off > len(c.b) {
		c.bad = true
		return 0
	}
	v, n := binary.Varint(c.b[c.off:])
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.off += n
	return v
}

func (c *cursor) bytes() []byte {
	n := c.number()
	if c.bad || n > len(c.b)-c.off {
		c.bad = true
		return nil
	}
	c.off += n
	return c.b[c.off-n : c.off]
}

func (c *cursor) string() string { return string(c.bytes()) }

func (c *cursor) err() error {
	if c.bad {
		return ErrCorrupt
	}
	return nil
}

// record reads an encoded record piece by piece.
type record []byte

func (r record) word(i int) int {
	if len(r) < recordHead {
		return 0
	}
	return int(binary.LittleEndian.Uint32(r[4*i:]))
}

func (r record) lines() int { return r.word(1) }

// symbols is how many there are, 0 if the table does not fit.
func (r record) symbols() int {
	n, table := r.word(0), r.word(2)
	if n > (len(r)-table)/entrySize {
		return 0
	}
	return n
}

// about is language, package and doc.
func (r record) about() (language, pkg, doc string, err error) {
	if len(r) < recordHead {
		return "", "", "", ErrCorrupt
	}
	c := cursor{b: r, off: recordHead}
	language, pkg, doc = c.string(), c.string(), c.string()
	return language, pkg, doc, c.err()
}

// entry is the id of symbol i, where it lies, and its parent or -1.
func (r record) entry(i int) (id ID, off, parent int) {
	e := r[r.word(2)+i*entrySize:]
	le := binary.LittleEndian
	return ID(le.Uint64(e)), int(le.Uint32(e[8:])), int(le.Uint32(e[12:])) - 1
}

func (r record) symbol(i int) (source.Symbol, error) {
	if i < 0 || i >= r.symbols() {
		return source.Symbol{}, ErrCorrupt
	}
	_, off, parent := r.entry(i)
	c := cursor{b: r, off: off}
	kind := c.number()
	s := source.Symbol{Exported: kind&1 != 0, Line: c.number(), Parent: parent}
	s.EndLine = s.Line + c.number()
	s.Name, s.Container, s.Signature, s.Doc = c.string(), c.string(), c.string(), c.string()
	if c.bad || kind>>1 >= len(kinds) || parent >= i {
		return source.Symbol{}, ErrCorrupt
	}
	s.Kind = kinds[kind>>1]
	return s, nil
}

// symbolName is the name of symbol i alone.
func (r record) symbolName(i int) []byte {
	_, off, _ := r.entry(i)
	c := cursor{b: r, off: off}
	c.number()
	c.number()
	c.number()
	return c.bytes()
}

// calls goes over the names that are called; visit tells whether it wants the
// calls of that name, which take then gets.
func (r record) calls(visit func(name []byte) bool, take func(source.Call)) error {
	c := cursor{b: r, off: r.word(3)}
	for groups := c.number(); groups > 0 && !c.bad; groups-- {
		name := c.bytes()
		wanted := visit(name)
		for n := c.number(); n > 0 && !c.bad; n-- {
			on, line, from := c.bytes(), c.number(), c.number()-1
			if wanted && !c.bad {
				take(source.Call{Name: string(name), On: string(on), Line: line, From: from})
			}
		}
	}
	return c.err()
}

func (r record) imports() ([]source.Import, error) {
	c := cursor{b: r, off: r.word(4)}
	var all []source.Import
	for n := c.number(); n > 0 && !c.bad; n-- {
		i := source.Import{Path: c.string(), Line: c.number()}
		for names := c.number(); names > 0 && !c.bad; names-- {
			i.Names = append(i.Names, c.string())
		}
		all = append(all, i)
	}
	return all, c.err()
}
