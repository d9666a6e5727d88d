package log

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// memFS is a file system in memory that knows what a power cut would leave. What
// was written but not synced survives in arbitrary sectors; a name that was not
// synced may or may not survive, in the order in which names changed; and after a
// failed sync the written bytes are lost although they can still be read, as on
// Linux.
type memFS struct {
	mu     sync.Mutex
	names  map[string]*inode // "" is the root folder
	saved  map[string]*inode // names that a power cut leaves for sure
	undone []nameOp          // since then
	inodes uint64

	steps int
	fault func(step int, op, name string) fault // asked before every step
}

type inode struct {
	no      uint64
	dir     bool
	data    []byte
	durable []byte
	dirty   []change
	lost    map[int64]bool // bytes that a failed sync lost, until they are written again
}

// change is a write, or a truncation if data is nil.
type change struct {
	off  int64
	data []byte
}

type nameOp struct {
	name string
	to   *inode // nil: removed
}

// fault lets a step fail. A write with a part first writes that share of it.
type fault struct {
	err  error
	part float64
}

var (
	errPower = errors.New("no power")
	errIO    = syscall.EIO
)

func newMemFS() *memFS {
	m := &memFS{names: map[string]*inode{}, saved: map[string]*inode{}}
	root := m.newInode(true)
	for _, name := range []string{"/", "/kb"} {
		m.names[name], m.saved[name] = root, root
	}
	return m
}

func (m *memFS) newInode(dir bool) *inode {
	m.inodes++
	return &inode{no: m.inodes, dir: dir}
}

// step counts a step and gives the fault that it is to have.
func (m *memFS) step(op, name string) fault {
	m.steps++
	if m.fault == nil {
		return fault{}
	}
	f := m.fault(m.steps, op, name)
	if f.err != nil {
		f.err = &fs.PathError{Op: op, Path: name, Err: f.err}
	}
	return f
}

func (m *memFS) setName(name string, to *inode) {
	if to == nil {
		delete(m.names, name)
	} else {
		m.names[name] = to
	}
	m.undone = append(m.undone, nameOp{name, to})
}

func notExist(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: syscall.ENOENT}
}

func (m *memFS) OpenFile(name string, flag int, _ fs.FileMode) (file, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.step("open", name); f.err != nil {
		return nil, f.err
	}
	n := m.names[name]
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		return nil, notExist("open", name)
	case n == nil:
		if m.names[filepath.Dir(name)] == nil {
			return nil, notExist("open", name)
		}
		n = m.newInode(false)
		m.setName(name, n)
	case flag&os.O_TRUNC != 0:
		n.apply(change{0, nil})
	}
	return &memFile{m, n, name}, nil
}

func (m *memFS) Stat(name string) (fileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.step("stat", name); f.err != nil {
		return fileInfo{}, f.err
	}
	n := m.names[name]
	if n == nil {
		return fileInfo{}, notExist("stat", name)
	}
	return n.info(), nil
}

func (n *inode) info() fileInfo {
	return fileInfo{size: int64(len(n.data)), dev: 1, ino: n.no, regular: !n.dir, perm: 0o600}
}

func (m *memFS) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.step("rename", to); f.err != nil {
		return f.err
	}
	n := m.names[from]
	if n == nil {
		return notExist("rename", from)
	}
	// One step for a power cut, as the file systems promise.
	delete(m.names, from)
	m.names[to] = n
	m.undone = append(m.undone, nameOp{"\x00" + from, nil}, nameOp{to, n})
	return nil
}

func (m *memFS) Link(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.step("link", to); f.err != nil {
		return f.err
	}
	switch {
	case m.names[from] == nil:
		return notExist("link", from)
	case m.names[to] != nil:
		return &fs.PathError{Op: "link", Path: to, Err: syscall.EEXIST}
	}
	m.setName(to, m.names[from])
	return nil
}

func (m *memFS) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.step("remove", name); f.err != nil {
		return f.err
	}
	if m.names[name] == nil {
		return notExist("remove", name)
	}
	m.setName(name, nil)
	return nil
}

func (m *memFS) Mkdir(name string, _ fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.step("mkdir", name); f.err != nil {
		return f.err
	}
	if m.names[name] != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.EEXIST}
	}
	if m.names[filepath.Dir(name)] == nil {
		return notExist("mkdir", name)
	}
	m.setName(name, m.newInode(true))
	return nil
}

func (m *memFS) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.step("syncdir", name); f.err != nil {
		return f.err
	}
	m.saved = map[string]*inode{}
	for name, n := range m.names {
		m.saved[name] = n
	}
	m.undone = nil
	return nil
}

func (n *inode) apply(c change) {
	n.dirty = append(n.dirty, c)
	n.data = c.to(n.data)
	for i := range c.data {
		delete(n.lost, c.off+int64(i))
	}
}

