package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"helix/internal/kb/entry"
)

// ask puts every kind of question to a snapshot.
func ask(s *Snapshot) error {
	return Guard(func() error {
		for _, f := range []Filter{{Now: epoch}, {Now: epoch, Require: [][]string{{TagKey("api")}}, Exclude: []string{TopicKey("auth")}}} {
			q := &Query{Should: []Word{{Text: "caching"}, {Text: "retry"}, {Text: "the"}}, Limit: 3, Filter: f}
			s.Search(q)
			for _, h := range s.Search(&Query{Must: q.Should[:2], Limit: 3, Filter: f}) {
				s.Place(h.Ref)
				s.Topic(h.Ref)
			}
			for _, r := range s.Newest(3, &f) {
				s.Place(r)
			}
		}
		s.Topics(epoch)
		s.TopTopics(2, epoch)
		s.Tags(epoch)
		s.Sources(epoch)
		s.Find("mem_1")
		return nil
	})
}

func smallSegment(n int) []byte {
	b := NewBuilder()
	for i := range n {
		e := entry.New([]string{"auth", "build"}[i%2], "caching the token, retry "+string(rune('a'+i%26)), epoch)
		e.ID = "mem_" + string(rune('0'+i%10)) + string(rune('a'+i/10%26))
		e.Tags = []string{"api"}
		e.Source.Path = "src/cache.go"
		b.Add(Doc{Entry: &e, Offset: int64(i), Change: "change"})
	}
	return b.Segment()
}

// FuzzSegment: no bytes do harm, whatever is asked of them.
func FuzzSegment(f *testing.F) {
	good := smallSegment(200)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte("AMRN"))
	f.Add(smallSegment(0))
	f.Fuzz(func(t *testing.T, data []byte) {
		// The checksum would stop nearly all of what is worth trying.
		if len(data) >= headerSize {
			data = append([]byte(nil), data...)
			sealHeader(data)
		}
		seg, err := Load(data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		if seg.docs > 1<<20 {
			return
		}
		s := &Snapshot{}
		s.add(&part{seg: seg})
		if err := ask(s); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
	})
}

// TestFlippedBytes asks a segment of which one byte is wrong: for each byte of the
// header, and every few of the rest.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	good := smallSegment(140)
	file := filepath.Join(t.TempDir(), "bad.seg")
	step := 1
	for i := 0; i < len(good); i += step {
		if i >= headerSize {
			step = 7
		}
		bad := append([]byte(nil), good...)
		bad[i] ^= 0x55
		if i < headerSize-4 {
			sealHeader(bad)
		}
		seg, err := Load(bad)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("byte %d: %v", i, err)
			}
			continue
		}
		both := []*Segment{seg}
		if i < headerSize || i%5 == 0 { // a file takes its time
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			sparse, err := openSegment(file, 1)
			if err != nil {
				t.Fatalf("byte %d: %v", i, err)
			}
			both = append(both, sparse)
		}
		for _, seg := range both {
			s := &Snapshot{}
			s.add(&part{seg: seg})
			err := ask(s)
			if err = errors.Join(err, seg.release()); err != nil && !errors.Is(err, ErrCorrupt) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
		if i >= headerSize && seg.Verify() == nil {
			t.Fatalf("byte %d: verify does not notice", i)
		}
	}
}

// FuzzManifest: what can be read is written back the same.
func FuzzManifest(f *testing.F) {
	f.Add(string((&manifest{next: 3, mark: "m", parts: []manifestPart{{"000001.seg", 5, "000002.gone", 1}}}).encode()))
	f.Add("AMRN manifest 5\nsum 0\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, data string) {
		m, err := decodeManifest(data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		again, err := decodeManifest(string(m.encode()))
		if err != nil || again.next != m.next || again.mark != m.mark || len(again.parts) != len(m.parts) {
			t.Fatalf("%+v, then %+v, %v", m, again, err)
		}
	})
}

func TestNoIndexAndForeignFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Open(dir); !errors.Is(err, ErrNone) {
		t.Fatal(err)
	}
	w, err := OpenWriter(context.Background(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWriter(context.Background(), dir, true); !errors.Is(err, ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	if err := w.Add(smallSegment(5), nil, "here"); err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(dir, "000099.seg")
	for name, data := range map[string]string{stray: "left by a crash", filepath.Join(dir, "notes.txt"): "mine"} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(smallSegment(1), nil, "there"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stray segment is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Errorf("a file of somebody else: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, manifestName), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a foreign manifest: %v", err)
	}
	if w, err = OpenWriter(context.Background(), dir, false); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.Snapshot().Docs() != 0 || w.Snapshot().Watermark() != "" {
		t.Errorf("not begun anew: %d documents", w.Snapshot().Docs())
	}
}

// TestMergeKeepsSegmentsFew adds many small segments and counts what is left.
func TestMergeKeepsSegmentsFew(t *testing.T) {
	t.Parallel()
	w, err := OpenWriter(context.Background(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.small = 4
	for i := range 300 {
		b := NewBuilder()
		for j := range 5 {
			e := entry.New("t", "some words", epoch)
			e.ID = "mem_" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + string(rune('a'+j))
			b.Add(Doc{Entry: &e, Offset: int64(5*i + j)})
		}
		if err := w.Add(b.Segment(), nil, "m"); err != nil {
			t.Fatal(err)
		}
		if more, err := w.Merge(context.Background(), 1<<30); err != nil || more {
			t.Fatal(more, err)
		}
		if st := w.Snapshot().Stats(); st.Segments > 3*6 || st.Docs != 5*(i+1) {
			t.Fatalf("after %d writes: %+v", i+1, st)
		}
	}
	if more, err := w.Merge(context.Background(), 0); err != nil || more {
		t.Errorf("more to merge: %v, %v", more, err)
	}
}

// TestCutShort: a file that ends too early, read sparsely, is damaged each time that it
// is asked, and what was read of it before the end is not taken for something else.
func TestCutShort(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "short.seg")
	if err := os.WriteFile(file, smallSegment(200), 0o600); err != nil {
		t.Fatal(err)
	}
	seg, err := openSegment(file, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = seg.release() })
	norms := int64(seg.head.off[secNorms])
	s := &Snapshot{}
	s.add(&part{seg: seg})
	w := s.spare.take()
	if err := Guard(func() error { w.norm(0, s.parts[0], 0); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, norms+normSize); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Guard(func() error { w.norm(0, s.parts[0], 1); return nil }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("norms: %v", err)
		}
		err := Guard(func() error {
			_, found := seg.find(1)
			return fmt.Errorf("found %v", found)
		})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("ids: %v", err)
		}
	}
}
