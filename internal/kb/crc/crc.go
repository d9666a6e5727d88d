// Package crc computes CRC-32C, as hash/crc32 does, without its start-up cost.
//
// hash/crc32 makes a table when the program starts and tables of 9 KB before the
// first checksum of this polynomial: together a tenth of the life of a hook process
// that checks twenty small records. Here small inputs go through a table of 64 bytes
// until it pays to make the large ones.
package crc

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

const (
	smallInput = 4 << 10  // bytes that the small table may take at once
	enough     = 16 << 10 // bytes after which the large tables are made
)

// nibbles is the checksum of each four bits, reflected polynomial 0x82f63b78.
var nibbles = [16]uint32{
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
}

// slices holds the checksum of each byte, and of each byte with one to seven zeros
// behind it.
type slices [8][256]uint32

var (
	table = sync.OnceValue(makeSlices)
	done  atomic.Int64 // bytes that went through nibbles
)

func makeSlices() *slices {
	var t slices
	for i := range t[0] {
		sum := uint32(i)
		sum = nibbles[sum&15] ^ sum>>4
		t[0][i] = nibbles[sum&15] ^ sum>>4
	}
	for n := 1; n < len(t); n++ {
		for i := range t[n] {
			before := t[n-1][i]
			t[n][i] = t[0][byte(before)] ^ before>>8
		}
	}
	return &t
}

// Checksum gives the CRC-32C of b.
func Checksum(b []byte) uint32 { return Update(0, b) }

// Update adds b to a checksum.
func Update(sum uint32, b []byte) uint32 {
	if len(b) > smallInput || done.Load() > enough {
		return sliced(table(), sum, b)
	}
	done.Add(int64(len(b)))
	return small(sum, b)
}

func small(sum uint32, b []byte) uint32 {
	sum = ^sum
	for _, c := range b {
		sum ^= uint32(c)
		sum = nibbles[sum&15] ^ sum>>4
		sum = nibbles[sum&15] ^ sum>>4
	}
	return ^sum
}

// sliced takes eight bytes at once (Kounavis, Berry 2005).
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
