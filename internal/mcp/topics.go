package mcp

import (
	"context"
	"fmt"
	"strings"

	"helix/internal/kb"
)

// topicsArgs are the arguments of all actions of topics.
type topicsArgs struct {
	Topic   string   `json:"topic"`
	Project string   `json:"project"`
	Days    int      `json:"days"`
	Hours   int      `json:"hours"`
	Limit   int      `json:"limit"`
	Detail  string   `json:"detail"`
	Index   *int     `json:"index"`
	Match   string   `json:"match"`
	Focus   []string `json:"focus"`
	Format  string   `json:"format"`
}

func topicsActions() []action[topicsArgs] {
	return []action[topicsArgs]{
		on("list", "topics", func(ctx context.Context, m *kb.Memory, a topicsArgs) (kb.TopicList, error) {
			return m.Topics(ctx, kb.TopicsRequest{Project: a.Project})
		}),
		on("recent", "recent", func(ctx context.Context, m *kb.Memory, a topicsArgs) (kb.RecentResult, error) {
			return m.Recent(ctx, kb.RecentRequest{Days: a.Days, Hours: a.Hours, Limit: a.Limit, Project: a.Project})
		}),
		on("entries", "entries", func(ctx context.Context, m *kb.Memory, a topicsArgs) (kb.EntriesResult, error) {
			return m.EntriesOf(ctx, kb.EntriesRequest{Topic: a.Topic, Index: a.Index, Match: a.Match, Focus: a.Focus, Limit: a.Limit, Project: a.Project})
		}),
		on("stats", "stats", func(ctx context.Context, m *kb.Memory, a topicsArgs) (kb.StatsResult, error) {
			return m.Stats(ctx, kb.StatsRequest{Detail: a.Detail})
		}),
		on("xref", "xref", func(ctx context.Context, m *kb.Memory, a topicsArgs) (kb.XrefResult, error) {
			return m.Xref(ctx, a.Topic)
		}),
		on("graph", "graph", func(ctx context.Context, m *kb.Memory, _ topicsArgs) (kb.GraphResult, error) {
			return m.Graph(ctx, kb.GraphRequest{Progress: reporter(ctx)})
		}),
		on("stale", "stale", func(ctx context.Context, m *kb.Memory, _ topicsArgs) (kb.StaleResult, error) {
			return m.Stale(ctx)
		}),
		on("prune", "prune", func(ctx context.Context, m *kb.Memory, a topicsArgs) (kb.PruneResult, error) {
			return m.Prune(ctx, kb.PruneRequest{Days: a.Days})
		}),
		on("export", "exported", func(ctx context.Context, m *kb.Memory, a topicsArgs) (exported, error) {
			return export(ctx, m, a.Format, a.Topic)
		}),
		on("session", "session", func(ctx context.Context, m *kb.Memory, _ topicsArgs) (kb.SessionResult, error) {
			return m.Session(ctx)
		}),
		on("verify", "verified", func(ctx context.Context, m *kb.Memory, _ topicsArgs) (kb.Verified, error) {
			return m.Verify(ctx)
		}),
	}
}

func topicsTool() *tool {
	actions := topicsActions()
	return &tool{
		name: "topics", title: "Look around in the memory",
		description: `What there is, without a question: the topics (list), what was stored lately (recent) or in this session (session), one line for each entry of a topic (entries), numbers (stats), which other topics mention a topic (xref), how topics hang together (graph), entries whose source file has changed (stale), topics without news (prune: only lists them), all entries as text (export), and whether the files are sound (verify). Changes nothing; import, compact and reindex are actions of edit.`,
		reads:       true, idempotent: true,
		input: input(
			choose("what to show; list by default", actions),
			str("topic", "entries, xref: the topic; export: the only one"),
			str("project", "list, recent, entries: "+onlyProject),
			count("days", "recent: how far back, 7 by default; prune: how long without news, 30 by default"),
			count("hours", "recent: how far back; overrides days"),
			count("limit", "the most entries: of recent 20 by default, of entries 50"),
			str("detail", "stats: tags or index, for more about these", "tags", "index"),
			place("entries: only this one, from 0, negative from the end"),
			str("match", "entries: only those with this text"),
			texts("focus", "entries: only these categories, such as gotchas, decisions"),
			str("format", "export: jsonl (default) or markdown", "jsonl", "markdown"),
		),
		output:  outcomes(actions),
		aliases: map[string]string{"match_str": "match", "refresh": "", "json": ""},
		run:     dispatch(actions, "list", map[string]string{"import": "edit", "compact": "edit", "reindex": "edit"}),
	}
}

// maxExport is the longest export that is answered, in bytes: a model has no use
// for more.
const maxExport = 1 << 20

// exported is an export as it is answered.
type exported struct {
	Format string `json:"format"`
	Data   string `json:"data"`
}

// Text is the export itself.
func (e exported) Text() string { return e.Data }

func export(ctx context.Context, m *kb.Memory, format, topic string) (exported, error) {
	if format == "" {
		format = "jsonl"
	}
	var b answer
	if _, err := m.Export(ctx, kb.ExportRequest{Format: format, Topic: topic}, &b); err != nil {
		return exported{}, err
	}
	return exported{Format: format, Data: b.text.String()}, nil
}

// answer is text for an answer; it refuses more than maxExport.
type answer struct{ text strings.Builder }

func (a *answer) Write(p []byte) (int, error) {
	if a.text.Len()+len(p) > maxExport {
		return 0, fmt.Errorf("more than %d bytes are too much for an answer: name a topic, or use: helix kb export", maxExport)
	}
	return a.text.Write(p)
}
