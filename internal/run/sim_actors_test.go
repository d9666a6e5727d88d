package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// simExecutor makes attempts that end in every way that an executor's may. With
// claims it behaves like ddx: it claims, closes and sometimes lies.
type simExecutor struct {
	w      *world
	claims bool
}

func (e simExecutor) Capabilities() executor.Capabilities {
	return executor.Capabilities{Name: "sim", Claims: e.claims, Batch: !e.claims, OwnPrompt: e.claims}
}

func (e simExecutor) Execute(ctx context.Context, req executor.Request) (executor.Result, error) {
	w := e.w
	primary := req.Beads[0]
	e.watchAttempt(req)
	w.nextPID++
	pid := w.nextPID
	w.agents[pid] = w.runPID
	req.Started(agent.Process{PID: pid, Start: "s"})
	w.effect("agent runs")
	if e.claims && !e.claim(primary.ID, pid) {
		delete(w.agents, pid)
		w.begun[primary.ID]-- // no fault of the bead
		return executor.Result{Outcome: executor.Failed, Reason: "somebody else has it", Trouble: agent.Overload}, nil
	}
	took := time.Duration(1+w.rng.IntN(60)) * time.Minute
	if req.Timeout > 0 {
		took = min(took, req.Timeout)
	}
	w.now = w.now.Add(took)
	w.effect("agent ran")
	delete(w.agents, pid)
	res := executor.Result{Usage: agent.Usage{Input: int64(w.rng.IntN(50_000)), CostUSD: w.rng.Float64()}, Duration: took}
	e.end(ctx, req, &res)
	if (req.Prompt == "") != e.claims || !e.claims && req.Briefing != "" {
		w.violated("the prompt is %q, the briefing %q", req.Prompt, req.Briefing)
	}
	w.told = req.AttemptID
	if e.claims {
		if w.told = ""; w.chance(50) {
			w.told, res.Told = req.AttemptID, req.Briefing
		}
		e.letGo(primary.ID, pid, &res)
	}
	return res, nil
}

// watchAttempt checks that no bead is tried more often than the bound. A run
// that ended in order gives every bead a fresh start.
func (e simExecutor) watchAttempt(req executor.Request) {
	id := req.Beads[0].ID
	e.w.begun[id]++
	if e.w.begun[id] > e.w.maxTries+e.w.signals {
		e.w.violated("%s was tried %d times, the bound is %d", id, e.w.begun[id], e.w.maxTries)
	}
	for _, b := range req.Beads {
		if b.IsEpic() {
			e.w.violated("epic %s was executed", b.ID)
		}
	}
}

func (e simExecutor) claim(id string, pid int) bool {
	b, ok := e.w.beads[id]
	if !ok || b.Status != tracker.Open {
		return false
	}
	b.Status, b.Owner = tracker.InProgress, Owner
	e.w.setClaim(b, tracker.Claim{At: e.w.now, PID: pid, Start: "s", Machine: simMachine})
	return true
}

// letGo is what ddx does with its claim: close, release, or forget it.
func (e simExecutor) letGo(id string, pid int, res *executor.Result) {
	b, ok := e.w.beads[id]
	if !ok || b.Status != tracker.InProgress || b.Claim().PID != pid {
		return
	}
	switch {
	case res.Outcome == executor.Landed:
		e.w.closeBead(b)
		res.Closed = true
	case e.w.chance(70):
		b.Status = tracker.Open
		e.w.clearClaim(b)
	}
}

func (e simExecutor) end(ctx context.Context, req executor.Request, res *executor.Result) {
	w := e.w
	excused := func() { w.begun[req.Beads[0].ID]-- }
	switch {
	case ctx.Err() != nil:
		excused()
		e.preserve(req, res, "interrupted")
		return
	case w.outage > 0 || w.chance(8):
		if w.outage--; w.outage < 0 && w.chance(30) {
			w.outage = 1 + w.rng.IntN(6)
		}
		excused()
		res.Outcome, res.Reason = executor.Failed, "provider trouble"
		res.Trouble = []agent.Trouble{agent.RateLimit, agent.Overload, agent.Network, agent.Auth}[w.rng.IntN(4)]
		return
	}
	switch w.rng.IntN(10) {
	case 0:
		res.Outcome, res.Reason = executor.NoChanges, "nothing to do"
	case 1:
		res.Outcome, res.Reason = executor.Failed, "the agent failed"
	case 2:
		if res.Unjudged = w.chance(30); res.Unjudged {
			e.preserve(req, res, "conflict with main")
			return
		}
		e.preserve(req, res, "a gate is red")
		res.Gates = []executor.Gate{{Name: "test", Command: "go test", Passed: false, Tail: "FAIL"}}
	case 3:
		// It says that it landed, but nothing is on the branch.
		res.Outcome, res.Landed, res.LandedRev = executor.Landed, beadIDs(req.Beads[:1]), "nowhere"
		if e.claims { // our own executor looks before it says so
			*res = executor.Result{Outcome: executor.Failed, Reason: "it did not land", Usage: res.Usage}
		}
	default:
		e.land(ctx, req, res)
	}
}

