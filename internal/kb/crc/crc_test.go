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
		all := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "all")
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		a, b := all[:cut], all[cut:]
		want := crc32.Update(crc32.Checksum(a, std), std, b)
		if got := Update(Checksum(a), b); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
		if got := sliced(table(), sliced(table(), 0, a), b); got != want {
			t.Fatalf("sliced: %08x, want %08x", got, want)
		}
	})
}
