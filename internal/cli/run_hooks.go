package cli

import (
	"fmt"

	"helix/internal/hook/install"
	"helix/internal/run/agent"
)

const installHooksCommand = "helix hooks install"

// unheard says why agents of this kind, started by an executor that composes their
// prompts itself, are told nothing of what is remembered; "" where helix's hooks tell
// them. With a command for an agent ddx chooses the harness: it may be either client.
func (a *App) unheard(p *project, kind agent.Kind) string {
	m := install.Machine{Home: a.Getenv("HOME"), Project: p.repo.Dir, Getenv: a.Getenv}
	client, name := string(kind), string(kind)
	if kind == agent.Command {
		client, name = "all", "Claude Code or Codex"
	}
	var places []install.Place
	for _, scope := range []string{install.User, install.Project} {
		if some, err := install.Places(m, client, scope); err == nil { // Codex has none of a project
			places = append(places, some...)
		}
	}
	switch ok, err := install.Answers(places, "SessionStart"); {
	case err != nil:
		return fmt.Sprintf("agents under ddx may be told nothing of what is remembered: helix's hooks in %s cannot be looked up: %v", name, err)
	case !ok:
		return fmt.Sprintf("agents under ddx are told nothing of what is remembered: helix's hooks are not installed in %s", name)
	}
	return ""
}
