// Package tests holds the end-to-end cases: each script/*.txtar is a session of
// a user with the real binary, real git and scripted agents.
package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"helix/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"helix": func() { os.Exit(cli.Main()) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "script",
		RequireExplicitExec: true,
		Setup:               setup,
	})
}

// setup gives every script a home, a temp folder and a git identity of its own,
// and nothing else of the machine's configuration.
func setup(env *testscript.Env) error {
	for _, dir := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o755); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{
		"HOME":                filepath.Join(env.WorkDir, "home"),
		"TMPDIR":              filepath.Join(env.WorkDir, "tmp"),
		"XDG_CACHE_HOME":      filepath.Join(env.WorkDir, "home", ".cache"),
		"XDG_CONFIG_HOME":     filepath.Join(env.WorkDir, "home", ".config"),
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_CONFIG_GLOBAL":   os.DevNull,
		"GIT_AUTHOR_NAME":     "Test",
		"GIT_AUTHOR_EMAIL":    "test@example.com",
		"GIT_COMMITTER_NAME":  "Test",
		"GIT_COMMITTER_EMAIL": "test@example.com",
		"HELIX_BACKOFF_SLEEP": "0",
		"GOCACHE":             os.Getenv("GOCACHE"),
		"GOFLAGS":             os.Getenv("GOFLAGS"),
		"NO_COLOR":            "1",
	} {
		if value != "" {
			env.Setenv(name, value)
		}
	}
	return nil
}
