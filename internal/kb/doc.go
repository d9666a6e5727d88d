// Package kb is the memory service: what every door (CLI, MCP, the run loop)
// asks for in the words of a user, and what it answers.
//
//	m := kb.Open(dir)
//	defer m.Close()
//	stored, err := m.Store(ctx, kb.StoreRequest{Topic: "auth", Text: "tokens live 15 minutes"})
//	found, err := m.Search(ctx, kb.SearchRequest{Query: "token lifetime"})
//	fmt.Print(found.Text())
//
// Requests are plain values as they come from a flag or a tool call; each method
// checks them and refuses with one line that wraps ErrRefused or ErrNotFound
// before anything is written. Results carry JSON names and a Text form that says
// the same to a person.
//
// What is stored belongs to the project at hand (WithProject), another that the request
// names, or none. Searches find all and prefer the own project's.
//
// The truth is the log (kb/log). Reading goes through a view (kb/view); writing
// goes through this package only, which finds secrets, chooses ids and keeps the
// index up.
package kb
