package builtin

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helix/internal/git"
	"helix/internal/run/executor"
	"helix/internal/run/executor/builtin/gate"
)

// acceptanceKey of a bead holds its acceptance commands, beside those that its
// acceptance text has.
const acceptanceKey = "acceptance-commands"

// verify runs the gates over the chain's last tree and fills Result.Gates. It
// returns why the chain must not land, empty when all gates are green. The error
// is that the gates could not be run to their end.
func (a *attempt) verify(ctx context.Context, c chain) (red string, err error) {
	if err := a.ws.checkOut(ctx, c.tip()); err != nil {
		return "", fmt.Errorf("the work tree cannot be brought to the work: %w", err)
	}
	specs, warnings := a.gates(c)
	for _, w := range warnings {
		if !slices.Contains(a.res.Warnings, w) {
			a.warn("%s", w)
		}
	}
	log := a.ev.openLog(gatesLog)
	defer log.Close()
	a.res.Gates = nil
	var failed []int
	for i, s := range specs {
		g, err := a.runGate(ctx, a.ws.git(), s, c, log)
		if err != nil {
			return "", err
		}
		a.res.Gates = append(a.res.Gates, g)
		a.notice("gate %s: %s (%s)", g.Name, verdict(g), g.Duration.Round(100*time.Millisecond))
		if !g.Passed {
			failed = append(failed, i)
		}
	}
	a.warnOfTouched(ctx, c)
	if len(failed) == 0 {
		return "", nil
	}
	red = fmt.Sprintf("gate %q %s", a.res.Gates[failed[0]].Name, verdict(a.res.Gates[failed[0]]))
	if len(failed) > 1 {
		var names []string
		for _, i := range failed[1:] {
			names = append(names, fmt.Sprintf("%q", a.res.Gates[i].Name))
		}
		red += ", and so did " + strings.Join(names, ", ")
	}
	for _, i := range failed {
		if specs[i].Bead != "" || ctx.Err() != nil {
			continue
		}
		if before := a.atBase(ctx, specs[i], a.res.Gates[i], c, log); before != "" {
			red += "; " + before
			break
		}
	}
	return red, nil
}

func verdict(g executor.Gate) string {
	switch {
	case g.Passed:
		return "passed"
	case g.ExitCode < 0:
		return "did not finish"
	}
	return fmt.Sprintf("failed (exit %d)", g.ExitCode)
}

