// Package guide answers about one project from everything that helix has: the code
// tree, the memory and the queue. It serves the commands context, expand and ask,
// and the MCP tools of the same names.
//
//	g := guide.Guide{Root: root, Memory: m, Tree: tree, Beads: find}
//	c, err := g.Context(ctx, guide.ContextRequest{Task: "respect deadlines in client/http.go"})
//	a, err := g.Ask(ctx, guide.AskRequest{Question: "what calls retry"})
//
// What contextpack, ask and codetree do is theirs; here it is put together.
package guide
