package crc

import "sync"

var (
	asked sync.Once
	has   bool
)

// supported reports whether the processor has the instruction, as all since 2008 do.
// To ask is a trap in a virtual machine, so it is done once, and not by x/sys/cpu,
// which asks for all there is when the program starts.
func supported() bool {
	asked.Do(func() { has = sse42() })
	return has
}

func sse42() bool
