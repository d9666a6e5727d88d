// Package crc computes CRC-32C, as hash/crc32 does, without its start-up cost.
//
// hash/crc32 makes a table when the program starts and tables of 9 KB before the
// first checksum of this polynomial: together a tenth of the life of a hook process
// that checks twenty small records. The instruction of the processor needs none.
// Where there is no such instruction, a table is made at the first checksum.
package crc

import (
	"encoding/binary"
	"sync"
)

// slices holds the checksum of each byte, and of each byte with one to seven zeros
// behind it. The polynomial is 0x82f63b78, reflected.
type slices [8][256]uint32

var (
	made   sync.Once // not sync.OnceValue, which would run code at every start
	tables slices
)

func table() *slices {
	made.Do(tables.fill)
	return &tables
}

func (t *slices) fill() {
	for i := range t[0] {
		sum := uint32(i)
		for range 8 {
			sum = sum>>1 ^ 0x82f63b78&-(sum&1)
		}
		t[0][i] = sum
	}
	for n := 1; n < len(t); n++ {
		for i := range t[n] {
			before := t[n-1][i]
			t[n][i] = t[0][byte(before)] ^ before>>8
		}
	}
}

// Checksum gives the CRC-32C of b.
func Checksum(b []byte) uint32 { return Update(0, b) }

// sliced adds b to a checksum, eight bytes at once (Kounavis, Berry 2005).
func sliced(t *slices, sum uint32, b []byte) uint32 {
	sum = ^sum
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b) ^ uint64(sum)
		sum = t[7][byte(w)] ^ t[6][byte(w>>8)] ^ t[5][byte(w>>16)] ^ t[4][byte(w>>24)] ^
			t[3][byte(w>>32)] ^ t[2][byte(w>>40)] ^ t[1][byte(w>>48)] ^ t[0][byte(w>>56)]
	}
	for _, c := range b {
		sum = t[0][byte(sum)^c] ^ sum>>8
	}
	return ^sum
}
