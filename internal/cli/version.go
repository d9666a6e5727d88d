package cli

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version of this source tree; CHANGELOG.md says what is in it.
const release = "0.1.0"

// version is the release and, where the build knows it, the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + " (" + s.Value[:12] + ")"
		}
	}
	return release
}

func (a *App) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		GroupID: "setup",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.Printf("helix %s\n", version())
			return nil
		},
	}
}
