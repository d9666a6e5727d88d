package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/codetree"
)

const treeLong = `Show the map of the code: folders, files, and the symbols in them with their
lines and signatures. It is kept in the user's cache folder; show and query first
read what has changed since.

  helix tree show internal/auth --depth 2
  helix tree show node_1a2b3c
  helix tree query Login`

// treeFlags are the flags of the tree commands.
type treeFlags struct {
	json  bool
	depth int
}

func (a *App) treeCmd() *cobra.Command {
	var f treeFlags
	cmd := &cobra.Command{
		Use: "tree", Short: "Show the map of the code: folders, files, symbols", Long: treeLong, GroupID: "look",
		Args: noSuchCommand, RunE: showHelp,
	}
	cmd.PersistentFlags().BoolVar(&f.json, "json", false, "print JSON")
	show := &cobra.Command{
		Use: "show [PATH|node_ID]", Short: "Show a folder, a file or a symbol and what is in it", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.treeShow(cmd.Context(), &f, args) },
	}
	show.Flags().IntVar(&f.depth, "depth", 1, "how many `levels` to go down")
	cmd.AddCommand(show, &cobra.Command{
		Use: "build", Short: "Build the map, or bring it up to date", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.treeBuild(cmd.Context(), &f) },
	}, &cobra.Command{
		Use: "query NAME", Short: "Find where a name is defined and called", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.treeQuery(cmd.Context(), &f, args[0]) },
	})
	return cmd
}

// updateTree brings the tree of the project up to date.
func (a *App) updateTree(ctx context.Context) (root string, stats codetree.Stats, err error) {
	root = a.workRoot()
	stats, err = codetree.Update(ctx, root, codetree.Options{Progress: a.progress("code tree")})
	return root, stats, err
}

// withTree calls do with the tree of the project as it is now.
func (a *App) withTree(ctx context.Context, do func(root string, t *codetree.Tree) error) (err error) {
	root, _, err := a.updateTree(ctx)
	if err != nil {
		return err
	}
	t, err := codetree.Open(root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(root, t)
}

func (a *App) treeBuild(ctx context.Context, f *treeFlags) error {
	_, s, err := a.updateTree(ctx)
	if err != nil {
		return err
	}
	if f.json {
		return a.printJSON(s)
	}
	done := "nothing has changed"
	if s.Written {
		done = fmt.Sprintf("%d read, %d gone", s.Parsed, s.Removed)
	}
	_, err = fmt.Fprintf(a.Stdout, "%d files, %d lines, %d nodes: %s\n", s.Files, s.Lines, s.Nodes, done)
	return err
}

// treeNode is a node with those below it.
type treeNode struct {
	codetree.Node
	Nodes []treeNode `json:"nodes,omitempty"`
}

func (a *App) treeShow(ctx context.Context, f *treeFlags, args []string) error {
	if f.depth < 0 {
		return fmt.Errorf("tree show: --depth %d: give 0 or more", f.depth)
	}
	return a.withTree(ctx, func(root string, t *codetree.Tree) error {
		n, err := a.treeTarget(root, t, args)
		if err != nil {
			return err
		}
		shown, err := below(t, n, f.depth)
		if err != nil {
			return err
		}
		if f.json {
			return a.printJSON(shown)
		}
		var b strings.Builder
		shown.print(&b, 0)
		_, err = fmt.Fprint(a.Stdout, harmless(b.String()))
		return err
	})
}

// treeTarget is the node that the argument names: an id, a path as seen from the
// working folder, or one as seen from the project's.
func (a *App) treeTarget(root string, t *codetree.Tree, args []string) (codetree.Node, error) {
	if len(args) == 0 {
		return t.Root()
	}
	if strings.HasPrefix(args[0], "node_") {
		return t.Expand(args[0])
	}
	name := args[0]
	if !filepath.IsAbs(name) {
		name = filepath.Join(a.Dir, name)
	}
	if rel, err := filepath.Rel(root, name); err == nil {
		if n, err := t.At(filepath.ToSlash(rel)); err == nil {
			return n, nil
		}
	}
	n, err := t.At(filepath.ToSlash(args[0]))
	if errors.Is(err, codetree.ErrNotFound) {
		return n, fmt.Errorf("tree show: %s is not in the code tree: it is ignored, binary, over 1 MB, or not there", args[0])
	}
	return n, err
}

// below reads a node and those down to that depth.
func below(t *codetree.Tree, n codetree.Node, depth int) (treeNode, error) {
	shown := treeNode{Node: n}
	if depth == 0 {
		return shown, nil
	}
	children, err := t.Nodes(n.Children)
	if err != nil {
		return shown, err
	}
	for _, c := range children {
		child, err := below(t, c, depth-1)
		if err != nil {
			return shown, err
		}
		shown.Nodes = append(shown.Nodes, child)
	}
	return shown, nil
}

// print writes one line for each node.
func (n treeNode) print(b *strings.Builder, level int) {
	fmt.Fprint(b, strings.Repeat("  ", level))
	name := n.Name
	if level == 0 {
		name = n.Path
	}
	switch n.Kind {
	case codetree.Dir:
		fmt.Fprintf(b, "%s (%d files)", codetree.Shown(strings.TrimSuffix(name, "/")+"/"), n.FileCount)
	case codetree.File:
		fmt.Fprintf(b, "%s (%d lines)", codetree.Shown(name), n.EndLine)
	default:
		if level == 0 {
			fmt.Fprintf(b, "%s:", codetree.Shown(n.Path))
		}
		fmt.Fprintf(b, "%s %s", lines(n.Node), n.Signature)
	}
	if n.Doc != "" {
		fmt.Fprintf(b, " — %s", n.Doc)
	}
	fmt.Fprintf(b, "  [%s]\n", n.ID)
	for _, c := range n.Nodes {
		c.print(b, level+1)
	}
}

// lines is where a symbol stands: 3, or 3-8.
func lines(n codetree.Node) string {
	if n.Line == n.EndLine {
		return fmt.Sprint(n.Line)
	}
	return fmt.Sprintf("%d-%d", n.Line, n.EndLine)
}

func (a *App) treeQuery(ctx context.Context, f *treeFlags, name string) error {
	return a.withTree(ctx, func(_ string, t *codetree.Tree) error {
		found, err := t.Symbols(name)
		if err != nil {
			return err
		}
		calls, err := t.Callers(name)
		if err != nil {
			return err
		}
		if len(found)+len(calls) == 0 {
			return fmt.Errorf("tree query: nothing is called %q in this project", name)
		}
		if f.json {
			return a.printJSON(map[string]any{"definitions": orEmpty(found), "callers": orEmpty(calls)})
		}
		var b strings.Builder
		for _, n := range found {
			fmt.Fprintf(&b, "%s:%d %s %s: %s", codetree.Shown(n.Path), n.Line, n.Symbol, n.Qualified(), n.Signature)
			if n.Doc != "" {
				fmt.Fprintf(&b, " — %s", n.Doc)
			}
			fmt.Fprintf(&b, "  [%s]\n", n.ID)
		}
		for _, c := range calls {
			fmt.Fprintf(&b, "%s:%d called", codetree.Shown(c.Path), c.Line)
			if c.In != "" {
				fmt.Fprintf(&b, " in %s", c.In)
			}
			if c.On != "" {
				fmt.Fprintf(&b, " on %s", c.On)
			}
			b.WriteByte('\n')
		}
		_, err = fmt.Fprint(a.Stdout, harmless(b.String()))
		return err
	})
}

// orEmpty makes a list that is [] in JSON where there is nothing in it.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
