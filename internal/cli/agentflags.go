package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"helix/internal/config"
)

// agentFlags choose the agent of a command.
type agentFlags struct {
	agent, model, effort string
	claude, codex        bool
}

func (f *agentFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.agent, "agent", "", "agent that does the work: claude, codex or command")
	fl.BoolVar(&f.claude, "claude", false, "short for --agent claude")
	fl.BoolVar(&f.codex, "codex", false, "short for --agent codex")
	fl.StringVar(&f.model, "model", "", "model of the agent")
	fl.StringVar(&f.effort, "effort", "", "how hard the agent thinks: low, medium, high or max")
}

func (f *agentFlags) validate() error {
	switch {
	case f.claude && f.codex:
		return errors.New("--claude and --codex contradict each other; leave one out")
	case f.agent != "" && (f.claude || f.codex):
		return errors.New("--agent and its short forms --claude and --codex contradict each other; leave one out")
	case f.agent != "" && !slices.Contains([]string{"claude", "codex", "command"}, f.agent):
		return fmt.Errorf("--agent %q is not known; use claude, codex or command", f.agent)
	case f.effort != "" && !slices.Contains([]string{"low", "medium", "high", "max"}, f.effort):
		return fmt.Errorf("--effort %q is not known; use low, medium, high or max", f.effort)
	}
	return nil
}

// override puts the flags over the settings.
func (f *agentFlags) override(cfg *config.Config) {
	switch {
	case f.claude:
		cfg.Agent = "claude"
	case f.codex:
		cfg.Agent = "codex"
	case f.agent != "":
		cfg.Agent = f.agent
	}
	if f.model != "" {
		cfg.Model = f.model
	}
	if f.effort != "" {
		cfg.Effort = f.effort
	}
}
