package crc

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// supported reports whether the processor has the instruction, which ARMv8.0 leaves
// open. All of Apple have it, of which x/sys/cpu does not know.
func supported() bool { return cpu.ARM64.HasCRC32 || runtime.GOOS == "darwin" }
