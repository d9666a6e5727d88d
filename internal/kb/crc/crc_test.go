package crc

import (
	"hash/crc32"
	"testing"

	"pgregory.net/rapid"
)

func TestSameAsStandard(t *testing.T) {
	t.Parallel()
	std := crc32.MakeTable(crc32.Castagnoli)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOf(rapid.Byte()).Draw(t, "a"), rapid.SliceOf(rapid.Byte()).Draw(t, "b")
		want := crc32.Update(crc32.Checksum(a, std), std, b)
		if got := Update(Checksum(a), b); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
		if got := small(small(0, a), b); got != want {
			t.Fatalf("small: %08x, want %08x", got, want)
		}
		if got := sliced(table(), sliced(table(), 0, a), b); got != want {
			t.Fatalf("sliced: %08x, want %08x", got, want)
		}
	})
}