// to makes the change to data.
func (c change) to(data []byte) []byte {
	if c.data == nil {
		if int64(len(data)) > c.off {
			return append([]byte(nil), data[:c.off]...)
		}
		return append(data, make([]byte, c.off-int64(len(data)))...)
	}
	if end := c.off + int64(len(c.data)); int64(len(data)) < end {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[c.off:], c.data)
	return data
}

type memFile struct {
	m    *memFS
	n    *inode
	name string
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if fault := f.m.step("read", f.name); fault.err != nil {
		return 0, fault.err
	}
	if off >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.n.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(b []byte, off int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	fault := f.m.step("write", f.name)
	n := len(b)
	if fault.err != nil {
		n = int(fault.part * float64(n))
	}
	if n > 0 {
		f.n.apply(change{off, append([]byte(nil), b[:n]...)})
	}
	return n, fault.err
}

func (f *memFile) Truncate(size int64) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if fault := f.m.step("truncate", f.name); fault.err != nil {
		return fault.err
	}
	f.n.apply(change{size, nil})
	return nil
}

func (f *memFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	fault := f.m.step("sync", f.name)
	if fault.err != nil {
		f.n.lose()
		return fault.err
	}
	f.n.durable = append([]byte(nil), f.n.data...)
	for at := range f.n.lost {
		if at < int64(len(f.n.durable)) {
			f.n.durable[at] = 0
		}
	}
	f.n.dirty = nil
	return nil
}

// lose makes what was not synced readable but never durable.
func (n *inode) lose() {
	if n.lost == nil {
		n.lost = map[int64]bool{}
	}
	for _, c := range n.dirty {
		for i := range c.data {
			n.lost[c.off+int64(i)] = true
		}
	}
	n.dirty = nil
}

func (f *memFile) Stat() (fileInfo, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if fault := f.m.step("fstat", f.name); fault.err != nil {
		return fileInfo{}, fault.err
	}
	return f.n.info(), nil
}

func (f *memFile) Close() error { return nil }

const sector = 512

// powerCut gives what is on the disk when the power goes now: arbitrary sectors
// of what was not synced, and some first part of the unsynced names.
func (m *memFS) powerCut(rnd *rand.Rand) *memFS {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := map[string]*inode{}
	for name, n := range m.saved {
		names[name] = n
	}
	survive := rnd.IntN(len(m.undone) + 1)
	for i := 0; i < survive; i++ {
		op := m.undone[i]
		switch {
		case op.name[0] == 0: // the first half of a rename
			delete(names, op.name[1:])
			survive = max(survive, i+2)
		case op.to == nil:
			delete(names, op.name)
		default:
			names[op.name] = op.to
		}
	}
	after := newMemFS()
	copies := map[*inode]*inode{}
	for name, n := range names {
		if n.dir {
			continue
		}
		if copies[n] == nil {
			c := after.newInode(false)
			c.data = n.afterPowerCut(rnd)
			c.durable = append([]byte(nil), c.data...)
			copies[n] = c
		}
		after.names[name], after.saved[name] = copies[n], copies[n]
	}
	return after
}

func (n *inode) afterPowerCut(rnd *rand.Rand) []byte {
	data := append([]byte(nil), n.durable...)
	mode := rnd.IntN(3) // nothing of it, everything, or some sectors
	for _, c := range n.dirty {
		switch {
		case mode == 0:
		case mode == 1:
			data = c.to(data)
		case c.data == nil:
			if rnd.IntN(2) == 0 {
				data = c.to(data)
			}
		default:
			for at := 0; at < len(c.data); {
				end := min(len(c.data), at+sector-int(c.off+int64(at))%sector)
				if rnd.IntN(2) == 0 {
					data = change{c.off + int64(at), c.data[at:end]}.to(data)
				}
				at = end
			}
		}
	}
	return data
}

// memLock is the writer lock between Logs on one memFS.
type memLock chan struct{}

func newMemLock() memLock { return make(memLock, 1) }

func (l memLock) take(ctx context.Context) (func(), error) {
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// process opens a Log on a memFS, as a process of its own would.
func (m *memFS) process(lock memLock, opts ...Option) *Log {
	l := newLog(m, "/kb", append([]Option{WithZone(time.UTC)}, opts...))
	l.lock = lock.take
	return l
}

func (m *memFS) reader(t testing.TB) *Reader {
	t.Helper()
	r, err := openReader(m, "/kb/"+FileName, time.UTC)
	if err != nil {
		t.Fatalf("open for reading: %v", err)
	}
	return r
}

// put places a file as if it had always been there.
func (m *memFS) put(name string, data []byte) {
	n := m.newInode(false)
	n.data, n.durable = append([]byte(nil), data...), append([]byte(nil), data...)
	m.names[name], m.saved[name] = n, n
}

func (m *memFS) content(name string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.names[name]; n != nil {
		return append([]byte(nil), n.data...)
	}
	return nil
}

func (n *inode) String() string { return fmt.Sprintf("inode %d, %d bytes", n.no, len(n.data)) }
