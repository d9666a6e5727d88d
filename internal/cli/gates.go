package cli

import (
	"context"
	"os"
	"os/exec"

	"helix/internal/git"
	"helix/internal/run/executor/builtin/gate"
)

// gates are the configured ones, else what the project's files tell.
func (p *project) gates() []gate.Spec {
	if p.config.Gates != nil {
		return gate.Configured(p.config.Gates)
	}
	specs, _ := gate.Detect(os.DirFS(p.repo.Dir), onPath)
	return specs
}

func onPath(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// detectGates names the commands that would be gates here.
func (a *App) detectGates(_ context.Context, repo *git.Repo) []string {
	specs, _ := gate.Detect(os.DirFS(repo.Dir), onPath)
	commands := make([]string, len(specs))
	for i, s := range specs {
		commands[i] = s.Command
	}
	return commands
}
