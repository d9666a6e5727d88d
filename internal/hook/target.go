package hook

import (
	"os"
	"path/filepath"
	"strings"
)

// target is what a tool is about to touch.
type target struct {
	path     string // as the client gives it
	abs      string // absolute and clean, "" when that cannot be told
	old, new string // the text that an edit takes away, and what it puts there
	whole    bool   // old and new are the whole file
}

// target reads which file a call of a tool is about. A path of "" means none.
func (q *request) target() target {
	in := q.input.get("tool_input")
	t := target{path: str(in, "file_path")}
	switch str(q.input, "tool_name") {
	case "Read":
	case "Edit":
		t.old, t.new = str(in, "old_string"), str(in, "new_string")
	case "MultiEdit":
		for _, e := range in.get("edits").list() {
			t.old += str(e, "old_string") + "\n"
			t.new += str(e, "new_string") + "\n"
		}
	case "Write":
		t.new, t.whole = str(in, "content"), true
	case "NotebookEdit":
		t.path = str(in, "notebook_path")
		if mode := str(in, "edit_mode"); mode != "insert" {
			t.abs = q.absolute(t.path)
			t.old = notebookCell(t.abs, str(in, "cell_id"))
			if mode != "delete" {
				t.new = str(in, "new_source")
			}
		}
	case "Glob", "Grep":
		t.path = str(in, "path")
		if t.path == "" || q.absolute(t.path) == str(q.input, "cwd") { // the whole project
			t.path = plainEnd(str(in, "pattern"), str(in, "glob"))
		}
	case "apply_patch":
		t.path, t.old, t.new = patch(firstOf(str(in, "command"), str(in, "input"), str(in, "patch")))
	case "Bash":
		command := str(in, "command")
		if t.path, t.old, t.new = shellPatch(command); t.path == "" {
			t.path = q.namedFile(command)
		}
	default:
		return target{}
	}
	if strings.ContainsRune(t.path, 0) {
		return target{}
	}
	t.abs = q.absolute(t.path)
	if t.whole && t.abs != "" {
		text, _ := readSource(t.abs) // a new file takes nothing away
		t.old = string(text)
	}
	return t
}

func (q *request) absolute(path string) string {
	if path == "" || strings.ContainsRune(path, 0) {
		return ""
	}
	if cwd := str(q.input, "cwd"); !filepath.IsAbs(path) && filepath.IsAbs(cwd) {
		path = filepath.Join(cwd, path)
	}
	path, err := filepath.Abs(path) // the clients start hooks in the folder they work in
	if err != nil {
		return ""
	}
	return path
}

// plainEnd is the last element of the first pattern that ends in a plain name, as
// src/**/auth.go does.
func plainEnd(patterns ...string) string {
	for _, p := range patterns {
		p = p[strings.LastIndexByte(p, '/')+1:]
		if strings.Contains(p, ".") && !strings.ContainsAny(p, `*?[]{}\()|^$+ `) {
			return p
		}
	}
	return ""
}

// namedFile is the first regular file that a shell command names. Codex has no
// tool for reading: it calls cat and sed.
func (q *request) namedFile(command string) string {
	for _, words := range commands(command) {
		for _, w := range words[1:] {
			if len(w) > 4096 || strings.HasPrefix(w, "-") || !strings.Contains(w, ".") {
				continue
			}
			abs := q.absolute(w)
			if abs == "" {
				continue
			}
			if info, err := os.Stat(abs); err == nil && info.Mode().IsRegular() {
				return w
			}
		}
	}
	return ""
}

// shellPatch reads the patch that a shell command hands to apply_patch, as agents
// do whose models have no such tool: Codex applies it itself, but calls it Bash.
func shellPatch(command string) (path, old, new string) {
	_, body, ok := strings.Cut(command, "*** Begin Patch\n")
	if !ok {
		return "", "", ""
	}
	for _, words := range commands(command) {
		if words[0] == "apply_patch" {
			body, _, _ = strings.Cut(body, "*** End Patch")
			return patch(body)
		}
	}
	return "", "", ""
}

// patch reads the first file of a patch in the form of Codex, and the lines of all
// its files.
func patch(text string) (path, old, new string) {
	var minus, plus strings.Builder
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "*** "):
			for _, head := range []string{"*** Update File: ", "*** Delete File: ", "*** Add File: "} {
				if p, ok := strings.CutPrefix(l, head); ok && path == "" {
					path = strings.TrimSpace(p)
				}
			}
		case strings.HasPrefix(l, "-"):
			minus.WriteString(l[1:])
		case strings.HasPrefix(l, "+"):
			plus.WriteString(l[1:])
		}
	}
	return path, minus.String(), plus.String()
}

// notebookCell is the text of a cell of a notebook on the disk, "" if there is no
// such cell.
func notebookCell(path, id string) string {
	text, err := readSource(path)
	if err != nil || id == "" {
		return ""
	}
	notebook, _ := parse(string(text))
	for _, cell := range notebook.get("cells").list() {
		if str(cell, "id") != id {
			continue
		}
		var b strings.Builder
		for _, l := range cell.get("source").list() { // a text, or its lines
			b.WriteString(l.string())
		}
		return b.String()
	}
	return ""
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