func (e simExecutor) land(ctx context.Context, req executor.Request, res *executor.Result) {
	w := e.w
	if !e.claims {
		if err := req.Revalidate(ctx); err != nil {
			w.begun[req.Beads[0].ID]-- // nor is drift
			e.preserve(req, res, err.Error())
			return
		}
	}
	done := beadIDs(req.Beads)
	if len(done) > 1 && w.chance(30) {
		done = done[:1]
	}
	c := simCommit{id: fmt.Sprintf("c%07d", len(w.branch)), attempt: req.AttemptID, beads: done, green: true}
	w.branch = append(w.branch, c)
	w.begun[req.Beads[0].ID]-- // it did not fail
	w.effect("landed")
	res.Outcome, res.Landed, res.LandedRev = executor.Landed, done, c.id
	res.Commits = map[string]string{}
	for _, id := range done {
		res.Commits[id] = c.id
	}
	res.Gates = []executor.Gate{{Name: "test", Passed: true}}
}

func (e simExecutor) preserve(req executor.Request, res *executor.Result, why string) {
	res.Outcome, res.Reason = executor.Preserved, why
	res.PreserveRef = "refs/helix/preserved/" + req.Beads[0].ID + "/" + req.AttemptID
	e.w.refs[res.PreserveRef] = true
	e.w.effect("preserved")
}

// simActions answers checks and reviews as models do: mostly right, sometimes
// useless, sometimes not at all.
type simActions struct{ w *world }

func (a simActions) Do(ctx context.Context, req ActionRequest) ActionResult {
	w := a.w
	w.effect(req.Action.Name())
	w.now = w.now.Add(time.Duration(w.rng.IntN(300)) * time.Second)
	res := ActionResult{Result: agent.Result{OK: true, Usage: agent.Usage{Output: 500}}}
	switch {
	case ctx.Err() != nil:
		res.OK, res.Cancelled, res.Reason = false, true, "cancelled"
	case w.outage > 0 || w.chance(3):
		w.outage--
		res.OK, res.Trouble, res.Reason = false, agent.RateLimit, "429"
	case w.chance(3):
		res.OK, res.Reason = false, "it failed"
	case req.Action == prompt.Check:
		answers := []string{"BUILD", "BUILD", "DESIGN", "POLISH", "ALIGN", "BACKFILL", "WAIT", "GUIDANCE", "STOP", "dunno"}
		res.Text = "NEXT_ACTION: " + answers[w.rng.IntN(len(answers))]
	case req.Action == prompt.Review:
		res.Text = a.review()
	case req.Action == prompt.Align && w.chance(50):
		res.Text = "ALIGN_STATUS: COMPLETE"
	case w.chance(30) && len(w.beads) < 12:
		w.addBead()
	}
	return res
}

func (a simActions) review() string {
	switch n := a.w.rng.IntN(10); {
	case n < 6:
		return "REVIEW_STATUS: CLEAN\nISSUES_COUNT: 0\nFINDINGS_FILED: 0\n"
	case n < 9:
		if n == 8 && len(a.w.beads) < 12 {
			a.w.addBead()
		}
		return "REVIEW_STATUS: ISSUES_FOUND\nISSUES_COUNT: 1\nFINDINGS_FILED: 1\n"
	}
	return "looks fine to me"
}

// checkEnd looks at the world after a run that was not killed.
func (w *world) checkEnd(st State, opts Options) {
	if st.Phase != PhaseStopped || st.StopReason == "" {
		w.violated("the run ended in phase %q with reason %q", st.Phase, st.StopReason)
	}
	if opts.Bounds.Cycles > 0 && st.Completed > opts.Bounds.Cycles {
		w.violated("%d cycles completed, the bound is %d", st.Completed, opts.Bounds.Cycles)
	}
	if most := opts.Bounds.Duration + 3*time.Hour; w.now.Sub(st.StartedAt) > most {
		w.violated("the run took %s, the bound is %s", w.now.Sub(st.StartedAt), opts.Bounds.Duration)
	}
	for id, b := range w.beads {
		if c := b.Claim(); b.Status == tracker.InProgress && c.PID == w.runPID {
			w.violated("%s is still claimed by the run that ended", id)
		}
	}
	for pid := range w.agents {
		w.violated("agent %d is still running", pid)
	}
	for ref := range w.refs {
		if !slices.ContainsFunc(w.journal, func(e Event) bool { return e.Ref == ref }) && !w.crashed {
			w.violated("the work kept at %s is named nowhere", ref)
		}
	}
}
