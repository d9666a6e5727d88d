package log

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb/entry"
)

const memPath = "/kb/" + FileName

// span is a record in a file and what hangs on it.
type span struct {
	from, to int64
	id       string // of the entry, "" if none is lost with the record
}

// sampleLog gives a file with single records, a batch in the middle and one at
// the end, what it holds, and where its records are.
func sampleLog(t *testing.T, endWithBatch bool) (b []byte, live map[string]string, spans []span) {
	t.Helper()
	m := newMemFS()
	l := m.process(newMemLock())
	live = map[string]string{}
	n := 0
	put := func(count int) {
		var ops []Op
		for range count {
			n++
			id, text := fmt.Sprintf("mem_%d", n), strings.Repeat("text ", n)
			live[id] = text
			ops = append(ops, Put(note(id, text)))
		}
		mustAppend(t, l, ops...)
	}
	put(1)
	put(1)
	put(3)
	put(1)
	if endWithBatch {
		put(4)
	}
	b = m.content(memPath)
	r := m.reader(t)
	c := &cursor{src: r.f, salt: r.ident.header.salt, end: int64(len(b))}
	for off := int64(dataStart); off < int64(len(b)); {
		s, err := c.next(off)
		if err != nil || s.damage != nil {
			t.Fatalf("the sample is damaged at %d: %v, %v", off, s.damage, err)
		}
		sp := span{from: off, to: s.next}
		if s.frame.typ == TypeEntry {
			sp.id, _ = entry.PeekID(string(s.payload[s.frame.topicLen:]))
		}
		spans = append(spans, sp)
		off = s.next
	}
	return b, live, spans
}

// Any one damaged byte is named, costs at most the record that it is in, and
// stops neither readers nor writers.
func TestEveryFlippedByte(t *testing.T) {
	t.Parallel()
	for _, endWithBatch := range []bool{false, true} {
		b, live, spans := sampleLog(t, endWithBatch)
		for off := range b {
			for _, bits := range []byte{0xff, 0x01, 0x80} {
				damaged := append([]byte(nil), b...)
				damaged[off] ^= bits
				want := with(live)
				for _, s := range spans {
					if int64(off) >= s.from && int64(off) < s.to {
						delete(want, s.id)
					}
				}
				checkDamaged(t, fmt.Sprintf("byte %d ^ %#x", off, bits), damaged, int64(off), want)
			}
		}
	}
}

func checkDamaged(t *testing.T, what string, b []byte, off int64, want map[string]string) {
	t.Helper()
	m := newMemFS()
	m.put(memPath, b)
	r := m.reader(t)
	if diff := cmp.Diff(want, liveOf(t, r)); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
	rep, err := verify(r)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	named := false
	for _, d := range rep.Damage {
		named = named || off >= d.From && off < d.To
	}
	if !named {
		t.Fatalf("%s: not named by %v, tail %v", what, rep.Damage, rep.Tail)
	}
	l := m.process(newMemLock())
	mustAppend(t, l, Put(note("mem_new", "new")))
	want["mem_new"] = "new"
	if diff := cmp.Diff(want, liveOf(t, m.reader(t))); diff != "" {
		t.Fatalf("%s, then a write (-want +got):\n%s", what, diff)
	}
}

func TestRecoverAfterAFlippedByte(t *testing.T) {
	t.Parallel()
	b, live, spans := sampleLog(t, true)
	for off := 0; off < len(b); off += 7 {
		damaged := append([]byte(nil), b...)
		damaged[off] ^= 0x40
		want := with(live)
		for _, s := range spans {
			if int64(off) >= s.from && int64(off) < s.to {
				delete(want, s.id)
			}
		}
		m := newMemFS()
		m.put(memPath, damaged)
		l := m.process(newMemLock())
		if _, err := l.Compact(ctx()); err == nil && off >= dataStart && off < int(spans[len(spans)-1].from) {
			t.Errorf("byte %d: a damaged log was compacted", off)
			continue
		}
		m.put(memPath, damaged)
		done, err := l.Recover(ctx())
		if err != nil || done.Entries != len(want) || len(done.Lost) == 0 || done.Backup != memPath+".damaged" {
			t.Fatalf("byte %d: recover gave %+v, %v", off, done, err)
		}
		if !cmp.Equal(m.content(done.Backup), damaged) {
			t.Errorf("byte %d: the backup is not the old file", off)
		}
		if diff := cmp.Diff(want, liveOf(t, m.reader(t))); diff != "" {
			t.Errorf("byte %d (-want +got):\n%s", off, diff)
		}
		rep, err := verify(m.reader(t))
		if err != nil || !rep.OK() {
			t.Errorf("byte %d: after the recovery %v, %v", off, rep.Damage, err)
		}
		if again, err := l.Recover(ctx()); err != nil || again.Backup != "" || again.End != done.End {
			t.Errorf("byte %d: a second recovery did %+v, %v", off, again, err)
		}
	}
}

