package tracker

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Queue is an immutable snapshot of a tracker, in the order of ids. It is safe
// for concurrent use.
type Queue struct {
	path     string
	rows     []row
	beads    []atomic.Pointer[Bead] // decoded when asked for
	problems []LineError
	archive  map[string]Status // of beads that moved to the archive, as far as they are waited for

	indexOnce sync.Once
	index     map[string]int32

	childrenOnce sync.Once
	children     map[string][]int32
}

// NewQueue is a queue of beads that are in no file.
func NewQueue(beads []*Bead) *Queue {
	q := &Queue{beads: make([]atomic.Pointer[Bead], len(beads))}
	sorted := slices.SortedStableFunc(slices.Values(beads), func(a, b *Bead) int { return cmp.Compare(a.ID, b.ID) })
	for i, b := range sorted {
		q.rows = append(q.rows, rowOf(b))
		q.beads[i].Store(b)
	}
	return q
}

// rowOf is what a queue needs of a bead.
func rowOf(b *Bead) row {
	r := row{
		id: b.ID, status: b.Status, priority: b.Priority, typ: b.Type, parent: b.Parent,
		created: formatTime(b.CreatedAt), updated: formatTime(b.UpdatedAt),
		supersededBy: b.SupersededBy(), retryAfter: later(b.Str(keyRetry), b.Str(keyOldRetry)),
		ineligible: !b.Eligible(), needsHuman: b.Str("needs-human-reason") != "",
	}
	r.rank, r.ranked = parseRank(b.Str(keyRank))
	for _, d := range b.Dependencies {
		r.deps = append(r.deps, d.DependsOnID)
	}
	return r
}

func newQueue(s *snapshot) *Queue {
	return &Queue{path: s.path, rows: s.rows, beads: make([]atomic.Pointer[Bead], len(s.rows)), problems: s.problems}
}

// Path is the file that the queue was read from.
func (q *Queue) Path() string { return q.path }

// Len is the number of beads.
func (q *Queue) Len() int { return len(q.rows) }

// Problems are the lines of the file that are no beads; they are not in the queue.
func (q *Queue) Problems() []LineError { return slices.Clone(q.problems) }

// All are all beads, by id.
func (q *Queue) All() []*Bead {
	all := make([]*Bead, len(q.rows))
	for i := range q.rows {
		all[i] = q.bead(int32(i))
	}
	return all
}

// Get finds a bead by its id.
func (q *Queue) Get(id string) (*Bead, bool) {
	i, ok := find(q.rows, id)
	if !ok {
		return nil, false
	}
	return q.bead(int32(i)), true
}

// Children are the beads whose parent is id, by id.
func (q *Queue) Children(id string) []*Bead {
	q.childrenOnce.Do(func() {
		q.children = map[string][]int32{}
		for i := range q.rows {
			if p := q.rows[i].parent; p != "" {
				q.children[p] = append(q.children[p], int32(i))
			}
		}
	})
	return q.pick(q.children[id])
}

// at is the position of a bead, for those who look up many: its index takes
// longer to make than a few searches.
func (q *Queue) at(id string) (int32, bool) {
	q.indexOnce.Do(func() {
		q.index = make(map[string]int32, len(q.rows))
		for i := range q.rows {
			q.index[q.rows[i].id] = int32(i)
		}
	})
	i, ok := q.index[id]
	return i, ok
}

func (q *Queue) pick(positions []int32) []*Bead {
	beads := make([]*Bead, len(positions))
	for k, i := range positions {
		beads[k] = q.bead(i)
	}
	return beads
}

// bead decodes a row once. The row was checked when the file was read, so that
// decoding it cannot fail.
func (q *Queue) bead(i int32) *Bead {
	if b := q.beads[i].Load(); b != nil {
		return b
	}
	b, err := decode(bytes.TrimSpace(q.rows[i].raw))
	if err != nil {
		b = &Bead{ID: q.rows[i].id, Status: q.rows[i].status}
	}
	if !q.beads[i].CompareAndSwap(nil, b) {
		b = q.beads[i].Load()
	}
	return b
}

// Resolve finds the bead that a person means: by id, by the unique beginning of
// an id, or by that of the part after the prefix. The error names ids that come
// close.
func (q *Queue) Resolve(ref string) (*Bead, error) {
	if b, ok := q.Get(ref); ok {
		return b, nil
	}
	var found, near []string
	for i := range q.rows {
		id := q.rows[i].id
		_, tail, _ := cutPrefix(id)
		switch {
		case ref != "" && (strings.HasPrefix(id, ref) || strings.HasPrefix(tail, ref)):
			found = append(found, id)
		case len(near) < mostNear && oneOff(id, ref):
			near = append(near, id)
		}
	}
	if len(found) == 1 {
		b, _ := q.Get(found[0])
		return b, nil
	}
	if len(found) > 1 {
		return nil, invalid("bead %s: the beginning of %d ids, such as %s and %s; give more of it", ref, len(found), found[0], found[1])
	}
	return nil, &NotFoundError{ID: ref, Path: q.path, Near: near}
}

const mostNear = 3

// cutPrefix divides an id at its last dash: hx-1a2b3c4d.
func cutPrefix(id string) (prefix, tail string, ok bool) {
	k := strings.LastIndexByte(id, '-')
	if k < 0 {
		return "", id, false
	}
	return id[:k], id[k+1:], true
}

// oneOff tells whether two ids differ by one typing slip: one character that is
// wrong, missing or too much, or two that are swapped.
func oneOff(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	k := 0
	for k < len(b) && a[k] == b[k] {
		k++
	}
	switch len(a) - len(b) {
	case 0:
		return a != b && (a[k+1:] == b[k+1:] ||
			k+1 < len(a) && a[k] == b[k+1] && a[k+1] == b[k] && a[k+2:] == b[k+2:])
	case 1:
		return a[k+1:] == b[k:]
	}
	return false
}

// byUrgency is the order of work: priority, queue-rank (a ranked bead before an
// unranked one), age, id.
func byUrgency(a, b *row) int {
	return cmp.Or(
		cmp.Compare(a.priority, b.priority),
		compareRank(a, b),
		compareTime(a.created, b.created),
		cmp.Compare(a.id, b.id),
	)
}

func compareRank(a, b *row) int {
	switch {
	case a.ranked && b.ranked:
		return cmp.Compare(a.rank, b.rank)
	case a.ranked:
		return -1
	case b.ranked:
		return 1
	}
	return 0
}

// compareTime compares times by their text where that is sound: in UTC and of
// equal length they sort like the times.
func compareTime(a, b string) int {
	if len(a) == len(b) && strings.HasSuffix(a, "Z") && strings.HasSuffix(b, "Z") && len(a) >= len(time.DateTime) {
		return strings.Compare(a, b)
	}
	return parseTime(a).Compare(parseTime(b))
}
