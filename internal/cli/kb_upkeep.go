//go:build kbwip

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
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Verify(ctx) }),
	}
}

func (a *App) kbRecoverCmd(f *kbFlags) *cobra.Command {
	return &cobra.Command{
		Use: "recover", Short: "Save what can be read from damaged files", Args: cobra.NoArgs,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, _ []string) (kbResult, error) { return m.Recover(ctx) }),
	}
}
