package codetree

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// image is the file of a small tree.
func image(t testing.TB) (root string, data []byte) {
	t.Helper()
	p := &project{t, "", ""}
	dir := t.TempDir()
	p.root, p.file = filepath.Join(dir, "root"), filepath.Join(dir, "cache", "tree.mmap")
	for name, text := range shop {
		p.write(name, text)
	}
	p.update()
	data, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	return p.root, data
}

// walkAll asks everything of a tree. Errors are fine, a panic is not.
func walkAll(tree *Tree) (broken error) {
	note := func(err error) {
		if err != nil && !errors.Is(err, ErrNotFound) {
			broken = err
		}
	}
	for i := range tree.index.n {
		n, err := tree.indexed(i)
		note(err)
		_, err = tree.Callees(n.ID)
		note(err)
		_, err = tree.Importers(n.Path)
		note(err)
	}
	for i := range tree.names.n {
		_, err := tree.Symbols(tree.name(i))
		note(err)
		_, err = tree.Callers(tree.name(i))
		note(err)
	}
	for _, f := range tree.Files() {
		_, err := tree.Imports(f)
		note(err)
		tree.Tests(f)
	}
	_, err := tree.Skeleton(9)
	note(err)
	return broken
}

// seal makes the sums of a changed file right again.
func seal(data []byte) {
	if len(data) < headerSize {
		return
	}
	le := binary.LittleEndian
	for i := range sections {
		p := data[atSections+i*sectionLen:]
		off, n := le.Uint64(p), le.Uint64(p[8:])
		if off <= uint64(len(data)) && n <= uint64(len(data))-off {
			le.PutUint32(p[16:], checksum(data[off:off+n]))
		}
	}
	le.PutUint32(data[atSum:], checksum(data[:atSum]))
}

// TestDamaged: no byte can be changed unnoticed.
func TestDamaged(t *testing.T) {
	t.Parallel()
	root, data := image(t)
	good, err := decode(data, mustCanonical(t, root))
	if err != nil {
		t.Fatal(err)
	}
	if err := walkAll(good); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(data); at += 1 + at/100 {
		if at >= atSections+sections*sectionLen && at < atSum {
			continue
		}
		bad := append([]byte(nil), data...)
		bad[at] ^= 0x41
		tree, err := decode(bad, mustCanonical(t, root))
		if err == nil {
			err = walkAll(tree)
		}
		if err == nil {
			t.Errorf("byte %d was changed, and nobody saw it", at)
		} else if !errors.Is(err, ErrNoTree) && !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	for n := 0; n < len(data); n += 97 {
		if _, err := decode(data[:n], mustCanonical(t, root)); !errors.Is(err, ErrNoTree) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := decode(data, "/elsewhere"); !errors.Is(err, ErrNoTree) {
		t.Errorf("of another project: %v", err)
	}
}

func mustCanonical(t testing.TB, root string) string {
	t.Helper()
	root, err := canonical(root)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestRepair: an update replaces what cannot be used and mends what can.
func TestRepair(t *testing.T) {
	t.Parallel()
	p := newProject(t, shop)
	if _, err := OpenFile(p.root, p.file); !errors.Is(err, ErrNoTree) {
		t.Errorf("no file: %v", err)
	}
	p.update()
	good, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, b byte) []byte {
		bad := append([]byte(nil), good...)
		bad[at] ^= b
		return bad
	}
	record := len(good) - 200 // in the record of the last file
	for name, c := range map[string]struct {
		data    []byte
		rebuilt bool
	}{
		"empty": {nil, true}, "short": {good[:5000], true}, "text": {[]byte("nothing of this kind"), true},
		"magic": {change(0, 1), true}, "version": {change(atVersion, 2), true}, "index": {change(headerSize+100, 1), true}, "record": {change(record, 1), false},
	} {
		if err := os.WriteFile(p.file, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := p.update()
		if s.Rebuilt != c.rebuilt || !s.Written || s.Parsed == 0 {
			t.Errorf("%s: %+v", name, s)
		}
		now, err := os.ReadFile(p.file)
		if err != nil || string(now) != string(good) {
			t.Errorf("%s: the file is not what it was (%v)", name, err)
		}
	}
}

// FuzzDecode changes one place of a file, with sums that are right: nothing that is
// asked may go wrong badly.
func FuzzDecode(f *testing.F) {
	root, data := image(f)
	root = mustCanonical(f, root)
	f.Add(0, []byte("TRAG"))
	for _, at := range []int{atNodes, atSections, atSections + 8, headerSize, headerSize + fileRecord, headerSize + fileLength, len(data) / 2, len(data) - 100} {
		f.Add(at, []byte{0xff, 0xff, 0xff, 0xff})
		f.Add(at, []byte{0, 0, 0, 0, 0, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, at int, with []byte) {
		bad := append([]byte(nil), data...)
		if at < 0 || at > len(bad) {
			return
		}
		copy(bad[at:], with)
		seal(bad)
		tree, err := decode(bad, root)
		if err != nil {
			return
		}
		for i := range tree.checked { // as if the sums of the records were right too
			tree.checked[i].Store(true)
		}
		_ = walkAll(tree)
	})
}
