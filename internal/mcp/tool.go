package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helix/internal/kb"
)

// tool is one tool: what a model is told about it, and what it does.
type tool struct {
	name, title, description string

	reads       bool // changes nothing
	destructive bool // may change or remove what is there
	idempotent  bool // a second time changes nothing more
	always      bool // to be in the model's prompt with its schema from the start

	input   *jsonschema.Schema
	output  *jsonschema.Schema
	aliases map[string]string // names of arguments that older prompts use

	run func(context.Context, *kb.Memory, json.RawMessage) (result, error)
}

// result is what every method of the memory gives.
type result interface{ Text() string }

func (t *tool) describe() *sdk.Tool {
	described := &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description,
		InputSchema: t.input, OutputSchema: t.output,
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.reads, IdempotentHint: t.idempotent,
			DestructiveHint: &t.destructive, OpenWorldHint: new(false),
		},
	}
	if t.always {
		described.Meta = sdk.Meta{"anthropic/alwaysLoad": true}
	}
	return described
}

// handler answers calls. The work ends with the call's context, which a
// cancellation ends, and with that of the server.
func (t *tool) handler(server context.Context, m *kb.Memory) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(server, func() { cancel(errors.New("the server ends")) })()

		args, err := arguments(t.input, t.aliases, req.Params.Arguments)
		if err != nil {
			return refused(fmt.Errorf("%s: %w", t.name, err)), nil
		}
		ctx, end := withProgress(ctx, req, t.name, args)
		defer end()
		r, err := t.guarded(ctx, m, args)
		if err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("%s: %w", t.name, context.Cause(ctx))
			}
			return refused(err), nil
		}
		structured, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("%s: the result cannot be sent: %w", t.name, err)
		}
		return &sdk.CallToolResult{
			Content:           []sdk.Content{&sdk.TextContent{Text: r.Text()}},
			StructuredContent: json.RawMessage(structured),
		}, nil
	}
}

// guarded runs the tool and makes a panic an error: one bad call must not take the
// memory away from the whole session.
func (t *tool) guarded(ctx context.Context, m *kb.Memory, args json.RawMessage) (r result, err error) {
	// A file that another program cuts while it is mapped faults at the read.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("%s: internal error: %v; helix kb verify checks the files of the memory", t.name, p)
		}
	}()
	return t.run(ctx, m, args)
}

// refused is an error for the model. It has no structured content: clients show
// a model that instead of the message.
func refused(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}
}

// method runs one method of the memory on arguments of its request type.
func method[Req any, Res result](do func(*kb.Memory, context.Context, Req) (Res, error)) func(context.Context, *kb.Memory, json.RawMessage) (result, error) {
	return func(ctx context.Context, m *kb.Memory, args json.RawMessage) (result, error) {
		var req Req
		if err := json.Unmarshal(args, &req); err != nil {
			return nil, fmt.Errorf("the arguments do not fit: %w", err)
		}
		return do(m, ctx, req)
	}
}
