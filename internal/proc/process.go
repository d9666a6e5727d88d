package proc

import "os"

// Process is one life of a pid. Start is its StartToken; empty means unknown,
// which proves nothing.
type Process struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// row is one living process of the process table. A zombie counts as dead: it
// runs nothing and holds nothing open.
type row struct {
	Process
	parent int
	group  int
}

// snapshot is the process table at one moment, by pid.
type snapshot map[int]row

// lineage is pid and all its ancestors.
func (s snapshot) lineage(pid int) map[int]bool {
	line := map[int]bool{}
	for pid > 0 && !line[pid] {
		line[pid] = true
		pid = s[pid].parent
	}
	return line
}

// descends says whether a strict ancestor of pid is in set.
func (s snapshot) descends(pid int, set map[int]bool) bool {
	seen := map[int]bool{}
	for p := s[pid].parent; p > 0 && !seen[p]; p = s[p].parent {
		if set[p] {
			return true
		}
		seen[p] = true
	}
	return false
}

// kin is this process, its ancestors and its descendants: what it must never end
// by hunting for others.
func (s snapshot) kin() map[int]bool {
	self := os.Getpid()
	kin := s.lineage(self)
	for pid := range s {
		if s.descends(pid, map[int]bool{self: true}) {
			kin[pid] = true
		}
	}
	return kin
}
