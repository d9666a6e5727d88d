package builtin

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// attempt is one request on its way to a result.
type attempt struct {
	*Executor
	req     executor.Request
	site    site
	house   housekeeper
	ws      *workspace
	ev      *evidence
	before  refsBefore
	agent   agent.Result
	res     executor.Result
	work    string // commit that holds all work, once it is stored
	kept    string // why the work folder must stay; empty: it goes
	refused error  // the agent could not even be called
	began   time.Time
}

// begin prepares everything that the agent needs. On an error nothing has
// changed.
func (e *Executor) begin(ctx context.Context, req executor.Request) (*attempt, error) {
	s, err := e.survey(ctx)
	if err != nil {
		return nil, err
	}
	a := &attempt{Executor: e, req: req, site: s, house: e.housekeeper(), began: e.Now()}
	a.res.BaseRev = s.base
	if a.before, err = e.root.Refs(ctx, ownRefs...); err != nil {
		return nil, fmt.Errorf("builtin: %w", err)
	}
	primary := req.Beads[0]
	a.ws, err = openWorkspace(ctx, s, owner{
		Root: e.root.Dir, Bead: primary.ID, Attempt: req.AttemptID, RunID: e.RunID,
		Branch: s.branch, Base: s.base, Created: a.began.UTC(),
	})
	if err != nil {
		return nil, fmt.Errorf("builtin: %w", err)
	}
	if a.ev, err = openEvidence(e.root.Dir, e.TrackerDir, req.AttemptID); err == nil {
		err = a.ev.begin(manifest{
			AttemptID: req.AttemptID, BeadID: primary.ID, Attempt: req.Attempt, RunID: e.RunID, Executor: "helix-builtin",
			BaseRev: s.base, Branch: branchName(s.branch), CreatedAt: a.began.UTC(),
			Requested: requested{Harness: string(req.Agent.Kind), Model: req.Agent.Model, Effort: req.Agent.Effort},
		}, req, a.ws.Tree)
	}
	if err != nil {
		a.discard()
		return nil, fmt.Errorf("builtin: %w", err)
	}
	a.res.EvidenceDir = a.ev.rel
	return a, nil
}

// discard takes back what begin made.
func (a *attempt) discard() {
	ctx, cancel := settled(context.Background())
	defer cancel()
	_ = a.ws.remove(ctx)
	if a.ev != nil {
		_ = os.RemoveAll(a.ev.dir)
	}
}

// run is the attempt itself: the agent, then what becomes of its work.
func (a *attempt) run(ctx context.Context) {
	if !a.startAgent(ctx) {
		return
	}
	bg, cancel := settled(ctx)
	defer cancel()
	w, err := a.collect(bg)
	if err != nil {
		a.unstored(err)
		return
	}
	a.warnOfBranches(bg)
	if w.none() {
		a.concludeNothing()
		return
	}
	c, err := a.store(bg, w)
	if err != nil {
		a.unstored(err)
		return
	}
	if len(w.nested) > 0 {
		a.kept = "it holds a repository that cannot be stored elsewhere: " + list(w.nested)
	}
	why := a.agentFailure(ctx)
	if why == "" {
		why = w.cannot
	}
	if why != "" {
		a.preserve("%s", why)
		return
	}
	a.verifyAndLand(ctx, c)
}

// startAgent runs the agent; false: it could not be called at all.
func (a *attempt) startAgent(ctx context.Context) bool {
	log := a.ev.openLog(agentLog)
	defer log.Close()
	job := agent.Job{
		Dir: a.ws.Tree, Prompt: a.req.Prompt, Timeout: a.req.Timeout, Started: a.req.Started,
		Env: append(a.environ("HELIX_AGENT_SESSION=1", "DDX_BEAD_DIR="+a.TrackerDir), a.AgentEnv...),
		Log: io.Writer(log),
	}
	if a.req.Log != nil {
		job.Log, job.Notice = io.MultiWriter(log, tolerant{a.req.Log}), a.req.Log.Notice
	}
	var err error
	if a.agent, err = a.Runner.Run(ctx, a.req.Agent, job); err != nil {
		a.refused = fmt.Errorf("builtin: %w", err)
		return false
	}
	a.res.Usage, a.res.AgentText = a.agent.Usage, a.agent.Text
	a.res.Trouble = a.agent.Trouble
	if a.agent.RetryAfter > 0 {
		a.res.RetryAfter = a.Now().Add(a.agent.RetryAfter)
	}
	return true
}

// environ is what agent and gates are told beside their inherited environment.
func (a *attempt) environ(more ...string) []string {
	return append([]string{
		"HELIX_RUN_ID=" + a.RunID, "HELIX_ATTEMPT_ID=" + a.req.AttemptID, "HELIX_BEAD_ID=" + a.req.Beads[0].ID,
		"TMPDIR=" + a.ws.Temp,
	}, more...)
}

// agentFailure says why the agent's work must not land as far as the agent is
// concerned; empty: it finished.
func (a *attempt) agentFailure(ctx context.Context) string {
	r := a.agent
	reason := r.Reason
	switch {
	case r.Cancelled || ctx.Err() != nil && !r.OK:
		reason = "interrupted while the agent worked"
	case r.TimedOut && reason == "":
		reason = fmt.Sprintf("the agent ran into its timeout of %s", a.req.Timeout)
	case r.OK && r.Trouble == agent.NoTrouble:
		return ""
	case reason == "":
		reason = fmt.Sprintf("the agent failed (exit %d)", r.ExitCode)
	}
	return reason
}

