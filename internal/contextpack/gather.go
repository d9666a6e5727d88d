package contextpack

import (
	"context"
	"fmt"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// Task is what the context is for.
type Task struct {
	ID          string // of the bead, "" for none
	Title       string
	Description string
	Acceptance  string
	Notes       string // constraints, hints of earlier attempts
	Spec        string // path of the document that governs it, relative to the root
	Known       bool   // the agent is told the task itself: only what surrounds it counts
}

// words is all that the task says.
func (t *Task) words() string {
	return t.Title + "\n" + t.Description + "\n" + t.Acceptance + "\n" + t.Notes
}

// Memory is what is asked of the knowledge base. *view.View is one.
type Memory interface {
	Search(q view.Query) (view.Result, error)
	Newest(n int, f view.Filter) ([]entry.Entry, error)
}

// Tree is what is asked of the project's code. Paths are relative to its root, with
// slashes.
type Tree interface {
	Define(name string) []Symbol  // where a name is defined
	Ending(path string) []string  // files whose path ends with these elements
	Outline(path string) []Symbol // what a file defines, in its order
	Imports(path string) []string // files of the project that a file uses
	Tests(path string) []string   // files that test it
	Modules() []Module            // folders with code, in the order of their paths
}

// Symbol is a definition.
type Symbol struct {
	Path      string
	Line, End int
	Signature string
}

// Module is a folder with code.
type Module struct {
	ID     string // under which it can be expanded, as in node_12
	Path   string // "." for the root
	Doc    string // its first sentence, "" for none
	Public []string
}

// Sources are where a context comes from. Tree and Memory may be nil.
type Sources struct {
	Root string
	// Project is that of the memory which the context is for: entries of others are left
	// out, those of none stay. view.NoProject leaves out all that belong to any.
	Project string
	Tree    Tree
	Memory  Memory
	Now     time.Time
}

// Build gathers what a task needs and packs it into budget tokens. A source that
// fails is left out, and named among what is missing.
func Build(ctx context.Context, t Task, s Sources, budget int) (Pack, error) {
	items, err := Gather(ctx, t, s)
	if err != nil {
		return Pack{}, err
	}
	return PackItems(items, budget), nil
}

// Gather collects the items for a task, the most important first.
func Gather(ctx context.Context, t Task, s Sources) ([]Item, error) {
	g := &gatherer{task: t, Sources: s}
	for _, step := range []func() error{g.demands, g.rules, g.spec, g.decisions, g.files, g.memories, g.horizon} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, fmt.Errorf("context for %s: %w", t.Title, err)
		}
	}
	return g.items, nil
}

type gatherer struct {
	Sources
	task  Task
	items []Item
	near  []string        // folders of the files of the task
	hits  []entry.Entry   // memories about the task
	told  map[string]bool // ids that are items already
}

func (g *gatherer) add(it Item) { g.items = append(g.items, it) }

// age says how long ago something was, coarsely enough to stay the same for a while.
func age(at, now time.Time) string {
	d := now.Sub(at)
	switch days := int(d.Hours() / 24); {
	case d < time.Hour:
		return "just now"
	case days < 1:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case days < 60:
		return fmt.Sprintf("%d d ago", days)
	default:
		return fmt.Sprintf("%d months ago", days/30)
	}
}
