package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"helix/internal/kb"
)

// action is one thing that a tool with actions does. Args holds the arguments of
// all actions of the tool.
type action[Args any] struct {
	name    string
	outcome string // the name of its result in the structured content
	schema  *jsonschema.Schema
	run     func(context.Context, *kb.Memory, Args) (result, error)
}

func on[Args any, Res result](name, outcome string, run func(context.Context, *kb.Memory, Args) (Res, error)) action[Args] {
	return action[Args]{
		name: name, outcome: outcome, schema: output[Res](),
		run: func(ctx context.Context, m *kb.Memory, args Args) (result, error) { return run(ctx, m, args) },
	}
}

// done is the result of an action.
type done struct {
	action, outcome string
	result
}

// MarshalJSON gives {"action": …, the outcome's name: the outcome}.
func (d done) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"action": d.action, d.outcome: d.result})
}

// dispatch runs the action that the arguments name, or the one named by fallback.
// Elsewhere says of actions that are not here which tool has them.
func dispatch[Args any](actions []action[Args], fallback string, elsewhere map[string]string) func(context.Context, *kb.Memory, json.RawMessage) (result, error) {
	return func(ctx context.Context, m *kb.Memory, raw json.RawMessage) (result, error) {
		var chosen struct{ Action string }
		var args Args
		for _, into := range []any{&chosen, &args} {
			if err := json.Unmarshal(raw, into); err != nil {
				return nil, fmt.Errorf("the arguments do not fit: %w", err)
			}
		}
		name := strings.ToLower(strings.TrimSpace(chosen.Action))
		if name == "" {
			name = fallback
		}
		i := slices.IndexFunc(actions, func(a action[Args]) bool { return a.name == name })
		if i < 0 {
			if tool, ok := elsewhere[name]; ok {
				return nil, fmt.Errorf("action %s changes the memory: call the tool %s with it", name, tool)
			}
			return nil, fmt.Errorf("there is no action %q: the actions are %s", name, strings.Join(actionNames(actions), ", "))
		}
		r, err := actions[i].run(ctx, m, args)
		if err != nil {
			return nil, err
		}
		return done{action: name, outcome: actions[i].outcome, result: r}, nil
	}
}

func actionNames[Args any](actions []action[Args]) []string {
	var all []string
	for _, a := range actions {
		all = append(all, a.name)
	}
	return all
}

// outcomes is the schema of the results of all actions.
func outcomes[Args any](actions []action[Args]) *jsonschema.Schema {
	schemas := map[string]*jsonschema.Schema{}
	for _, a := range actions {
		schemas[a.outcome] = a.schema
	}
	s := input(str("action", "what was done", actionNames(actions)...).must())
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		s.Properties[name] = schemas[name]
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	return s
}

// choose is the argument that names the action.
func choose[Args any](description string, actions []action[Args]) arg {
	return str("action", description, actionNames(actions)...)
}
