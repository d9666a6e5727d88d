// Package crc computes CRC-32C, as hash/crc32 does, without its start-up cost.
//
// hash/crc32 makes tables of 9 KB before the first checksum of this polynomial:
// 0.1 ms, a tenth of the life of a hook process that checks twenty small records.
// Here small inputs go through a table of 64 bytes until it pays to make the
// large ones.
package crc

import (
	"hash/crc32"
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

var (
	table = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })
	done  atomic.Int64 // bytes that went through nibbles
)

// Checksum gives the CRC-32C of b.
func Checksum(b []byte) uint32 { return Update(0, b) }

// Update adds b to a checksum.
func Update(sum uint32, b []byte) uint32 {
	if len(b) > smallInput || done.Load() > enough {
		return crc32.Update(sum, table(), b)
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
