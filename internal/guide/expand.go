package guide

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"helix/internal/codetree"
)

// ExpandRequest asks for what is behind the id of a node.
type ExpandRequest struct {
	Node string `json:"node"`
}

// Text shows the node: where it is, then its detail.
func (e Expansion) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s", codetree.Shown(e.Path), e.Kind)
	if e.Line > 0 {
		fmt.Fprintf(&b, ", lines %d to %d", e.Line, e.End)
	}
	fmt.Fprintf(&b, ", %s)\n", e.ID)
	b.WriteString(strings.TrimRight(e.Detail, "\n") + "\n")
	return b.String()
}

// Expand shows a node of the code tree: the source of a symbol, the outline of a
// file, the content of a folder.
func (g *Guide) Expand(ctx context.Context, r ExpandRequest) (_ Expansion, err error) {
	if r.Node == "" {
		return Expansion{}, refuse("expand: name the node, as in node_12; contexts and outlines give the ids")
	}
	tree, err := g.tree(ctx)
	if err != nil {
		return Expansion{}, err
	}
	if tree == nil {
		return Expansion{}, refuse("expand: there is no code tree here")
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	e, err := tree.Expand(r.Node)
	if errors.Is(err, ErrNoNode) {
		return Expansion{}, refuse("expand: there is no node %s any more: ask for a context anew", r.Node)
	}
	return e, err
}
