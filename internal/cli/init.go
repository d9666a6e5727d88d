package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/config"
	"helix/internal/git"
	"helix/internal/kb"
)

// ignoredRuntime are the files of a tracker folder that belong to one machine
// and one moment.
var ignoredRuntime = []string{
	"beads.lock/", "beads.lock.*", "beads.jsonl.bak*", "*.tmp*", "executions/", "run-state.json", "helix-run-state.json",
	"helix-journal.jsonl", "helix-run.lock", "helix.pid",
}

func (a *App) initCmd() *cobra.Command {
	var asJSON, auto bool
	cmd := &cobra.Command{
		Use: "init", Short: "Prepare this repository for helix", GroupID: "setup", Args: cobra.NoArgs,
		Long: "Make the queue (.ddx/beads.jsonl) and the settings (.helix/config.yaml), and keep\nhelix's run-time files out of git. What is there is left as it is.\n\nWith --auto nothing is done unless the settings auto_init allow it for this\nproject: the hooks of Claude Code and Codex call that at the start of a session.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			repo, err := a.repo(cmd.Context())
			if err != nil {
				return err
			}
			if auto {
				if why, err := a.notByItself(cmd.Context(), repo); err != nil || why != "" {
					fmt.Fprint(a.Stderr, why)
					return err
				}
			}
			steps, err := a.initRepo(cmd.Context(), repo)
			if err != nil {
				return err
			}
			if dir, err := kb.DefaultDir(a.Getenv); err == nil {
				if err := a.leaveSettings(dir); err != nil {
					return err
				}
			}
			if asJSON {
				return a.printJSON(steps)
			}
			for _, s := range steps {
				fmt.Fprintf(a.Stdout, "%-8s %s\n", s.Result, s.Path)
			}
			if _, err := repo.Head(cmd.Context()); err != nil {
				fmt.Fprintln(a.Stdout, "\nThe repository has no commits yet: make the first one before helix run.")
				return nil
			}
			fmt.Fprintln(a.Stdout, "\nNext: helix bead create \"…\" --acceptance \"…\", then helix run")
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&auto, "auto", false, "only if the settings auto_init allow it")
	return cmd
}

// notByItself says why the settings do not let a project be set up without being
// asked for, "" when they do.
func (a *App) notByItself(ctx context.Context, repo *git.Repo) (string, error) {
	c, err := config.Load(repo.Dir, a.Getenv)
	if err != nil {
		return "", err
	}
	if !c.AutoInit {
		return "helix: not set up: auto_init.enabled is not true in config.yaml\n", nil
	}
	out, err := repo.Run(ctx, "ls-files", "-z")
	if err != nil {
		return "", err
	}
	n := 0
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" && !config.Excluded(c.AutoInitExclude, name) {
			n++
		}
	}
	if n < c.AutoInitFiles {
		return fmt.Sprintf("helix: not set up: %d tracked files count, auto_init.min_files is %d\n", n, c.AutoInitFiles), nil
	}
	return "", nil
}

// initStep is one file that init looked after.
type initStep struct {
	Path   string `json:"path"`
	Result string `json:"result"` // made, extended or kept
}

func (a *App) initRepo(ctx context.Context, repo *git.Repo) ([]initStep, error) {
	dir := a.trackerDir(repo.Dir)
	var steps []initStep
	for _, f := range []struct {
		path, text string
		lines      []string // instead of text: lines that must be there
	}{
		{path: filepath.Join(dir, "beads.jsonl")},
		{path: filepath.Join(dir, ".gitignore"), lines: ignoredRuntime},
		{path: filepath.Join(repo.Dir, config.ProjectFile), text: settingsTemplate(a.detectGates(ctx, repo))},
		{path: filepath.Join(repo.Dir, ".helix", ".gitignore"), lines: []string{"/context.md"}},
	} {
		step, err := ensureFile(f.path, f.text, f.lines)
		if err != nil {
			return steps, fmt.Errorf("init stopped: %w; nothing that was there has been changed", err)
		}
		if rel, err := filepath.Rel(repo.Dir, f.path); err == nil && !strings.HasPrefix(rel, "..") {
			step.Path = rel
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// ensureFile makes a file that is missing, or adds the lines that it lacks.
func ensureFile(path, text string, lines []string) (initStep, error) {
	old, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return initStep{}, err
	}
	step := initStep{Path: path, Result: "kept"}
	if missing {
		step.Result = "made"
	}
	for _, line := range lines {
		if strings.Contains("\n"+string(old)+"\n", "\n"+line+"\n") {
			continue
		}
		if !missing {
			step.Result = "extended"
		}
		if text == "" && len(old) > 0 && old[len(old)-1] != '\n' {
			text = "\n"
		}
		text += line + "\n"
	}
	if step.Result == "kept" {
		return step, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return initStep{}, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return initStep{}, err
	}
	if _, err := f.WriteString(text); err != nil {
		return initStep{}, errors.Join(err, f.Close())
	}
	return step, f.Close()
}

// settingsTemplate is a config.yaml that sets nothing and names everything.
func settingsTemplate(gates []string) string {
	var w strings.Builder
	w.WriteString("# Settings of helix for this project. Everything here is optional.\n")
	if len(gates) > 0 {
		w.WriteString("#\n# Found in this project, and used as gates as long as none are set:\n")
		for _, g := range gates {
			fmt.Fprintf(&w, "#   %s\n", g)
		}
	}
	for _, s := range config.Settings() {
		example := ""
		if s.List {
			example = " []"
		}
		fmt.Fprintf(&w, "\n# %s\n# %s:%s\n", s.Help, s.Key, example)
	}
	return w.String()
}
