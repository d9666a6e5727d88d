package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// StartToken identifies one life of a pid: the boot it belongs to and the clock
// tick at which it started (proc(5), field 22 of stat).
func StartToken(pid int) (string, error) {
	r, _, err := readRow(pid, boot())
	if err != nil {
		return "", fmt.Errorf("proc: start time of pid %d: %w", pid, err)
	}
	return r.Start, nil
}

// boot identifies the current boot; empty when the system does not tell.
func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(id) < 8 {
		return ""
	}
	return string(id[:8]) + "-"
}

// readRow reads one process and says whether it is alive.
func readRow(pid int, boot string) (r row, alive bool, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return row{}, false, err
	}
	return parseStat(pid, string(stat), boot)
}

// parseStat reads a line of /proc/PID/stat. The command name, in parentheses,
// may itself hold spaces and parentheses.
func parseStat(pid int, stat, boot string) (r row, alive bool, err error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const first = 3 // proc(5) number of fields[0]
	const state, parent, group, start = 3 - first, 4 - first, 5 - first, 22 - first
	if len(fields) <= start {
		return row{}, false, errors.New("unexpected form of stat")
	}
	r = row{Process: Process{PID: pid, Start: boot + fields[start]}}
	r.parent, _ = strconv.Atoi(fields[parent])
	r.group, _ = strconv.Atoi(fields[group])
	dead := fields[state] == "Z" || fields[state] == "X"
	return r, !dead, nil
}

// processes reads the process table. Processes that end meanwhile are left out.
func processes() (snapshot, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("proc: read the process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("proc: read the process table: %w", err)
	}
	table, boot := snapshot{}, boot()
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if r, alive, err := readRow(pid, boot); err == nil && alive {
			table[pid] = r
		}
	}
	return table, nil
}

// carries says whether the process was started with marker in its environment.
// A process whose environment may not be read does not.
func carries(pid int, marker string) bool {
	if marker == "" {
		return false
	}
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if string(kv) == marker {
			return true
		}
	}
	return false
}
