package log

import "io"

// tail says where the committed part of a version 2 log ends.
//
// A writer never appends behind an unfinished write: it cuts that off first. So
// everything before the last valid record was committed, and only the last bytes
// of the file need a look.
type tail struct {
	end  int64 // of the last committed record
	last frame // that record; zero when there is none
}

// tailWindow is how much of the end is read first. It is worth keeping small: a
// hook that finds the index behind pays for it at every start.
const tailWindow = 16 << 10

// findTail looks for the last committed record before size, from the back.
func findTail(src io.ReaderAt, salt uint32, size int64) (tail, error) {
	last, err := lastRecord(src, salt, size)
	if err != nil || last.offset == 0 {
		return tail{end: dataStart}, err
	}
	if last.batch != 0 && last.typ != typeCommit {
		// A batch without its marker does not count. What stands before it does,
		// even if that is a batch whose marker is damaged.
		last, err = lastRecord(src, salt, last.batch)
		if err != nil || last.offset == 0 {
			return tail{end: dataStart}, err
		}
	}
	return tail{end: last.end(), last: last}, nil
}

// lastRecord finds the last valid record before size. It reads one window at the
// end, and twice as much each time nothing valid starts in it.
func lastRecord(src io.ReaderAt, salt uint32, size int64) (frame, error) {
	for window := int64(tailWindow); ; window *= 2 {
		from := max(dataStart, size-window)
		if from >= size {
			return frame{}, nil
		}
		c := &cursor{src: src, salt: salt, end: size}
		var last frame
		off, err := c.resync(from)
		for err == nil && off < size {
			var s step
			if s, err = c.next(off); err == nil {
				if s.damage == nil {
					last = s.frame
				}
				off = s.next
			}
		}
		if err != nil || last.offset != 0 || from == dataStart {
			return last, err
		}
	}
}

// unfinished reports whether the bytes from t.end to size are certainly a write
// that was never completed: whole records of a batch without a marker, then
// nothing, the beginning of a record, or zeros. Anything else may be damage to
// something that was once acknowledged.
func (t tail) unfinished(src io.ReaderAt, salt uint32, size int64) (bool, error) {
	c := &cursor{src: src, salt: salt, end: size}
	off := t.end
	for c.left(off) >= frameSize {
		b, err := c.at(off, frameSize)
		if err != nil {
			return false, err
		}
		f, ok := parseFrame(b, off, salt)
		if !ok {
			return c.zeros(off)
		}
		if f.end() > size {
			return true, nil
		}
		s, err := c.next(off)
		if err != nil || s.damage != nil {
			return false, err
		}
		off = s.next
	}
	if c.left(off) == 0 {
		return true, nil
	}
	b, err := c.at(off, int(c.left(off)))
	if err != nil {
		return false, err
	}
	if n := min(len(b), len(marker)); string(b[:n]) == marker[:n] {
		return true, nil
	}
	return c.zeros(off)
}

// zeros reports whether nothing but zeros lies from off to the end.
func (c *cursor) zeros(off int64) (bool, error) {
	for c.left(off) > 0 {
		b, err := c.at(off, int(min(chunk, c.left(off))))
		if err != nil {
			return false, err
		}
		for _, x := range b {
			if x != 0 {
				return false, nil
			}
		}
		off += int64(len(b))
	}
	return true, nil
}
