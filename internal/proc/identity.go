package proc

import (
	"errors"
	"os"
	"syscall"
)

// Exists reports whether some process has this pid now. A process of another
// user counts as existing.
func Exists(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Same reports whether pid is still the process whose start token was start.
// An empty start means that none was recorded; then only existence can be told.
// A process that exists but whose token cannot be read counts as the same one:
// the callers use this to decide whether taking over is safe.
func Same(pid int, start string) bool {
	if !Exists(pid) {
		return false
	}
	if start == "" {
		return true
	}
	now, err := StartToken(pid)
	return err != nil || now == start
}

// Machine is the host name under which claims are recorded, "unknown" when the
// system has none.
func Machine() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "unknown"
	}
	return name
}
