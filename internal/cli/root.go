package cli

import "github.com/spf13/cobra"

const rootLong = `helix drains a queue of coding work with Claude Code or Codex, and remembers
what it learns on the way.

A day with helix:
  helix init                        prepare this repository
  helix bead create "Fix the login" put work into the queue
  helix run                         work until the queue is empty
  helix status                      what happened, what it cost, why it stopped`

// rootCmd is the whole command tree, made anew for every invocation.
func (a *App) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:           "helix",
		Short:         "A supervisor for coding agents that remembers",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetVersionTemplate("helix {{.Version}}\n")
	root.AddGroup(
		&cobra.Group{ID: "work", Title: "Work:"},
		&cobra.Group{ID: "actions", Title: "Single actions of an agent:"},
		&cobra.Group{ID: "look", Title: "Look:"},
		&cobra.Group{ID: "setup", Title: "Set up:"},
	)
	root.AddCommand(
		a.runCmd(), a.buildCmd(), a.commitCmd(), a.beadCmd(),
		a.statusCmd(), a.logCmd(), a.explainCmd(), a.contextCmd(), a.expandCmd(), a.askCmd(), a.nextCmd(),
		a.startCmd(), a.stopCmd(), a.triageCmd(),
		a.initCmd(), a.doctorCmd(), a.quickstartCmd(), a.quickstartAgentCmd(), a.versionCmd(),
	)
	root.AddCommand(a.hookCmd(), a.kbCmd(), a.serveCmd())
	root.AddCommand(a.hooksCmd(), a.mcpCmd())
	root.AddCommand(a.treeCmd())
	root.AddCommand(a.actionCmds()...)
	explainMisuse(root)
	return root
}

// Commands is the command tree, for tests of the documents that describe it.
func Commands() *cobra.Command {
	return (&App{Getenv: func(string) string { return "" }}).rootCmd()
}
