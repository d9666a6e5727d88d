// Command codetree measures the code tree on a real project: the first build, an
// update after one changed file, an update with nothing to do, opening, and the
// reading of nodes and names.
//
//	go run ./bench/codetree [folder]
//
// Without a folder it takes the sources of the Go installation.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"helix/internal/codetree"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "codetree:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	root, err := folder(args)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "codetree-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	o := codetree.Options{File: filepath.Join(tmp, "tree.mmap")}
	row := func(what, value, goal string) { fmt.Printf("%-34s %14s   %s\n", what, value, goal) }
	row("processors", fmt.Sprint(runtime.GOMAXPROCS(0)), "")

	first, err := codetree.Update(ctx, root, o)
	if err != nil {
		return err
	}
	row("files", fmt.Sprint(first.Files), "")
	row("lines", fmt.Sprint(first.Lines), "")
	row("nodes", fmt.Sprint(first.Nodes), "")
	row("size of the tree", fmt.Sprintf("%.1f MB", float64(first.Bytes)/1e6), "")
	row("first build", first.Took.Round(time.Millisecond).String(), "below 60s")

	idle, err := repeat(5, func() (time.Duration, error) {
		s, err := codetree.Update(ctx, root, o)
		return s.Took, err
	})
	if err != nil {
		return err
	}
	row("update, nothing changed", idle.String(), "")
	if err := reading(root, o.File, row); err != nil {
		return err
	}
	return changing(ctx, root, o, row)
}

func folder(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src"), nil
}

// repeat gives the median.
func repeat(n int, do func() (time.Duration, error)) (time.Duration, error) {
	var all []time.Duration
	for range n {
		d, err := do()
		if err != nil {
			return 0, err
		}
		all = append(all, d)
	}
	slices.Sort(all)
	return all[n/2].Round(10 * time.Microsecond), nil
}

func reading(root, file string, row func(what, value, goal string)) error {
	open, err := repeat(5, func() (time.Duration, error) {
		start := time.Now()
		t, err := codetree.OpenFile(root, file)
		if err != nil {
			return 0, err
		}
		took := time.Since(start)
		return took, t.Close()
	})
	if err != nil {
		return err
	}
	row("open", open.String(), "")
	t, err := codetree.OpenFile(root, file)
	if err != nil {
		return err
	}
	defer t.Close()
	ids, err := some(t, 5000)
	if err != nil {
		return err
	}
	var nodes []time.Duration
	for _, id := range ids {
		start := time.Now()
		if _, err := t.Node(id); err != nil {
			return err
		}
		nodes = append(nodes, time.Since(start))
	}
	slices.Sort(nodes)
	row("read one node, median", nodes[len(nodes)/2].String(), "below 50µs")
	row("read one node, 90 of 100", nodes[len(nodes)*90/100].String(), "")
	row("read one node, 99 of 100", nodes[len(nodes)*99/100].String(), "")
	for _, name := range []string{"NewReader", "Error"} {
		start := time.Now()
		found, err := t.Callers(name)
		if err != nil {
			return err
		}
		row("callers of "+name, time.Since(start).Round(time.Microsecond).String(), fmt.Sprintf("%d places", len(found)))
	}
	return nil
}

// some are ids of nodes of all kinds, from all over the tree, in no order.
func some(t *codetree.Tree, n int) ([]codetree.ID, error) {
	random := rand.New(rand.NewPCG(1, 2))
	files := t.Files()
	var ids []codetree.ID
	for len(ids) < n {
		f, err := t.File(files[random.IntN(len(files))])
		if err != nil {
			return nil, err
		}
		ids = append(ids, f.ID, f.Parent)
		if len(f.Children) > 0 {
			ids = append(ids, f.Children[random.IntN(len(f.Children))])
		}
	}
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids, nil
}

// changing measures updates after an edit, on a copy of the project.
func changing(ctx context.Context, root string, o codetree.Options, row func(what, value, goal string)) error {
	copied := filepath.Join(filepath.Dir(o.File), "copy")
	if err := os.CopyFS(copied, os.DirFS(root)); err != nil {
		return fmt.Errorf("copy the project: %w", err)
	}
	t, err := codetree.OpenFile(root, o.File)
	if err != nil {
		return err
	}
	files := slices.DeleteFunc(t.Files(), func(f string) bool { return !strings.HasSuffix(f, ".go") })
	if err := t.Close(); err != nil || len(files) == 0 {
		return err
	}
	old := time.Now().Add(-time.Hour)
	for _, f := range files {
		if err := os.Chtimes(filepath.Join(copied, f), old, old); err != nil {
			return err
		}
	}
	o.File = filepath.Join(filepath.Dir(o.File), "copy.mmap")
	if _, err := codetree.Update(ctx, copied, o); err != nil {
		return err
	}
	n := 0
	took, err := repeat(9, func() (time.Duration, error) {
		n++
		name := filepath.Join(copied, files[n*len(files)/10])
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		text = append(text, fmt.Sprintf("\nfunc benchmarked%d() { benchmarked%d() }\n", n, n)...)
		if err := os.Chmod(name, 0o644); err != nil {
			return 0, err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return 0, err
		}
		s, err := codetree.Update(ctx, copied, o)
		if err == nil && !s.Written {
			err = fmt.Errorf("the change of %s was not seen", name)
		}
		return s.Took, err
	})
	if err != nil {
		return err
	}
	row("update after one changed file", took.String(), "below 200ms")
	return nil
}