// Without its header, a log can still be recovered from its records.
func TestRecoverWithoutHeader(t *testing.T) {
	t.Parallel()
	b, live, _ := sampleLog(t, true)
	for i := range dataStart {
		b[i] = 'x'
	}
	m := newMemFS()
	m.put(memPath, b)
	l := m.process(newMemLock())
	if _, err := openReader(m, memPath, time.UTC); !errors.Is(err, ErrForeign) {
		t.Errorf("open without a header: %v", err)
	}
	if done, err := l.Recover(ctx()); err != nil || done.Entries != len(live) {
		t.Fatalf("recover: %+v, %v", done, err)
	}
	if diff := cmp.Diff(live, liveOf(t, m.reader(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A log cut off anywhere shows what was whole, a batch as a whole or not at all,
// and the next write removes the rest.
func TestEveryLength(t *testing.T) {
	t.Parallel()
	b, live, spans := sampleLog(t, true)
	for size := dataStart; size < len(b); size++ {
		want := map[string]string{}
		var batch []string
		for _, s := range spans {
			if s.to > int64(size) {
				break
			}
			f, _ := parseFrame(b[s.from:], s.from, saltOf(b))
			switch {
			case f.batch == 0:
				want[s.id] = live[s.id]
			case f.typ == typeCommit:
				for _, id := range batch {
					want[id] = live[id]
				}
				batch = nil
			default:
				batch = append(batch, s.id)
			}
		}
		m := newMemFS()
		m.put(memPath, b[:size])
		if diff := cmp.Diff(want, liveOf(t, m.reader(t))); diff != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", size, diff)
		}
		if rep, err := verify(m.reader(t)); err != nil || !rep.OK() {
			t.Fatalf("cut at %d: a torn tail is called damage: %v, %v", size, rep.Damage, err)
		}
		var repairs []Repair
		l := m.process(newMemLock(), WithReport(func(r Repair) { repairs = append(repairs, r) }))
		mustAppend(t, l, Put(note("mem_new", "new")))
		want["mem_new"] = "new"
		if diff := cmp.Diff(want, liveOf(t, m.reader(t))); diff != "" {
			t.Fatalf("cut at %d, then a write (-want +got):\n%s", size, diff)
		}
		rep, err := verify(m.reader(t))
		if err != nil || !rep.OK() || rep.Tail != nil {
			t.Fatalf("cut at %d, then a write: damage %v, tail %v, %v", size, rep.Damage, rep.Tail, err)
		}
		if len(repairs) > 1 || len(repairs) == 1 && (repairs[0].Kept != "" || repairs[0].To != int64(size)) {
			t.Fatalf("cut at %d: repairs %+v", size, repairs)
		}
	}
}

func saltOf(b []byte) uint32 {
	h, _ := parseHeader(b)
	return h.salt
}

func TestUnreadableTailIsKept(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(l *Log) error{
		"append":  func(l *Log) error { return ran(l.Append(ctx(), Put(note("mem_2", "second")))) },
		"compact": func(l *Log) error { return ran(l.Compact(ctx())) },
	} {
		dir := t.TempDir()
		var repairs []Repair
		l := openIn(t, dir, WithReport(func(r Repair) { repairs = append(repairs, r) }))
		mustAppend(t, l, Put(note("mem_1", "first")))
		size := int64(len(readLog(t, dir)))
		garbage := strings.Repeat("not a record. ", 20)
		writeLog(t, dir, append(readLog(t, dir), garbage...))
		wantTexts(t, dir, map[string]string{"mem_1": "first"})
		rep, err := Verify(ctx(), dir)
		if err != nil || len(rep.Damage) != 1 || rep.Damage[0].From != size {
			t.Errorf("%s: verify: %v, %v", name, rep.Damage, err)
		}
		if err := write(l); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, _ := texts(t, dir); got["mem_1"] != "first" {
			t.Errorf("%s: the entries are %v", name, got)
		}
		wantClean(t, dir)
		if len(repairs) != 1 || repairs[0].From != size || string(readFile(t, repairs[0].Kept)) != garbage {
			t.Errorf("%s: repairs %+v", name, repairs)
		}
	}
}

func TestForeignNewerAndUnusable(t *testing.T) {
	t.Parallel()
	newer := newMemFS()
	mustAppend(t, newer.process(newMemLock()), Put(note("mem_1", "x")))
	b := newer.content(memPath)
	b[4], b[headerSize+4] = 3, 3
	for name, tc := range map[string]struct {
		content string
		want    error
	}{
		"foreign":         {"#!/bin/sh\necho this is no log\n", ErrForeign},
		"foreign, short":  {"PK", ErrForeign},
		"newer":           {string(b), ErrNewer},
		"header damaged":  {"AMRL\xff\xff\xff\xff and no records", ErrDamaged},
		"version 2, torn": {"AMRL\x02\x00\x00\x00", ErrDamaged},
	} {
		dir := t.TempDir()
		writeLog(t, dir, []byte(tc.content))
		l := openIn(t, dir)
		_, readErr := OpenReader(dir)
		_, verifyErr := Verify(ctx(), dir)
		_, recoverErr := l.Recover(ctx())
		for _, err := range []error{
			readErr, verifyErr, recoverErr,
			ran(l.Append(ctx(), Put(note("mem_1", "x")))), ran(l.Compact(ctx())),
		} {
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := readLog(t, dir); string(got) != tc.content {
			t.Errorf("%s: the file was changed", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, LockName)); err == nil && !errors.Is(tc.want, ErrDamaged) {
			t.Errorf("%s: a lock was put beside it", name)
		}
	}
}

func TestUnusableFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "file")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := ran(openIn(t, plain).Append(ctx(), Put(note("mem_1", "x"))))
	if err == nil || !strings.Contains(err.Error(), plain) {
		t.Errorf("a file for a folder: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub", FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		ran(OpenReader(filepath.Join(dir, "sub"))),
		ran(openIn(t, filepath.Join(dir, "sub")).Append(ctx(), Put(note("mem_1", "x")))),
		ran(openIn(t, filepath.Join(dir, "sub")).Recover(ctx())),
	} {
		if !errors.Is(err, ErrForeign) || strings.Contains(err.Error(), "\n") {
			t.Errorf("a folder for a log: %v", err)
		}
	}
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	err = ran(openIn(t, locked).Append(ctx(), Put(note("mem_1", "x"))))
	if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), locked) {
		t.Errorf("a folder without permission: %v", err)
	}
}

// A length that the file does not have is refused before memory is taken for it.
func TestHugeLengths(t *testing.T) {
	t.Parallel()
	h := header{generation: 1, salt: 7}
	b := h.encode()
	start := len(b)
	b, _ = appendFrame(b, h.salt, frame{typ: TypeEntry, offset: int64(start)}, "t", "body")
	putFrameLen(b[start:], math.MaxUint32)
	m := newMemFS()
	m.put(memPath, b)
	r := m.reader(t)
	if got := liveOf(t, r); len(got) != 0 {
		t.Errorf("read %v", got)
	}
	if _, err := r.At(int64(start)); !errors.Is(err, ErrNoRecord) {
		t.Errorf("at: %v", err)
	}
	if rep, err := verify(r); err != nil || rep.Tail == nil {
		t.Errorf("verify: %+v, %v", rep, err)
	}
}