// gates are the project's gates and the acceptance commands of the chain's beads.
func (a *attempt) gates(c chain) (specs []gate.Spec, warnings []string) {
	if a.Gates != nil {
		specs = gate.Configured(a.Gates)
	} else {
		specs, warnings = gate.Detect(os.DirFS(a.ws.Tree), installed)
	}
	for _, b := range a.req.Beads {
		if !slices.Contains(c.beads(), b.ID) {
			continue
		}
		named, doubtful := gate.Acceptance(b.Acceptance, a.runnable)
		given, ok := gate.Given(b.Extra[acceptanceKey])
		if !ok {
			warnings = append(warnings, fmt.Sprintf("%s of %s is neither a string nor an array of strings; it was not run", acceptanceKey, b.ID))
		}
		for _, line := range doubtful {
			warnings = append(warnings, fmt.Sprintf("this line of the acceptance of %s was not run, because it may be prose; put the command into backticks: %s", b.ID, line))
		}
		for _, s := range append(named, given...) {
			same := func(t gate.Spec) bool { return t.Command == s.Command && t.Bead == b.ID }
			if !slices.ContainsFunc(specs, same) {
				s.Bead, s.Name = b.ID, "acceptance of "+b.ID+": "+s.Name
				specs = append(specs, s)
			}
		}
	}
	if len(specs) == 0 {
		warnings = append(warnings, "no gates: nothing was run to verify this work; configure gates, or give the bead acceptance commands")
	}
	return specs, warnings
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// runnable tells whether the word starts a command in the work tree.
func (a *attempt) runnable(word string) bool {
	if !strings.Contains(word, "/") {
		return gate.ShellWord(word) || installed(word)
	}
	if !filepath.IsAbs(word) {
		word = filepath.Join(a.ws.Tree, word)
	}
	info, err := os.Stat(word)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

// runGate runs one gate in the work tree of r, which stands at the chain's tip.
func (a *attempt) runGate(ctx context.Context, r *git.Repo, s gate.Spec, c chain, log *logFile) (executor.Gate, error) {
	if s.Staged && len(c.commits) > 0 {
		if _, err := r.Run(ctx, "reset", "--quiet", "--soft", c.base); err != nil {
			return executor.Gate{}, err
		}
		defer func() {
			ctx, cancel := settled(ctx)
			defer cancel()
			_, _ = r.Run(ctx, "reset", "--quiet", "--soft", c.tip())
		}()
	}
	fmt.Fprintf(log, "$ %s\n", s.Command)
	runner := gate.Runner{
		Dir: r.Dir, Env: a.gateEnviron(c.base), Timeout: a.GateTimeout, Output: log, Started: a.req.Started,
		Marker: "HELIX_GATE_ID=" + rand.Text(),
	}
	if a.req.Log != nil {
		runner.Output = io.MultiWriter(log, tolerant{a.req.Log})
	}
	g, err := runner.Run(ctx, s)
	fmt.Fprintf(log, "→ %s in %s\n\n", verdict(g), g.Duration.Round(time.Millisecond))
	return g, err
}

// gateEnviron is that of a continuous-integration job: nothing waits for keys,
// and no test tool writes new expectations. The queue is not named in it.
func (a *attempt) gateEnviron(base string) []string {
	env := git.Outside(os.Environ())
	if os.Getenv("CI") == "" {
		env = append(env, "CI=true")
	}
	return append(env, a.environ("HELIX_BASE_REV="+base)...)
}

// warnOfTouched names tracked files that the gates changed. What lands is the
// tree from before the gates.
func (a *attempt) warnOfTouched(ctx context.Context, c chain) {
	out, err := a.ws.git().Run(ctx, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", c.tip())
	if err != nil || out == "" {
		return
	}
	a.warn("the gates changed files that git tracks; these changes did not land: %s", list(strings.FieldsFunc(out, func(r rune) bool { return r == 0 })))
}

// baselineKey is a gate at a commit.
type baselineKey struct{ base, command string }

type baselineRun struct {
	gate executor.Gate
	err  error
}

// atBase tells whether a gate that is red now was red before the work: then it
// is not, or not only, the work's fault. A gate that did not finish is not tried.
func (a *attempt) atBase(ctx context.Context, s gate.Spec, now executor.Gate, c chain, log *logFile) string {
	if now.ExitCode < 0 {
		return ""
	}
	key := baselineKey{c.base, s.Command}
	a.mu.Lock()
	before, known := a.baseline[key]
	a.mu.Unlock()
	if !known {
		before.gate, before.err = a.runAtBase(ctx, s, c, log)
		if ctx.Err() != nil {
			return ""
		}
		a.mu.Lock()
		a.baseline[key] = before
		a.mu.Unlock()
	}
	switch {
	case before.err != nil || before.gate.Passed:
		return ""
	case before.gate.ExitCode == now.ExitCode && alike(before.gate.Tail, now.Tail):
		return fmt.Sprintf("gate %q was already red at base %s in the same way", s.Name, short(c.base))
	}
	return fmt.Sprintf("gate %q was already red at base %s, with other output", s.Name, short(c.base))
}

// runAtBase runs a gate in a second, clean work tree at the chain's base.
func (a *attempt) runAtBase(ctx context.Context, s gate.Spec, c chain, log *logFile) (executor.Gate, error) {
	dir := filepath.Join(a.ws.folder, baselineDir)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return executor.Gate{}, err
	}
	tree := filepath.Join(dir, filepath.Base(a.ws.Tree))
	defer func() {
		ctx, cancel := settled(ctx)
		defer cancel()
		_ = removeAll(dir) // what is left goes with the workspace
		_ = a.root.ForgetWorktree(ctx, tree)
	}()
	if err := a.root.AddWorktree(ctx, tree, c.base); err != nil {
		return executor.Gate{}, err
	}
	fmt.Fprintf(log, "at base %s, before the work:\n", short(c.base))
	return a.runGate(ctx, a.root.At(tree), s, chain{base: c.base}, log)
}

// alike tells whether two failures look the same: at least half of the lines of
// the later one, numbers and places left aside, were there before.
func alike(before, now string) bool {
	known := map[string]bool{}
	for line := range strings.Lines(before) {
		known[shape(line)] = true
	}
	same, all := 0, 0
	for line := range strings.Lines(now) {
		if sh := shape(line); sh != "" {
			all++
			if known[sh] {
				same++
			}
		}
	}
	return all == 0 && strings.TrimSpace(before) == "" || all > 0 && 2*same >= all
}

// shape is a line of output without what differs between two runs of the same
// thing: numbers, and paths up to their last part.
func shape(line string) string {
	words := strings.Fields(line)
	for i, w := range words {
		if at := strings.LastIndexByte(w, '/'); at >= 0 {
			w = w[at+1:]
		}
		words[i] = strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return '0'
			}
			return r
		}, w)
	}
	out := strings.Join(words, " ")
	for strings.Contains(out, "00") {
		out = strings.ReplaceAll(out, "00", "0")
	}
	return out
}
