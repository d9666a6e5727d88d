package ddx

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"helix/internal/git"
	"helix/internal/hook/handover"
	"helix/internal/proc"
	"helix/internal/run/agent"
	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// Tracker is where this executor looks up what became of a bead.
type Tracker interface {
	Load(ctx context.Context) (*tracker.Queue, error)
	LoadArchive(ctx context.Context) (*tracker.Queue, error)
}

// Options say which ddx works where.
type Options struct {
	Surface Surface
	Repo    *git.Repo
	Tracker Tracker
	RunID   string
	// AgentEnv is KEY=value, added to the environment of ddx, which its agents inherit.
	AgentEnv []string
}

// Executor delegates attempts to ddx.
type Executor struct{ Options }

var _ executor.Executor = (*Executor)(nil)

// New is an executor for one checkout.
func New(o Options) *Executor { return &Executor{o} }

// Capabilities implements executor.Executor.
func (e *Executor) Capabilities() executor.Capabilities {
	return executor.Capabilities{Name: "ddx", Claims: e.Surface.claims(), OwnPrompt: true}
}

// CommandLine is what an attempt at a bead starts.
func (e *Executor) CommandLine(id string, spec agent.Spec) []string {
	return append([]string{"ddx"}, e.Surface.args(id, spec)...)
}

// Execute implements executor.Executor.
func (e *Executor) Execute(ctx context.Context, req executor.Request) (executor.Result, error) {
	began := time.Now()
	bead := req.Beads[0]
	base, err := e.Repo.Head(ctx)
	if err != nil {
		return executor.Result{}, err
	}
	briefing, briefErr := e.brief(req)
	out, runErr := e.start(ctx, req, briefing)
	bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	r, err := parse(out, bead.ID)
	if err != nil {
		// A crash may still have left an execution folder and commits behind.
		r.Status, r.Detail = "execution_failed", err.Error()
		if runErr != nil {
			r.Detail = fmt.Sprintf("%v; %v", runErr, err)
		}
	}
	evidence := r.completeFromEvidence(e.Repo.Dir, bead.ID, began)
	if r.Base == "" {
		r.Base = base
	}
	res := e.conclude(bg, req, r)
	res.EvidenceDir, res.Usage, res.RetryAfter = evidence, r.Usage, r.RetryAfter
	res.BaseRev, res.Duration = r.Base, time.Since(began)
	if briefErr != nil {
		res.Warnings = append(res.Warnings, briefErr.Error())
	}
	if r.Bead != "" && r.Bead != bead.ID {
		return res, nil // what that agent was told and said belongs to another bead
	}
	if briefing != "" {
		res.Told = req.Briefing[:min(handover.Told(e.Repo.Dir, briefing), len(req.Briefing))]
	}
	if evidence != "" {
		res.AgentText = agent.Answer(executor.AgentOutput(filepath.Join(e.Repo.Dir, evidence), mostOutput))
	}
	return res, nil
}

// mostOutput bytes of what the harness printed are looked through for its answer.
const mostOutput = 16 << 20

// brief leaves what the agent should be told where helix's hook in the agent finds it
// (package hook/handover): ddx composes the prompt, and starts the agent as its child.
func (e *Executor) brief(req executor.Request) (path string, err error) {
	if req.Briefing == "" {
		return "", nil
	}
	if path, err = handover.WriteAttempt(e.Repo.Dir, req.AttemptID, req.Briefing); err != nil {
		return "", fmt.Errorf("ddx: the agent is not told what is known: %w", err)
	}
	return path, nil
}

// start runs ddx in a process group of its own and returns its standard output.
// briefing is the file for the agent, "" for none.
func (e *Executor) start(ctx context.Context, req executor.Request, briefing string) (string, error) {
	bead := req.Beads[0]
	cmd := exec.Command(e.Surface.Program, e.Surface.args(bead.ID, req.Agent)...)
	cmd.Dir = e.Repo.Dir
	cmd.Env = append(os.Environ(), "PWD="+e.Repo.Dir, "DDX_DISABLE_UPDATE_CHECK=1", "HELIX_SELECTED_ISSUE="+bead.ID,
		"HELIX_RUN_ID="+e.RunID, "HELIX_ATTEMPT_ID="+req.AttemptID, "HELIX_BEAD_ID="+bead.ID, "HELIX_AGENT_SESSION=1", handover.ContextVariable+"="+briefing)
	cmd.Env = append(cmd.Env, e.AgentEnv...)
	out := &bounded{most: 16 << 20}
	var log io.Writer = io.Discard
	if req.Log != nil {
		log = req.Log
	}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(out, log), log
	group, err := proc.Start(cmd, proc.Options{Marker: "HELIX_DDX_ID=" + req.AttemptID})
	if err != nil {
		return "", err
	}
	if req.Started != nil {
		req.Started(group.Leader)
	}
	if req.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Timeout, fmt.Errorf("ddx timeout after %s", req.Timeout))
		defer cancel()
	}
	err = group.Wait(ctx) // all output has been written when it returns
	return out.String(), err
}

