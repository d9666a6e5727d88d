package contextpack

import (
	"context"
	"fmt"

	"helix/internal/kb/view"
)

// Active is a file on which there is work.
type Active struct {
	Path string // relative to the root, with slashes
	Why  string // as in "4 recent changes"
}

// memoriesOfFile are told of each active file.
const memoriesOfFile = 2

// Overview packs what to know of a project without a task: its rules, the newest
// decisions, what is known of the files on which there is work, and the structure.
func Overview(ctx context.Context, active []Active, s Sources, budget int) (Pack, error) {
	g := &gatherer{Sources: s}
	for _, step := range []func() error{
		g.rules, g.newestDecisions, func() error { return g.active(active) }, g.horizon,
	} {
		if err := ctx.Err(); err != nil {
			return Pack{}, err
		}
		if err := step(); err != nil {
			return Pack{}, fmt.Errorf("overview: %w", err)
		}
	}
	return PackItems(g.items, budget), nil
}

func (g *gatherer) newestDecisions() error {
	g.told = map[string]bool{}
	if g.Memory == nil {
		return nil
	}
	newest, err := g.Memory.Newest(maxDecisions, view.Filter{Kind: "decision", For: g.Project})
	if err != nil {
		return err
	}
	for i := range newest {
		g.tell(Anchor, "Recent decisions", &newest[i])
	}
	return nil
}

// active are the files themselves, then what is remembered of them.
func (g *gatherer) active(files []Active) error {
	for _, f := range files {
		if _, err := g.read(f.Path, 1); err == nil {
			g.file(f.Path, "Active files", f.Why, false)
		}
	}
	if g.Memory == nil {
		return nil
	}
	for _, f := range files {
		known, err := g.Memory.Newest(memoriesOfFile, view.Filter{Source: f.Path, For: g.Project})
		if err != nil {
			return err
		}
		for i := range known {
			g.tell(Focus, "What is remembered of them", &known[i])
		}
	}
	return nil
}
