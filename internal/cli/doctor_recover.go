package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"helix/internal/proc"
	"helix/internal/run"
	"helix/internal/run/agent"
	"helix/internal/run/executor/builtin"
	"helix/internal/tracker"
)

func (d *doctor) checkTracker(ctx context.Context) {
	store := d.project.store
	if _, err := os.Stat(store.Path()); errors.Is(err, fs.ErrNotExist) {
		d.warn("queue", "helix init", "%s does not exist yet", d.short(store.Path()))
		return
	}
	diagnosis, err := store.Doctor(ctx, tracker.Doctoring{
		Fix: d.fix, ClaimAge: d.project.config.OrphanAge, Machine: proc.Machine(), SameProcess: proc.Same,
	})
	if err != nil {
		d.fail("queue", "", "%s", d.short(err.Error()))
		return
	}
	before := len(d.findings)
	for _, f := range diagnosis.Findings {
		what := strings.TrimSpace(f.ID + " " + f.Kind + ": " + d.short(f.Detail))
		switch {
		case f.Kind == tracker.FoundStaleClaim:
			// checkClaims judges claims.
		case f.Mended:
			d.fixed("queue", "%s", what)
		case f.Mendable:
			d.fail("queue", "helix doctor --fix", "%s", what)
		default:
			d.fail("queue", f.Advice, "%s", what)
		}
	}
	if diagnosis.Backup != "" {
		d.ok("queue", "the file as it was: %s", d.short(diagnosis.Backup))
	}
	if len(d.findings) == before {
		d.ok("queue", "%s is sound", d.short(store.Path()))
	}
}

// state is what the last run wrote, nil for none.
func (d *doctor) state() (*run.State, error) {
	return d.project.states().Load()
}

func (d *doctor) checkRun(ctx context.Context) {
	st, err := d.state()
	switch live := runIsLive(d.project); {
	case err != nil:
		d.fail("run", "", "%s", d.short(err.Error()))
	case live && st != nil:
		d.ok("run", "%s is live (pid %d, %s)", st.RunID, st.Process.PID, st.Phase)
	case live:
		d.ok("run", "one is starting")
	case st.Unfinished():
		d.warn("run", "the next helix run takes over", "%s died while %s", st.RunID, strings.TrimSpace(string(st.Phase)+" "+st.CurrentIssue))
		if d.fix {
			d.endOrphans(ctx, st)
		}
	default:
		d.ok("run", "none is live")
	}
}

// endOrphans ends the agents of a dead run. Otherwise one would go on with a bead
// whose claim is being freed.
func (d *doctor) endOrphans(ctx context.Context, dead *run.State) {
	ended, err := run.Host{}.EndOrphans(ctx, dead.RunID, dead.Agents)
	if err != nil {
		d.fail("run", "", "processes of %s could not all be ended: %v", dead.RunID, err)
	}
	for _, p := range ended {
		d.fixed("run", "%s was left by %s", p, dead.RunID)
	}
}

// checkClaims frees claims of helix processes that are gone, at any age: asking
// for --fix is the operator's request for recovery (TD-002, Ownership Model).
func (d *doctor) checkClaims(ctx context.Context) {
	q, err := d.project.store.Load(ctx)
	if err != nil {
		return // checkTracker has said it
	}
	facts := claimFacts(d.project)
	facts.Requested = true
	held := 0
	for _, b := range q.All() {
		if b.Status != tracker.InProgress {
			continue
		}
		stale, why := run.Reclaimable(b, facts)
		switch {
		case !stale:
			held++
		case d.landed(ctx, b.ID):
			d.warn("claims", "helix run", "%s landed before its run died (%s); the next run closes it", b.ID, why)
		case !d.fix:
			d.warn("claims", "helix doctor --fix", "%s is claimed by a helix process that is gone (%s)", b.ID, why)
		default:
			// Compare-and-set on the claim that was judged: it may have changed hands.
			claim := b.Claim()
			if err := d.project.store.Unclaim(ctx, b.ID, &claim); err != nil {
				d.fail("claims", "", "%s", d.short(err.Error()))
				continue
			}
			d.fixed("claims", "%s was claimed by a helix process that is gone (%s)", b.ID, why)
		}
	}
	d.ok("claims", "%d in use", held)
}

