package agent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// outer are variables of the surroundings that would mislead an agent: those
// that point git at another repository (git rev-parse --local-env-vars; a hook
// has them), and those by which a session of a coding agent, inside which helix
// may itself run, tells its own children about itself. What configures an agent,
// such as CLAUDE_CONFIG_DIR or CODEX_HOME, is not among them.
var outer = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_OBJECT_DIRECTORY", "GIT_DIR",
	"GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE",
	"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
	"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH",

	"CLAUDECODE", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR",
	"CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
	"CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN",
	"CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "AI_AGENT",

	"CODEX_CI", "CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT", "CODEX_SANDBOX",
	"CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_SESSION_ID", "CODEX_THREAD_ID",
	"CODEX_TOOL_CALL_ID", "CODEX_VERSION",

	"HELIX_CONTEXT_FILE", // meant for the agent inside which this helix was started
}

// environ is what every agent inherits.
func (s System) environ() []string {
	env := s.Environ
	if env == nil {
		env = os.Environ()
	}
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(outer, name)
	})
}

// variable is the value that a program with this environment sees: the last one.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

var errNotFound = errors.New("not found on PATH")

// lookPath finds a program in the PATH of env, or relative to dir when its name
// has a slash. Relative entries of PATH are ignored: they would name whatever
// the agent's working folder happens to hold.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, executable(name)
	}
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		file := filepath.Join(folder, name)
		if filepath.IsAbs(file) && executable(file) == nil {
			return file, nil
		}
	}
	return "", errNotFound
}

func executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("does not exist")
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return errors.New("is not an executable file")
	}
	return nil
}
