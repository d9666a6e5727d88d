//go:build !amd64 && !arm64

package crc

// Update adds b to a checksum.
func Update(sum uint32, b []byte) uint32 { return sliced(table(), sum, b) }
