package proc

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"
)

// DefaultGrace is how long a process may tidy up between SIGTERM and SIGKILL.
// Claude Code needs about 1.6 s to run its SessionEnd hooks.
const DefaultGrace = 5 * time.Second

// killWait bounds the wait for processes that got SIGKILL. One that survives it
// hangs in the kernel, on a dead network disk for example.
const killWait = 3 * time.Second

// ErrSurvived means that processes are still there after SIGKILL.
var ErrSurvived = errors.New("processes survived SIGKILL")

// family is a set of processes that belong together.
type family struct {
	group  int    // a process group that is theirs; 0: none
	marker string // KEY=value that they carry; empty: none
	// known are members that were proven once. They stay members when they change
	// their group or lose their parents, and their children are members too.
	known map[Process]bool
	// spared are never members, whatever they carry.
	spared func(snapshot) map[int]bool
}

// living finds the members that are alive and remembers them.
func (f *family) living(table snapshot) []Process {
	spared := f.spared(table)
	if leader, ok := table[f.group]; ok && !f.known[leader.Process] {
		f.group = 0 // all of the group are gone and its number went to a stranger
	}
	members := map[int]bool{}
	for pid, r := range table {
		if f.known[r.Process] || (f.group != 0 && r.group == f.group) || carries(pid, f.marker) {
			members[pid] = true
		}
	}
	for pid := range spared {
		delete(members, pid)
	}
	proven := maps.Clone(members)
	for pid := range table {
		if !spared[pid] && table.descends(pid, proven) {
			members[pid] = true
		}
	}
	var found []Process
	for pid := range members {
		found = append(found, table[pid].Process)
		f.known[table[pid].Process] = true
	}
	slices.SortFunc(found, func(a, b Process) int { return a.PID - b.PID })
	return found
}

// end asks every member to end, and after grace makes it. It looks again and
// again until none is left. What the dying start, such as a hook for the end of a
// session, may finish within the grace. It returns those that it signalled.
func (f *family) end(grace time.Duration) (ended []Process, err error) {
	asked := map[Process]bool{}
	began, pause := time.Now(), 2*time.Millisecond
	for {
		table, err := processes()
		if err != nil {
			return ended, err
		}
		left := f.living(table)
		if len(left) == 0 {
			return ended, nil
		}
		spent := time.Since(began)
		if spent > grace+killWait {
			return ended, fmt.Errorf("proc: end %v: %w", left, ErrSurvived)
		}
		isAsked := func(p Process) bool { return asked[p] }
		sig := syscall.SIGTERM
		if spent >= grace {
			sig = syscall.SIGKILL
		}
		if sig == syscall.SIGKILL || !slices.ContainsFunc(left, isAsked) {
			for _, p := range left {
				p.signal(sig)
				if !asked[p] {
					asked[p] = true
					ended = append(ended, p)
				}
			}
		}
		time.Sleep(pause)
		pause = min(pause*2, 100*time.Millisecond)
	}
}

// signal reaches the process only while it is still the same one.
func (p Process) signal(sig syscall.Signal) {
	if now, err := StartToken(p.PID); err == nil && now == p.Start {
		_ = syscall.Kill(p.PID, sig)
	}
}

// Marked lists the living processes that carry marker, a KEY=value, in their
// environment. Only Linux tells; elsewhere the list is empty.
func Marked(marker string) ([]Process, error) {
	table, err := processes()
	if err != nil {
		return nil, err
	}
	var found []Process
	for pid, r := range table {
		if carries(pid, marker) {
			found = append(found, r.Process)
		}
	}
	slices.SortFunc(found, func(a, b Process) int { return a.PID - b.PID })
	return found, nil
}

// EndOrphans ends what a dead run left: the recorded processes that are still
// the same ones, everything that descends from them or shares their group, and
// every carrier of marker. This process, its ancestors and its descendants are
// never ended. It returns the ended processes. An empty marker finds nobody.
func EndOrphans(recorded []Process, marker string, grace time.Duration) ([]Process, error) {
	table, err := processes()
	if err != nil {
		return nil, err
	}
	f := &family{marker: marker, known: map[Process]bool{}, spared: snapshot.kin}
	spared := table.kin()
	for _, p := range recorded {
		leader, alive := table[p.PID]
		if p.Start == "" || !alive || leader.Start != p.Start || spared[p.PID] {
			continue
		}
		f.known[p] = true
		for _, r := range table {
			// A living leader pins its group's number.
			if r.group == p.PID && !spared[r.PID] {
				f.known[r.Process] = true
			}
		}
	}
	return f.end(grace)
}

// spareSelf is what a family that this process started itself must leave alone.
func spareSelf(table snapshot) map[int]bool { return table.lineage(os.Getpid()) }
