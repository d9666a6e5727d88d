//go:build darwin || freebsd

package proc

import (
	"fmt"
	"os/exec"
	"strings"
)

// StartToken identifies one life of a pid by the start time that ps prints.
func StartToken(pid int) (string, error) {
	cmd := exec.Command("ps", "-o", "lstart=", "-p", fmt.Sprint(pid))
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("proc: start time of pid %d: %w", pid, err)
	}
	return strings.Join(strings.Fields(string(out)), "_"), nil
}
