package log

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb/entry"
)

// v1Minutes is 2025-02-20 11:00 on the wall clock.
const v1Minutes = 29_000_820

// v1Builder writes version 1 logs as the original does.
type v1Builder struct {
	b       []byte
	entries []v1Entry
	deleted map[int64]bool
}

type v1Entry struct {
	offset int64
	topic  string
	body   string
	id     string
}

func newV1() *v1Builder {
	return &v1Builder{b: []byte("AMRL\x01\x00\x00\x00"), deleted: map[int64]bool{}}
}

func (v *v1Builder) entry(topic, body string) int64 {
	off := int64(len(v.b))
	v.b = append(v.b, 1, byte(len(topic)))
	v.b = binary.LittleEndian.AppendUint32(v.b, uint32(len(body)))
	v.b = binary.LittleEndian.AppendUint32(v.b, v1Minutes)
	v.b = append(v.b, 0, 0)
	v.b = append(append(v.b, topic...), body...)
	e := entry.DecodeV1(entry.V1{Topic: topic, Body: body, Minutes: v1Minutes, Offset: off}, time.UTC)
	v.entries = append(v.entries, v1Entry{off, topic, body, e.ID})
	return off
}

func (v *v1Builder) delete(off int64) {
	v.b = append(v.b, 2, 0, 0, 0)
	v.b = binary.LittleEndian.AppendUint32(v.b, uint32(off))
	v.deleted[off] = true
}

func (v *v1Builder) bytes() []byte { return append([]byte(nil), v.b...) }

func (v *v1Builder) live() []v1Entry {
	var live []v1Entry
	for _, e := range v.entries {
		if !v.deleted[e.offset] {
			live = append(live, e)
		}
	}
	return live
}

// sampleV1 has entries without metadata, so that a text is a body.
func sampleV1() *v1Builder {
	v := newV1()
	v.entry("build", "arm64 only for the bridge")
	gone := v.entry("build", "wrong")
	v.entry("cache", "readers see\nwhole records")
	v.delete(gone)
	v.entry("build", "arm64 only for the bridge")
	return v
}

