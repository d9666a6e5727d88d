package hook

import (
	"path/filepath"
	"strings"

	"helix/internal/hook/handover"
	"helix/internal/kb/rawfile"
)

// project is the checkout in which a session works.
type project struct {
	root string // absolute
	hash string // stands for it in the files of package handover
}

// project finds the checkout that the session's folder lies in; false for none.
func (q *request) project() (project, bool) {
	cwd := str(q.input, "cwd")
	if !filepath.IsAbs(cwd) || strings.ContainsRune(cwd, 0) {
		return project{}, false
	}
	for at := filepath.Clean(cwd); ; at = filepath.Dir(at) {
		if exists(at + "/.git") {
			return project{at, handover.Project(at)}, true
		}
		if at == filepath.Dir(at) {
			return project{}, false
		}
	}
}

func exists(path string) bool {
	_, err := rawfile.Lstat(path)
	return err == nil
}

// ofRun tells that helix itself started the agent: its prompt or its briefing has the
// context, and nobody is there to be told anything.
func (q *request) ofRun() bool { return q.env.Getenv("HELIX_AGENT_SESSION") == "1" }
