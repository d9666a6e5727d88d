package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/guide"
)

func (a *App) askCmd() *cobra.Command {
	var f guideFlags
	var r guide.AskRequest
	cmd := &cobra.Command{
		Use: "ask QUESTION", Short: "Answer a question from the code and the memory", GroupID: "look", Args: cobra.MinimumNArgs(1),
		Long: `Answer a question about the project. What calls X, who imports X, where X is defined
or what is in a file is read from the code, with file and line; reasons and lessons
come from the memory; anything else from both.`,
		Example: `  helix ask what calls parseToken
  helix ask why do tokens live 15 minutes`,
		RunE: a.guideRun(&f, func(ctx context.Context, g *guide.Guide, args []string) (kbResult, error) {
			r.Question = strings.Join(args, " ")
			return g.Ask(ctx, r)
		}),
	}
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "most answers to print (default 20)")
	f.add(cmd)
	return cmd
}

func (a *App) expandCmd() *cobra.Command {
	var f guideFlags
	cmd := &cobra.Command{
		Use: "expand NODE", Short: "Show what is behind a node id of a context", GroupID: "look", Args: cobra.ExactArgs(1),
		RunE: a.guideRun(&f, func(ctx context.Context, g *guide.Guide, args []string) (kbResult, error) {
			return g.Expand(ctx, guide.ExpandRequest{Node: args[0]})
		}),
	}
	f.add(cmd)
	return cmd
}
