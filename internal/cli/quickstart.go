package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"helix/internal/config"
	"helix/internal/quickstart"
	"helix/internal/run"
)

const quickstartLong = `Make a small real Go repository with six beads (one waits for another, two belong
to an epic, one fails its test, one is changed by a colleague while it is worked
on) and work through them with the real loop.

Without --agent a recorded agent does the work: no key, no network, nothing to
pay. The folder is kept, so that you can look around.`

func (a *App) quickstartCmd() *cobra.Command {
	var dir, agent string
	cmd := &cobra.Command{
		Use: "quickstart", Short: "See helix drain a small queue, without a key", Long: quickstartLong, GroupID: "setup", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if agent != "" && agent != "claude" && agent != "codex" {
				return fmt.Errorf("--agent %q is not known; use claude or codex, or leave it out for the recorded one", agent)
			}
			return a.quickstart(cmd.Context(), dir, agent)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to make the project in (default a new one among the temporary files)")
	cmd.Flags().StringVar(&agent, "agent", "", "have a real agent do the work: claude or codex")
	return cmd
}

func (a *App) quickstart(ctx context.Context, dir, agent string) error {
	var err error
	if dir == "" {
		if dir, err = os.MkdirTemp("", "helix-quickstart-"); err != nil {
			return fmt.Errorf("quickstart: %w", err)
		}
	} else if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.Dir, dir)
	}
	settings, err := quickstartSettings(agent)
	if err != nil {
		return err
	}
	if err := quickstart.Create(ctx, dir, settings, agent == ""); err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "helix: made a project with six beads in %s\n", dir)
	inside := &App{Stdin: a.Stdin, Stdout: a.Stdout, Stderr: a.Stderr, Dir: dir, Getenv: a.quickstartEnv(dir)}
	p, err := inside.project(ctx)
	if err != nil {
		return err
	}
	f := &runFlags{quiet: agent == ""}
	runErr := inside.runLoop(ctx, p, f)
	s, err := readStatus(context.WithoutCancel(ctx), p)
	if err != nil {
		return errors.Join(runErr, err)
	}
	fmt.Fprintln(a.Stdout)
	writeStatus(a.Stdout, s)
	if err := a.handedOn(p, dir); err != nil {
		return errors.Join(runErr, err)
	}
	fmt.Fprintf(a.Stdout, `
Look around:
  cd %s
  git log                     one commit for each bead that landed
  helix log                   every cycle of the run
  git for-each-ref refs/helix/preserved
                              work that did not land, kept
  cat .helix-logs/blockers-*  what needs you, and why
`, dir)
	return runErr
}

// quickstartEnv hides the caller's settings: the project brings its own.
// Its memory is its own too.
func (a *App) quickstartEnv(dir string) func(string) string {
	hidden := []string{"DDX_BEAD_DIR", "HELIX_TRACKER_DIR", "DDX_BEAD_PREFIX", "XDG_CONFIG_HOME", "HOME"}
	for _, s := range config.Settings() {
		hidden = append(hidden, s.Env)
	}
	return func(name string) string {
		switch {
		case name == "HELIX_KB":
			return filepath.Join(dir, quickstart.MemoryDir)
		case slices.Contains(hidden, name):
			return ""
		}
		return a.Getenv(name)
	}
}

// handedOn tells which memory of an earlier cycle a later one used; nothing when
// there was none.
func (a *App) handedOn(p *project, dir string) error {
	events, _, err := run.JournalIn(filepath.Dir(p.store.Path())).Read()
	if err != nil {
		return err
	}
	made := map[string]int{} // id -> cycle
	for _, e := range events {
		for _, id := range e.Memories {
			switch from, ok := made[id]; {
			case e.Kind == run.EventRecord:
				made[id] = e.Cycle
			case e.Kind == run.EventCredit && ok && from < e.Cycle:
				fmt.Fprintf(a.Stdout, "\nWhat cycle %d found out was shown to the agent of cycle %d, which used it:\n  HELIX_KB=%s helix kb why %s\n",
					from, e.Cycle, quoted([]string{filepath.Join(dir, quickstart.MemoryDir)}), id)
				return nil
			}
		}
	}
	return nil
}

func quickstartSettings(agent string) (string, error) {
	if agent != "" {
		return "agent: " + agent + "\nexecutor: builtin\nmax_attempts: 2\n", nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("quickstart: helix does not find itself: %w", err)
	}
	return fmt.Sprintf(`# Settings of the quickstart: the recorded agent, quick retries, every change reviewed.
agent: command
command: [%s, quickstart-agent]
executor: builtin
backoff_sleep: 200ms
max_attempts: 2
review_threshold: 1
`, strconv.Quote(self)), nil
}

// quickstartAgentCmd is the recorded agent: the loop starts it like any other.
func (a *App) quickstartAgentCmd() *cobra.Command {
	return &cobra.Command{
		Use: "quickstart-agent", Short: "The recorded agent of quickstart", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			queue := a.Getenv("DDX_BEAD_DIR")
			if queue == "" {
				return errors.New("quickstart-agent is started by helix quickstart, not by hand")
			}
			return quickstart.Agent(cmd.Context(), a.Dir, queue, a.Stdin, a.Stdout)
		},
	}
}
