//go:build darwin || freebsd

package proc

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// StartToken identifies one life of a pid by the start time that ps prints.
func StartToken(pid int) (string, error) {
	out, err := ps("-o", "lstart=", "-p", strconv.Itoa(pid))
	if err != nil {
		return "", fmt.Errorf("proc: start time of pid %d: %w", pid, err)
	}
	return strings.Join(strings.Fields(out), "_"), nil
}

func ps(args ...string) (string, error) {
	cmd := exec.Command("ps", args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := cmd.Output()
	return string(out), err
}

// processes reads the process table.
func processes() (snapshot, error) {
	out, err := ps("-axo", "pid=,ppid=,pgid=,stat=,lstart=")
	if err != nil {
		return nil, fmt.Errorf("proc: read the process table: %w", err)
	}
	table := snapshot{}
	for line := range strings.Lines(out) {
		if r, alive := parsePS(line); alive {
			table[r.PID] = r
		}
	}
	return table, nil
}

// parsePS reads a line of ps: pid, parent, group, state, start time.
func parsePS(line string) (r row, alive bool) {
	fields := strings.Fields(line)
	if len(fields) < 5 || strings.HasPrefix(fields[3], "Z") {
		return row{}, false
	}
	pid, err := strconv.Atoi(fields[0])
	if err != nil {
		return row{}, false
	}
	r = row{Process: Process{PID: pid, Start: strings.Join(fields[4:], "_")}}
	r.parent, _ = strconv.Atoi(fields[1])
	r.group, _ = strconv.Atoi(fields[2])
	return r, true
}

// carries is always false: this system does not show another process's
// environment reliably.
func carries(int, string) bool { return false }
