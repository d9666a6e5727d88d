package mcp

import (
	"context"
	"encoding/json"

	"helix/internal/kb"
)

// editArgs are the arguments of all actions of edit.
type editArgs struct {
	kb.EditRequest
	Format  string `json:"format"`
	Data    string `json:"data"`
	Replace bool   `json:"replace"`
}

func editActions() []action[editArgs] {
	var actions []action[editArgs]
	for _, name := range []string{"append", "revise", "delete", "tag", "rename", "merge"} {
		actions = append(actions, on(name, "edited", func(ctx context.Context, m *kb.Memory, a editArgs) (kb.Edited, error) {
			a.Action = name
			return m.Edit(ctx, a.EditRequest)
		}))
	}
	return append(actions,
		on("import", "imported", func(ctx context.Context, m *kb.Memory, a editArgs) (kb.Imported, error) {
			if a.Format == "" {
				a.Format = formatOf(a.Data)
			}
			return m.Import(ctx, kb.ImportRequest{Format: a.Format, Data: a.Data, Replace: a.Replace, AllowSecrets: a.AllowSecrets})
		}),
		on("export", "exported", func(ctx context.Context, m *kb.Memory, a editArgs) (exported, error) {
			return export(ctx, m, a.Format, a.Topic)
		}),
		on("compact", "compacted", func(ctx context.Context, m *kb.Memory, _ editArgs) (kb.Compacted, error) {
			return m.Compact(ctx)
		}),
		on("reindex", "reindexed", func(ctx context.Context, m *kb.Memory, _ editArgs) (kb.Reindexed, error) {
			return m.Reindex(ctx)
		}),
	)
}

func editTool() *tool {
	actions := editActions()
	return &tool{
		name: "edit", title: "Change the memory",
		description: `Correct what is remembered: append to an entry, revise its text, delete it, tag it; rename a topic, merge it into another. Name the entry by id, or by topic and index or match; with a topic alone the newest is meant that is no other project's. Also import and export entries, compact the files and rebuild the index. Revise an entry that has become wrong instead of storing its contradiction.`,
		destructive: true,
		input: input(
			choose("append, revise, delete and tag change one entry; rename and merge a topic; import, export, compact and reindex the whole memory", actions).must(),
			str("id", "the entry"),
			str("topic", "the topic of the entry; for rename and merge the one whose entries move; for export the only one"),
			place("the entry's place in the topic: from 0, negative from the end"),
			str("match", "text that exactly one entry of the topic has"),
			str("text", "append: what to add; revise: the new text"),
			texts("tags", "tag: the tags to add"),
			texts("remove", "tag: the tags to take away"),
			yes("all", "delete: every entry of the topic"),
			str("into", "rename, merge: the topic that takes the entries"),
			str("format", "import: found from the data if left out; export: jsonl (default) or markdown", "jsonl", "markdown", "original-json"),
			str("data", "import: the entries, in the format"),
			yes("replace", "import: replace entries that have the same id and other content"),
			yes("allow_secrets", allowSecrets),
		),
		output:  outcomes(actions),
		aliases: map[string]string{"match_str": "match", "tag": "tags", "new_name": "into", "json": "data"},
		run:     dispatch(actions, "", nil),
	}
}

// formatOf tells the export of the original helix, one object of topics with a list
// of entries each, from lines of JSON.
func formatOf(data string) string {
	var topics map[string][]json.RawMessage
	if json.Unmarshal([]byte(data), &topics) == nil {
		return "original-json"
	}
	return "jsonl"
}
