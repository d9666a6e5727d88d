package guide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helix/internal/contextpack"
	"helix/internal/git"
)

const (
	// OverviewTokens is how long an overview is.
	OverviewTokens = 1500

	activeCommits = 50 // the last commits, by which activity is measured
	maxActive     = 6
)

// Overview packs what an agent should know of the project before it has a task.
func (g *Guide) Overview(ctx context.Context) (_ contextpack.Pack, err error) {
	active, err := g.active(ctx)
	if err != nil {
		return contextpack.Pack{}, err
	}
	s, done, err := g.sources(ctx)
	if err != nil {
		return contextpack.Pack{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return contextpack.Overview(ctx, active, s, OverviewTokens)
}

// active are the files that the last commits changed most.
func (g *Guide) active(ctx context.Context) ([]contextpack.Active, error) {
	repo, err := git.Open(ctx, g.Root)
	if errors.Is(err, git.ErrNotRepo) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := repo.Head(ctx); err != nil {
		return nil, nil // no commits yet
	}
	out, err := repo.Run(ctx, "log", fmt.Sprintf("-n%d", activeCommits), "--no-merges", "--no-renames", "--name-only", "-z", "--format=")
	if err != nil {
		return nil, err
	}
	return mostChanged(out, maxActive), nil
}

// mostChanged counts the paths of a log, with a NUL after each.
func mostChanged(log string, n int) []contextpack.Active {
	changes := map[string]int{}
	for _, p := range strings.FieldsFunc(log, func(r rune) bool { return r == 0 || r == '\n' }) {
		changes[p]++
	}
	var paths []string
	for p, times := range changes {
		// One change says little, and files of helix and of clients are no work.
		if times > 1 && !strings.HasPrefix(p, ".") {
			paths = append(paths, p)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(changes[b], changes[a]), cmp.Compare(a, b))
	})
	var active []contextpack.Active
	for _, p := range paths[:min(n, len(paths))] {
		active = append(active, contextpack.Active{Path: p, Why: fmt.Sprintf("%d recent changes", changes[p])})
	}
	return active
}
