package log

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Commit is what a write did.
type Commit struct {
	Offsets []int64 // of the record of each operation, in their order
	End     Pos     // a view that has everything up to here has this write
}

// Append writes the operations, all or none, and returns when they are on the
// disk. Calls that arrive while another one waits for the disk share the next
// fsync. An error wrapping ErrNotDurable means that the outcome is not known; any
// other error means that nothing was written. No operations are no write, and
// give a zero Commit.
func (l *Log) Append(ctx context.Context, ops ...Op) (Commit, error) {
	enc, size, err := encodeAll(ops, l.now())
	if err != nil || len(ops) == 0 {
		return Commit{}, err
	}
	return l.submit(&request{ctx: ctx, ops: enc, size: size})
}

// Update lets fn decide under the writer lock what to write. fn gets a view of
// the log in which nothing can be missing, so it can check that an id is free or
// that an entry is still as it was. It should look only behind the watermark of
// an index, since every other writer waits meanwhile. It must not use the Log.
// What it returns is written as by Append.
func (l *Log) Update(ctx context.Context, fn func(*Reader) ([]Op, error)) (Commit, error) {
	return l.submit(&request{ctx: ctx, decide: func() (ops []Op, err error) {
		r, err := openReader(l.fs, l.path, l.opts.zone)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		return fn(r)
	}})
}

// write does the write of a group. The caller holds the lock. The error is one
// that concerns the whole group; others are in the requests.
func (l *Log) write(group []*request) error {
	if req := group[0]; req.decide != nil {
		ops, err := req.decide()
		if err == nil {
			req.ops, req.size, err = encodeAll(ops, l.now())
		}
		if err != nil || len(ops) == 0 {
			return err
		}
	}
	h, err := l.handle()
	if err != nil {
		return err
	}
	l.put(h, group)
	return nil
}

func fail(group []*request, err error) {
	for _, r := range group {
		r.err = err
	}
}

// layout is what a group looks like in the file: first the records that stand
// alone, then all batches as one.
type layout struct {
	start  int64 // offset of buf in the file
	buf    []byte
	alone  []*request // one record each
	ends   []int      // where each of these ends in buf
	last   []frame    // and its frame
	batch  []*request
	begin  int // where the batch begins in buf
	count  uint32
	latest frame // last record of the batch
}

func (l *Log) arrange(h *handle, group []*request) *layout {
	size := 0
	for _, r := range group {
		size += r.size
	}
	w := &layout{start: h.end(), buf: make([]byte, 0, size)}
	for _, r := range group {
		if len(r.ops) == 1 {
			f := w.add(h.head.salt, r, 0, 0)
			w.alone, w.ends, w.last = append(w.alone, r), append(w.ends, len(w.buf)), append(w.last, f)
		}
	}
	w.begin = len(w.buf)
	for _, r := range group {
		if len(r.ops) == 1 {
			continue
		}
		w.batch = append(w.batch, r)
		for i := range r.ops {
			w.latest = w.add(h.head.salt, r, i, w.start+int64(w.begin))
			w.count++
		}
	}
	return w
}

func (w *layout) add(salt uint32, r *request, i int, batch int64) frame {
	op := &r.ops[i]
	f := frame{typ: op.typ, offset: w.start + int64(len(w.buf)), batch: batch, millis: op.millis}
	r.commit.Offsets = append(r.commit.Offsets, f.offset)
	w.buf, f = appendFrame(w.buf, salt, f, op.topic, op.body)
	return f
}

// put writes a group at the end of the log. A record that stands alone counts as
// soon as it is whole. A batch counts only with its marker, which is written once
// the batch itself is on the disk: a marker that can be read proves that all of
// its batch was there.
func (l *Log) put(h *handle, group []*request) {
	w := l.arrange(h, group)
	n, err := writeAt(h.f, w.buf, w.start)
	if err != nil {
		l.cutShort(h, w, n, fmt.Errorf("kb/log: write: %w", err))
		return
	}
	if err := h.f.Sync(); err != nil {
		if len(w.batch) > 0 {
			// Nobody has seen the batch, so it can go. The records that stand
			// alone may have been seen and stay.
			_ = h.f.Truncate(w.start + int64(w.begin))
		}
		l.drop()
		fail(group, fmt.Errorf("kb/log: sync %s: %w (%w)", l.path, err, ErrNotDurable))
		return
	}
	w.acknowledge(h, len(w.alone))
	if len(w.batch) > 0 {
		l.putMarker(h, w)
	}
}

// writeAt writes all of b or says how much it wrote.
func writeAt(f file, b []byte, off int64) (int, error) {
	n, err := f.WriteAt(b, off)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

// acknowledge moves the end behind the first n records that stand alone.
func (w *layout) acknowledge(h *handle, n int) {
	for i := range n {
		h.tail = tail{end: w.last[i].end(), last: w.last[i]}
		w.alone[i].commit.End = h.head.pos(w.last[i])
	}
}

// cutShort deals with a write of which only the first n bytes arrived: what is
// whole stays and is made durable, the rest goes and its requests get the error.
func (l *Log) cutShort(h *handle, w *layout, n int, err error) {
	whole := 0
	for whole < len(w.ends) && w.ends[whole] <= n {
		whole++
	}
	keep := w.start
	if whole > 0 {
		keep = w.last[whole-1].end()
	}
	fail(w.alone[whole:], err)
	fail(w.batch, err)
	cutErr := h.f.Truncate(keep)
	if whole > 0 {
		if syncErr := h.f.Sync(); syncErr != nil {
			l.drop()
			fail(w.alone[:whole], fmt.Errorf("kb/log: sync %s: %w (%w)", l.path, syncErr, ErrNotDurable))
			return
		}
		w.acknowledge(h, whole)
	}
	if cutErr != nil {
		l.drop() // the next write finds the unfinished record and cuts it off
	}
}

// putMarker completes the batch of a group. The marker is written twice, so that
// no single damaged byte can hide a batch.
func (l *Log) putMarker(h *handle, w *layout) {
	body := w.buf[w.begin:]
	info := commitInfo{records: w.count, bytes: uint64(len(body)), sum: checksum(body)}.encode()
	at := w.latest.end()
	f := frame{typ: typeCommit, batch: w.start + int64(w.begin), millis: l.now().UnixMilli()}
	f.offset = at
	buf, first := appendFrame(nil, h.head.salt, f, "", info)
	f.offset = first.end()
	buf, second := appendFrame(buf, h.head.salt, f, "", info)

	n, err := writeAt(h.f, buf, at)
	last := second
	switch {
	case err != nil && n < markerSize:
		l.retract(h, w)
		fail(w.batch, fmt.Errorf("kb/log: write: %w", err))
		return
	case err != nil:
		last = first
		if err := h.f.Truncate(last.end()); err != nil {
			l.drop()
			fail(w.batch, fmt.Errorf("kb/log: %w (%w)", err, ErrNotDurable))
			return
		}
	}
	if err := h.f.Sync(); err != nil {
		l.drop()
		fail(w.batch, fmt.Errorf("kb/log: sync %s: %w (%w)", l.path, err, ErrNotDurable))
		return
	}
	h.tail = tail{end: last.end(), last: last}
	for _, r := range w.batch {
		r.commit.End = h.head.pos(last)
	}
}

// retract cuts off a batch whose marker could not be written.
func (l *Log) retract(h *handle, w *layout) {
	if err := h.f.Truncate(w.start + int64(w.begin)); err != nil {
		l.drop() // the next write sees a batch without a marker and cuts it off
	}
}
