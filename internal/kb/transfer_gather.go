package kb

import (
	"cmp"
	"context"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
)

// shipment is all that an import brings: without secrets, checked, and each id once.
type shipment struct {
	spool    spool
	entries  int // in the spool
	named    int // of these, those that came without an id
	edges    []parcelEdge
	empty    int
	same     int // entries that came before, just so
	redacted int

	first map[uint64]int64 // place of an entry in the spool by the hash of its id
	odd   map[string]int64 // by id, of those whose hash another one has
}

// packed is a parcel made ready for the spool.
type packed struct {
	data  []byte
	items []item
	edges []parcelEdge
	empty int
	found int // secrets
	err   error
}

// item is an entry of a packed parcel.
type item struct {
	end  int // in data, where the next one begins
	line int
	id   string // that it came with, or ""
}

// gather reads, cleans and checks everything that is to be imported.
func (m *Memory) gather(ctx context.Context, r ImportRequest) (*shipment, error) {
	switch {
	case r.Format != "" && r.Format != "jsonl" && r.Format != "markdown" && r.Format != "original-json":
		return nil, refuse("the format %q is not one of jsonl, markdown, original-json", cut(r.Format, 40))
	case r.Reader != nil && r.Data != "":
		return nil, refuse("give only one of data and a reader")
	}
	s := &shipment{spool: spool{most: spoolMemory}, first: map[uint64]int64{}, odd: map[string]int64{}}
	if info, err := os.Stat(m.dir); err == nil && info.IsDir() {
		s.spool.dir = m.dir
	}
	u := m.unpack(r)
	defer close(u.enough)
	for {
		p, more, err := u.next(ctx)
		if err == nil && !more {
			return s, nil
		}
		if err == nil {
			err = s.take(&p)
		}
		if err != nil {
			s.spool.close()
			return nil, err
		}
		select {
		case u.room <- p:
		default:
		}
	}
}

// unpacker has parcels read and packed on all processors, and gives them in their order.
type unpacker struct {
	inOrder chan unpacking
	enough  chan struct{} // closed when no more are wanted
	room    chan packed   // what is not needed any more
	err     error         // that ended the reading, once inOrder is closed
}

// next gives the next parcel. It does not wait for input longer than ctx wants; whoever
// reads goes on until the input has something.
func (u *unpacker) next(ctx context.Context) (p packed, more bool, err error) {
	select {
	case one, open := <-u.inOrder:
		if !open {
			return p, false, u.err
		}
		select {
		case p = <-one.done:
			return p, true, p.err
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	return p, false, ctx.Err()
}

// unpacking has a parcel read and packed.
type unpacking struct {
	read func(*parcel) error
	done chan packed
}

func (m *Memory) unpack(r ImportRequest) *unpacker {
	workers := runtime.GOMAXPROCS(0)
	u := &unpacker{inOrder: make(chan unpacking, 2*workers), enough: make(chan struct{}), room: make(chan packed, 2*workers)}
	work, now := make(chan unpacking), m.now()
	for range workers {
		k := packer{m.cleaner(r.AllowSecrets), now, u.room}
		go func() {
			for one := range work {
				one.done <- k.pack(one.read)
			}
		}()
	}
	go func() {
		defer close(u.inOrder)
		defer close(work)
		u.err = readParcels(r, func(read func(*parcel) error) bool {
			one := unpacking{read, make(chan packed, 1)}
			select {
			case u.inOrder <- one:
				work <- one
				return true
			case <-u.enough:
				return false
			}
		})
	}()
	return u
}

// readParcels gives for each part of an import what reads it.
func readParcels(r ImportRequest, yield func(read func(*parcel) error) bool) error {
	if r.Format != "" && r.Format != "jsonl" {
		yield(func(p *parcel) error { return readWhole(r, p) })
		return nil
	}
	var in io.Reader = strings.NewReader(r.Data)
	if r.Reader != nil {
		in = r.Reader
	}
	return readPieces(in, func(one piece) bool {
		return yield(func(p *parcel) error { return readLines(one.text, one.line, p) })
	})
}

// packer packs one parcel after the other.
type packer struct {
	clean *cleaner
	now   time.Time
	room  chan packed // what was packed before and is not needed any more
}

// pack reads a parcel, replaces its secrets and checks it.
func (k *packer) pack(read func(*parcel) error) (out packed) {
	select {
	case old := <-k.room:
		out.data, out.items = old.data[:0], old.items[:0]
	default:
	}
	k.clean.found = 0
	p := parcel{now: k.now}
	p.put = func(line int, e *entry.Entry) error { return k.entry(&out, line, e) }
	if out.err = read(&p); out.err != nil {
		return out
	}
	for _, pe := range p.entries {
		if err := k.entry(&out, pe.line, &pe.entry); err != nil {
			out.err = at(lineNo(pe.line), err)
			return out
		}
	}
	out.edges, out.empty = p.edges, p.empty
	for i := range out.edges {
		e := &out.edges[i].edge
		k.clean.text(&e.From)
		k.clean.text(&e.To)
		if err := checkEdge(e); err != nil {
			out.err = at(lineNo(out.edges[i].line), err)
			return out
		}
	}
	out.found = k.clean.found
	return out
}

func (k *packer) entry(out *packed, line int, e *entry.Entry) error {
	k.clean.entry(e)
	id := e.ID
	e.ID = cmp.Or(id, "new")
	err := check(e)
	e.ID = id
	if err != nil {
		return err
	}
	r := spoolOf(line, e)
	out.data = r.append(out.data)
	out.items = append(out.items, item{len(out.data), line, id})
	return nil
}

// take adds what was packed. An entry that came before, just so, is left out.
func (s *shipment) take(p *packed) error {
	s.edges = append(s.edges, p.edges...)
	s.empty += p.empty
	s.redacted += p.found
	from := 0
	for _, i := range p.items {
		data := p.data[from:i.end]
		from = i.end
		if i.id != "" {
			before, err := s.before(i.id)
			if err != nil {
				return err
			}
			if before != nil && !before.equal(data) {
				return at(lineNo(i.line), refuse("the id %s is also on line %d, with other content", i.id, before.line))
			}
			if before != nil {
				s.same++
				continue
			}
		} else {
			s.named++
		}
		if err := s.spool.write(data); err != nil {
			return err
		}
		s.entries++
	}
	return nil
}

// before gives the entry with an id that came before, nil for none, and notes that the
// next one has it.
func (s *shipment) before(id string) (*spooled, error) {
	place, ok := s.odd[id]
	hash := index.HashID(id)
	if !ok {
		if place, ok = s.first[hash]; !ok {
			s.first[hash] = s.spool.size()
			return nil, nil
		}
	}
	e, err := s.spool.reader(place, 4<<10).next()
	if err != nil {
		return nil, err
	}
	if e.id != id {
		s.odd[id] = s.spool.size()
		return nil, nil
	}
	return &e, nil
}

// equal reports whether data is the same entry, from another line.
func (r *spooled) equal(data []byte) bool {
	return string(r.append(nil)[8:]) == string(data[8:])
}
