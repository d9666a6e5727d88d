package precompute

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helix/internal/hook/handover"
)

// Content is what there is to know about a project.
type Content struct {
	Context  string   // Markdown
	Nodes    []string // files and folders that it shows
	Memories int      // entries of the memory that it shows
}

type file struct {
	Timestamp int64    `json:"timestamp"` // seconds since 1970, before the content was put together
	Project   string   `json:"project_hash"`
	Context   string   `json:"context"`
	Nodes     []string `json:"nodes_included"`
	Memories  int      `json:"experience_count"`
}

// Write replaces the file for the project at root, in the folder dir of the memory.
// at is when the content began to be put together.
func Write(dir, root string, c Content, at time.Time) error {
	project := handover.Project(root)
	data, err := encode(file{at.Unix(), project, c.Context, c.Nodes, c.Memories})
	if err != nil {
		return err
	}
	path := handover.Context(dir, project)
	if err := handover.Replace(path, data); err != nil {
		return err
	}
	// What was written meanwhile may not be in it.
	if err := os.Chtimes(path, at, at); err != nil {
		return err
	}
	clean(filepath.Dir(path), at)
	return nil
}

// encode shortens a context that is too large, at the end of a line.
func encode(f file) ([]byte, error) {
	if f.Nodes == nil {
		f.Nodes = []string{}
	}
	for {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(f); err != nil || b.Len() <= handover.MaxContext {
			return b.Bytes(), err
		}
		switch over := b.Len() - handover.MaxContext; {
		case len(f.Nodes) > 0 && len(f.Nodes) > len(f.Context)/40:
			f.Nodes = f.Nodes[:len(f.Nodes)/2]
		default:
			// A byte is at most six when it is written.
			f.Context = f.Context[:max(0, len(f.Context)-max(over/6, 1))]
			f.Context = f.Context[:strings.LastIndexByte(f.Context, '\n')+1]
		}
	}
}

// maxAge is how long the file of a project is kept in which nobody works.
const maxAge = 30 * 24 * time.Hour

// clean removes the files of projects that have been left, and what a process that
// was killed left behind.
func clean(dir string, now time.Time) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return // nothing depends on it
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		age := now.Sub(info.ModTime())
		if strings.HasSuffix(e.Name(), ".ctx") && age > maxAge || strings.HasPrefix(e.Name(), "new-") && age > time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
