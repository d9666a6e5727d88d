package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"helix/internal/experience"
	"helix/internal/kb"
	"helix/internal/run/agent"
)

// graftFlags are the flags of helix kb graft.
type graftFlags struct {
	origin   experience.Origin
	format   string
	agent    string
	dryRun   bool
	fromHook bool
}

func (a *App) kbGraftCmd(f *kbFlags) *cobra.Command {
	var g graftFlags
	cmd := &cobra.Command{
		Use: "graft TRANSCRIPT", Short: "Remember what an agent's transcript shows",
		Long: `Read the transcript of an agent and store what is worth remembering: the findings
that it lists below FINDINGS:, decisions with their reason, causes of failures, gotchas,
commands that worked after others had failed, and what came of it. What the memory
knows already is left out. TRANSCRIPT is a session file of Claude Code or Codex, what
they print with stream-json or --json, any text, or - for standard input.

Everything is also appended to experience.jsonl in the memory's folder. With --agent,
claude or codex reads the transcript too, in an empty folder; that takes its tokens.
The hooks of helix hooks install graft by themselves, unless HELIX_NO_GRAFT=1.`,
		Example: `  helix kb graft session.jsonl --dry-run
  codex exec --json "fix it" | helix kb graft - --bead hx-1a2b`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("graft: give one transcript, or - for standard input: helix kb graft TRANSCRIPT")
			}
			return nil
		},
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			return a.graft(ctx, m, args[0], g)
		}),
	}
	fl := cmd.Flags()
	fl.StringVar(&g.origin.Bead, "bead", "", "`id` of the bead that was worked on")
	fl.StringVar(&g.origin.Session, "session", "", "`id` of the session; else what the transcript says")
	fl.StringVar(&g.origin.Commit, "commit", "", "`sha` of the commit that came of it")
	fl.StringVar(&g.format, "format", "auto", "auto, claude, codex or plain")
	fl.StringVar(&g.agent, "agent", "", "have this agent read it too: claude or codex")
	fl.BoolVar(&g.dryRun, "dry-run", false, "only show what would be stored")
	fl.BoolVar(&g.fromHook, "from-hook", false, "read only what the file has gained since the last time; one at a time")
	return cmd
}

func (a *App) graft(ctx context.Context, m *kb.Memory, path string, g graftFlags) (kbResult, error) {
	format, err := experience.ParseFormat(g.format)
	switch {
	case err != nil:
		return nil, fmt.Errorf("graft: --format: %w", err)
	case g.agent != "" && g.agent != string(agent.Claude) && g.agent != string(agent.Codex):
		return nil, fmt.Errorf("graft: --agent %q cannot read a transcript; use claude or codex", g.agent)
	case g.fromHook && (g.dryRun || g.agent != "" || path == "-"):
		return nil, errors.New("graft: --from-hook reads a file and stores what is new; leave --dry-run, --agent and - out")
	}
	if g.fromHook {
		result, err := experience.Follow(ctx, m, m.Dir(), a.kbPath(path), format, g.origin, a.extract)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	t, err := a.transcript(path, format)
	if err != nil {
		return nil, err
	}
	found := a.extract(&t)
	if g.agent != "" {
		if found, err = a.askAgent(ctx, agent.Kind(g.agent), t, found); err != nil {
			return nil, err
		}
	}
	g.origin.Session = cmp.Or(g.origin.Session, t.Session)
	g.origin.Agent = cmp.Or(g.origin.Agent, t.Agent)
	var result experience.Grafted
	if g.dryRun {
		result, err = experience.Check(ctx, m, g.origin, found)
	} else {
		result, err = experience.Graft(ctx, m, m.Dir(), g.origin, found)
	}
	if err != nil {
		return nil, err
	}
	result.Broken, result.Cut = t.Broken, t.Cut
	return result, nil
}

func (a *App) transcript(path string, format experience.Format) (experience.Transcript, error) {
	if path == "-" {
		return experience.Read(a.Stdin, format)
	}
	file, err := os.Open(a.kbPath(path))
	if err != nil {
		return experience.Transcript{}, fmt.Errorf("graft: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return experience.Transcript{}, fmt.Errorf("graft: %s is a folder; give a transcript", path)
	}
	return experience.Read(file, format)
}

// extract brings the files of a transcript to how the project names them: below
// the top of the repository in which the agent worked.
func (a *App) extract(t *experience.Transcript) []experience.Experience {
	dir := cmp.Or(t.Dir, a.Dir)
	if root, err := projectRoot(dir); err == nil {
		dir = root
	}
	t.Dir = dir
	return experience.Extract(*t)
}

// askAgent has an agent read the transcript, in a folder of its own.
func (a *App) askAgent(ctx context.Context, kind agent.Kind, t experience.Transcript, found []experience.Experience) ([]experience.Experience, error) {
	dir, err := os.MkdirTemp("", "helix-graft-")
	if err != nil {
		return nil, fmt.Errorf("graft: %w", err)
	}
	defer os.RemoveAll(dir)
	// Codex runs in a repository only.
	if out, err := exec.CommandContext(ctx, "git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("graft: git init: %w: %s", err, out)
	}
	return experience.Ask(ctx, agent.System{}, agent.Spec{Kind: kind}, dir, t, found)
}