func v1Texts(t *testing.T, b []byte) []string {
	t.Helper()
	m := newMemFS()
	m.put("/kb/"+FileName, b)
	var got []string
	_, err := m.reader(t).Entries(func(e entry.Entry, offset int64) error {
		got = append(got, e.Topic+": "+e.Text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func verifyBytes(t *testing.T, b []byte) Report {
	t.Helper()
	m := newMemFS()
	m.put("/kb/"+FileName, b)
	rep, err := verify(m.reader(t))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestV1HexSample(t *testing.T) {
	t.Parallel()
	b, err := hex.DecodeString("414d524c01000000" + "010105000000" + "2a8dc801" + "0000" + "61" + "68656c6c6f")
	if err != nil {
		t.Fatal(err)
	}
	if got := v1Texts(t, b); !cmp.Equal(got, []string{"a: hello"}) {
		t.Errorf("read %q", got)
	}
	m := newMemFS()
	m.put("/kb/"+FileName, b)
	rec, err := m.reader(t).At(8)
	if err != nil {
		t.Fatal(err)
	}
	want := time.Unix(0x01c88d2a*60, 0).UTC()
	if !rec.Time.Equal(want) {
		t.Errorf("time %v, want %v", rec.Time, want)
	}
}

func TestV1Reading(t *testing.T) {
	t.Parallel()
	full := sampleV1()
	whole := []string{"build: arm64 only for the bridge", "cache: readers see\nwhole records", "build: arm64 only for the bridge"}
	at := func(i int) int64 { return full.entries[i].offset }
	edit := func(f func(b []byte) []byte) []byte { return f(full.bytes()) }
	set := func(off int64, x byte) []byte {
		return edit(func(b []byte) []byte { b[off] = x; return b })
	}
	odd := newV1()
	odd.entry("t", "a\xffb")
	odd.entry("", "no topic")
	odd.entry(strings.Repeat("t", 255), "long topic")
	forward := newV1()
	forward.delete(16)
	forward.entry("t", "deleted before it was written")
	forward.entry("t", "stays")
	for _, tc := range []struct {
		name   string
		b      []byte
		want   []string
		damage int
		tail   bool
	}{
		{"whole", full.bytes(), whole, 0, false},
		{"header only", full.bytes()[:8], nil, 0, false},
		{"what the original accepts", odd.b, []string{"t: a\uFFFDb", ": no topic", strings.Repeat("t", 255) + ": long topic"}, 0, false},
		{"a delete counts wherever it stands", forward.b, []string{"t: stays"}, 0, false},
		{"torn body", full.bytes()[:len(full.b)-3], whole[:2], 0, true},
		{"torn header", full.bytes()[:at(3)+5], whole[:2], 0, true},
		{"unknown type", set(at(0), 9), whole[1:], 1, false},
		{"unknown type in the middle", set(at(2), 0), []string{whole[0], whole[2]}, 1, false},
		{"length too big", set(at(0)+3, 1), whole[1:], 1, false},
		{"length beyond the file", set(at(0)+5, 0x7f), whole[1:], 1, false},
		{"length too small", set(at(2)+2, 3), []string{whole[0], "cache: rea", whole[2]}, 1, false},
		{"garbage at the end", edit(func(b []byte) []byte { return append(b, "garbage"...) }), whole, 0, true},
		{"garbage in between", edit(func(b []byte) []byte {
			return append(append(append([]byte(nil), b[:at(3)]...), "\x00\x00\x00oops"...), b[at(3):]...)
		}), whole, 1, false},
	} {
		if diff := cmp.Diff(tc.want, v1Texts(t, tc.b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
		rep := verifyBytes(t, tc.b)
		if len(rep.Damage) != tc.damage || (rep.Tail != nil) != tc.tail {
			t.Errorf("%s: damage %v, tail %v", tc.name, rep.Damage, rep.Tail)
		}
	}
}

func TestV1Upgrade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := newV1()
	v.entry("build", "[tags: gotcha, ffi]\n[source: src/cache.rs:12]\n[confidence: 0.5]\narm64 only")
	gone := v.entry("build", "wrong")
	v.delete(gone)
	v.entry("cache", "[note: not metadata]\nx")
	writeLog(t, dir, v.b)
	zone := WithZone(time.FixedZone("east", 3600))

	before := map[string]entry.Entry{}
	r, err := OpenReader(dir, zone)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	v1End, err := r.End()
	if err != nil || !r.Reached(v1End) {
		t.Fatalf("end %v, %v", v1End, err)
	}
	if _, err := r.Entries(func(e entry.Entry, _ int64) error { before[e.ID] = e; return nil }); err != nil {
		t.Fatal(err)
	}

	var reports []Repair
	l := openIn(t, dir, zone, WithReport(func(rep Repair) { reports = append(reports, rep) }))
	mustAppend(t, l, Put(note("mem_new", "after")))
	if len(reports) != 1 || !strings.Contains(reports[0].What, "upgraded 2 entries") || reports[0].Kept != dir+"/data.log.v1.bak" {
		t.Errorf("reports %+v", reports)
	}
	if kept := readFile(t, dir+"/data.log.v1.bak"); !cmp.Equal(kept, v.b) {
		t.Error("the backup is not the old file")
	}
	after := map[string]entry.Entry{}
	now := openRead(t, dir)
	if now.Version() != 2 || now.Holds(v1End) {
		t.Errorf("version %d; the old end still holds: %v", now.Version(), now.Holds(v1End))
	}
	if _, err := now.Entries(func(e entry.Entry, _ int64) error { after[e.ID] = e; return nil }); err != nil {
		t.Fatal(err)
	}
	delete(after, "mem_new")
	if diff := cmp.Diff(before, after); diff != "" || len(after) != 2 {
		t.Errorf("the upgrade changed entries (-before +after):\n%s", diff)
	}
	wantClean(t, dir)

	// The reader that was open keeps its view of the old file.
	if s, err := r.State(); s != Replaced || err != nil {
		t.Errorf("state of the old view: %v, %v", s, err)
	}
	n := 0
	if _, err := r.Entries(func(entry.Entry, int64) error { n++; return nil }); err != nil || n != 2 {
		t.Errorf("the old view has %d entries, %v", n, err)
	}
}

func TestV1CompactAndRecover(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(l *Log) error{
		"compact": func(l *Log) error {
			c, err := l.Compact(ctx())
			if err == nil && c.Entries != 3 {
				err = fmt.Errorf("%d entries", c.Entries)
			}
			return err
		},
		"recover": func(l *Log) error { return ran(l.Recover(ctx())) },
	} {
		dir := t.TempDir()
		v := sampleV1()
		b, last := v.bytes(), v.entries[3].offset
		if name == "recover" {
			b = append(b[:last:last], append([]byte("garbage!"), b[last:]...)...)
		}
		writeLog(t, dir, b)
		if err := run(openIn(t, dir, WithZone(time.UTC))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, _ := texts(t, dir)
		if len(got) != 3 {
			t.Errorf("%s: %d entries", name, len(got))
		}
		if rep := wantClean(t, dir); rep.Version != 2 {
			t.Errorf("%s: version %d", name, rep.Version)
		}
	}
}

// A log that the original only began to create is an empty one.
func TestUnfinishedV1Header(t *testing.T) {
	t.Parallel()
	for _, b := range []string{"", "A", "AMRL", "AMRL\x01\x00"} {
		dir := t.TempDir()
		writeLog(t, dir, []byte(b))
		wantTexts(t, dir, map[string]string{})
		if r := openRead(t, dir); !r.Reached(Pos{}) {
			t.Errorf("%q: a view of nothing lacks something", b)
		}
		mustAppend(t, openIn(t, dir), Put(note("mem_1", "x")))
		wantTexts(t, dir, map[string]string{"mem_1": "x"})
	}
}
