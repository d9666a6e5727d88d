package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/kb"
)

func (a *App) kbSearchCmd(f *kbFlags) *cobra.Command {
	var r kb.SearchRequest
	cmd := &cobra.Command{
		Use: "search [QUERY]", Short: "Find entries",
		Long: `Find entries that have all words of the query, or some of them if no entry has
all. A query may have "quoted phrases", -excluded words and the filters topic: tag:
source: kind: project: since: until: among its words (put -- before a query that begins
with -). Entries of the project at hand come before those of others that fit alike, which
are marked @name; project:. finds only the former.`,
		Example: `  helix kb search token lifetime
  helix kb search 'deadlock topic:build' --days 30 --detail full`,
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			r.Query = strings.Join(args, " ")
			return m.Search(ctx, r)
		}),
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Detail, "detail", "", "full, medium (default), brief, count, topics or grouped")
	fl.IntVar(&r.Limit, "limit", 0, "most entries to print (default 20)")
	fl.StringVar(&r.Mode, "mode", "", "and (default): all words; or: any of them")
	fl.StringVar(&r.Topic, "topic", "", "only this topic; may have *")
	fl.StringVar(&r.Tag, "tag", "", "only entries with this tag")
	fl.StringVar(&r.Source, "source", "", "only entries about this file")
	fl.StringVar(&r.Kind, "kind", "", "only entries of this kind")
	fl.StringVar(&r.Project, "project", "", onlyProject)
	fl.StringVar(&r.After, "after", "", "only entries made at or after this date, today, yesterday, week, month")
	fl.StringVar(&r.Before, "before", "", "only entries made before")
	fl.IntVar(&r.Days, "days", 0, "only entries of the last so many days")
	fl.IntVar(&r.Hours, "hours", 0, "only entries of the last so many hours")
	return cmd
}

func (a *App) kbBriefCmd(f *kbFlags) *cobra.Command {
	var r kb.BriefRequest
	cmd := &cobra.Command{
		Use: "brief [QUERY]", Short: "Print an overview of a topic, or of everything",
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			r.Query = strings.Join(args, " ")
			return m.Brief(ctx, r)
		}),
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Detail, "detail", "", "summary (default), scan or full")
	fl.IntVar(&r.Since, "since", 0, "only entries of the last so many `hours`")
	fl.StringSliceVar(&r.Focus, "focus", nil, "only these categories, such as gotchas,decisions")
	fl.BoolVar(&r.Compact, "compact", false, "shorter lines")
	return cmd
}

func (a *App) kbReadCmd(f *kbFlags) *cobra.Command {
	var r kb.ReadRequest
	var index int
	cmd := &cobra.Command{
		Use: "read [TOPIC]", Short: "Print entries whole", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
				if len(args) == 1 {
					r.Topic = args[0]
				}
				if cmd.Flags().Changed("index") {
					r.Index = &index
				}
				return m.Read(ctx, r)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&r.ID, "id", "", "the entry with this id")
	cmd.Flags().IntVar(&index, "index", 0, "only this entry of the topic, from 0; negative from the end")
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "most entries to print, the newest (default 50)")
	return cmd
}
