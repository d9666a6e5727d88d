package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// Merge merges two versions of a tracker file that come from one base, bead by
// bead and field by field. It always has a result: where both sides changed the
// same field, the side whose row was updated last wins, and a note says so. A
// bead that one side deleted and the other changed stays.
func Merge(base, ours, theirs []byte) (merged []byte, notes []string, err error) {
	var sides [3]*snapshot
	for i, side := range []struct {
		name string
		data []byte
	}{{"base", base}, {"ours", ours}, {"theirs", theirs}} {
		if sides[i], err = parseSnapshot(side.name, side.data); err != nil {
			return nil, nil, fmt.Errorf("tracker: merge: %w", err)
		}
		if p := sides[i].problems; len(p) > 0 {
			return nil, nil, fmt.Errorf("tracker: merge: %w %s; mend that version first", ErrMalformed, joinLines(p))
		}
	}
	m := merger{base: sides[0], ours: sides[1], theirs: sides[2]}
	for _, id := range m.ids() {
		if err := m.bead(id); err != nil {
			return nil, nil, fmt.Errorf("tracker: merge %s: %w", id, err)
		}
	}
	if err := m.noteCycles(); err != nil {
		return nil, nil, fmt.Errorf("tracker: merge: %w", err)
	}
	return m.out.Bytes(), m.notes, nil
}

type merger struct {
	base, ours, theirs *snapshot
	out                bytes.Buffer
	notes              []string
}

