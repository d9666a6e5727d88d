package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"helix/internal/guide"
	"helix/internal/kb"
)

// guideTools are those about the project rather than the memory alone.
func guideTools(g *guide.Guide) []*tool {
	return []*tool{
		{
			name: "context", title: "Context for a task",
			description: "What you should know before you begin a task, packed into a number of tokens: the project's rules, what the task demands, the files that it is about with their imports and tests, what is remembered about it, and an overview of the rest with ids for expand. Use it once at the start of a task.",
			reads:       true, idempotent: true,
			input: input(
				str("task", "the task in words; name files and identifiers where you know them"),
				str("bead", "or the id of a task in the queue"),
				count("max_tokens", fmt.Sprintf("how long the context may be; %d by default", guide.DefaultTokens)),
			),
			output: output[guide.ContextResult](),
			run:    of(g.Context),
		},
		{
			name: "expand", title: "Expand a node",
			description: "The detail behind a node id of a context or an outline: the source of a symbol, the outline of a file, the content of a folder.",
			reads:       true, idempotent: true,
			input:  input(str("node", "the id, such as node_12").must()),
			output: output[guide.Expansion](),
			run:    of(g.Expand),
		},
		{
			name: "ask", title: "Ask about the project",
			description: `Answer a question about the project from its code and from the memory: "what calls X", "who imports X", "where is X defined", "what is in file X" from the code with file:line; "why", "how does" from the memory; anything else from both.`,
			reads:       true, idempotent: true,
			input: input(
				str("question", "the question, with the name of what it is about").must(),
				count("limit", "the most answers to give, 20 by default"),
			),
			output: output[guide.AskResult](),
			run:    of(g.Ask),
		},
	}
}

// of runs something that does not need the memory it is given.
func of[Req any, Res result](do func(context.Context, Req) (Res, error)) func(context.Context, *kb.Memory, json.RawMessage) (result, error) {
	return method(func(_ *kb.Memory, ctx context.Context, req Req) (Res, error) { return do(ctx, req) })
}
