package run

import (
	"context"
	"fmt"
	"time"

	"helix/internal/run/agent"
)

// How many provider failures in a row are waited out. A missing login does not
// come back by itself; a missing program or a wrong set-up never does.
const (
	mostPauses     = 48 // twelve hours at the longest pause
	mostAuthPauses = 3
)

// pause waits out a failure that is the provider's, or stops the loop when
// waiting has no prospect. No bead is blamed.
func (l *Loop) pause(ctx context.Context, trouble agent.Trouble, advice time.Duration, reason string) *Stop {
	l.troubles++
	l.st.Pauses++
	most := mostPauses
	switch trouble {
	case agent.Missing, agent.Setup:
		most = 0
	case agent.Auth:
		most = mostAuthPauses
	}
	l.event(Event{Kind: EventPause, Result: string(trouble), Detail: reason})
	if l.troubles > most || l.Options.Only != "" {
		return &Stop{StopProvider, fmt.Sprintf("%s: %s", describe(trouble), reason)}
	}
	l.unsettled = true
	d := l.Options.Backoff.Provider(l.troubles, advice)
	l.line("%s; the queue rests for %s: %s", describe(trouble), d.Round(time.Second), reason)
	_ = l.sleep(ctx, PhasePaused, d) // an interruption shows at the next step
	return nil
}

func describe(t agent.Trouble) string {
	switch t {
	case agent.RateLimit:
		return "the provider's rate limit is reached"
	case agent.Overload:
		return "the provider is overloaded"
	case agent.Auth:
		return "the provider refuses the login"
	case agent.Network:
		return "the provider cannot be reached"
	case agent.Missing:
		return "the agent's program is missing"
	case agent.Setup:
		return "the agent is not set up to run here"
	}
	return string(t)
}

// sleep waits, no longer than the run may still last.
func (l *Loop) sleep(ctx context.Context, p Phase, d time.Duration) error {
	now := l.Clock.Now()
	if l.Options.Bounds.Duration > 0 {
		d = min(d, l.st.StartedAt.Add(l.Options.Bounds.Duration).Sub(now))
	}
	if d <= 0 {
		return ctx.Err()
	}
	l.st.Until = now.Add(d).UTC()
	l.phase(p)
	err := l.Clock.Sleep(ctx, d)
	l.st.Until = time.Time{}
	return err
}

// ask runs an action and waits provider trouble out.
func (l *Loop) ask(ctx context.Context, p Phase, req ActionRequest) (ActionResult, *Stop) {
	for {
		if stop := l.halted(ctx); stop != nil {
			return ActionResult{}, stop
		}
		l.noAgents()
		l.phase(p)
		req.Timeout = l.Options.Bounds.Within(l.Options.AgentTimeout, &l.st, l.Clock.Now())
		req.Started = l.started
		res := l.Actions.Do(ctx, req)
		l.noAgents()
		l.st.Usage = l.st.Usage.Add(res.Usage)
		l.save()
		l.pointer(fmt.Sprintf("%s: %s %s", req.Action.Name(), res.Agent, verdict(res)), fmt.Sprintf("rc=%d", res.ExitCode),
			res.Duration, res.Usage, res.LogFrom, res.LogTo)
		if res.Trouble == "" {
			l.troubles = 0
			return res, nil
		}
		if stop := l.pause(ctx, res.Trouble, res.RetryAfter, res.Reason); stop != nil {
			return res, stop
		}
	}
}

// pointer tells that an agent is done, and where in the log its output is.
func (l *Loop) pointer(what, how string, took time.Duration, usage agent.Usage, from, to int) {
	path, _ := l.Output.Position()
	l.line("%s (%s, %s, %d tokens) — log L%d–L%d in %s", what, how, took.Round(time.Second), usage.Total(), from, to, path)
}

func verdict(r ActionResult) string {
	if r.OK {
		return "complete"
	}
	return "failed: " + r.Reason
}
