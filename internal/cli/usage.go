package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// explainMisuse has every command say what is wrong with its flags and arguments, and
// where to read, or what, is right.
func explainMisuse(root *cobra.Command) {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see: %s --help", err, cmd.CommandPath())
	})
	var each func(*cobra.Command)
	each = func(cmd *cobra.Command) {
		if check := cmd.Args; check != nil {
			cmd.Args = func(cmd *cobra.Command, args []string) error {
				err := check(cmd, args)
				if err == nil || !countError(err) {
					return err
				}
				name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
				if check(cmd, append(args[:len(args):len(args)], "")) == nil || len(args) == 0 {
					return fmt.Errorf("%s: an argument is missing; write: %s", name, cmd.UseLine())
				}
				return fmt.Errorf("%s: %q is one argument too many; write: %s", name, args[len(args)-1], cmd.UseLine())
			}
		}
		for _, c := range cmd.Commands() {
			each(c)
		}
	}
	each(root)
}

// countError tells the errors of cobra's own checks, which count arguments, from
// those of helix, which say more.
func countError(err error) bool {
	for _, begins := range []string{"unknown command ", "accepts ", "requires "} {
		if strings.HasPrefix(err.Error(), begins) {
			return true
		}
	}
	return false
}
