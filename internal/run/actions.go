package run

import (
	"context"
	"fmt"
	"path/filepath"

	"helix/internal/run/agent"
	"helix/internal/run/prompt"
)

// Agents is the Actions of a real run: it composes an action's prompt and has an
// agent follow it in the checkout.
type Agents struct {
	Runner   agent.Runner
	Composer Composer
	Output   Output
	RunID    string
	Env      []string // KEY=value, more of the environment of agents
	// Choose says which agent does an action, and how hard it thinks.
	Choose func(prompt.Action) agent.Spec
}

// Do implements Actions.
func (a Agents) Do(ctx context.Context, req ActionRequest) ActionResult {
	return a.Ask(ctx, req, prompt.Case{Scope: req.Scope, Governing: req.Governing, Memory: req.Memory})
}

// Ask is Do with more to say about the case.
func (a Agents) Ask(ctx context.Context, req ActionRequest, c prompt.Case) ActionResult {
	spec := a.Choose(req.Action)
	failed := func(err error) ActionResult {
		return ActionResult{Agent: spec.Kind, Result: agent.Result{Reason: err.Error(), ExitCode: -1}}
	}
	text, err := a.Composer.Compose(req.Action, c)
	if err != nil {
		return failed(err)
	}
	_, from := a.Output.Position()
	a.Output.Detail(fmt.Sprintf("%s: %s (prompt of %d bytes, timeout %s)", req.Action.Name(), spec.Kind, len(text), req.Timeout))
	fmt.Fprintf(a.Output, "--- %s output ---\n", spec.Kind)
	res, err := a.Runner.Run(ctx, spec, agent.Job{
		Dir: a.Composer.Root, Prompt: text, Timeout: req.Timeout, Log: a.Output, Notice: a.Output.Notice, Started: req.Started,
		Env: append([]string{
			RunMarker + "=" + a.RunID, "HELIX_AGENT_SESSION=1", "HELIX_ACTION=" + req.Action.Name(),
			"DDX_BEAD_DIR=" + filepath.Dir(a.Composer.Tracker),
		}, a.Env...),
	})
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(a.Output, "\n--- end %s output rc=%d elapsed=%s ---\n", spec.Kind, res.ExitCode, res.Duration.Round(1e9))
	_, to := a.Output.Position()
	return ActionResult{Result: res, Agent: spec.Kind, LogFrom: from + 1, LogTo: to}
}