func (m *merger) ids() []string {
	seen := map[string]bool{}
	for _, s := range []*snapshot{m.base, m.ours, m.theirs} {
		for i := range s.rows {
			seen[s.rows[i].id] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// lineOf is the row of a bead, nil when there is none.
func (s *snapshot) lineOf(id string) []byte {
	i, ok := s.find(id)
	if !ok {
		return nil
	}
	return bytes.TrimSpace(s.rows[i].raw)
}

func (m *merger) bead(id string) error {
	base, ours, theirs := m.base.lineOf(id), m.ours.lineOf(id), m.theirs.lineOf(id)
	line := ours
	switch {
	case bytes.Equal(ours, theirs):
	case bytes.Equal(ours, base):
		line = theirs
	case bytes.Equal(theirs, base):
	case ours == nil:
		line = theirs
		m.note("%s was deleted on one side and changed on the other: it stays", id)
	case theirs == nil:
		m.note("%s was deleted on one side and changed on the other: it stays", id)
	default:
		var err error
		if line, err = m.rows(id, base, ours, theirs); err != nil {
			return err
		}
	}
	if line != nil {
		m.out.Write(line)
		m.out.WriteByte('\n')
	}
	return nil
}

func (m *merger) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// noteCycles names beads that wait for each other only since the merge.
func (m *merger) noteCycles() error {
	merged, err := parseSnapshot("merged", m.out.Bytes())
	if err != nil {
		return err
	}
	for _, cycle := range findCycles(newQueue(merged), (*row).waitsFor) {
		if !hasCycle(m.ours, cycle) && !hasCycle(m.theirs, cycle) {
			m.note("these beads now wait for each other: %s; see: helix bead doctor", strings.Join(cycle, " -> "))
		}
	}
	return nil
}

// hasCycle tells whether every step of the cycle is in one side already.
func hasCycle(s *snapshot, cycle []string) bool {
	for k := range len(cycle) - 1 {
		i, ok := s.find(cycle[k])
		if !ok || !slices.Contains(s.rows[i].deps, cycle[k+1]) {
			return false
		}
	}
	return true
}

// lifecycle are the keys that describe one state together: which side wins is
// decided once for all of them, so that a closed bead never gets the other
// side's claim.
var lifecycle = append([]string{"status", "owner", keyCommit, keySession, keyExternal}, claimKeys...)

// rows merges two versions of one row. base is nil when both sides added it.
func (m *merger) rows(id string, base, ours, theirs []byte) ([]byte, error) {
	var r [3]map[string]json.RawMessage
	for i, line := range [][]byte{base, ours, theirs} {
		if line == nil {
			continue
		}
		var err error
		if r[i], err = members(line); err != nil {
			return nil, err
		}
	}
	f := fieldMerge{id: id, base: r[0], ours: r[1], theirs: r[2], out: map[string]json.RawMessage{}}
	f.theirsWin = newer(theirs, ours)
	if err := f.merge(); err != nil {
		return nil, err
	}
	if len(f.clashes) > 0 {
		slices.Sort(f.clashes)
		m.note("%s: both sides changed %s: the later update wins", id, strings.Join(f.clashes, ", "))
	}
	same := func(side map[string]json.RawMessage) bool {
		return maps.EqualFunc(f.out, side, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	}
	switch {
	case f.theirsWin && same(f.theirs):
		return theirs, nil
	case same(f.ours):
		return ours, nil
	case same(f.theirs):
		return theirs, nil
	}
	return render(f.out), nil
}

// newer tells whether row a was updated after row b. Rows of the same time are
// ordered by their bytes, so that it does not matter who merges whom.
func newer(a, b []byte) bool {
	var p rowParser
	var ra, rb row
	if p.parse(a, &ra) != nil || p.parse(b, &rb) != nil {
		return false
	}
	ta, tb := parseTime(ra.updated), parseTime(rb.updated)
	if ta.Equal(tb) {
		return bytes.Compare(a, b) > 0
	}
	return ta.After(tb)
}

type fieldMerge struct {
	id                 string
	base, ours, theirs map[string]json.RawMessage
	theirsWin          bool
	out                map[string]json.RawMessage
	clashes            []string
}

func (f *fieldMerge) merge() error {
	f.group(lifecycle)
	keys := map[string]bool{}
	for _, row := range []map[string]json.RawMessage{f.base, f.ours, f.theirs} {
		for key := range row {
			keys[key] = !slices.Contains(lifecycle, key)
		}
	}
	for key, single := range keys {
		if !single {
			continue
		}
		if err := f.key(key); err != nil {
			return err
		}
	}
	return nil
}

// group merges keys that belong together: changed on one side, that side's; on
// both, the winner's.
func (f *fieldMerge) group(keys []string) {
	changed := func(row map[string]json.RawMessage) (names []string) {
		for _, k := range keys {
			if !bytes.Equal(row[k], f.base[k]) {
				names = append(names, k)
			}
		}
		return names
	}
	mine, yours := changed(f.ours), changed(f.theirs)
	from := f.ours
	switch {
	case len(mine) == 0:
		from = f.theirs
	case len(yours) > 0:
		if f.theirsWin {
			from = f.theirs
		}
		if slices.ContainsFunc(keys, func(k string) bool { return !bytes.Equal(f.ours[k], f.theirs[k]) }) {
			f.clashes = append(f.clashes, "the status or claim")
		}
	}
	for _, k := range keys {
		if v, ok := from[k]; ok {
			f.out[k] = v
		}
	}
}

func (f *fieldMerge) key(key string) error {
	base, ours, theirs := f.base[key], f.ours[key], f.theirs[key]
	value := ours
	switch {
	case bytes.Equal(ours, theirs):
	case bytes.Equal(ours, base):
		value = theirs
	case bytes.Equal(theirs, base):
	case key == "labels":
		return f.set(key, rawKey)
	case key == "dependencies" || key == keyLinks:
		return f.set(key, dependencyKey)
	case key == keyEvents:
		return f.set(key, rawKey)
	default:
		if f.theirsWin {
			value = theirs
		}
		if key != "updated_at" {
			f.clashes = append(f.clashes, key)
		}
	}
	if value != nil {
		f.out[key] = value
	}
	return nil
}

// set merges a list as a set: what either side added is in, what either side
// removed is out. The winner's elements come first; the history is ordered by
// time.
func (f *fieldMerge) set(key string, keyOf func(json.RawMessage) string) error {
	var lists [3][]json.RawMessage
	for i, raw := range []json.RawMessage{f.base[key], f.ours[key], f.theirs[key]} {
		if raw == nil || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, &lists[i]); err != nil {
			return &fieldError{key, "a list"}
		}
	}
	in := func(list []json.RawMessage, k string) bool {
		return slices.ContainsFunc(list, func(e json.RawMessage) bool { return keyOf(e) == k })
	}
	var merged []json.RawMessage
	first, second := lists[1], lists[2]
	if f.theirsWin {
		first, second = second, first
	}
	for _, e := range first {
		if k := keyOf(e); in(second, k) || !in(lists[0], k) {
			merged = append(merged, e)
		}
	}
	for _, e := range second {
		if k := keyOf(e); !in(first, k) && !in(lists[0], k) {
			merged = append(merged, e)
		}
	}
	if key == keyEvents {
		slices.SortStableFunc(merged, func(a, b json.RawMessage) int { return eventTime(a).Compare(eventTime(b)) })
	}
	if len(merged) > 0 {
		f.out[key] = joinRaw(merged)
	}
	return nil
}

func eventTime(e json.RawMessage) time.Time {
	var event struct {
		CreatedAt string `json:"created_at"`
	}
	if json.Unmarshal(e, &event) != nil {
		return time.Time{}
	}
	return parseTime(event.CreatedAt)
}

func rawKey(e json.RawMessage) string { return string(e) }

// dependencyKey identifies a dependency by what it says, not by when.
func dependencyKey(e json.RawMessage) string {
	d, ok := relation(e)
	if !ok {
		return string(e)
	}
	return d.DependsOnID + " " + d.Type
}

// Replace puts the result of a merge in the place of a tracker file that cannot
// be read because of its conflict markers.
func (s *Store) Replace(ctx context.Context, merged []byte) error {
	l, err := s.acquire(ctx)
	if err != nil {
		return fmt.Errorf("tracker: merge: %w", err)
	}
	defer s.release(l)
	snap := &snapshot{path: s.Path()}
	snap.info, err = os.Stat(s.Path())
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = s.replace(l, snap, [][]byte{merged})
	}
	if err != nil {
		return fmt.Errorf("tracker: merge: %w", err)
	}
	return nil
}

// SplitConflict reconstructs the sides of a file with git conflict markers. The
// base is complete only where git was told to write it (merge.conflictStyle
// diff3 or zdiff3); without it, what the sides do not share counts as added.
func SplitConflict(data []byte) (base, ours, theirs []byte, err error) {
	const (
		both = iota
		inOurs
		inBase
		inTheirs
	)
	state := both
	for n := 1; len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		text := append(slices.Clone(bytes.TrimRight(line, "\r")), '\n')
		head, _, _ := strings.Cut(string(text[:len(text)-1]), " ")
		switch {
		case head == "<<<<<<<" && state == both:
			state = inOurs
		case head == "|||||||" && state == inOurs:
			state = inBase
		case head == "=======" && (state == inOurs || state == inBase):
			state = inTheirs
		case head == ">>>>>>>" && state == inTheirs:
			state = both
		case state == inOurs:
			ours = append(ours, text...)
		case state == inBase:
			base = append(base, text...)
		case state == inTheirs:
			theirs = append(theirs, text...)
		case head == "<<<<<<<" || head == ">>>>>>>":
			return nil, nil, nil, fmt.Errorf("line %d: a conflict marker where none can be", n)
		default:
			base, ours, theirs = append(base, text...), append(ours, text...), append(theirs, text...)
		}
	}
	if state != both {
		return nil, nil, nil, fmt.Errorf("the last conflict has no end (>>>>>>>)")
	}
	return base, ours, theirs, nil
}
