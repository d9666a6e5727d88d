package cli

import (
	"context"

	"github.com/spf13/cobra"

	"helix/internal/hook/install"
)

func (a *App) mcpCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Set the memory's tools up in Claude Code and Codex", GroupID: "setup", Args: noSuchCommand, RunE: showHelp}
	var approve bool
	add := a.placesCmd("install", "Make the memory's tools known to Claude Code and Codex",
		func(_ context.Context, p install.Place) (install.Change, error) {
			program, err := install.Find()
			if err != nil {
				return install.Change{}, err
			}
			return install.Server(p, program, []string{"serve"}, approve)
		})
	add.Long = `Write the memory server into the settings of Claude Code (~/.claude.json, or
.mcp.json of the project) and Codex (~/.codex/config.toml). Other settings stay as
they are, and the old file is kept as <name>.helix-backup.`
	add.Flags().BoolVar(&approve, "approve", false, "Codex: let it change and delete entries without asking; codex exec, which cannot ask, refuses that where helix's hooks do not run")
	remove := a.placesCmd("uninstall", "Take the memory server out of the clients' settings",
		func(_ context.Context, p install.Place) (install.Change, error) { return install.Unserve(p) })
	cmd.AddCommand(add, remove)
	return cmd
}
