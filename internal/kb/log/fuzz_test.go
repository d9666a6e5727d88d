package log

import (
	"testing"
	"time"

	"helix/internal/kb/entry"
)

// useAll does everything that one can do with a file, whatever is in it. Nothing
// may panic, and a writer must leave a log that is whole.
func useAll(t *testing.T, b []byte) {
	m := newMemFS()
	m.put(memPath, b)
	r, err := openReader(m, memPath, time.UTC)
	if err == nil {
		readAll(t, r)
	}
	l := m.process(newMemLock())
	if _, err := l.Append(ctx(), Put(note("mem_new", "new")), Delete("mem_old")); err != nil {
		if got := m.content(memPath); string(got) != string(b) {
			t.Fatalf("a write that failed with %v changed the file", err)
		}
		return // foreign, newer, or no readable header
	}
	if got := liveOf(t, m.reader(t)); got["mem_new"] != "new" {
		t.Fatal("what was just written is not there")
	}
	if _, err := l.Recover(ctx()); err != nil {
		t.Fatalf("recover: %v", err)
	}
	rep, err := verify(m.reader(t))
	if err != nil || !rep.OK() || rep.Tail != nil {
		t.Fatalf("after the recovery: %+v, %v", rep, err)
	}
	if got := liveOf(t, m.reader(t)); got["mem_new"] != "new" {
		t.Fatal("the recovery lost an entry")
	}
}

func readAll(t *testing.T, r *Reader) {
	end, err := r.End()
	if err != nil || !r.Holds(end) {
		t.Fatalf("end %v, %v", end, err)
	}
	_, err = r.Scan(Pos{}, func(rec *Record) error {
		_, _ = rec.ID()
		_, _ = rec.Entry()
		_, _ = rec.Change()
		_, _ = rec.Edge()
		_, _ = rec.Vector()
		again, err := r.At(rec.Offset)
		if err != nil || again.Type != rec.Type || again.Size != rec.Size {
			t.Fatalf("at %d: %+v, %v", rec.Offset, again, err)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	_, _ = r.Entries(func(entry.Entry, int64) error { return nil })
	if _, err := verify(r); err != nil {
		t.Fatalf("verify: %v", err)
	}
}

// FuzzV1 reads arbitrary bytes behind a version 1 header.
func FuzzV1(f *testing.F) {
	v := sampleV1()
	f.Add(v.b[8:])
	f.Add(v.b[8 : len(v.b)-4])
	f.Add(append(append([]byte("junk"), v.b[8:]...), 2, 0, 0, 0, 8, 0, 0, 0))
	f.Add([]byte{1, 1, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 'a'})
	f.Fuzz(func(t *testing.T, b []byte) {
		useAll(t, append([]byte("AMRL\x01\x00\x00\x00"), b...))
	})
}

// FuzzV2 changes a log in one place and reads it. Checksums keep a fuzzer from
// getting far with arbitrary bytes, so they are made to agree for one record.
func FuzzV2(f *testing.F) {
	m := newMemFS()
	l := m.process(newMemLock())
	for _, ops := range [][]Op{
		{Put(note("mem_1", "first"))},
		{Put(note("mem_2", "second")), Change(entry.Change{ID: "mem_1", Helped: 1}), Delete("mem_1")},
		{Relate(entry.Edge{From: "mem_1", Rel: "refines", To: "mem_2", Weight: 1})},
		{Embed(entry.Vector{ID: "mem_2", Model: "m", Values: []float32{1, 2}})},
	} {
		if _, err := l.Append(ctx(), ops...); err != nil {
			f.Fatal(err)
		}
	}
	base := m.content(memPath)
	salt := saltOf(base)
	f.Add(uint16(dataStart), []byte("x"), uint8(1), int64(0), false)
	f.Add(uint16(4), []byte{3}, uint8(2), int64(0), false)
	f.Add(uint16(len(base)), []byte("[id: mem_9]\n\ntext"), uint8(1), int64(0), true)
	f.Add(uint16(len(base)), []byte("[id: mem_2]\n"), uint8(2), int64(dataStart), true)
	f.Add(uint16(len(base)), []byte("0123456789abcdef"), uint8(6), int64(300), true)
	f.Add(uint16(300), []byte("[from: a]\n"), uint8(3), int64(0), true)
	f.Fuzz(func(t *testing.T, at uint16, b []byte, typ uint8, batch int64, whole bool) {
		off := min(int(at), len(base))
		data := append([]byte(nil), base[:off]...)
		if whole {
			data, _ = appendFrame(data, salt, frame{typ: Type(typ), offset: int64(off), batch: batch}, "", string(b))
		} else {
			data = append(data, b...)
		}
		if len(data) < len(base) {
			data = append(data, base[len(data):]...)
		}
		useAll(t, data)
	})
}

// FuzzFile reads arbitrary files.
func FuzzFile(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("AMRL"))
	f.Add(sampleV1().b)
	m := newMemFS()
	if _, err := m.process(newMemLock()).Append(ctx(), Put(note("mem_1", "x"))); err != nil {
		f.Fatal(err)
	}
	f.Add(m.content(memPath))
	f.Fuzz(useAll)
}
