package kb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

func TestCompactAndReindex(t *testing.T) {
	t.Parallel()
	m := open(t)
	for i := range 40 {
		mustStore(t, m, "t", fmt.Sprintf("entry %d about caching", i))
	}
	if _, err := m.Edit(t.Context(), EditRequest{Action: "delete", Topic: "t", Match: "entry 7 about"}); err != nil {
		t.Fatal(err)
	}
	var last, total int
	ctx := WithProgress(t.Context(), func(d, n int) { last, total = d, n })
	r, err := m.Reindex(ctx)
	if err != nil || r.Entries != 39 || r.Topics != 1 || r.Segments != 1 || last == 0 || last != total {
		t.Fatalf("%+v, %v, progress %d of %d", r, err, last, total)
	}
	c, err := m.Compact(t.Context())
	if err != nil || c.Entries != 39 || c.After >= c.Before {
		t.Fatalf("%+v, %v", c, err)
	}
	found, err := m.Search(t.Context(), SearchRequest{Query: "caching", Detail: "count"})
	if err != nil || found.Matches != 39 {
		t.Fatalf("%+v, %v", found, err)
	}
	if v := mustView(t, m); v.Behind() != 0 {
		t.Errorf("the index is %d entries behind", v.Behind())
	}
}

func mustView(t *testing.T, m *Memory) *view.View {
	t.Helper()
	v, err := m.View()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

func TestVerifyAndRecover(t *testing.T) {
	t.Parallel()
	m := open(t)
	v, err := m.Verify(t.Context())
	if err != nil || !v.OK || v.Version != 0 || !strings.HasPrefix(v.Text(), "nothing is stored yet") {
		t.Fatalf("%+v, %v", v, err)
	}
	for i := range 5 {
		mustStore(t, m, "t", fmt.Sprintf("entry %d", i))
	}
	if r, err := m.Recover(t.Context()); err != nil || r.Backup != "" || !strings.HasPrefix(r.Text(), "nothing to recover") {
		t.Fatalf("%+v, %v", r, err)
	}
	path := filepath.Join(m.Dir(), log.FileName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[strings.Index(string(data), "entry 2")] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	v, err = m.Verify(t.Context())
	if err != nil || v.OK || len(v.Damage) != 1 || v.Entries != 4 || !strings.Contains(v.Text(), fmt.Sprintf("damaged: offset %d to %d", v.Damage[0].From, v.Damage[0].To)) {
		t.Fatalf("%+v, %v", v, err)
	}
	found, err := m.Search(t.Context(), SearchRequest{Query: "entry"})
	if err != nil || found.Matches != 4 {
		t.Fatalf("the rest still serves: %+v, %v", found, err)
	}
	if _, err := m.Compact(t.Context()); !errors.Is(err, ErrRefused) {
		t.Fatalf("compact of a damaged log: %v", err)
	}
	r, err := m.Recover(t.Context())
	if err != nil || r.Entries != 4 || len(r.Lost) != 1 || r.Backup == "" || !strings.Contains(r.Text(), "kept as") {
		t.Fatalf("%+v, %v", r, err)
	}
	if v, err = m.Verify(t.Context()); err != nil || !v.OK || v.Entries != 4 {
		t.Fatalf("afterwards: %+v, %v", v, err)
	}
}

// TestUnfinishedWrite: what a write that broke off has left is named, also by the
// recovery that cuts it off.
func TestUnfinishedWrite(t *testing.T) {
	t.Parallel()
	m := open(t)
	mustStore(t, m, "t", "entry 0")
	path := filepath.Join(m.Dir(), log.FileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mustStore(t, m, "t", "entry 1")
	if err := os.Truncate(path, int64(len(whole))+20); err != nil {
		t.Fatal(err)
	}
	v, err := m.Verify(t.Context())
	if text := v.Text(); err != nil || !v.OK || !strings.Contains(text, "\nunfinished write: ") || !strings.HasSuffix(text, "\nelse the log is as it was written\n") {
		t.Errorf("%s%v", text, err)
	}
	r, err := m.Recover(t.Context())
	want := fmt.Sprintf("cut off: offset %d to %d: unfinished write\nelse the log is as it was written\n", len(whole), len(whole)+20)
	if err != nil || r.Text() != want {
		t.Errorf("%q, %v, want %q", r.Text(), err, want)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(whole) {
		t.Errorf("the log has %d bytes, %v, want %d", len(got), err, len(whole))
	}
}

// TestDamagedIndexHeals: a process that finds the index damaged answers all the
// same, and leaves a sound one behind.
func TestDamagedIndexHeals(t *testing.T) {
	t.Parallel()
	m := open(t)
	for i := range 30 {
		mustStore(t, m, "t", fmt.Sprintf("entry %d about caching", i))
	}
	if _, err := m.Reindex(t.Context()); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(m.Dir(), view.IndexDir, "*.seg"))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	data, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := 272; i < len(data); i++ { // behind the header
		data[i] = 0xff
	}
	// As another file of that name: the one that is mapped stays as it is.
	if err := errors.Join(os.Remove(segments[0]), os.WriteFile(segments[0], data, 0o600)); err != nil {
		t.Fatal(err)
	}
	other := Open(m.Dir())
	found, err := other.Search(t.Context(), SearchRequest{Query: "caching", Limit: 100})
	if err != nil || found.Matches != 30 {
		t.Fatalf("%d, %v", found.Matches, err)
	}
	if v, err := other.Verify(t.Context()); err != nil || !strings.HasPrefix(v.Index, "damaged") {
		t.Errorf("%+v, %v", v, err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	third := openIn(t, m.Dir())
	if v, err := third.Verify(t.Context()); err != nil || v.Index != "fine" {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestSettle: a process that wrote more than a little leaves the index up to date.
func TestSettle(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kb")
	for _, step := range []struct{ writes, behind int }{{littleBehind, littleBehind}, {1, 0}} {
		m := Open(dir)
		for i := range step.writes {
			mustStore(t, m, "t", fmt.Sprintf("entry %d of %d", i, step.writes))
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if got := mustView(t, openIn(t, dir)).Behind(); got != step.behind {
			t.Errorf("after %d writes the index is %d behind, want %d", step.writes, got, step.behind)
		}
	}
}

// TestTend: a server keeps the index up with its own writes and those of others.
func TestTend(t *testing.T) {
	t.Parallel()
	m := open(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Tend(ctx, func(err error) { t.Error(err) })
	}()
	defer func() { stop(); <-done }()
	settled := func(entries int) {
		t.Helper()
		for ; ; time.Sleep(5 * time.Millisecond) {
			v, err := m.View()
			if err != nil {
				t.Fatal(err)
			}
			behind, n := v.Behind(), v.Len()
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			if n != entries {
				t.Fatalf("%d entries, want %d", n, entries)
			}
			if behind == 0 {
				return
			}
			if t.Context().Err() != nil {
				t.Fatal("never")
			}
		}
	}
	mustStore(t, m, "t", "by the server")
	settled(1)
	other := Open(m.Dir())
	mustStore(t, other, "t", "by another process")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	settled(2)
}
