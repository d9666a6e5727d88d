package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"helix/internal/checkout"
	"helix/internal/contextpack"
	"helix/internal/guide"
	"helix/internal/kb"
	"helix/internal/run"
	"helix/internal/run/remember"
	"helix/internal/tracker"
)

// runMemory opens what the runs of a project remember. It is nil when they are to
// remember nothing, and when there is no folder for it, which is told: no run fails
// for want of a memory.
func (a *App) runMemory(p *project) (m run.Memory, closeIt func()) {
	dir, err := a.memoryDir(p)
	if err != nil {
		fmt.Fprintf(a.Stderr, "helix: the run remembers nothing: %v\n", err)
	}
	if dir == "" {
		return nil, func() {}
	}
	if err := checkPlace(dir, "HELIX_KB"); err != nil {
		fmt.Fprintf(a.Stderr, "helix: the run remembers nothing: %v\n", err)
		return nil, func() {}
	}
	base := kb.Open(dir, kb.WithRoot(p.repo.Dir), kb.WithProject(checkout.Of(p.repo.Dir), p.repo.Dir))
	return &remember.Memory{KB: base, Root: p.repo.Dir, Surround: surround(p.repo.Dir)}, func() {
		closed := make(chan error, 1)
		go func() { closed <- base.Close() }()
		select {
		case err := <-closed:
			if err != nil {
				fmt.Fprintf(a.Stderr, "helix: the memory in %s was not closed well: %v\n", dir, err)
			}
		case <-time.After(memoryClose): // everything that was recorded is in its log
		}
	}
}

// memoryClose is how long a memory may keep a run from ending, for bringing its index
// up.
const memoryClose = 10 * time.Second

// memoryEnv has hooks and tools of the agents use the memory of the run.
func (a *App) memoryEnv(p *project) []string {
	dir, err := a.memoryDir(p)
	if err != nil || dir == "" {
		return nil
	}
	return []string{"HELIX_KB=" + dir}
}

// surroundTokens is how long the part of a prompt is that tells what surrounds a task.
const surroundTokens = 2500

// surround packs the rules, files and structure around a bead for its prompt. What is
// remembered is recalled by itself, and the bead is in the prompt already.
func surround(root string) func(context.Context, *tracker.Bead) (string, error) {
	g := &guide.Guide{Root: root, Tree: guide.PatientCode(root)}
	return func(ctx context.Context, b *tracker.Bead) (string, error) {
		task := contextpack.OfBead(b)
		task.Known = true
		p, err := g.Pack(ctx, task, surroundTokens)
		return p.Text, err
	}
}

// memoryDir is the folder of the memory of a project's runs, "" for none.
func (a *App) memoryDir(p *project) (string, error) {
	if p.config.Memory == "off" {
		return "", nil
	}
	dir, err := kb.DefaultDir(a.Getenv)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.Dir, dir)
	}
	return dir, nil
}
