package agent

import (
	"fmt"
	"slices"
)

// ParseKind reads the name of an agent as users write it.
func ParseKind(name string) (Kind, error) {
	k := Kind(name)
	if slices.Contains([]Kind{Claude, Codex, Command}, k) {
		return k, nil
	}
	return "", fmt.Errorf("unsupported agent: %s (known: claude, codex, command)", name)
}

// Installed lists the agents whose programs are on PATH, the default one first.
func (s System) Installed() []Kind {
	var found []Kind
	env := s.environ()
	for _, k := range []Kind{Codex, Claude} {
		if _, err := lookPath(string(k), "", env); err == nil {
			found = append(found, k)
		}
	}
	return found
}

// Default picks the agent of a user who named none: Codex where it is installed,
// else the one that is. With none installed it is Codex, whose absence then
// shows as the reason of the first run.
func Default(installed []Kind) Kind {
	if slices.Contains(installed, Codex) || len(installed) == 0 {
		return Codex
	}
	return installed[0]
}

// Alternate is the other agent, when that is installed: a second opinion for
// reviews.
func Alternate(k Kind, installed []Kind) (Kind, bool) {
	other := map[Kind]Kind{Claude: Codex, Codex: Claude}[k]
	return other, slices.Contains(installed, other)
}

// CommandLine is the program and the arguments that run an agent in dir. The
// prompt is not part of it: every agent reads that on standard input. It is nil
// for an unknown kind.
func CommandLine(spec Spec, dir string) []string {
	switch spec.Kind {
	case Claude:
		args := []string{"claude", "-p", "--output-format", "stream-json", "--verbose",
			"--permission-mode", "bypassPermissions", "--dangerously-skip-permissions"}
		if spec.Model != "" {
			args = append(args, "--model", spec.Model)
		}
		if spec.Effort != "" {
			args = append(args, "--effort", spec.Effort)
		}
		return args
	case Codex:
		args := []string{"codex", "exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "-C", dir}
		if spec.Model != "" {
			args = append(args, "-m", spec.Model)
		}
		if spec.Effort != "" {
			args = append(args, "-c", "model_reasoning_effort="+spec.Effort)
		}
		return append(args, "-")
	case Command:
		return slices.Clone(spec.Command)
	}
	return nil
}
