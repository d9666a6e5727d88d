package remember

import (
	"context"
	"slices"
	"strings"
	"time"

	"helix/internal/kb"
	"helix/internal/lazyregexp"
	"helix/internal/run"
	"helix/internal/tracker"
)

// Memory is a run.Memory.
type Memory struct {
	KB   *kb.Memory       // opened for the project: what is recorded belongs to it
	Root string           // top folder of the project's checkout
	Now  func() time.Time // nil: time.Now
	// Surround gives what else an agent should know before it works on a bead: rules,
	// files, structure. nil: nothing.
	Surround func(ctx context.Context, b *tracker.Bead) (string, error)
}

var _ run.Memory = (*Memory)(nil)

func (m *Memory) now() time.Time {
	if m.Now == nil {
		return time.Now()
	}
	return m.Now()
}

// beadTag is the tag of entries that were made for a bead.
func beadTag(id string) string { return kb.StoredTag("bead-" + id) }

// pathText is what looks like the path of a file, and perhaps a line of it.
var pathText = lazyregexp.New(`[\w.-]*[\w-](?:/[\w.-]+)*\.[A-Za-z]\w{0,9}(?::\d+)?|[\w.-]+(?:/[\w.-]+)+(?::\d+)?`)

// pathsIn finds what looks like paths in a text, each once, at most most.
func pathsIn(text string, most int) []string {
	var paths []string
	for _, p := range pathText.Get().FindAllString(text, -1) {
		p = strings.TrimPrefix(strings.TrimRight(p, "."), "./")
		if len(paths) < most && p != "" && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// words is what a bead says that it is about.
func words(b *tracker.Bead) string {
	return strings.Join([]string{b.Title, head(b.Description, 1500), head(b.Acceptance, 500), head(b.Str("design"), 500)}, "\n")
}

// head is the beginning of a text, in whole characters.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
