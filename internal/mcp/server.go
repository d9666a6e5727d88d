package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helix/internal/guide"
	"helix/internal/kb"
)

// Options says what to serve, and where.
type Options struct {
	Memory  *kb.Memory
	Guide   *guide.Guide // adds the tools about the project; nil for none
	Version string       // of helix, for serverInfo
	In      io.Reader
	Out     io.Writer    // gets nothing but protocol
	Log     *slog.Logger // nil: nothing is logged
}

const instructions = `helix remembers what was learned about this project and others across sessions: findings, decisions, gotchas, invariants, how things are done, each under a topic.
Before starting work on something, search for it; use brief for an overview of a topic.
When you learn something that was not obvious, store it at once, with its source (path:line) when it comes from a file: one finding per entry, self-contained, in the words somebody would search for.
What you store belongs to the project you work in; store what holds everywhere with project "none". A result with "other_project" (in text: @name) is what was learned in another project: it may help, but its decisions are no rules here.
Correct an entry that has become wrong with edit (revise, delete) rather than storing a contradiction.`

// Serve answers one client until In ends or ctx is done. At the end of In it
// first answers what is in flight. A client that has gone away is an orderly end.
func Serve(ctx context.Context, o Options) error {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	all := tools()
	if o.Guide != nil {
		all = append(all, guideTools(o.Guide)...)
	}
	server := newServer(ctx, o.Memory, o.Version, log, all)
	c := newConn(o.In, o.Out)
	err := server.Run(ctx, c)
	if ctx.Err() != nil || errors.Is(err, io.EOF) || c.gone.Load() {
		return nil
	}
	return err
}

// newServer registers the tools. Work that a call has started ends with ctx.
func newServer(ctx context.Context, m *kb.Memory, version string, log *slog.Logger, tools []*tool) *sdk.Server {
	server := sdk.NewServer(
		&sdk.Implementation{Name: "helix", Title: "helix memory", Version: version},
		&sdk.ServerOptions{
			Instructions: instructions,
			Logger:       log,
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		},
	)
	for _, t := range tools {
		server.AddTool(t.describe(), t.handler(ctx, m))
	}
	return server
}
