package guide

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"helix/internal/codetree"
	"helix/internal/contextpack"
)

const (
	moduleDepth  = 3  // of the folders that an overview shows
	modulePublic = 4  // signatures of a module
	maxUsed      = 10 // imported files of one file
	maxSource    = 400
)

// OpenCode brings the code tree of the project in root up to date and opens it.
func OpenCode(ctx context.Context, root string, progress func(done, total int)) (Tree, error) {
	if _, err := codetree.Update(ctx, root, codetree.Options{Progress: progress}); err != nil {
		return nil, err
	}
	t, err := codetree.Open(root)
	if err != nil {
		return nil, err
	}
	return code{t}, nil
}

// patience is how long PatientCode lets a question wait for the tree.
const patience = 2 * time.Second

// PatientCode gives OpenCode for one who must not wait: when an update takes too
// long, the question is answered from the tree as it was, or without one, and the
// update goes on in the background.
func PatientCode(root string) func(context.Context) (Tree, error) {
	var behind atomic.Bool
	return func(ctx context.Context) (Tree, error) {
		soon, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		t, err := OpenCode(soon, root, nil)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return t, err
		}
		if behind.CompareAndSwap(false, true) {
			go func() {
				defer behind.Store(false)
				_, _ = codetree.Update(context.WithoutCancel(ctx), root, codetree.Options{}) // the next question finds out
			}()
		}
		old, err := codetree.Open(root)
		if errors.Is(err, codetree.ErrNoTree) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return code{old}, nil
	}
}

// code answers from a code tree. What cannot be read of a damaged one is missing
// from the answers; the next update repairs it.
type code struct{ *codetree.Tree }

var _ Tree = code{}

func symbolOf(n codetree.Node) contextpack.Symbol {
	return contextpack.Symbol{Path: n.Path, Line: n.Line, End: n.EndLine, Signature: n.Signature}
}

func (c code) Define(name string) []contextpack.Symbol {
	nodes, _ := c.Symbols(name)
	var out []contextpack.Symbol
	for _, n := range nodes {
		out = append(out, symbolOf(n))
	}
	return out
}

func (c code) Outline(p string) []contextpack.Symbol {
	file, err := c.File(p)
	if err != nil {
		return nil
	}
	nodes, _ := c.Nodes(file.Children)
	var out []contextpack.Symbol
	for _, n := range nodes {
		out = append(out, symbolOf(n))
	}
	return out
}

// Imports gives files of the project that p uses. An import may mean a whole package:
// of each in turn one file, until there are enough.
func (c code) Imports(p string) []string {
	imports, _ := c.Tree.Imports(p)
	var out []string
	for round := 0; len(out) < maxUsed; round++ {
		more := false
		for _, i := range imports {
			if round < len(i.Files) {
				more = true
				if f := i.Files[round]; f != p && !slices.Contains(out, f) && len(out) < maxUsed {
					out = append(out, f)
				}
			}
		}
		if !more {
			break
		}
	}
	return out
}

func (c code) Ending(p string) []string {
	var out []string
	for _, file := range c.Files() {
		if strings.HasSuffix(file, "/"+p) {
			out = append(out, file)
		}
	}
	return out
}

func (c code) Modules() []contextpack.Module {
	folders, _ := c.Skeleton(moduleDepth)
	var out []contextpack.Module
	for _, f := range folders {
		if f.Level == 0 || f.FileCount == 0 || strings.HasPrefix(f.Path, ".") || path.Base(f.Path) == "testdata" {
			continue
		}
		out = append(out, contextpack.Module{ID: f.ID.String(), Path: f.Path, Doc: f.Doc, Public: c.public(f.Node)})
	}
	return out
}

// public are some of the signatures that a folder's files offer to others.
func (c code) public(dir codetree.Node) []string {
	var out []string
	children, _ := c.Nodes(dir.Children)
	for _, file := range children {
		if file.Kind != codetree.File || len(out) == modulePublic || isTest(file.Name) {
			continue
		}
		symbols, _ := c.Nodes(file.Children)
		for _, s := range symbols {
			if s.Exported && s.Signature != "" && len(out) < modulePublic && s.Signature[0] != '#' {
				out = append(out, s.Signature)
			}
		}
	}
	return out
}

// isTest reports whether a file is called like one that tests another.
func isTest(name string) bool {
	for _, sign := range []string{"_test.", ".test.", ".spec.", "Test.java"} {
		if strings.Contains(name, sign) {
			return true
		}
	}
	return strings.HasPrefix(name, "test_")
}

func (c code) Expand(id string) (Expansion, error) {
	n, err := c.Tree.Expand(id)
	if errors.Is(err, codetree.ErrNotFound) {
		return Expansion{}, fmt.Errorf("%w: %s", ErrNoNode, id)
	}
	if err != nil {
		return Expansion{}, err
	}
	e := Expansion{ID: n.ID.String(), Kind: string(n.Kind), Path: n.Path, Line: n.Line, End: n.EndLine}
	if n.Kind == codetree.Symbol {
		e.Detail, err = c.source(n)
		return e, err
	}
	children, err := c.Nodes(n.Children)
	if err != nil {
		return Expansion{}, err
	}
	var b strings.Builder
	if n.Doc != "" {
		b.WriteString(n.Doc + "\n")
	}
	for _, ch := range children {
		e.Children = append(e.Children, ch.ID.String())
		switch ch.Kind {
		case codetree.Symbol:
			fmt.Fprintf(&b, "%d: %s [%s]\n", ch.Line, ch.Signature, ch.ID)
		case codetree.Dir:
			fmt.Fprintf(&b, "%s %s [%s]\n", codetree.Shown(ch.Name+"/"), ch.Doc, ch.ID)
		default:
			fmt.Fprintf(&b, "%s %s [%s]\n", codetree.Shown(ch.Name), ch.Doc, ch.ID)
		}
	}
	e.Detail = b.String()
	return e, nil
}

// source is the text of a symbol as the file has it now.
func (c code) source(n codetree.Node) (string, error) {
	data, err := os.ReadFile(filepath.Join(c.Dir(), filepath.FromSlash(n.Path)))
	if err != nil {
		return "", fmt.Errorf("expand %s: %w", n.ID, err)
	}
	lines := strings.Split(string(data), "\n")
	from, to := max(0, n.Line-1), min(len(lines), n.EndLine)
	if from >= to {
		return "", fmt.Errorf("expand %s: %s has changed: ask again", n.ID, n.Path)
	}
	lines = lines[from:to]
	if more := len(lines) - maxSource; more > 0 {
		lines = append(lines[:maxSource:maxSource], fmt.Sprintf("… %d more lines", more))
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// Resemble gives definitions of the words, then files that are named like them.
func (c code) Resemble(words []string, n int) []Answer {
	var out []Answer
	for _, w := range words {
		for _, s := range c.Define(w) {
			if len(out) < n {
				out = append(out, Answer{s.Path, s.Line, s.Signature})
			}
		}
	}
	for _, p := range c.Files() {
		base := strings.ToLower(path.Base(p))
		for _, w := range words {
			if len(w) > 2 && len(out) < n && strings.Contains(base, strings.ToLower(w)) {
				out = append(out, Answer{p, 0, "file"})
				break
			}
		}
	}
	return out
}

func (c code) Answer(question string) ([]Answer, bool) {
	found, ok, err := codetree.Ask(c.Tree, question)
	if err != nil {
		return nil, false
	}
	var out []Answer
	for _, f := range found {
		out = append(out, Answer{f.Path, f.Line, f.Text})
	}
	return out, ok
}
