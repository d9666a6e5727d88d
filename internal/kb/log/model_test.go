package log

import (
	"fmt"
	"sort"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
)

// model is what a log should come to, kept in plain maps.
type model struct {
	entries map[string]entry.Entry
	order   []string // ids, by their last entry record
	edges   map[string]entry.Edge
	vectors map[string]entry.Vector // by id and model
}

func (m *model) put(e entry.Entry) {
	m.order = append(without(m.order, e.ID), e.ID)
	m.entries[e.ID] = e
}

func without(list []string, id string) []string {
	var out []string
	for _, x := range list {
		if x != id {
			out = append(out, x)
		}
	}
	return out
}

func (m *model) delete(id string) {
	delete(m.entries, id)
	m.order = without(m.order, id)
	for key, v := range m.vectors {
		if v.ID == id {
			delete(m.vectors, key)
		}
	}
	for key, e := range m.edges {
		if key == id || e.From == id || e.To == id {
			delete(m.edges, key)
		}
	}
}

// machine drives two Logs on one folder and the model side by side.
type machine struct {
	fs    *memFS
	lock  memLock
	logs  []*Log
	model model
	view  view // follows the log as an index would
}

func (m *machine) log(t *rapid.T) *Log {
	return m.logs[rapid.IntRange(0, 1).Draw(t, "process")]
}

func drawID(t *rapid.T) string { return fmt.Sprintf("mem_%d", rapid.IntRange(0, 5).Draw(t, "id")) }

// drawOp draws an operation and what it does to the model.
func (m *machine) drawOp(t *rapid.T) (Op, func()) {
	switch rapid.IntRange(0, 5).Draw(t, "operation") {
	case 0, 1:
		e := entry.New("topic", rapid.StringN(1, 40, 200).Draw(t, "text"), day.Add(time.Duration(rapid.Int32().Draw(t, "created"))*time.Millisecond))
		e.ID = drawID(t)
		e.Helped = rapid.IntRange(0, 3).Draw(t, "helped")
		if rapid.Bool().Draw(t, "tagged") {
			e.Tags = []string{"a", "b"}
		}
		return Put(e), func() { m.model.put(e) }
	case 2:
		id := drawID(t)
		return Delete(id), func() { m.model.delete(id) }
	case 3:
		return m.drawChange(t)
	case 4:
		e := entry.Edge{From: drawID(t), Rel: "refines", To: drawID(t), Weight: 1}
		if rapid.Bool().Draw(t, "delete it") {
			return Delete(e.ID()), func() { m.model.delete(e.ID()) }
		}
		return Relate(e), func() { m.model.edges[e.ID()] = e }
	}
	v := entry.Vector{ID: drawID(t), Model: rapid.SampledFrom([]string{"m", "n"}).Draw(t, "model"), Values: []float32{rapid.Float32().Draw(t, "value")}}
	return Embed(v), func() {
		if _, ok := m.model.entries[v.ID]; ok {
			m.model.vectors[v.ID+" "+v.Model] = v
		}
	}
}

func (m *machine) drawChange(t *rapid.T) (Op, func()) {
	c := entry.Change{ID: drawID(t), Helped: rapid.IntRange(0, 2).Draw(t, "helped"), Accessed: 1, LastAccess: day}
	if rapid.Bool().Draw(t, "forget") {
		at := day.Add(time.Hour)
		c.DeletedAt = &at
	}
	return Change(c), func() {
		if e, ok := m.model.entries[c.ID]; ok {
			c.Apply(&e)
			m.model.entries[c.ID] = e
		}
	}
}

func (m *machine) write(t *rapid.T) {
	var ops []Op
	var effects []func()
	for range rapid.IntRange(1, 4).Draw(t, "operations") {
		op, effect := m.drawOp(t)
		ops, effects = append(ops, op), append(effects, effect)
	}
	if _, err := m.log(t).Append(ctx(), ops...); err != nil {
		t.Fatalf("append: %v", err)
	}
	for _, effect := range effects {
		effect()
	}
}

func (m *machine) compact(t *rapid.T) {
	done, err := m.log(t).Compact(ctx())
	if err != nil || done.Entries != len(m.model.entries) {
		t.Fatalf("compact: %+v, %v; the model has %d entries", done, err, len(m.model.entries))
	}
	if done.After > done.Before {
		// Changes can make an entry longer than its change records made the log,
		// but not by more than this.
		if grown := done.After - done.Before; grown > int64(200*len(m.model.entries)) {
			t.Fatalf("compact: the log grew by %d bytes", grown)
		}
	}
}

func (m *machine) restart(t *rapid.T) {
	m.logs[rapid.IntRange(0, 1).Draw(t, "process")] = m.fs.process(m.lock)
}

// compare is run after every action.
func (m *machine) compare(t *rapid.T) {
	r, err := openReader(m.fs, memPath, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	got, order := map[string]entry.Entry{}, []string(nil)
	_, err = r.Entries(func(e entry.Entry, _ int64) error {
		got[e.ID], order = e, append(order, e.ID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.model.entries, got); diff != "" {
		t.Fatalf("entries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.model.order, order); diff != "" {
		t.Fatalf("order (-want +got):\n%s", diff)
	}
	f, _, err := r.Fold()
	if err != nil {
		t.Fatal(err)
	}
	m.compareEdges(t, f)
	m.compareVectors(t, r, f)
	m.follow(t, r, got)
	if rep, err := verify(r); err != nil || !rep.OK() || rep.Tail != nil {
		t.Fatalf("verify: %+v, %v", rep, err)
	}
}

func (m *machine) compareEdges(t *rapid.T, f *Fold) {
	want, got := []string{}, []string{}
	for id := range m.model.edges {
		want = append(want, id)
	}
	for e := range f.Edges() {
		got = append(got, e.ID())
	}
	sort.Strings(want)
	sort.Strings(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("edges (-want +got):\n%s", diff)
	}
}

func (m *machine) compareVectors(t *rapid.T, r *Reader, f *Fold) {
	got := map[string]entry.Vector{}
	for _, offset := range f.Vectors() {
		rec, err := r.At(offset)
		if err != nil {
			t.Fatal(err)
		}
		v, err := rec.Vector()
		if err != nil {
			t.Fatal(err)
		}
		got[v.ID+" "+v.Model] = v
	}
	if diff := cmp.Diff(m.model.vectors, got); diff != "" {
		t.Fatalf("vectors (-want +got):\n%s", diff)
	}
}

// follow brings the view up to date: from its watermark, or anew if that does not
// hold any more.
func (m *machine) follow(t *rapid.T, r *Reader, entries map[string]entry.Entry) {
	if !r.Holds(m.view.upTo) {
		m.view = view{texts: map[string]string{}}
	}
	m.view.follow(t, r)
	if !r.Reached(m.view.upTo) {
		t.Fatalf("the view followed to %v, which is not the end", m.view.upTo)
	}
	want := map[string]string{}
	for id, e := range entries {
		want[id] = e.Text
	}
	if diff := cmp.Diff(want, m.view.texts); diff != "" {
		t.Fatalf("a view that follows (-want +got):\n%s", diff)
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{fs: newMemFS(), lock: newMemLock(), view: view{texts: map[string]string{}}}
		m.logs = []*Log{m.fs.process(m.lock), m.fs.process(m.lock)}
		m.model = model{entries: map[string]entry.Entry{}, edges: map[string]entry.Edge{}, vectors: map[string]entry.Vector{}}
		t.Repeat(map[string]func(*rapid.T){
			"":        m.compare,
			"write":   m.write,
			"write2":  m.write,
			"compact": m.compact,
			"restart": m.restart,
		})
	})
}
