package log

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
)

// Recovery is what Recover did.
type Recovery struct {
	Compaction
	Backup string   // the log as it was; "" when there was nothing to repair
	Lost   []Damage // what could not be read
}

// Recover rewrites a damaged log with everything that can still be read and keeps
// the old file. A log without damage is left as it is. Where the damage hit a
// delete or a change, what it deleted or changed is back as it was before: the
// report names the ranges, not what was in them.
func (l *Log) Recover(ctx context.Context) (Recovery, error) {
	var done Recovery
	_, err := l.submit(&request{ctx: ctx, decide: func() ([]Op, error) {
		r, err := openForRecovery(l)
		if err != nil {
			return nil, err
		}
		err = l.recover(r, &done)
		return nil, errors.Join(err, r.Close())
	}})
	return done, err
}

func (l *Log) recover(r *Reader, done *Recovery) error {
	p, err := l.plan(r)
	if err != nil {
		return err
	}
	rep, err := verify(r)
	if err != nil {
		return err
	}
	if done.Lost = rep.Damage; rep.Tail != nil {
		done.Lost = append(done.Lost, *rep.Tail)
	}
	if rep.OK() {
		return l.recoverTail(r, p, rep, done)
	}
	head := l.newHeader()
	if r.ident.header.generation != 0 {
		head = l.nextHeader(r.ident.header)
	}
	done.Compaction, err = l.replace(p, head, FileName+".damaged")
	done.Backup = p.kept
	return err
}

// recoverTail deals with a log that has no damage, but perhaps an unfinished
// write at its end, which opening it for writing removes.
func (l *Log) recoverTail(r *Reader, p *plan, rep Report, done *Recovery) error {
	end, err := r.End()
	if err == nil && rep.Tail != nil {
		var h *handle
		if h, err = l.handle(); err == nil {
			end = h.head.pos(h.tail.last)
		}
	}
	done.Compaction = Compaction{Entries: p.fold.Len(), Before: r.info.size, After: end.Offset, End: end}
	return err
}

// openForRecovery opens the log even if both copies of its file header are
// unreadable, as long as one record is whole: every record repeats the salt.
func openForRecovery(l *Log) (*Reader, error) {
	r, err := openReader(l.fs, l.path, l.opts.zone)
	if err == nil || !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
		return r, err
	}
	f, openErr := l.fs.OpenFile(l.path, os.O_RDONLY, 0)
	if openErr != nil {
		return nil, err
	}
	info, statErr := f.Stat()
	if statErr != nil {
		return nil, errors.Join(err, statErr, f.Close())
	}
	if !info.regular {
		return nil, errors.Join(err, f.Close())
	}
	salt, ok, findErr := findSalt(f, info.size)
	if findErr != nil || !ok {
		return nil, errors.Join(err, findErr, f.Close())
	}
	return &Reader{
		fs: l.fs, path: l.path, f: f, info: info, zone: l.opts.zone,
		ident: identity{version2, header{salt: salt}, []Damage{{0, dataStart, "file header and its copy"}}},
	}, nil
}

// findSalt looks for a record that is whole but for a salt that nobody knows.
func findSalt(src io.ReaderAt, size int64) (uint32, bool, error) {
	c := &cursor{src: src, end: size}
	for off := int64(0); c.left(off) >= frameSize; {
		b, err := c.at(off, int(min(chunk, c.left(off))))
		if err != nil {
			return 0, false, err
		}
		k := strings.Index(string(b), marker)
		if k < 0 || k+frameSize > len(b) {
			if int64(len(b)) == c.left(off) {
				break
			}
			off += int64(len(b)) - frameSize + 1
			continue
		}
		off += int64(k)
		salt := uint32(b[k+4]) | uint32(b[k+5])<<8 | uint32(b[k+6])<<16 | uint32(b[k+7])<<24
		if f, ok := parseFrame(b[k:], off, salt); ok && f.end() <= size {
			return salt, true, nil
		}
		off++
	}
	return 0, false, nil
}
