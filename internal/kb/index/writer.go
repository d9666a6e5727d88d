package index

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// ErrBusy: another process writes to the index at the moment.
var ErrBusy = errors.New("another process writes to the index")

const (
	lockName = "lock"
	// defaultSmall is up to how many documents a segment is merged at once with the
	// next new one.
	defaultSmall = 256
	// fanOut is how many segments of a size, each size being so many times the one
	// before, there may be before they become one.
	fanOut = 4
	// wideOut is fanOut while much is added, for the first smallClasses classes.
	wideOut      = 16
	smallClasses = 4 // up to 64 Ki documents
)

// Writer changes the index in a folder. Only one Writer of all processes can be
// open at a time; readers do not notice it.
type Writer struct {
	dir  string
	lock *flock.Flock
	snap *Snapshot
	man  *manifest

	small int // see defaultSmall
}

// OpenWriter makes the folder if need be. It waits for another writer until ctx is
// done; with try it gives ErrBusy at once. An index that is corrupt is replaced by
// an empty one.
func OpenWriter(ctx context.Context, dir string, try bool) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("kb/index: %w", err)
	}
	w := &Writer{dir: dir, lock: flock.New(filepath.Join(dir, lockName)), small: defaultSmall}
	var got bool
	var err error
	if try {
		got, err = w.lock.TryLock()
	} else {
		got, err = w.lock.TryLockContext(ctx, 2*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("kb/index: lock: %w", err)
	}
	if !got {
		return nil, ErrBusy
	}
	if err := w.load(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// load opens what is there.
func (w *Writer) load() error {
	m, err := readManifest(w.dir)
	if err == nil {
		w.snap, err = openParts(w.dir, m, w.snap, 0)
	}
	switch {
	case err == nil:
		w.man = m
		return nil
	case errors.Is(err, ErrNone), errors.Is(err, ErrCorrupt), errors.Is(err, os.ErrNotExist):
		return w.Reset()
	}
	return err
}

// Snapshot is the index as the Writer sees it: valid until its next change.
func (w *Writer) Snapshot() *Snapshot { return w.snap }

// Reset makes the index empty.
func (w *Writer) Reset() error {
	next := 1
	if w.man != nil {
		next = w.man.next
	}
	if files, err := os.ReadDir(w.dir); err == nil {
		for _, f := range files {
			var n int
			if _, err := fmt.Sscanf(f.Name(), "%06d.", &n); err == nil {
				next = max(next, n+1)
			}
		}
	}
	return w.commit(&manifest{next: next})
}

// Add adds a segment that a Builder made. Documents that are there with an id of
// the segment or of gone are deleted. mark is the new watermark.
func (w *Writer) Add(data []byte, gone map[uint64]struct{}, mark string) error {
	return w.AddAll([][]byte{data}, gone, mark)
}

// AddAll is Add of several segments, none of which has a document of another.
func (w *Writer) AddAll(segments [][]byte, gone map[uint64]struct{}, mark string) error {
	m := &manifest{next: w.man.next, mark: mark}
	fresh, docs, err := loadFresh(segments)
	if err != nil {
		return err
	}
	ids := replaced(fresh, docs, gone)
	var joined []*part
	for i, p := range w.snap.parts {
		q, row, err := w.bury(p, w.man.parts[i], ids, m)
		if err != nil {
			return err
		}
		switch {
		case q.seg.docs == q.dead:
		case docs > 0 && docs < w.small && q.seg.docs-q.dead < w.small:
			joined = append(joined, q)
		default:
			m.parts = append(m.parts, row)
		}
	}
	rows := [][]*part{append(joined, fresh...)}
	if docs >= w.small {
		rows = slices.Collect(slices.Chunk(fresh, 1))
	}
	for _, parts := range rows {
		if len(parts) == 0 {
			continue
		}
		row, err := w.write(m.file("seg"), parts)
		if err != nil {
			return err
		}
		m.parts = append(m.parts, row)
	}
	return w.commit(m)
}

// loadFresh gives the segments that have documents, and how many these are.
func loadFresh(segments [][]byte) (fresh []*part, docs int, err error) {
	for _, data := range segments {
		if len(data) == 0 {
			continue
		}
		seg, err := Load(data)
		if err != nil {
			return nil, 0, err
		}
		if seg.docs > 0 {
			fresh = append(fresh, &part{seg: seg})
			docs += seg.docs
		}
	}
	return fresh, docs, nil
}

// replaced gives each id of fresh or gone once. They come in the order of their slots,
// so that looking for all of them goes through a hash table once.
func replaced(fresh []*part, docs int, gone map[uint64]struct{}) []uint64 {
	ids := make([]uint64, 0, max(docs, len(gone)))
	for id := range gone {
		ids = append(ids, id)
	}
	for _, p := range fresh {
		for doc := range uint32(p.seg.docs) {
			id := p.seg.meta(doc).id
			if _, ok := gone[id]; !ok {
				ids = append(ids, id)
			}
		}
	}
	slices.SortFunc(ids, func(x, y uint64) int { return cmp.Compare(slot(x, 1<<31), slot(y, 1<<31)) })
	return ids
}

// bury gives p without the documents that have one of ids, and its row.
func (w *Writer) bury(p *part, row manifestPart, ids []uint64, m *manifest) (*part, manifestPart, error) {
	var bits []byte
	dead := p.dead
	for _, id := range ids {
		doc, ok := p.seg.find(id)
		if !ok || p.isGone(doc) {
			continue
		}
		if bits == nil {
			bits = make([]byte, goneSize(p.seg.docs))
			copy(bits, p.gone)
		}
		if bits[doc>>3]&(1<<(doc&7)) == 0 {
			bits[doc>>3] |= 1 << (doc & 7)
			dead++
		}
	}
	if bits == nil {
		return p, row, nil
	}
	q := &part{seg: p.seg, name: p.name, gone: bits, dead: dead}
	if dead == p.seg.docs {
		return q, row, nil
	}
	row.gone, row.dead = m.file("gone"), dead
	return q, row, renameio.WriteFile(filepath.Join(w.dir, row.gone), bits, 0o600)
}

// file names the next file.
func (m *manifest) file(suffix string) string {
	m.next++
	return fmt.Sprintf("%06d.%s", m.next-1, suffix)
}

// write puts a segment of the documents of parts on the disk.
func (w *Writer) write(name string, parts []*part) (row manifestPart, err error) {
	row = manifestPart{name: name, gone: noFile}
	path := filepath.Join(w.dir, row.name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return row, fmt.Errorf("kb/index: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("kb/index: write %s: %w", path, errors.Join(err, os.Remove(path)))
		}
	}()
	err = Guard(func() error {
		if len(parts) == 1 && parts[0].name == "" {
			row.docs = parts[0].seg.docs
			_, err := f.Write(parts[0].seg.data)
			return err
		}
		out := bufio.NewWriterSize(f, 1<<18)
		if _, err := out.Write(make([]byte, headerSize)); err != nil {
			return err
		}
		head, err := mergeParts(out, parts)
		if err == nil {
			err = out.Flush()
		}
		if err == nil {
			row.docs = int(le.Uint32(head[8:]))
			_, err = f.WriteAt(head, 0)
		}
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	return row, errors.Join(err, f.Close())
}

// commit makes m the index, and removes the files that it does not name.
func (w *Writer) commit(m *manifest) error {
	if err := renameio.WriteFile(filepath.Join(w.dir, manifestName), m.encode(), 0o600); err != nil {
		return fmt.Errorf("kb/index: write the manifest: %w", err)
	}
	snap, err := openParts(w.dir, m, w.snap, 0)
	if err != nil {
		return err
	}
	if w.snap != nil {
		err = w.snap.Close()
	}
	w.snap, w.man = snap, m
	w.sweep()
	return err
}

// sweep removes files of the index that nothing names any more. What cannot be
// removed now is by the next sweep.
func (w *Writer) sweep() {
	files, err := os.ReadDir(w.dir)
	if err != nil {
		return
	}
	for _, f := range files {
		name := f.Name()
		named := slices.ContainsFunc(w.man.parts, func(p manifestPart) bool { return p.name == name || p.gone == name })
		if !named && (strings.HasSuffix(name, ".seg") || strings.HasSuffix(name, ".gone")) {
			_ = os.Remove(filepath.Join(w.dir, name))
		}
	}
}

// Merge joins segments of like size while there are too many, as long as what is
// written stays under maxDocs documents and ctx is not done. It reports whether
// there is more to do.
func (w *Writer) Merge(ctx context.Context, maxDocs int) (more bool, err error) {
	return w.merge(ctx, maxDocs, fanOut)
}

// MergeMany is Merge while much is added: small segments wait until there are many of
// them, so that they are written again once and not at each size on the way.
func (w *Writer) MergeMany(ctx context.Context, maxDocs int) (more bool, err error) {
	return w.merge(ctx, maxDocs, wideOut)
}

func (w *Writer) merge(ctx context.Context, maxDocs, fan int) (more bool, err error) {
	for budget := maxDocs; ; {
		groups := mergeGroups(w.man.parts, w.small, fan)
		if len(groups) == 0 {
			return false, nil
		}
		for i, group := range groups {
			docs := 0
			for _, i := range group {
				docs += w.man.parts[i].docs
			}
			if docs > budget {
				groups = groups[:i]
				break
			}
			budget -= docs
		}
		if len(groups) == 0 || ctx.Err() != nil {
			return true, nil
		}
		if err := w.join(groups); err != nil {
			return false, err
		}
	}
}

// join makes one segment of each group, of all at the same time.
func (w *Writer) join(groups [][]int) error {
	m := &manifest{next: w.man.next, mark: w.man.mark}
	rows, errs := make([]manifestPart, len(groups)), make([]error, len(groups))
	var wg sync.WaitGroup
	for g, group := range groups {
		name := m.file("seg")
		var parts []*part
		for _, i := range group {
			parts = append(parts, w.snap.parts[i])
		}
		wg.Go(func() { rows[g], errs[g] = w.write(name, parts) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, old := range w.man.parts {
		g := slices.IndexFunc(groups, func(group []int) bool { return slices.Contains(group, i) })
		switch {
		case g < 0:
			m.parts = append(m.parts, old)
		case i == groups[g][len(groups[g])-1]: // segments stay about in the order of the log
			m.parts = append(m.parts, rows[g])
		}
	}
	return w.commit(m)
}

// mergeGroups picks groups of segments to be joined, one for each processor.
func mergeGroups(parts []manifestPart, small, fan int) (groups [][]int) {
	left := make([]int, len(parts))
	for i := range left {
		left[i] = i
	}
	for len(groups) < runtime.GOMAXPROCS(0) {
		group := mergeGroup(parts, left, small, fan)
		if group == nil {
			break
		}
		groups = append(groups, group)
		left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(group, i) })
	}
	return groups
}

// mergeGroup picks of the segments that are left some to be joined: fan of one size
// class, of a large one fanOut, the smallest class first, or one that is mostly
// deleted. nil means that all is well.
func mergeGroup(parts []manifestPart, left []int, small, fan int) []int {
	classes := map[int][]int{}
	for _, i := range left {
		p := parts[i]
		live := p.docs - p.dead
		if p.dead > 64 && p.dead > live {
			return []int{i}
		}
		class := 0
		for n := live; n >= small; n /= fanOut {
			class++
		}
		classes[class] = append(classes[class], i)
	}
	for class := range 32 {
		group := classes[class]
		if class > smallClasses {
			fan = fanOut
		}
		if len(group) >= fan {
			return slices.Clone(group[:min(len(group), max(fan, 2*fanOut))])
		}
	}
	return nil
}

// Close lets other writers go on.
func (w *Writer) Close() error {
	var err error
	if w.snap != nil {
		err = w.snap.Close()
		w.snap = nil
	}
	return errors.Join(err, w.lock.Close())
}
