package builtin

import (
	"path/filepath"
	"strings"

	"helix/internal/git"
)

// trackerFiles are what a tracker folder holds beside the person's settings:
// the queue, and what ddx and helix write about their runs. A trailing slash
// means a folder; all others are the beginning of a name.
var trackerFiles = []string{
	"beads.jsonl", "beads-archive.jsonl", "beads.lock", ".beads.jsonl.", "attachments/", "executions/", "runs/", "workers/",
	"agent-logs/", "metrics/", "run-state", "helix-", "helix.pid",
}

// housekeeper tells the files that belong to the queue and to helix itself from
// the project's. An attempt does not land changes of the former: the real ones
// are in the checkout, and change while agents work.
type housekeeper struct {
	tracker string // folder within the checkout, with a slash at its end; empty: outside
}

func (e *Executor) housekeeper() housekeeper {
	rel, err := filepath.Rel(resolved(e.root.Dir), resolved(e.TrackerDir))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return housekeeper{}
	}
	return housekeeper{tracker: strings.TrimPrefix(filepath.ToSlash(rel)+"/", "./")}
}

func (h housekeeper) owns(path string) bool {
	if strings.HasPrefix(path, ".helix/") || strings.HasPrefix(path, ".helix-logs/") {
		return true
	}
	for _, dir := range []string{".ddx/", h.tracker} {
		name, ok := strings.CutPrefix(path, dir)
		if !ok || dir == "" {
			continue
		}
		for _, f := range trackerFiles {
			if strings.HasPrefix(name, f) {
				return true
			}
		}
	}
	return false
}

// split separates the project's changes from housekeeping.
func (h housekeeper) split(changes []git.Change) (project, own []git.Change) {
	for _, c := range changes {
		if h.owns(c.Path) {
			own = append(own, c)
		} else {
			project = append(project, c)
		}
	}
	return project, own
}
