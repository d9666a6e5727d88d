package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// noSuchCommand and showHelp are for a command that only has others below it.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: unknown command %q; see: helix %[1]s --help", cmd.Name(), args[0])
	}
	return nil
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }
