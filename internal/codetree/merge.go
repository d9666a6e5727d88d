package codetree

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// merge joins what is kept of the last tree with the files that were parsed.
func (u *update) merge() (*writer, error) {
	w := &writer{files: u.files, old: u.old}
	moved := u.moved()
	var naming sync.WaitGroup
	var err error
	naming.Go(func() { err = u.mergeNames(w, moved) })
	err2 := w.layDirs()
	if err2 == nil {
		u.mergeIndex(w, moved)
	}
	naming.Wait()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	w.layFiles()
	return w, nil
}

// room for what is added to a section in an ordinary update.
func room(last []byte) []byte { return make([]byte, 0, len(last)+len(last)/16+4096) }

// moved gives for each file of the last tree its place in the new one, -1 where it
// is gone or was parsed again. Both are in the same order, so places only grow.
func (u *update) moved() []int {
	to := make([]int, u.old.files.n)
	for i := range to {
		to[i] = -1
	}
	for slot, f := range u.files {
		if f.old >= 0 {
			to[f.old] = slot
		}
	}
	return to
}

// added are the postings of the files that were parsed.
func (u *update) added() (map[string]*postings, error) {
	all := map[string]*postings{}
	for slot, f := range u.files {
		if f.old >= 0 || f.flags&hidden != 0 {
			continue
		}
		err := terms(f.path, f.record, func(r role, name string) {
			p := all[name]
			if p == nil {
				p = &postings{}
				all[strings.Clone(name)] = p
			}
			if n := len(p[r]); n == 0 || p[r][n-1] != slot {
				p[r] = append(p[r], slot)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("codetree: index %s: %w", f.path, err)
		}
	}
	return all, nil
}

// mergeNames lays the names and their postings.
func (u *update) mergeNames(w *writer, moved []int) error {
	added, err := u.added()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(added))
	for name := range added {
		names = append(names, name)
	}
	slices.SortFunc(names, compareNames)
	touched := u.touched(moved)
	w.names, w.strings, w.postings = room(u.old.names.b), room(u.old.strings), room(u.old.postings)
	next := 0
	for i := range u.old.names.n {
		name := u.old.name(i)
		for next < len(names) && compareNames(names[next], name) < 0 {
			w.addName(names[next], added[names[next]])
			next++
		}
		if touched != nil && !touched[name] && (next == len(names) || names[next] != name) {
			w.addEncoded(name, u.old.encoded(i))
			continue
		}
		p := decodePostings(u.old.encoded(i), u.old.files.n)
		p.keep(moved)
		if next < len(names) && names[next] == name {
			for r, slots := range added[name] {
				p[r] = append(p[r], slots...)
				slices.Sort(p[r])
			}
			next++
		}
		w.addName(name, &p)
	}
	for _, name := range names[next:] {
		w.addName(name, added[name])
	}
	return nil
}

// few files are those for which it pays to find out which names are theirs.
const few = 100

// touched are the names of the files that are gone or were parsed again, if these
// are few and all others have kept their places: then the postings of any other
// name are what they were. Else nil.
func (u *update) touched(moved []int) map[string]bool {
	names, n := map[string]bool{}, 0
	for slot, to := range moved {
		if to == slot {
			continue
		}
		if n++; to >= 0 || n > few {
			return nil
		}
		r, err := u.old.record(slot)
		if err == nil && len(r) > 0 {
			err = terms(u.old.path(slot), r, func(_ role, name string) { names[name] = true })
		}
		if err != nil {
			return nil
		}
	}
	return names
}

// keep puts each file in its new place.
func (p *postings) keep(moved []int) {
	for r, slots := range p {
		to := slots[:0]
		for _, s := range slots {
			if moved[s] >= 0 {
				to = append(to, moved[s])
			}
		}
		p[r] = to
	}
}

// entry is a row of the index.
type entry struct {
	id           ID
	slot, symbol uint32
}

func (e entry) compare(o entry) int {
	return cmp.Or(cmp.Compare(e.id, o.id), cmp.Compare(e.symbol, o.symbol), cmp.Compare(e.slot, o.slot))
}

// mergeIndex lays the index.
func (u *update) mergeIndex(w *writer, moved []int) {
	var added []entry
	for slot, f := range u.files {
		if f.old >= 0 || f.flags&hidden != 0 {
			continue
		}
		added = append(added, entry{fileID(f.path), uint32(slot), noSymbol})
		for i := range f.record.symbols() {
			id, _, _ := f.record.entry(i)
			added = append(added, entry{id, uint32(slot), uint32(i)})
		}
	}
	for i, d := range w.dirs {
		added = append(added, entry{dirID(d.path), uint32(i), dirSymbol})
	}
	slices.SortFunc(added, entry.compare)
	w.index = room(u.old.index.b)
	next := 0
	for i := range u.old.index.n {
		row := u.old.index.row(i)
		e := entry{ID(u64(row, 0)), uint32(u32(row, 8)), uint32(u32(row, 12))}
		if e.symbol == dirSymbol || int(e.slot) >= len(moved) || moved[e.slot] < 0 {
			continue
		}
		e.slot = uint32(moved[e.slot])
		for next < len(added) && added[next].compare(e) < 0 {
			w.addEntry(added[next])
			next++
		}
		w.addEntry(e)
	}
	for _, e := range added[next:] {
		w.addEntry(e)
	}
}

// folder is one of the new tree.
type folder struct {
	path       string
	doc        string
	firstFile  int
	files      int
	firstDir   int
	dirs       int
	totalFiles int
}

// layDirs finds the folders that the files lie in.
func (w *writer) layDirs() error {
	at := map[string]*folder{"": {}}
	for slot, f := range w.files {
		dir, _ := splitPath(f.path)
		for p := dir; at[p] == nil; p, _ = splitPath(p) {
			at[p] = &folder{path: p}
		}
		d := at[dir]
		if d.files == 0 {
			d.firstFile = slot
		}
		d.files++
		if f.flags&hidden != 0 {
			continue
		}
		for p := dir; ; p, _ = splitPath(p) {
			at[p].totalFiles++
			if p == "" {
				break
			}
		}
	}
	for _, d := range at {
		w.dirs = append(w.dirs, d)
	}
	slices.SortFunc(w.dirs, func(a, b *folder) int { return compareDirs(a.path, b.path) })
	for i, d := range w.dirs[1:] {
		above, _ := splitPath(d.path)
		parent := at[above]
		if parent.dirs == 0 {
			parent.firstDir = i + 1
		}
		parent.dirs++
	}
	for _, d := range w.dirs {
		if err := w.describe(d); err != nil {
			return err
		}
	}
	return nil
}

// describe finds what a folder says about itself: in the file that its language has
// for that, else in the first that says anything about its package, else in its
// README.
func (w *writer) describe(d *folder) error {
	best := 0
	for _, f := range w.files[d.firstFile : d.firstFile+d.files] {
		if f.flags&hidden != 0 {
			continue
		}
		language, _, doc, err := f.record.about()
		if err != nil {
			return err
		}
		if rank := docRank(language, path.Base(f.path)); doc != "" && rank > best {
			best, d.doc = rank, doc
		}
	}
	return nil
}

// docRank is how well the file speaks for its folder; 0: not at all.
func docRank(language, name string) int {
	switch name {
	case "doc.go", "__init__.py", "mod.rs", "lib.rs", "main.rs", "package-info.java", "index.ts", "index.js", "index.tsx":
		return 4
	}
	switch {
	case language == "go" && !strings.HasSuffix(name, "_test.go"):
		return 3
	case strings.EqualFold(name, "readme.md"):
		return 2
	case language != "" && language != "markdown" && language != "go":
		return 1
	}
	return 0
}

func (w *writer) addName(name string, p *postings) {
	if p.empty() {
		return
	}
	from := len(w.postings)
	w.postings = p.encode(w.postings)
	w.nameRow(name, from)
}

func (w *writer) addEncoded(name string, p []byte) {
	from := len(w.postings)
	w.postings = append(w.postings, p...)
	w.nameRow(name, from)
}

// nameRow is the row of a name whose postings are all from there on.
func (w *writer) nameRow(name string, from int) {
	le := binary.LittleEndian
	w.names = le.AppendUint32(w.names, uint32(len(w.strings)))
	w.names = le.AppendUint32(w.names, uint32(len(name)))
	w.names = le.AppendUint32(w.names, uint32(from))
	w.names = le.AppendUint32(w.names, uint32(len(w.postings)-from))
	w.strings = append(w.strings, name...)
}

func (w *writer) addEntry(e entry) {
	le := binary.LittleEndian
	w.index = le.AppendUint64(w.index, uint64(e.id))
	w.index = le.AppendUint32(w.index, e.slot)
	w.index = le.AppendUint32(w.index, e.symbol)
}
