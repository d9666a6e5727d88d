package codetree

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"helix/internal/kb/rawfile"
)

// Tree is the code tree of a project, mapped into memory. It is safe for concurrent
// use and never changes; after an Update open it again.
type Tree struct {
	root     string
	unmap    func() error
	nodes    int
	files    table
	dirs     table
	index    table
	names    table
	strings  []byte
	postings []byte
	records  []byte
	checked  []atomic.Bool // by file: the sum of its record is right
	modules  func() map[string]string
}

// table is records of a fixed size.
type table struct {
	b    []byte
	size int
	n    int
}

func newTable(b []byte, size int) table { return table{b, size, len(b) / size} }

func (t table) row(i int) []byte { return t.b[i*t.size : (i+1)*t.size] }

func u32(b []byte, at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }

func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// CacheFile is where the tree of the project in root is kept: below the user's
// cache folder, by the root.
func CacheFile(root string) (string, error) {
	root, err := canonical(root)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("codetree: find the cache folder: %w", err)
	}
	key := rootKey(root)
	return filepath.Join(cache, "helix", "tree", hex.EncodeToString(key[:12]), "tree.mmap"), nil
}

func canonical(root string) (string, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("codetree: %s: %w", root, err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	return abs, nil
}

// Open opens the tree that the last Update of the project in root has left in the
// user's cache folder: ErrNoTree if there is none that can be used.
func Open(root string) (*Tree, error) {
	file, err := CacheFile(root)
	if err != nil {
		return nil, err
	}
	return OpenFile(root, file)
}

// OpenFile is Open for a tree that is kept elsewhere.
func OpenFile(root, file string) (*Tree, error) {
	root, err := canonical(root)
	if err != nil {
		return nil, err
	}
	data, unmap, err := mapFile(file)
	if err != nil {
		return nil, fmt.Errorf("codetree: open the tree of %s: %w", root, err)
	}
	t, err := decode(data, root)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("codetree: open the tree of %s: %w", root, err), unmap())
	}
	t.unmap = unmap
	return t, nil
}

func mapFile(file string) ([]byte, func() error, error) {
	f, err := rawfile.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w; build it with: helix tree build", ErrNoTree)
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !rawfile.Regular(&st) || st.Size < headerSize {
		return nil, nil, fmt.Errorf("%w: no code tree file", ErrNoTree)
	}
	return f.Map(int(st.Size))
}

// decode makes a tree of a file's content.
func decode(data []byte, root string) (*Tree, error) {
	h, err := decodeHeader(data, root)
	if err != nil {
		return nil, err
	}
	part := func(i int) []byte { return data[h.sections[i].off : h.sections[i].off+h.sections[i].len] }
	t := &Tree{
		root:     root,
		nodes:    int(h.nodes),
		files:    newTable(part(fileSection), fileSize),
		dirs:     newTable(part(dirSection), dirSize),
		index:    newTable(part(indexSection), indexSize),
		names:    newTable(part(nameSection), nameSize),
		strings:  part(stringSection),
		postings: part(postingSection),
		records:  part(recordSection),
	}
	t.checked = make([]atomic.Bool, t.files.n)
	t.modules = sync.OnceValue(t.readModules)
	return t, nil
}

// Close lets go of the file. Nothing may be asked of the tree afterwards.
func (t *Tree) Close() error {
	if t.unmap == nil {
		return nil
	}
	return t.unmap()
}

// Dir is the project's folder.
func (t *Tree) Dir() string { return t.root }

// Len is how many nodes there are.
func (t *Tree) Len() int { return t.nodes }

// slice is b[off:off+n], empty where that lies outside.
func slice(b []byte, off, n int) []byte {
	if off < 0 || n < 0 || off > len(b) || n > len(b)-off {
		return nil
	}
	return b[off : off+n]
}

func (t *Tree) stringAt(off, n int) string { return string(slice(t.strings, off, n)) }

// Fields of a file's row.
const (
	filePath   = 0 // offset and length in strings
	fileBytes  = 8
	fileTime   = 16
	fileHash   = 24
	fileRecord = 40 // offset in records
	fileLength = 48
	fileSum    = 52
	fileFlags  = 56 // 16 bits, and above them the 48 of the id
)

// hidden: the file is no text. It is kept so that it need not be read again.
const hidden = 1

func (t *Tree) path(slot int) string {
	row := t.files.row(slot)
	return t.stringAt(u32(row, filePath), u32(row, filePath+4))
}

func (t *Tree) isHidden(slot int) bool { return t.flags(slot)&hidden != 0 }

func (t *Tree) flags(slot int) uint16 { return uint16(u64(t.files.row(slot), fileFlags)) }

// fileID is the id of the file in that row. A folder with many of them is read
// without their paths.
func (t *Tree) fileID(slot int) ID { return ID(u64(t.files.row(slot), fileFlags) >> (64 - idBits)) }

// record of a file, after a look at its sum.
func (t *Tree) record(slot int) (record, error) {
	if slot < 0 || slot >= t.files.n {
		return nil, ErrCorrupt
	}
	row := t.files.row(slot)
	off := u64(row, fileRecord)
	if off > uint64(len(t.records)) {
		return nil, fmt.Errorf("codetree: %s: %w", t.path(slot), ErrCorrupt)
	}
	b := slice(t.records, int(off), u32(row, fileLength))
	if !t.checked[slot].Load() {
		if checksum(b) != uint32(u32(row, fileSum)) || len(b) < recordHead {
			return nil, fmt.Errorf("codetree: %s: %w", t.path(slot), ErrCorrupt)
		}
		t.checked[slot].Store(true)
	}
	return record(b), nil
}

// find is the row of the file at path, of a hidden one too.
func (t *Tree) find(path string) (int, bool) {
	i := sort.Search(t.files.n, func(i int) bool { return comparePaths(t.path(i), path) >= 0 })
	return i, i < t.files.n && t.path(i) == path
}

// slot of the file at path.
func (t *Tree) slot(path string) (int, bool) {
	i, ok := t.find(path)
	return i, ok && !t.isHidden(i)
}

// Fields of a folder's row.
const (
	dirPath       = 0 // offset and length in strings
	dirDoc        = 8
	dirFirstDir   = 16 // the folders in it are rows that follow one another
	dirDirs       = 20
	dirFirstFile  = 24 // so are the files
	dirFiles      = 28
	dirTotalFiles = 32 // with those of all folders below
)

func (t *Tree) dirPath(i int) string {
	row := t.dirs.row(i)
	return t.stringAt(u32(row, dirPath), u32(row, dirPath+4))
}

// compareDirs orders folders by depth, then by path: those in one folder are
// together.
func compareDirs(a, b string) int {
	if x, y := dirDepth(a), dirDepth(b); x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

// dirDepth of the root, "", is 0.
func dirDepth(p string) int {
	if p == "" {
		return 0
	}
	return strings.Count(p, "/") + 1
}

// dir is the row of the folder at path, "" for the root.
func (t *Tree) dir(path string) (int, bool) {
	i := sort.Search(t.dirs.n, func(i int) bool { return compareDirs(t.dirPath(i), path) >= 0 })
	return i, i < t.dirs.n && t.dirPath(i) == path
}

// span are the rows first, first+1, … of a table with n in all.
func span(row []byte, first, count, n int) (from, to int) {
	from, to = u32(row, first), u32(row, first)+u32(row, count)
	return min(from, n), min(to, n)
}
