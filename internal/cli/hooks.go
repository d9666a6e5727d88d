package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"helix/internal/git"
	"helix/internal/hook/install"
	"helix/internal/kb"
)

// clientFlags say whose settings a command is about.
type clientFlags struct {
	client, scope string
	json          bool
}

func (f *clientFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.client, "client", "all", "claude, codex or all; all leaves out what this machine does not have")
	cmd.Flags().StringVar(&f.scope, "scope", install.User, "user, or project for the project's own settings (Claude Code only)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

func (a *App) hooksCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "hooks", Short: "Have Claude Code and Codex ask the memory by themselves", GroupID: "setup",
		Long: `Write helix into the hooks of Claude Code and Codex, so that they get from the
memory what is known about the file at hand, the question or the error. Other
hooks and settings stay as they are, and the old file is kept as
<name>.helix-backup. CLAUDE_CONFIG_DIR and CODEX_HOME are respected.`,
		Args: noSuchCommand, RunE: showHelp,
	}
	cmd.AddCommand(
		a.placesCmd("install", "Set the hooks up, or bring them up to date", a.installHooks),
		a.placesCmd("uninstall", "Take helix's hooks out", func(_ context.Context, p install.Place) (install.Change, error) { return install.Unhook(p) }),
		a.hooksStatusCmd(),
		a.hooksRefreshCmd(),
	)
	return cmd
}

func (a *App) installHooks(_ context.Context, p install.Place) (install.Change, error) {
	program, err := install.Find()
	if err != nil {
		return install.Change{}, err
	}
	if dir, err := kb.DefaultDir(a.Getenv); err == nil {
		if err := a.leaveSettings(dir); err != nil {
			return install.Change{}, err
		}
	}
	c, err := install.Hooks(p, program)
	if err == nil && c.Changed && p.Client == install.Codex {
		fmt.Fprintln(a.Stderr, "helix: Codex runs new hooks only once you have trusted them: start codex and do so")
	}
	return c, err
}

// placesCmd is a command that changes one file in each place.
func (a *App) placesCmd(use, short string, change func(context.Context, install.Place) (install.Change, error)) *cobra.Command {
	f := &clientFlags{}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			places, err := a.places(cmd.Context(), f)
			if err != nil {
				return err
			}
			changes := []install.Change{}
			var failed error
			for _, p := range places {
				c, err := change(cmd.Context(), p)
				if err != nil {
					failed = errors.Join(failed, err)
					continue
				}
				changes = append(changes, c)
			}
			return cmp.Or(failed, a.printChanges(changes, f.json))
		},
	}
	f.register(cmd)
	return cmd
}

func (a *App) printChanges(changes []install.Change, asJSON bool) error {
	if asJSON {
		return a.printJSON(changes)
	}
	for _, c := range changes {
		switch {
		case !c.Changed:
			fmt.Fprintf(a.Stdout, "unchanged %s\n", c.Path)
		case c.Backup != "":
			fmt.Fprintf(a.Stdout, "changed   %s (before: %s)\n", c.Path, c.Backup)
		default:
			fmt.Fprintf(a.Stdout, "made      %s\n", c.Path)
		}
	}
	return nil
}

// places are the settings that the flags mean. With --client all, a client that
// was never used here is left out.
func (a *App) places(ctx context.Context, f *clientFlags) ([]install.Place, error) {
	home := a.Getenv("HOME")
	if home == "" {
		return nil, errors.New("HOME is not set, so the clients' settings cannot be found")
	}
	m := install.Machine{Home: home, Project: a.Dir, Getenv: a.Getenv}
	if f.scope == install.Project {
		repo, err := git.Open(ctx, a.Dir)
		switch {
		case err == nil:
			m.Project = repo.Dir
		case !errors.Is(err, git.ErrNotRepo):
			return nil, err
		}
	}
	all, err := install.Places(m, f.client, f.scope)
	if err != nil || f.client != "all" || f.scope == install.Project {
		return all, err
	}
	var used []install.Place
	for _, p := range all {
		if p.Used() {
			used = append(used, p)
		}
	}
	if len(used) == 0 {
		return nil, fmt.Errorf("neither Claude Code nor Codex has settings in %s; name the one to set up with --client", home)
	}
	return used, nil
}

func (a *App) hooksStatusCmd() *cobra.Command {
	f := &clientFlags{}
	cmd := &cobra.Command{
		Use: "status", Short: "Show which hooks are set up, and whether they can run", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			places, err := a.places(cmd.Context(), f)
			if err != nil {
				return err
			}
			program, err := install.Find()
			if err != nil {
				return err
			}
			all := []install.Status{}
			for _, p := range places {
				s, err := install.Look(p, program)
				if err != nil {
					return err
				}
				all = append(all, s)
			}
			if f.json {
				return a.printJSON(all)
			}
			for _, s := range all {
				a.printHooks(s)
			}
			return nil
		},
	}
	f.register(cmd)
	return cmd
}

func (a *App) printHooks(s install.Status) {
	n := 0
	for _, h := range s.Hooks {
		if h.State == "installed" {
			n++
		}
	}
	fmt.Fprintf(a.Stdout, "%s (%s): %d of %d hooks, in %s\n", s.Client, s.Scope, n, len(s.Hooks), s.Path)
	for _, h := range s.Hooks {
		fmt.Fprintf(a.Stdout, "  %-19s %-11s %s\n", h.Event, h.State, cmp.Or(h.Detail, h.Command))
	}
	if s.Note != "" {
		fmt.Fprintf(a.Stdout, "  %s\n", s.Note)
	}
}
