package index

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"helix/internal/kb/crc"
	"helix/internal/kb/rawfile"
)

// manifestName is the file that says which segments make up the index.
const manifestName = "manifest"

// manifest is what that file says. It is text, a line for each thing and a
// checksum at the end:
//
//	AMRN manifest 5
//	next 17
//	mark 5f0c…:1:4096:4000:9abc
//	segment 000012.seg 812 000016.gone 3
//	sum 89abcdef
type manifest struct {
	next  int // number of the next file
	mark  string
	parts []manifestPart
}

type manifestPart struct {
	name string
	docs int
	gone string // file with a bit for each deleted document, "-" for none
	dead int    // how many bits of it are set
}

// maxManifest is more than any manifest has: a line for each of some twenty
// segments.
const maxManifest = 1 << 20

const manifestHead = "AMRN manifest 5\n"

func (m *manifest) encode() []byte {
	var b bytes.Buffer
	b.WriteString(manifestHead)
	fmt.Fprintf(&b, "next %d\nmark %s\n", m.next, m.mark)
	for _, p := range m.parts {
		fmt.Fprintf(&b, "segment %s %d %s %d\n", p.name, p.docs, p.gone, p.dead)
	}
	fmt.Fprintf(&b, "sum %08x\n", crc.Checksum(b.Bytes()))
	return b.Bytes()
}

func decodeManifest(data string) (*manifest, error) {
	bad := func(what string) error { return fmt.Errorf("%w: manifest: %s", ErrCorrupt, what) }
	at := strings.LastIndex(data, "sum ")
	if !strings.HasPrefix(data, manifestHead) || at < 0 || data[at-1] != '\n' {
		return nil, bad("not one")
	}
	sum, err := strconv.ParseUint(strings.TrimSuffix(data[at+4:], "\n"), 16, 32)
	if err != nil || uint32(sum) != crc.Checksum([]byte(data[:at])) {
		return nil, bad("checksum")
	}
	m := &manifest{}
	for line := range strings.Lines(data[len(manifestHead):at]) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "next":
			m.next, err = strconv.Atoi(value)
		case "mark":
			m.mark = value
		case "segment":
			var p manifestPart
			p, err = decodePart(value)
			m.parts = append(m.parts, p)
		}
		if err != nil {
			return nil, bad(line)
		}
	}
	return m, nil
}

func decodePart(s string) (p manifestPart, err error) {
	f := strings.Fields(s)
	if len(f) != 4 || strings.ContainsAny(f[0]+f[2], "/\\") {
		return p, errors.New("not a segment")
	}
	p.name, p.gone = f[0], f[2]
	if p.docs, err = strconv.Atoi(f[1]); err == nil {
		p.dead, err = strconv.Atoi(f[3])
	}
	return p, err
}

func readManifest(dir string) (*manifest, error) {
	data, err := rawfile.ReadAll(filepath.Join(dir, manifestName), maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf("kb/index: %w", err)
	}
	return decodeManifest(string(data))
}

// Open opens the index in dir. ErrNone and ErrCorrupt say that it must be built.
func Open(dir string) (*Snapshot, error) { return Reopen(dir, nil) }

// sparseFrom is the size in bytes from which OpenSparse reads a file sparsely. Of a
// smaller one two faults map all.
const sparseFrom = 128 << 10

// OpenSparse is Open for a process that looks a few things up and ends.
func OpenSparse(dir string) (*Snapshot, error) { return open(dir, nil, sparseFrom) }

// Reopen is Open that takes over the segments which prev has open already. Both
// snapshots must be closed.
func Reopen(dir string, prev *Snapshot) (*Snapshot, error) { return open(dir, prev, 0) }

func open(dir string, prev *Snapshot, sparse int64) (*Snapshot, error) {
	var s *Snapshot
	var err error
	// Between reading the manifest and opening its segments, a merge may replace
	// both.
	for range 10 {
		var m *manifest
		if m, err = readManifest(dir); err != nil {
			return nil, err
		}
		if s, err = openParts(dir, m, prev, sparse); err == nil {
			return s, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return nil, err
}

func openParts(dir string, m *manifest, prev *Snapshot, sparse int64) (*Snapshot, error) {
	s := &Snapshot{mark: m.mark}
	for _, mp := range m.parts {
		p, err := openPart(dir, mp, prev, sparse)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.add(p)
	}
	return s, nil
}

func openPart(dir string, mp manifestPart, prev *Snapshot, sparse int64) (*part, error) {
	p := &part{name: mp.name, goneName: mp.gone}
	var old *part
	if prev != nil {
		for _, q := range prev.parts {
			if q.name == mp.name {
				old = q
			}
		}
	}
	if old != nil {
		p.seg = old.seg
		p.seg.retain()
	} else {
		var err error
		if p.seg, err = openSegment(filepath.Join(dir, mp.name), sparse); err != nil {
			return nil, err
		}
	}
	if old != nil && old.goneName == mp.gone {
		p.gone, p.dead = old.gone, old.dead
		return p, nil
	}
	if mp.docs != p.seg.docs {
		return nil, errors.Join(fmt.Errorf("%w: %s is not the segment that the manifest means", ErrCorrupt, mp.name), p.seg.release())
	}
	if mp.gone == noFile {
		return p, nil
	}
	gone, err := rawfile.ReadAll(filepath.Join(dir, mp.gone), int64(goneSize(mp.docs))+1)
	if err == nil && len(gone) != goneSize(mp.docs) {
		err = fmt.Errorf("%w: %s has %d bytes", ErrCorrupt, mp.gone, len(gone))
	}
	if err != nil {
		return nil, errors.Join(err, p.seg.release())
	}
	p.gone, p.dead = gone, mp.dead
	return p, nil
}

// noFile stands where a part has no file of deleted documents.
const noFile = "-"

// goneSize is the number of bytes with a bit for each document.
func goneSize(docs int) int { return (docs + 7) / 8 }

// Close lets go of the segments.
func (s *Snapshot) Close() error {
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.seg.release())
	}
	s.parts = nil
	return errors.Join(errs...)
}
