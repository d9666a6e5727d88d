package guide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"helix/internal/checkout"
	"helix/internal/contextpack"
	"helix/internal/kb"
	"helix/internal/tracker"
)

// ErrRefused is wrapped by errors about a request that cannot be answered as it is.
var ErrRefused = kb.ErrRefused

// Guide knows a project. It is safe for concurrent use.
type Guide struct {
	Root   string
	Memory *kb.Memory
	// Tree gives the code tree, brought up to date. nil: there is none.
	Tree func(ctx context.Context) (Tree, error)
	// Bead finds a bead by its id, or the beginning of it. nil: there is no queue.
	Bead func(ctx context.Context, id string) (*tracker.Bead, error)
	Now  func() time.Time
}

// Tree is what is asked of the project's code.
type Tree interface {
	contextpack.Tree
	// Expand shows a node. ErrNoNode.
	Expand(id string) (Expansion, error)
	// Answer answers a question about the structure of the code; false when it is
	// none.
	Answer(question string) ([]Answer, bool)
	// Resemble gives up to n definitions and files whose names resemble the words,
	// the nearest first.
	Resemble(words []string, n int) []Answer
	Close() error
}

// ErrNoNode: the tree has no node with that id.
var ErrNoNode = errors.New("no such node")

// Expansion is what is behind the id of a node.
type Expansion struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"` // dir, file, symbol
	Path     string   `json:"path"`
	Line     int      `json:"line,omitempty"`
	End      int      `json:"end_line,omitempty"`
	Detail   string   `json:"detail"` // source of a symbol, outline of a file, list of a folder
	Children []string `json:"children,omitempty"`
}

// Answer is a place in the code.
type Answer struct {
	Path string
	Line int // 0 for a whole file
	What string
}

// refusal is an error whose whole text is for the user.
type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) Unwrap() error   { return ErrRefused }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// DefaultTokens is how many tokens a context has when nothing is said.
const DefaultTokens = 4000

const maxTokens = 200_000

// ContextRequest asks for the context of a task.
type ContextRequest struct {
	Bead      string `json:"bead,omitempty"`
	Task      string `json:"task,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty"` // 0: DefaultTokens
}

// ContextResult is a context that fits.
type ContextResult struct {
	Task      string   `json:"task"`
	Tokens    int      `json:"tokens"`
	Budget    int      `json:"budget"`
	Shown     []string `json:"shown"`
	Shortened []string `json:"shortened,omitempty"`
	Left      []string `json:"left_out,omitempty"`
	Memories  []string `json:"memories,omitempty"` // ids of the entries in it
	Context   string   `json:"text"`               // Markdown
}

// Text is the context itself.
func (r ContextResult) Text() string { return r.Context }

// Context packs what an agent should know for a task.
func (g *Guide) Context(ctx context.Context, r ContextRequest) (_ ContextResult, err error) {
	switch {
	case (r.Bead == "") == (r.Task == ""):
		return ContextResult{}, refuse("context: say for which task: a bead or a text")
	case r.MaxTokens < 0 || r.MaxTokens > maxTokens:
		return ContextResult{}, refuse("context: %d tokens: give 1 to %d", r.MaxTokens, maxTokens)
	case r.MaxTokens == 0:
		r.MaxTokens = DefaultTokens
	}
	task := contextpack.Task{Title: r.Task}
	if r.Bead != "" {
		if g.Bead == nil {
			return ContextResult{}, refuse("context: there is no queue here")
		}
		b, err := g.Bead(ctx, r.Bead)
		if err != nil {
			return ContextResult{}, err
		}
		task = contextpack.OfBead(b)
	}
	p, err := g.Pack(ctx, task, r.MaxTokens)
	if err != nil {
		return ContextResult{}, err
	}
	return ContextResult{task.Title, p.Tokens, p.Budget, p.Shown, p.Cut, p.Left, p.Memory, p.Text}, nil
}

// Pack is Context for a task that is at hand.
func (g *Guide) Pack(ctx context.Context, task contextpack.Task, tokens int) (_ contextpack.Pack, err error) {
	s, done, err := g.sources(ctx)
	if err != nil {
		return contextpack.Pack{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return contextpack.Build(ctx, task, s, tokens)
}

// sources are what a context is put together from, until done.
func (g *Guide) sources(ctx context.Context) (_ contextpack.Sources, done func() error, err error) {
	s := contextpack.Sources{Root: g.Root, Project: cmp.Or(checkout.Of(g.Root), kb.NoProject), Now: g.now()}
	var closers []func() error
	done = func() (err error) {
		for _, c := range closers {
			err = errors.Join(err, c())
		}
		return err
	}
	if g.Memory != nil {
		v, err := g.Memory.View()
		if err != nil {
			return s, nil, err
		}
		closers = append(closers, v.Close)
		s.Memory = v
	}
	tree, err := g.tree(ctx)
	if err != nil {
		return s, nil, errors.Join(err, done())
	}
	if tree != nil {
		closers = append(closers, tree.Close)
		s.Tree = tree
	}
	return s, done, nil
}

func (g *Guide) tree(ctx context.Context) (Tree, error) {
	if g.Tree == nil {
		return nil, nil
	}
	return g.Tree(ctx)
}

func (g *Guide) now() time.Time {
	if g.Now == nil {
		return time.Now()
	}
	return g.Now()
}
