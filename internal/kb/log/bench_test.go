package log

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"helix/internal/kb/entry"
)

// benchText is about as long as an entry of a real memory.
var benchText = strings.Repeat("The auth client retries three times, with jitter. ", 6)

func benchEntry(i int) entry.Entry {
	e := note(fmt.Sprintf("mem_2026-06-18_auth-retry_%08x", i), benchText)
	e.Tags = []string{"auth", "retry"}
	e.Source = entry.Source{Path: "client/auth.go", Line: 42}
	return e
}

// loaded gives a folder with a log of n entries, written in batches of size.
func loaded(b *testing.B, n, size int) string {
	b.Helper()
	dir := b.TempDir()
	l := Open(dir)
	defer l.Close()
	for i := 0; i < n; i += size {
		ops := make([]Op, size)
		for j := range ops {
			ops[j] = Put(benchEntry(i + j))
		}
		if _, err := l.Append(ctx(), ops...); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func BenchmarkAppend(b *testing.B) {
	l := Open(b.TempDir())
	defer l.Close()
	for i := 0; b.Loop(); i++ {
		if _, err := l.Append(ctx(), Put(benchEntry(i))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendParallel(b *testing.B) {
	l := Open(b.TempDir())
	defer l.Close()
	b.SetParallelism(16)
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := l.Append(ctx(), Put(benchEntry(int(n.Add(1))))); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	const n = 20_000
	for b.Loop() {
		loaded(b, n, 1000)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

func BenchmarkScan(b *testing.B) {
	dir := loaded(b, 100_000, 5000)
	for b.Loop() {
		r, err := OpenReader(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Scan(Pos{}, func(*Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(r.info.size)
		r.Close()
	}
}

func BenchmarkEntries(b *testing.B) {
	dir := loaded(b, 100_000, 5000)
	n := 0
	for b.Loop() {
		r, err := OpenReader(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Entries(func(entry.Entry, int64) error { n++; return nil }); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(r.info.size)
		r.Close()
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "entries/s")
}

// BenchmarkTailCheck is what a hook does when nothing was written since its index
// was built.
func BenchmarkTailCheck(b *testing.B) {
	dir := loaded(b, 100_000, 5000)
	r, err := OpenReader(dir)
	if err != nil {
		b.Fatal(err)
	}
	end, err := r.End()
	if err != nil {
		b.Fatal(err)
	}
	r.Close()
	for b.Loop() {
		r, err := OpenReader(dir)
		if err != nil {
			b.Fatal(err)
		}
		if !r.Reached(end) {
			b.Fatal("not reached")
		}
		r.Close()
	}
}

// BenchmarkTailScan is the same with ten entries behind the index.
func BenchmarkTailScan(b *testing.B) {
	dir := loaded(b, 100_000, 5000)
	r, err := OpenReader(dir)
	if err != nil {
		b.Fatal(err)
	}
	end, err := r.End()
	if err != nil {
		b.Fatal(err)
	}
	r.Close()
	l := Open(dir)
	defer l.Close()
	for i := range 10 {
		if _, err := l.Append(ctx(), Put(benchEntry(200_000+i))); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		r, err := OpenReader(dir)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		if _, err := r.Scan(end, func(*Record) error { n++; return nil }); err != nil || n != 10 {
			b.Fatal(n, err)
		}
		r.Close()
	}
}

func BenchmarkState(b *testing.B) {
	r, err := OpenReader(loaded(b, 1000, 1000))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for b.Loop() {
		if s, err := r.State(); s != Same || err != nil {
			b.Fatal(s, err)
		}
	}
}

func BenchmarkCompact(b *testing.B) {
	l := Open(loaded(b, 100_000, 5000))
	defer l.Close()
	for b.Loop() {
		c, err := l.Compact(ctx())
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(c.After)
	}
}
