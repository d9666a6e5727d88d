package codetree

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writer holds the sections of a new tree, all but the records.
type writer struct {
	old      *Tree
	files    []*file
	dirs     []*folder
	index    []byte
	names    []byte
	strings  []byte
	postings []byte
	fileRows []byte
	dirRows  []byte
}

func (w *writer) nodes() int { return len(w.index) / indexSize }

// layFiles makes the rows of the files and folders.
func (w *writer) layFiles() {
	le := binary.LittleEndian
	text := func(b []byte, s string) []byte {
		b = le.AppendUint32(b, uint32(len(w.strings)))
		w.strings = append(w.strings, s...)
		return le.AppendUint32(b, uint32(len(s)))
	}
	off := uint64(0)
	for _, f := range w.files {
		b := text(w.fileRows, f.path)
		b = le.AppendUint64(b, uint64(f.size))
		b = le.AppendUint64(b, uint64(f.time))
		b = append(b, f.hash[:]...)
		b = le.AppendUint64(b, off)
		b = le.AppendUint32(b, uint32(len(f.record)))
		b = le.AppendUint32(b, f.sum)
		w.fileRows = le.AppendUint64(b, uint64(fileID(f.path))<<(64-idBits)|uint64(f.flags))
		off += uint64(len(f.record))
	}
	for _, d := range w.dirs {
		b := text(w.dirRows, d.path)
		b = text(b, d.doc)
		for _, n := range []int{d.firstDir, d.dirs, d.firstFile, d.files, d.totalFiles, 0} {
			b = le.AppendUint32(b, uint32(n))
		}
		w.dirRows = b
	}
}

// write replaces the file by one with this content. It does not wait for the disk:
// what a crash leaves half written is found by its sums and built anew.
func (w *writer) write(name, root string) (size int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".tree-*")
	if err != nil {
		return 0, fmt.Errorf("codetree: write the tree: %w", err)
	}
	if size, err = w.writeTo(tmp, root); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return 0, fmt.Errorf("codetree: write the tree: %w", errors.Join(err, os.Remove(tmp.Name())))
	}
	return size, nil
}

// writeTo writes everything and closes the file.
func (w *writer) writeTo(tmp *os.File, root string) (size int64, err error) {
	defer func() { err = errors.Join(err, tmp.Close()) }()
	h := header{nodes: uint64(w.nodes())}
	next := uint64(headerSize)
	for i, b := range [][]byte{w.fileRows, w.dirRows, w.index, w.names, w.strings, w.postings} {
		h.sections[i] = section{next, uint64(len(b)), checksum(b)}
		next += uint64(len(b))
	}
	records := section{off: next}
	for _, f := range w.files {
		records.len += uint64(len(f.record))
	}
	h.sections[recordSection] = records
	if len(w.strings) > maxSection || len(w.postings) > maxSection {
		return 0, errors.New("the project is too large")
	}
	out := bufio.NewWriterSize(tmp, 1<<18)
	for _, b := range [][]byte{h.encode(root), w.fileRows, w.dirRows, w.index, w.names, w.strings, w.postings} {
		out.Write(b) // an error stays, and Flush gives it
	}
	for _, run := range w.runs() {
		out.Write(run)
	}
	return int64(next + records.len), out.Flush()
}

// maxSection is what offsets of 32 bits reach.
const maxSection = 1<<32 - 1

// runs are the records in order. Those that follow one another in the last tree are
// one run.
func (w *writer) runs() [][]byte {
	var all [][]byte
	from, to := 0, 0
	flush := func() {
		if to > from {
			all = append(all, w.old.records[from:to])
		}
		from, to = 0, 0
	}
	for _, f := range w.files {
		if f.old < 0 {
			flush()
			all = append(all, f.record)
			continue
		}
		off := int(u64(w.old.files.row(f.old), fileRecord))
		if off != to {
			flush()
			from = off
		}
		to = off + len(f.record)
	}
	flush()
	return all
}
