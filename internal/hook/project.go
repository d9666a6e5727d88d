package hook

import (
	"helix/internal/checkout"
	"helix/internal/hook/handover"
)

// project is the checkout in which a session works.
type project struct {
	root string // absolute
	hash string // stands for it in the files of package handover
}

// project finds the checkout that the session's folder lies in; false for none.
func (q *request) project() (project, bool) {
	root := checkout.Root(str(q.input, "cwd"))
	if root == "" {
		return project{}, false
	}
	return project{root, handover.Project(root)}, true
}

// scope is the project whose entries, with those of none, are shown: that of the file
// at hand, "" for no file, else that in which the session works. Outside of any
// checkout it is "", and all are shown: there is nothing that they could be confused
// with.
func (q *request) scope(file string) string {
	if project := checkout.Of(file); project != "" {
		return project
	}
	return checkout.Of(str(q.input, "cwd"))
}

// ofRun tells that helix itself started the agent: its prompt or its briefing has the
// context, and nobody is there to be told anything.
func (q *request) ofRun() bool { return q.env.Getenv("HELIX_AGENT_SESSION") == "1" }