// concludeNothing is for an agent that left no work.
func (a *attempt) concludeNothing() {
	if why := a.agentFailure(context.Background()); why != "" {
		a.fail(executor.Failed, "%s", why)
		return
	}
	words := lastWords(a.agent.Text)
	if words == "" {
		words = "the agent changed nothing and said nothing"
	}
	a.fail(executor.NoChanges, "%s", words)
}

// lastWords is the end of an answer as one line.
func lastWords(text string) string {
	const longest = 300
	paragraphs := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n\n")
	line := []rune(strings.Join(strings.Fields(paragraphs[len(paragraphs)-1]), " "))
	if len(line) > longest {
		return "…" + string(line[len(line)-longest:])
	}
	return string(line)
}

// store makes commits of the work and keeps them under the attempt's ref, where
// they are safe whatever happens from here on.
func (a *attempt) store(ctx context.Context, w work) (chain, error) {
	c, err := a.commit(ctx, w)
	if err != nil {
		return c, err
	}
	if a.work = c.tip(); len(w.changes) == 0 {
		a.work = w.stray
	}
	if a.work == "" { // only a repository inside: the folder is all there is
		return c, nil
	}
	ref := preservedRef(a.req.Beads[0].ID, a.req.AttemptID)
	if err := a.root.SetRef(ctx, ref, a.work, "", "helix: work of attempt "+a.req.AttemptID); err != nil {
		return c, err
	}
	a.res.PreserveRef = ref
	return c, nil
}

// preservedRef keeps the work of an attempt that did not land.
func preservedRef(bead, attempt string) string {
	return "refs/helix/preserved/" + refName(bead) + "/" + attempt
}

// refName is a bead's id as part of a ref, where git does not allow all of it.
func refName(id string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_.", r):
			return r
		}
		return '-'
	}, id)
	for strings.Contains(name, "..") {
		name = strings.ReplaceAll(name, "..", ".-")
	}
	if name = strings.Trim(strings.TrimSuffix(name, ".lock"), "."); name == "" {
		return "bead"
	}
	return name
}

func (a *attempt) fail(outcome executor.Outcome, format string, args ...any) {
	a.res.Outcome, a.res.Reason = outcome, strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
}

// preserve ends the attempt with its work kept, not landed.
func (a *attempt) preserve(format string, args ...any) {
	a.fail(executor.Preserved, format, args...)
	if a.res.PreserveRef == "" {
		a.res.Outcome = executor.Failed
	}
}

// unstored ends the attempt with its work in the work folder alone.
func (a *attempt) unstored(err error) {
	a.fail(executor.Failed, "the work could not be stored: %v", err)
	a.kept = "it holds the only copy"
}

func (a *attempt) warn(format string, args ...any) {
	a.res.Warnings = append(a.res.Warnings, fmt.Sprintf(format, args...))
}

func (a *attempt) notice(format string, args ...any) {
	if a.req.Log != nil {
		a.req.Log.Notice(fmt.Sprintf(format, args...))
	}
}

// finish cleans up, writes the evidence and gives the result.
func (a *attempt) finish(ctx context.Context) executor.Result {
	bg, cancel := settled(ctx)
	defer cancel()
	if a.kept != "" {
		a.res.Reason += fmt.Sprintf("; the work folder %s was kept, because %s", a.ws.Tree, a.kept)
		_ = a.ws.settleKept()
	} else if err := a.ws.remove(bg); err != nil {
		a.warn("the work folder %s could not be removed: %v", a.ws.folder, err)
	}
	end := a.Now()
	a.res.Duration = end.Sub(a.began)
	a.ev.writeJSON(usageFile, usage{
		AttemptID: a.req.AttemptID, Harness: string(a.req.Agent.Kind), Model: a.req.Agent.Model,
		Tokens: a.agent.Usage.Total(), Usage: a.agent.Usage,
	})
	a.ev.writeJSON(resultFile, a.record(end))
	if a.ev.err != nil {
		a.warn("the evidence in %s is incomplete: %v", a.ev.rel, a.ev.err)
	}
	return a.res
}

func (a *attempt) record(end time.Time) result {
	r := a.res
	rec := result{
		AttemptID: a.req.AttemptID, BeadID: a.req.Beads[0].ID, Outcome: r.Outcome, Landed: r.Landed,
		Reason: r.Reason, Trouble: r.Trouble, BaseRev: r.BaseRev, ResultRev: a.work, LandedRev: r.LandedRev,
		PreserveRef: r.PreserveRef, Commits: r.Commits, Gates: r.Gates, Warnings: r.Warnings,
		Harness: string(a.req.Agent.Kind), Model: a.req.Agent.Model, SessionID: a.agent.SessionID,
		AgentOK: a.agent.OK, AgentReason: a.agent.Reason, ExitCode: a.agent.ExitCode, TimedOut: a.agent.TimedOut,
		Tokens: r.Usage.Total(), CostUSD: r.Usage.CostUSD,
		StartedAt: a.began.UTC(), FinishedAt: end.UTC(), DurationMS: r.Duration.Milliseconds(),
	}
	if r.LandedRev != "" {
		rec.ResultRev = r.LandedRev
	}
	return rec
}

// tolerant passes writes on and never fails.
type tolerant struct{ w io.Writer }

func (t tolerant) Write(p []byte) (int, error) {
	_, _ = t.w.Write(p)
	return len(p), nil
}

func beadIDs(beads []*tracker.Bead) []string {
	ids := make([]string, len(beads))
	for i, b := range beads {
		ids[i] = b.ID
	}
	return ids
}
