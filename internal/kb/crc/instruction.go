//go:build amd64 || arm64

package crc

// Update adds b to a checksum.
func Update(sum uint32, b []byte) uint32 {
	if !supported() {
		return sliced(table(), sum, b)
	}
	return instruction(sum, b)
}

// instruction is sliced by the instruction of the processor.
//
//go:noescape
func instruction(sum uint32, b []byte) uint32
