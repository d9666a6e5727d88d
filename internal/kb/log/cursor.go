package log

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// chunk is how much a cursor reads at once. Bigger reads gain nothing once the
// cost of the system call is small against copying.
const chunk = 256 << 10

// cursor walks over the bytes of a log up to end. It holds one buffer, which
// grows to the size of the biggest record but never beyond what the file holds.
type cursor struct {
	src  io.ReaderAt
	salt uint32
	end  int64

	buf  []byte
	base int64 // offset in the file of buf[0]
}

// at gives n bytes at off, which must lie before end. They are valid until the
// next call.
func (c *cursor) at(off int64, n int) ([]byte, error) {
	if off < c.base || off+int64(n) > c.base+int64(len(c.buf)) {
		if err := c.fill(off, n); err != nil {
			return nil, err
		}
	}
	i := int(off - c.base)
	return c.buf[i : i+n : i+n], nil
}

// fill reads at least n bytes at off, keeping what the buffer already has of them.
func (c *cursor) fill(off int64, n int) error {
	want := max(int64(n), min(chunk, c.end-off))
	var kept int
	if i := off - c.base; i >= 0 && i < int64(len(c.buf)) {
		kept = copy(c.buf, c.buf[i:])
	}
	if int64(cap(c.buf)) < want {
		grown := make([]byte, want)
		copy(grown, c.buf[:kept])
		c.buf = grown
	}
	c.buf, c.base = c.buf[:want], off
	got, err := c.src.ReadAt(c.buf[kept:], off+int64(kept))
	if got < int(want)-kept {
		c.buf = c.buf[:kept]
		if err == nil || errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: it ends at offset %d, earlier than it did before", ErrDamaged, off+int64(kept+got))
		}
		return err
	}
	return nil
}

// left is how many bytes lie between off and the end.
func (c *cursor) left(off int64) int64 { return c.end - off }

// step is what a cursor found at an offset: a record, or damage.
type step struct {
	frame   frame
	payload []byte // valid until the next call
	damage  *Damage
	next    int64 // where to go on
}

// next reads the record at off. Damage is no error: step.damage names it, and
// step.next is where the next record starts, or the end.
func (c *cursor) next(off int64) (step, error) {
	if c.left(off) < frameSize {
		return step{damage: &Damage{off, c.end, "less than a record header"}, next: c.end}, nil
	}
	b, err := c.at(off, frameSize)
	if err != nil {
		return step{}, err
	}
	f, ok := parseFrame(b, off, c.salt)
	if !ok || f.end() > c.end {
		next, err := c.resync(off + 1)
		if err != nil {
			return step{}, err
		}
		return step{damage: &Damage{off, next, "no record header"}, next: next}, nil
	}
	b, err = c.at(off, frameSize+f.payloadLen)
	if err != nil {
		return step{}, err
	}
	payload := b[frameSize:]
	if checksum(payload) != f.payloadSum {
		what := fmt.Sprintf("checksum of the %s record", f.typ)
		return step{frame: f, damage: &Damage{off, f.end(), what}, next: f.end()}, nil
	}
	return step{frame: f, payload: payload, next: f.end()}, nil
}

// resync finds the first record header at off or later, or the end.
func (c *cursor) resync(off int64) (int64, error) {
	for c.left(off) >= frameSize {
		window, err := c.at(off, int(min(chunk, c.left(off))))
		if err != nil {
			return 0, err
		}
		for i := 0; ; i++ {
			k := bytes.Index(window[i:], []byte(marker))
			if k < 0 || i+k+frameSize > len(window) {
				break
			}
			i += k
			f, ok := parseFrame(window[i:i+frameSize], off+int64(i), c.salt)
			if ok && f.end() <= c.end {
				return off + int64(i), nil
			}
		}
		if int64(len(window)) == c.left(off) {
			break
		}
		off += int64(len(window)) - frameSize + 1
	}
	return c.end, nil
}