// bounded keeps the first bytes of an output that may have no end.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// conclude verifies what ddx reported against the bead and the repository.
func (e *Executor) conclude(ctx context.Context, req executor.Request, r report) executor.Result {
	bead := req.Beads[0]
	look := inspector{e.Repo}
	var res executor.Result
	v := judge(r)
	res.Outcome, res.Trouble, res.Reason, res.Unjudged = v.outcome, v.trouble, v.why, v.unjudged
	res.Closed = e.closed(ctx, bead.ID)
	if r.Bead != "" && r.Bead != bead.ID {
		res.Outcome, res.Trouble = executor.NoChanges, ""
		res.Reason = fmt.Sprintf("ddx worked on %s instead", r.Bead)
		return res
	}
	work := look.commit(ctx, firstOf(r.Implementation, r.Result, r.PreserveRef))
	if res.Outcome == executor.Landed {
		return e.landed(ctx, req, r, work, res)
	}
	return e.unlanded(ctx, req, r, work, res)
}

// landed believes a success only when it can be seen.
func (e *Executor) landed(ctx context.Context, req executor.Request, r report, work string, res executor.Result) executor.Result {
	bead := req.Beads[0]
	look := inspector{e.Repo}
	landed := look.commit(ctx, firstOf(r.Landed, r.Result))
	if !look.onBranch(ctx, landed) {
		res.Outcome, res.Reason, res.Unjudged = executor.Failed, "ddx reported success, but its commit is not on the branch", true
		return e.unlanded(ctx, req, r, work, res)
	}
	suspicious := strings.HasPrefix(r.Detail, "auto-recovered:") || r.PreserveRef != ""
	if kept := look.commit(ctx, r.PreserveRef); kept != "" {
		work = kept
	}
	changed, err := look.changed(ctx, landed+"^1", landed)
	if err != nil { // a root commit has no parent
		changed, err = look.changed(ctx, r.Base, landed)
	}
	var lost []string
	if err == nil && work != "" && (suspicious || len(changed) == 0) {
		lost, err = look.dropped(ctx, r.Base, work, landed)
	}
	switch {
	case err != nil:
		res.Outcome, res.Reason, res.Unjudged = executor.Failed, "ddx reported success, and what it landed cannot be examined: "+err.Error(), true
		return e.unlanded(ctx, req, r, work, res)
	case len(lost) > 0:
		res.Reason, res.Unjudged = "ddx reported success but its merge dropped the work on "+strings.Join(lost, ", "), true
		return keepWork(ctx, look, req, r, work, res)
	case len(changed) == 0:
		res.Outcome, res.Reason = executor.NoChanges, "ddx reported success, but the commit that it landed changes nothing"
		return res
	case suspicious:
		res.Warnings = append(res.Warnings, fmt.Sprintf("ddx resolved a conflict by itself (%s); look at the result", firstLine(r.Detail)))
	}
	if !res.Closed && e.Surface.claims() {
		res.Warnings = append(res.Warnings, "ddx reported success and left the bead open")
	}
	if r.Status != "success" {
		res.Warnings = append(res.Warnings, res.Reason)
	}
	res.Reason = ""
	res.Landed, res.LandedRev, res.Commits = []string{bead.ID}, landed, map[string]string{bead.ID: landed}
	return res
}

// unlanded keeps what the agent made: refs of ddx are named, commits without a
// ref get one.
func (e *Executor) unlanded(ctx context.Context, req executor.Request, r report, work string, res executor.Result) executor.Result {
	look := inspector{e.Repo}
	if res.Outcome == executor.Preserved {
		res.Outcome = executor.Failed // until the work is seen
	}
	if work == "" || look.onBranch(ctx, work) {
		return res
	}
	if changed, err := look.changed(ctx, r.Base, work); err == nil && len(changed) == 0 {
		return res
	}
	return keepWork(ctx, look, req, r, work, res)
}

// keepWork puts work that did not land under helix's own ref.
func keepWork(ctx context.Context, look inspector, req executor.Request, r report, work string, res executor.Result) executor.Result {
	res.Outcome = executor.Failed
	ref, err := look.keep(ctx, req.Beads[0].ID, req.AttemptID, work)
	if err != nil {
		res.Warnings = append(res.Warnings, err.Error())
		if ref = r.PreserveRef; ref == "" {
			return res
		}
	}
	res.Outcome, res.PreserveRef = executor.Preserved, ref
	return res
}

// closed re-reads the bead; ddx may have moved it to its archive.
func (e *Executor) closed(ctx context.Context, id string) bool {
	q, err := e.Tracker.Load(ctx)
	if err != nil {
		return false
	}
	b, ok := q.Get(id)
	if !ok {
		if q, err = e.Tracker.LoadArchive(ctx); err != nil {
			return false
		}
		b, ok = q.Get(id)
	}
	return ok && b.Status == tracker.Closed
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
