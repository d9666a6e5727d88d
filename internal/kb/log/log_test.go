package log

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb/entry"
)

var day = time.Date(2026, 6, 18, 10, 30, 0, 0, time.UTC)

// note makes a valid entry with the given id.
func note(id, text string) entry.Entry {
	e := entry.New("auth", text, day)
	e.ID = id
	return e
}

// openTest gives a Log in a new folder, closed with the test.
func openTest(t *testing.T, opts ...Option) (*Log, string) {
	t.Helper()
	dir := t.TempDir()
	return openIn(t, dir, opts...), dir
}

func openIn(t *testing.T, dir string, opts ...Option) *Log {
	t.Helper()
	l := Open(dir, opts...)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func mustAppend(t *testing.T, l *Log, ops ...Op) Commit {
	t.Helper()
	c, err := l.Append(context.Background(), ops...)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	if len(c.Offsets) != len(ops) {
		t.Fatalf("%d operations gave %d offsets", len(ops), len(c.Offsets))
	}
	return c
}

// texts reads the live entries of a folder as id to text, and the ids in order.
func texts(t *testing.T, dir string) (map[string]string, []string) {
	t.Helper()
	r := openRead(t, dir)
	got, order := map[string]string{}, []string(nil)
	_, err := r.Entries(func(e entry.Entry, _ int64) error {
		got[e.ID] = e.Text
		order = append(order, e.ID)
		return nil
	})
	if err != nil {
		t.Fatalf("entries: %v", err)
	}
	return got, order
}

func openRead(t *testing.T, dir string) *Reader {
	t.Helper()
	r, err := OpenReader(dir, WithZone(time.UTC))
	if err != nil {
		t.Fatalf("open for reading: %v", err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func wantTexts(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got, _ := texts(t, dir)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("live entries (-want +got):\n%s", diff)
	}
}

func wantClean(t *testing.T, dir string) Report {
	t.Helper()
	rep, err := Verify(ctx(), dir, WithZone(time.UTC))
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	if !rep.OK() || rep.Tail != nil {
		t.Errorf("verify: damage %v, tail %v", rep.Damage, rep.Tail)
	}
	return rep
}

func TestMissingLogIsEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/not/there"
	r := openRead(t, dir)
	if r.Version() != 0 {
		t.Errorf("version %d of a log that does not exist", r.Version())
	}
	end, err := r.End()
	if err != nil || end != (Pos{}) {
		t.Errorf("end %v, %v", end, err)
	}
	if !r.Reached(end) || !r.Holds(end) {
		t.Error("the beginning is not the end of an empty log")
	}
	wantTexts(t, dir, map[string]string{})
	wantClean(t, dir)
}

func TestAppendAndRead(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	one := mustAppend(t, l, Put(note("mem_1", "first")))
	two := mustAppend(t, l, Put(note("mem_2", "second")), Put(note("mem_3", "third")))
	wantTexts(t, dir, map[string]string{"mem_1": "first", "mem_2": "second", "mem_3": "third"})
	wantClean(t, dir)

	r := openRead(t, dir)
	for id, offset := range map[string]int64{"mem_1": one.Offsets[0], "mem_2": two.Offsets[0], "mem_3": two.Offsets[1]} {
		rec, err := r.At(offset)
		if err != nil {
			t.Fatalf("read %s at %d: %v", id, offset, err)
		}
		if got, err := rec.ID(); got != id || err != nil {
			t.Errorf("record at %d is of %q, %v; want %s", offset, got, err, id)
		}
	}
	if !r.Reached(two.End) || r.Reached(one.End) || !r.Holds(one.End) {
		t.Error("the ends of the commits are not the places they should be")
	}
	var tail []string
	scanned, err := r.Scan(one.End, func(rec *Record) error {
		id, err := rec.ID()
		tail = append(tail, id)
		return err
	})
	if err != nil || scanned.End != two.End || !cmp.Equal(tail, []string{"mem_2", "mem_3"}) {
		t.Errorf("scan behind the first commit: %v, end %v, %v", tail, scanned.End, err)
	}
}

func TestReplaceDeleteChange(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	mustAppend(t, l, Put(note("mem_1", "old")), Put(note("mem_2", "gone")), Put(note("mem_3", "stays")))
	mustAppend(t, l, Relate(entry.Edge{From: "mem_1", Rel: "refines", To: "mem_2", Weight: 1}),
		Relate(entry.Edge{From: "mem_1", Rel: "refines", To: "mem_3", Weight: 1}),
		Embed(entry.Vector{ID: "mem_2", Model: "m", TextHash: "x", Values: []float32{1}}),
		Embed(entry.Vector{ID: "mem_3", Model: "m", TextHash: "x", Values: []float32{1, 2}}))
	mustAppend(t, l, Change(entry.Change{ID: "mem_1", Helped: 2}), Change(entry.Change{ID: "mem_3", Helped: 1}))
	mustAppend(t, l, Put(note("mem_1", "new")), Delete("mem_2"), Change(entry.Change{ID: "mem_3", Accessed: 4, LastAccess: day}))

	check := func() {
		t.Helper()
		wantTexts(t, dir, map[string]string{"mem_1": "new", "mem_3": "stays"})
		r := openRead(t, dir)
		f, _, err := r.Fold()
		if err != nil {
			t.Fatal(err)
		}
		live, ok := f.Get("mem_3")
		if !ok {
			t.Fatal("mem_3 is gone")
		}
		e, err := r.Load(live)
		if err != nil || e.Helped != 1 || e.AccessCount != 4 || !e.LastAccess.Equal(day) {
			t.Errorf("mem_3 has helped %d, access %d at %v, %v", e.Helped, e.AccessCount, e.LastAccess, err)
		}
		live, _ = f.Get("mem_1")
		if e, err := r.Load(live); err != nil || e.Helped != 0 {
			t.Errorf("the new mem_1 has helped %d, %v", e.Helped, err)
		}
		var edges []string
		for e := range f.Edges() {
			edges = append(edges, e.From+" "+e.Rel+" "+e.To)
		}
		if !cmp.Equal(edges, []string{"mem_1 refines mem_3"}) {
			t.Errorf("edges %v", edges)
		}
		for id, offset := range f.Vectors() {
			rec, err := r.At(offset)
			if err != nil {
				t.Fatal(err)
			}
			v, err := rec.Vector()
			if err != nil || id != "mem_3" || v.ID != "mem_3" || len(v.Values) != 2 {
				t.Errorf("vector of %s: %+v, %v", id, v, err)
			}
		}
	}
	check()
	done, err := l.Compact(context.Background())
	if err != nil || done.Entries != 2 || done.After >= done.Before {
		t.Fatalf("compact: %+v, %v", done, err)
	}
	check()
	wantClean(t, dir)
	if r := openRead(t, dir); !r.Reached(done.End) {
		t.Error("the end after the compaction is not the end of the log")
	}
	if c, err := l.Compact(context.Background()); err != nil || c.After != done.After || c.End == done.End {
		t.Errorf("compact again: %+v, %v", c, err)
	}
}

func TestBadInputWritesNothing(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	mustAppend(t, l, Put(note("mem_1", "first")))
	before := readLog(t, dir)
	long := note("mem_2", "x")
	long.Topic = string(make([]byte, 256))
	for name, ops := range map[string][]Op{
		"empty topic":       {Put(entry.Entry{ID: "mem_2", Text: "x", Created: day})},
		"long topic":        {Put(long)},
		"empty text":        {Put(note("mem_2", ""))},
		"big text":          {Put(note("mem_2", string(make([]byte, entry.MaxText+1))))},
		"invalid UTF-8":     {Put(note("mem_2", "a\xffb"))},
		"no id":             {Put(note("", "x"))},
		"second one is bad": {Put(note("mem_2", "x")), Put(note("", "x"))},
		"delete nothing":    {Delete("")},
		"zero operation":    {{}},
	} {
		if _, err := l.Append(context.Background(), ops...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	_, err := l.Append(context.Background(), Put(note("", "x")))
	if !errors.Is(err, entry.ErrInvalid) {
		t.Errorf("the error does not wrap ErrInvalid: %v", err)
	}
	if diff := cmp.Diff(before, readLog(t, dir)); diff != "" {
		t.Error("refused input changed the file")
	}
}

func TestUpdateSeesEverything(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	other := openIn(t, dir)
	for i := range 5 {
		mustAppend(t, other, Put(note(fmt.Sprintf("mem_%d", i), "x")))
		_, err := l.Update(context.Background(), func(r *Reader) ([]Op, error) {
			f, _, err := r.Fold()
			if err != nil {
				return nil, err
			}
			return []Op{Put(note(fmt.Sprintf("mem_n%d", f.Len()), "y"))}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, _ := texts(t, dir)
	for _, id := range []string{"mem_n1", "mem_n3", "mem_n5", "mem_n7", "mem_n9"} {
		if got[id] != "y" {
			t.Errorf("no %s in %v", id, got)
		}
	}
	refused := errors.New("refused")
	if _, err := l.Update(context.Background(), func(*Reader) ([]Op, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("update gave %v", err)
	}
}

// TestBlocks: texts that share memory stay what they are while more are read.
func TestBlocks(t *testing.T) {
	t.Parallel()
	l, dir := openTest(t)
	var ops []Op
	var want []entry.Entry
	for i := range 200 {
		size := 1 + i*7
		if i%50 == 0 {
			size = 2 * blockSize
		}
		e := note(fmt.Sprintf("mem_%d", i), strings.Repeat(string(rune('a'+i%26)), size))
		want, ops = append(want, e), append(ops, Put(e))
	}
	c := mustAppend(t, l, ops...)
	r, err := OpenReader(dir, WithBlocks())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []entry.Entry
	for _, offset := range c.Offsets {
		e, err := r.EntryAt(offset)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
