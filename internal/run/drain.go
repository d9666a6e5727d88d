package run

import (
	"context"
	"fmt"

	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// drained asks check once and obeys its first NEXT_ACTION (TD-002, Queue Drain).
func (l *Loop) drained(ctx context.Context, c Choice) *Stop {
	res, stop := l.ask(ctx, PhaseChecking, ActionRequest{Action: prompt.Check, Scope: l.scope()})
	if stop != nil {
		return stop
	}
	if !res.OK {
		if stop := l.halted(ctx); stop != nil {
			return stop
		}
		return &Stop{StopActionFailed, "check failed after queue drain: " + res.Reason}
	}
	next, err := prompt.NextAction(res.Text)
	if err != nil {
		l.event(Event{Kind: EventCheck, Result: "uninterpretable", Detail: err.Error()})
		return &Stop{StopUninterpreted, fmt.Sprintf("unable to determine NEXT_ACTION from check output: %v", err)}
	}
	l.event(Event{Kind: EventCheck, Result: string(next)})
	l.detail("check says NEXT_ACTION: %s", next)
	step, drained, routed := Route(next, l.st.Drained, l.Options.AutoAlign)
	l.st.Drained = drained
	l.save()
	switch step {
	case StepStop:
		return &routed
	case StepRecover:
		return l.breakEmptyBuild(ctx, len(c.Ready))
	case StepDesign:
		return l.act(ctx, prompt.Plan, "queue drained, running design")
	case StepPolish:
		return l.act(ctx, prompt.Polish, "queue drained, running polish")
	case StepAlign:
		return l.align(ctx, "queue drained, running alignment")
	}
	return nil
}

// breakEmptyBuild is the BUILD loop breaker: free stale claims, and stop unless
// that made work selectable.
func (l *Loop) breakEmptyBuild(ctx context.Context, before int) *Stop {
	if stop := l.recoverClaims(ctx); stop != nil {
		return stop
	}
	q, stop := l.load(ctx)
	if stop != nil {
		return stop
	}
	after := len(Select(q, l.view()).Ready)
	if after <= before {
		return &Stop{StopEmptyBuild, "no selectable issues after orphan recovery — stopping; see why with: helix explain"}
	}
	l.line("orphan recovery freed issues (%d → %d ready), retrying", before, after)
	l.st.Drained.EmptyBuilds = 0
	l.save()
	return nil
}

func (l *Loop) act(ctx context.Context, a prompt.Action, why string) *Stop {
	return l.actOn(ctx, a, nil, why, func(ActionResult) {})
}

// actOn runs an action, which governing may stand for in the queue, and hands
// on a result that is fit for use.
func (l *Loop) actOn(ctx context.Context, a prompt.Action, governing *tracker.Bead, why string, use func(ActionResult)) *Stop {
	l.line("%s", why)
	res, stop := l.ask(ctx, PhaseActing, ActionRequest{Action: a, Scope: l.scope(), Governing: governing})
	if stop != nil {
		return stop
	}
	l.event(Event{Kind: EventAction, Result: a.Name(), Detail: res.Reason})
	if !res.OK {
		if stop := l.halted(ctx); stop != nil {
			return stop
		}
		return &Stop{StopActionFailed, fmt.Sprintf("%s failed: %s", a.Name(), res.Reason)}
	}
	use(res)
	return nil
}

func (l *Loop) scope() string {
	if l.Options.Scope == "" {
		return "repo"
	}
	return l.Options.Scope
}
