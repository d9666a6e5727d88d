package cli

import (
	"context"

	"github.com/spf13/cobra"

	"helix/internal/kb"
)

func (a *App) kbCompactCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "compact", Short: "Give the room of what was changed and deleted back", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Compact(ctx) }),
	}
}

func (a *App) kbReindexCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "reindex", Short: "Build the search index anew", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Reindex(ctx) }),
	}
}

func (a *App) kbVerifyCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Check the files of the memory", Args: cobra.NoArgs,
		Long: "Check every checksum of the memory's files; nothing is written. Exit 1: the log is damaged.",
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) {
			found, err := m.Verify(ctx)
			if err == nil && !found.OK {
				err = &exitError{code: ExitError}
			}
			return found, err
		}),
	}
}

func (a *App) kbRecoverCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "recover", Short: "Save what can be read from damaged files", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Recover(ctx) }),
	}
}
