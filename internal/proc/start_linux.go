package proc

import (
	"fmt"
	"os"
	"strings"
)

// StartToken identifies one life of a pid: the boot it belongs to and the clock
// tick at which it started (proc(5), field 22 of stat).
func StartToken(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", fmt.Errorf("proc: start time of pid %d: %w", pid, err)
	}
	// The command name in parentheses may itself hold spaces and parentheses.
	rest := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
	fields := strings.Fields(rest)
	const startTime = 22 - 3 // fields starts at field 3
	if len(fields) <= startTime {
		return "", fmt.Errorf("proc: start time of pid %d: stat has %d fields", pid, len(fields))
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(boot) < 8 {
		return fields[startTime], nil
	}
	return string(boot[:8]) + "-" + fields[startTime], nil
}
