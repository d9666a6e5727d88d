package mcp

import (
	"helix/internal/kb"
	"helix/internal/kb/entry"
)

// tools lists the seven tools in the order in which a model should think of them.
func tools() []*tool {
	return []*tool{searchTool(), storeTool(), batchTool(), briefTool(), readTool(), editTool(), topicsTool()}
}

func kinds() []string {
	var all []string
	for _, k := range entry.Kinds() {
		all = append(all, string(k))
	}
	return all
}

const dates = "YYYY-MM-DD, an RFC 3339 time, today, yesterday, week or month"

func searchTool() *tool {
	return &tool{
		name: "search", title: "Search the memory",
		description: `Find what is remembered about something. Do this before you start work, before you read a file that you do not know, and when you meet an error. Every word counts, also by its stem; if no entry has all words, those with some are given and "fallback" says so. Give specific words: names, error texts, files. What belongs to another project than the one you work in has "other_project": it may help, and binds nothing here.`,
		reads:       true, idempotent: true, always: true,
		input: input(
			str("query", `words; "quoted phrases", -excluded words and the filters topic: tag: source: kind: project: since: until: may be among them; may be left out if topic, tag, source, kind, project or a time says what to list`),
			str("detail", "how much of each entry: full text, medium (default: two lines), brief (one line); or only numbers: count, topics (matches by topic), grouped (by topic, with entries)", "full", "medium", "brief", "count", "topics", "grouped"),
			count("limit", "the most entries to give, 20 by default"),
			str("mode", "and (default): all words; or: any of them", "and", "or"),
			str("topic", "only this topic; a pattern with * is allowed"),
			str("tag", "only entries with this tag"),
			str("source", "only entries about this file"),
			str("kind", "only this kind of entry", kinds()...),
			str("project", onlyProject),
			str("after", "only entries made at or after: "+dates),
			str("before", "only entries made before: "+dates),
			count("days", "only entries of the last so many days"),
			count("hours", "only entries of the last so many hours; overrides days"),
		),
		output: output[kb.SearchResult](),
		run:    method((*kb.Memory).Search),
	}
}

// finding are the arguments that describe an entry.
func finding() []arg {
	return []arg{
		str("topic", "what it is about, such as auth or build; the same word for the same thing each time").must(),
		str("text", "the finding in full sentences that stand on their own; a first word such as gotcha:, decision:, invariant: or how-to: sets kind and tag").must(),
		str("kind", "what sort of memory it is; fact by default, or as the first words of the text say", kinds()...),
		texts("tags", "found from the first words of the text if left out"),
		str("source", "where it comes from: path or path:line. Give it whenever there is one: the memory then notices when the file changes"),
		fraction("confidence", "how sure it is, from 0 to 1; 1 by default"),
		str("project", storeProject),
		texts("links", "ids of entries that belong to it, or topic:index"),
		yes("force", "no check for entries that say nearly the same"),
	}
}

const (
	storeProject = `the project that it belongs to: left out, the one you work in; "none" for what holds in all projects, such as what the user prefers; else a path in its checkout, or its name`
	onlyProject  = `only entries of this project: a path in its checkout ("." is the one you work in), its name, or "none" for those that hold in all projects`
)

var allowSecrets = "store text that looks like a secret as it is, instead of replacing the secret by a marker"

func storeTool() *tool {
	return &tool{
		name: "store", title: "Remember a finding",
		description: `Remember one finding for later sessions. Use it as soon as you have learned something that was not obvious: why something is as it is, what broke and how it was fixed, a rule that must hold, a decision and its reason. Not for what the code plainly says. If "duplicate" comes back, an entry nearly says this already: consider edit.`,
		always:      true,
		input:       input(append(finding(), yes("allow_secrets", allowSecrets))...),
		output:      output[kb.Stored](),
		aliases:     map[string]string{"terse": ""},
		run:         method((*kb.Memory).Store),
	}
}

func batchTool() *tool {
	return &tool{
		name: "batch", title: "Remember several findings",
		description: "Remember up to 30 findings at once: all are stored, or none. Entries of the batch that say nearly the same as an earlier one are left out, and the result says which.",
		input: input(
			objects("entries", "the findings", 30, finding()...).must(),
			str("project", "of entries that name none: "+storeProject),
			yes("allow_secrets", allowSecrets),
			yes("verbose", "name each entry in the text of the answer"),
		),
		output: output[kb.Batched](),
		run:    method((*kb.Memory).Batch),
	}
}

func briefTool() *tool {
	return &tool{
		name: "brief", title: "Brief me",
		description: "An overview of what is known about a topic, grouped into architecture, decisions, gotchas, how-to and so on, the most relevant first and repetitions folded. Use it when you begin on an area; use search for a specific question.",
		reads:       true, idempotent: true,
		input: input(
			str("query", "a topic, a pattern of topics with *, or words; left out: the whole memory"),
			str("detail", "summary (default), scan (some entries of each category), full", "summary", "scan", "full"),
			count("since", "only entries of the last so many hours"),
			texts("focus", "only these categories, such as gotchas, decisions, invariants"),
			yes("compact", "shorter lines"),
		),
		output: output[kb.BriefResult](),
		run:    method((*kb.Memory).Brief),
	}
}

func readTool() *tool {
	return &tool{
		name: "read", title: "Read entries whole",
		description: "The full text of one entry by its id, or of the entries of a topic, the oldest first. Use it when search or brief show that an entry matters.",
		reads:       true, idempotent: true,
		input: input(
			str("id", "the entry"),
			str("topic", "the topic whose entries to read"),
			place("only this entry of the topic: from 0, negative from the end"),
			count("limit", "the most entries to give, the newest; 50 by default"),
		),
		output: output[kb.ReadResult](),
		run:    method((*kb.Memory).Read),
	}
}
