package contextpack

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/text"
	"helix/internal/kb/view"
)

const (
	maxRules     = 64 << 10 // bytes of a rules file that are looked at
	maxDecisions = 6
)

// rules are the project's instructions to agents, wherever the clients look for
// them. Two files with the same content are one.
func (g *gatherer) rules() error {
	names := []string{"CLAUDE.md", "AGENTS.md", ".claude/rules.md", ".helix/rules.md"}
	more, err := fs.Glob(os.DirFS(g.Root), ".claude/rules/*.md")
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, name := range append(names, more...) {
		body, err := g.read(name, maxRules)
		if err != nil || strings.TrimSpace(body) == "" || seen[body] {
			continue
		}
		seen[body] = true
		g.add(Item{Layer: Anchor, Section: "Rules", Title: name, Forms: forms("### "+name+"\n\n"+body+"\n", 1500, 600, 200)})
	}
	return nil
}

// demands are what the task itself asks for.
func (g *gatherer) demands() error {
	if g.task.Known {
		return nil
	}
	for _, d := range []struct{ title, body string }{
		{"task", g.task.Title + "\n\n" + g.task.Description},
		{"acceptance", g.task.Acceptance},
		{"notes", g.task.Notes},
	} {
		if strings.TrimSpace(d.body) == "" {
			continue
		}
		section := "Task"
		if d.title != "task" {
			section = strings.ToUpper(d.title[:1]) + d.title[1:]
		}
		g.add(Item{Layer: Anchor, Section: section, Title: d.title, Forms: forms(d.body+"\n", 2000, 500, 120)})
	}
	return nil
}

// spec is the document that governs the task.
func (g *gatherer) spec() error {
	if g.task.Spec == "" {
		return nil
	}
	body, err := g.read(g.task.Spec, 1<<20)
	if err != nil {
		return nil // the id of a document that lies elsewhere
	}
	g.add(Item{Layer: Anchor, Section: "Spec", Title: g.task.Spec, Forms: forms("### "+g.task.Spec+"\n\n"+body+"\n", 4000, 1200, 300)})
	return nil
}

// decisions are the newest decisions that concern the task, then the newest at all.
func (g *gatherer) decisions() error {
	g.told = map[string]bool{}
	if g.Memory == nil {
		return nil
	}
	found, err := g.Memory.Search(view.Query{
		Text: strings.Join(text.Words(g.task.words()), " "), Plain: true, Any: true, Limit: maxDecisions / 2,
		Filter: view.Filter{Kind: string(entry.Decision), For: g.Project},
	})
	if err != nil {
		return err
	}
	newest, err := g.Memory.Newest(maxDecisions, view.Filter{Kind: string(entry.Decision), For: g.Project})
	if err != nil {
		return err
	}
	var all []entry.Entry
	for _, h := range found.Hits {
		all = append(all, h.Entry)
	}
	for _, e := range append(all, newest...) {
		if len(g.told) == maxDecisions {
			break
		}
		g.tell(Anchor, "Recent decisions", &e)
	}
	return nil
}

// tell adds a memory as an item, once.
func (g *gatherer) tell(layer Layer, section string, e *entry.Entry) {
	if g.told[e.ID] {
		return
	}
	g.told[e.ID] = true
	head := "- [" + e.Topic + "] "
	tail := " (" + e.ID + ", " + age(e.Created, g.Now)
	if e.Source.Path != "" {
		tail += ", " + e.Source.Path
	}
	tail += ")"
	whole := head + strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n  ") + tail
	short := head + text.Cut(strings.Join(strings.Fields(e.Text), " "), 160) + tail
	f := []string{whole, short}
	if len(short) >= len(whole) {
		f = f[:1]
	}
	g.add(Item{Layer: layer, Section: section, Title: e.ID, Memory: e.ID, Forms: f})
}

// read reads a file of the project; what lies behind max bytes is left out. A path
// that leaves the project is no file.
func (g *gatherer) read(name string, max int64) (string, error) {
	name = path.Clean(filepath.ToSlash(name))
	if !fs.ValidPath(name) {
		return "", fs.ErrNotExist
	}
	full := filepath.Join(g.Root, filepath.FromSlash(name))
	info, err := os.Stat(full)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("not a file")
	}
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(g.Root)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, real); err != nil || strings.HasPrefix(rel, "..") {
		return "", fs.ErrNotExist
	}
	data, err := os.ReadFile(real)
	if err != nil {
		return "", err
	}
	if slices.Contains(data[:min(len(data), 8000)], 0) {
		return "", errors.New("a binary file")
	}
	return strings.ToValidUTF8(string(data[:min(int64(len(data)), max)]), "\uFFFD"), nil
}

// forms gives a text whole, if it has at most as many tokens as the first limit, and
// cut to each limit.
func forms(s string, limits ...int) (out []string) {
	total := text.Tokens(s)
	if total <= limits[0] {
		out = append(out, s)
	}
	for _, limit := range limits {
		if total > limit {
			out = append(out, cutTokens(s, limit))
		}
	}
	return out
}

// cutTokens shortens s to about n tokens, at the end of a line, and says so.
func cutTokens(s string, n int) string {
	const note = "[… cut]\n"
	end := len(s)
	for t := text.Tokens(s); t > n && end > 0; t = text.Tokens(s[:end]) {
		end = end * n / (t + 1)
	}
	if line := strings.LastIndexByte(s[:end], '\n'); line > end/2 {
		end = line + 1
	}
	for end > 0 && end < len(s) && s[end]&0xC0 == 0x80 {
		end--
	}
	return strings.TrimRight(s[:end], " \t") + "\n" + note
}
