package run

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"helix/internal/proc"
	"helix/internal/run/agent"
	"helix/internal/tracker"
)

// RunMarker is the environment variable by which a run's processes are known.
const RunMarker = "HELIX_RUN_ID"

// orphanGrace is how long an orphan may take to end by itself.
const orphanGrace = 3 * time.Second

// Host is the Processes of a real run.
type Host struct{}

func (Host) Self() tracker.Claim {
	start, _ := proc.StartToken(os.Getpid()) // without it the pid alone is compared
	return tracker.Claim{Owner: Owner, PID: os.Getpid(), Start: start, Machine: proc.Machine()}
}

func (Host) Same(pid int, start string) bool { return proc.Same(pid, start) }

func (Host) EndOrphans(_ context.Context, runID string, leaders []agent.Process) ([]string, error) {
	ended, err := proc.EndOrphans(leaders, RunMarker+"="+runID, orphanGrace)
	names := make([]string, len(ended))
	for i, p := range ended {
		names[i] = fmt.Sprintf("process %d", p.PID)
	}
	return names, err
}

func (Host) Kill(leaders []agent.Process) {
	for _, p := range leaders {
		if proc.Same(p.PID, p.Start) {
			_ = syscall.Kill(-p.PID, syscall.SIGKILL)
		}
	}
}
