package install

import (
	"fmt"
	"os"
	"path/filepath"
)

// The clients, and the two sets of settings that they read.
const (
	Claude  = "claude"
	Codex   = "codex"
	User    = "user"
	Project = "project"
)

// Machine is where to look for the clients' settings.
type Machine struct {
	Home    string
	Project string // root of the project, for scope Project
	Getenv  func(string) string
}

// Place is the settings of one client in one scope.
type Place struct {
	Client string
	Scope  string
	Hooks  string // file that holds the hooks
	Server string // file that holds the MCP servers
	Dir    string // folder that exists once the client has been used
}

// Places are the settings of the client, "all" for both, in the scope. Codex has
// settings of the user only.
func Places(m Machine, client, scope string) ([]Place, error) {
	if scope != User && scope != Project {
		return nil, fmt.Errorf("--scope %q is not known; use user or project", scope)
	}
	if client != "all" && client != Claude && client != Codex {
		return nil, fmt.Errorf("--client %q is not known; use claude, codex or all", client)
	}
	if client == Codex && scope == Project {
		return nil, fmt.Errorf("codex reads hooks and servers of the user only; leave --scope project out")
	}
	var places []Place
	if client != Codex {
		places = append(places, m.claude(scope))
	}
	if client != Claude && scope == User {
		places = append(places, m.codex())
	}
	return places, nil
}

func (m Machine) claude(scope string) Place {
	if scope == Project {
		dir := filepath.Join(m.Project, ".claude")
		return Place{Claude, scope, filepath.Join(dir, "settings.json"), filepath.Join(m.Project, ".mcp.json"), dir}
	}
	dir, server := filepath.Join(m.Home, ".claude"), filepath.Join(m.Home, ".claude.json")
	if own := m.Getenv("CLAUDE_CONFIG_DIR"); own != "" {
		dir, server = own, filepath.Join(own, ".claude.json")
	}
	return Place{Claude, scope, filepath.Join(dir, "settings.json"), server, dir}
}

func (m Machine) codex() Place {
	dir := filepath.Join(m.Home, ".codex")
	if own := m.Getenv("CODEX_HOME"); own != "" {
		dir = own
	}
	return Place{Codex, User, filepath.Join(dir, "hooks.json"), filepath.Join(dir, "config.toml"), dir}
}

// Used tells whether the client has settings on this machine.
func (p Place) Used() bool {
	info, err := os.Stat(p.Dir)
	return err == nil && info.IsDir()
}
