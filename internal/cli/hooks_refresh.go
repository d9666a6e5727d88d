package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"helix/internal/config"
	"helix/internal/hook/handover"
	"helix/internal/kb"
	"helix/internal/precompute"
)

func (a *App) hooksRefreshCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "refresh", Short: "Prepare now what hooks tell about this project", Args: cobra.NoArgs,
		Long: `Write what the hooks tell about this project at the start of a session, and the
settings that they follow, into the folder cache of the memory. A running helix serve
does that by itself; after a change of auto_init or serve in config.yaml this makes it
hold at once.`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			repo, err := a.repo(cmd.Context())
			if err != nil {
				return err
			}
			m, err := a.openMemory(dir)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, m.Close()) }()
			if err := a.leaveSettings(m.Dir()); err != nil {
				return err
			}
			if err := precompute.Refresh(cmd.Context(), m.Dir(), repo.Dir, a.prepare(m)); err != nil {
				return err
			}
			fmt.Fprintln(a.Stdout, handover.Context(m.Dir(), handover.Project(repo.Dir)))
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "kb", "", "`folder` of the memory (HELIX_KB)")
	return cmd
}

// refresher keeps what hooks tell about projects up to date, first of all about the
// one in which helix runs.
func (a *App) refresher(m *kb.Memory) *precompute.Refresher {
	return precompute.New(m.Dir(), a.workRoot(), a.prepare(m), a.complainer("helix: what hooks tell at the start of a session is not kept up: %v\n"))
}

// prepare makes a function that puts together what there is to know about a project.
func (a *App) prepare(m *kb.Memory) func(context.Context, string) (precompute.Content, error) {
	return func(ctx context.Context, root string) (precompute.Content, error) {
		there := *a
		there.Dir = root
		p, err := there.guide(m).Overview(ctx)
		if err != nil {
			return precompute.Content{}, err
		}
		nodes := slices.DeleteFunc(slices.Clone(p.Shown), func(title string) bool { return slices.Contains(p.Memory, title) })
		return precompute.Content{Context: p.Text, Nodes: nodes, Memories: len(p.Memory)}, nil
	}
}

// leaveSettings writes what a hook, which cannot read YAML, has to know of the user's
// settings and of those of the project in which helix runs. Settings that cannot be
// read are left as they were: every other command says what is wrong with them.
func (a *App) leaveSettings(dir string) error {
	var failed error
	leave := func(root, project string, plain func(config.Config) bool) {
		c, err := config.Load(root, a.Getenv)
		if err != nil {
			return
		}
		s := handover.Settings{AutoInit: c.AutoInit, MinFiles: c.AutoInitFiles, AutoStart: c.AutoServe}
		if err := handover.WriteSettings(dir, project, s, plain(c)); err != nil {
			failed = errors.Join(failed, fmt.Errorf("the hooks' settings: %w", err))
		}
	}
	leave("", "", func(c config.Config) bool { return !setBy(c, "") })
	if root, err := projectRoot(a.Dir); err == nil {
		file := filepath.Join(root, config.ProjectFile)
		leave(root, handover.Project(root), func(c config.Config) bool { return !setBy(c, file) })
	}
	return failed
}

// setBy tells whether a file, or any for "", sets something that hooks have to know.
func setBy(c config.Config, file string) bool {
	for _, key := range []string{"auto_init.enabled", "auto_init.min_files", "serve.auto_start"} {
		if o := c.Origins[key]; o == file || file == "" && o != "default" {
			return true
		}
	}
	return false
}
