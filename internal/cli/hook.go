package cli

import (
	"os"

	"github.com/spf13/cobra"

	"helix/internal/hook"
)

func (a *App) hookCmd() *cobra.Command {
	return &cobra.Command{
		Use: "hook EVENT [DIR]", Short: "Answer a hook of Claude Code or Codex from the memory", GroupID: "setup",
		Long: `Read the JSON of an event on standard input and answer it on standard output:
context from the memory for the agent, or nothing. It always exits with 0; with
HELIX_HOOK_DEBUG=1 standard error says what went wrong. DIR is the folder of the
memory. helix hooks install has the clients call it.

EVENT is session, prompt, ambient, post-build, error-context, pre-compact, stop,
subagent, subagent-stop, session-end or approve-mcp, or the client's own name of
the event, such as PreToolUse.`,
		// Whatever a client adds to the command line, it must not fail.
		Args: cobra.ArbitraryArgs, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			hook.Main(args, a.Stdin, a.Stdout, a.Stderr, a.Getenv, func() { os.Exit(0) })
			return nil
		},
	}
}