// landed tells whether the dead run had brought the bead to the branch without
// closing it. Freeing its claim would have the work done twice; the next run
// closes it instead.
func (d *doctor) landed(ctx context.Context, id string) bool {
	st, err := d.state()
	if err != nil || !st.Unfinished() || st.AttemptID == "" || !slices.Contains(st.Batch, id) {
		return false
	}
	commit, err := run.Checkout{Git: d.project.repo}.AttemptCommit(ctx, id, st.AttemptID)
	return err != nil || commit != "" // what cannot be told is left alone
}

func (d *doctor) checkPidFile() {
	file := pidFileOf(d.project)
	pid, token, err := file.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && proc.Same(pid, token):
		d.ok("pid file", "the background run has pid %d", pid)
	case err != nil && !d.fix:
		d.warn("pid file", "helix doctor --fix", "%s", d.short(err.Error()))
	case err == nil && !d.fix:
		d.warn("pid file", "helix doctor --fix", "%s names pid %d, which is gone", d.short(file.path), pid)
	default:
		if err := os.Remove(file.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.fail("pid file", "", "%s", d.short(err.Error()))
			return
		}
		d.fixed("pid file", "%s named no process", d.short(file.path))
	}
}

// attemptFolder is the name of the folder around a work tree of an attempt.
var attemptFolder = regexp.MustCompile(`^\d{8}T\d{6}-[0-9a-f]{8}$`)

// checkWorktrees looks for what attempts of dead processes left. Mending removes
// only work trees in which nothing can be lost, and forgets only helix's own: a
// work tree of somebody else may lie on a disk that is not mounted.
func (d *doctor) checkWorktrees(ctx context.Context) {
	before := len(d.findings)
	if d.fix {
		report, err := builtin.New(d.app.builtinOptions(d.project, agent.System{}, "doctor")).Reclaim(ctx)
		if err != nil {
			d.fail("worktrees", "", "%s", d.short(err.Error()))
		}
		for _, folder := range report.Removed {
			d.fixed("worktrees", "%s was left from an attempt, with nothing in it to lose", folder)
		}
		for _, k := range report.Kept {
			d.warn("worktrees", "", "%s", k)
		}
	}
	list, err := d.project.repo.Worktrees(ctx)
	if err != nil {
		d.fail("worktrees", "", "%v", err)
		return
	}
	live := runIsLive(d.project)
	for _, w := range list {
		folder := filepath.Dir(w.Path)
		ours := attemptFolder.MatchString(filepath.Base(folder))
		_, err := os.Stat(w.Path)
		switch gone := errors.Is(err, fs.ErrNotExist); {
		case gone && ours && d.fix:
			if err := d.project.repo.ForgetWorktree(ctx, w.Path); err != nil {
				d.fail("worktrees", "", "%v", err)
				continue
			}
			d.fixed("worktrees", "git listed %s, which does not exist", w.Path)
		case gone && ours:
			d.warn("worktrees", "helix doctor --fix", "git lists %s, which does not exist", w.Path)
		case gone:
			d.warn("worktrees", "if it is gone for good: git worktree prune", "git lists %s, which does not exist", w.Path)
		case ours && !live && !d.fix:
			d.warn("worktrees", "helix doctor --fix removes it if nothing in it can be lost", "%s is left from an attempt", w.Path)
		}
	}
	if len(d.findings) == before {
		d.ok("worktrees", "none is left over")
	}
}

func (d *doctor) checkPreserved(ctx context.Context) {
	refs, err := d.project.repo.Refs(ctx, "refs/helix/preserved")
	if err != nil {
		d.fail("preserved", "", "%v", err)
		return
	}
	if len(refs) == 0 {
		d.ok("preserved", "no attempt is kept")
		return
	}
	d.ok("preserved", "%d kept; list with: git for-each-ref refs/helix/preserved", len(refs))
}
