package remember

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helix/internal/kb"
	"helix/internal/kb/entry"
	"helix/internal/run"
	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// Record implements run.Memory: each finding is an entry, and so is how the attempt
// went, and what its output shows. What is known already is not stored again; secrets are taken out by kb.
func (m *Memory) Record(ctx context.Context, l run.Lesson) ([]string, error) {
	requests := make([]kb.StoreRequest, 0, len(l.Findings)+1)
	for _, finding := range l.Findings {
		requests = append(requests, m.entry(l.Deed, entry.Finding, finding, m.sourceOf(l.Deed, finding)))
	}
	if l.Episode {
		requests = append(requests, m.entry(l.Deed, entry.Episode, story(l.Deed), ""))
	}
	var ids []string
	for _, r := range requests {
		stored, err := m.KB.StoreNew(ctx, r)
		if err != nil {
			return ids, err
		}
		if stored.ID != "" {
			ids = append(ids, stored.ID)
		}
	}
	if !l.Output {
		return ids, nil
	}
	grafted, err := m.graft(ctx, l.Deed)
	return append(ids, grafted...), err
}

func (m *Memory) entry(d run.Deed, kind entry.Kind, text, source string) kb.StoreRequest {
	r := kb.StoreRequest{
		Topic: topicOf(d), Text: text, Kind: string(kind), Source: source, Tags: []string{},
		Session: session(d),
	}
	for _, b := range d.Beads {
		r.Tags = append(r.Tags, beadTag(b.ID))
	}
	return r
}

// session names the attempt, or the run where there is none.
func session(d run.Deed) string { return strings.TrimSuffix(d.Run+"/"+d.Attempt, "/") }

// topicOf is the area that the work is in: as the bead says, else its spec, else the
// folder of most of the files.
func topicOf(d run.Deed) string {
	var first *tracker.Bead
	if len(d.Beads) > 0 {
		first = d.Beads[0]
		for _, area := range first.Areas() {
			if name := topicName(strings.TrimPrefix(area, "area:")); name != "" {
				return name
			}
		}
		if name := topicName(first.SpecID()); name != "" {
			return name
		}
	}
	folders := map[string]int{}
	best := ""
	for _, file := range d.Files {
		folder := topicName(filepath.Dir(file))
		folders[folder]++
		if n := folders[folder]; folder != "" && (best == "" || n > folders[best]) {
			best = folder
		}
	}
	return cmp.Or(best, "project")
}

// topicName is a name in the form of a topic; "" when nothing is left of it.
func topicName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '/':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ', r == ':', r == '.':
			return '-'
		}
		return -1
	}, name)
	return head(strings.Trim(name, "-/"), 100)
}

// sourceOf is the file that a finding is about: one that it names, and that the
// attempt changed or that is there; else the only one that the attempt changed.
func (m *Memory) sourceOf(d run.Deed, finding string) string {
	for _, named := range pathsIn(finding, mostPaths) {
		path, line, _ := strings.Cut(named, ":")
		i := slices.IndexFunc(d.Files, func(f string) bool { return f == path || strings.HasSuffix(f, "/"+path) })
		switch {
		case i >= 0:
			path = d.Files[i]
		case !filepath.IsLocal(path):
			continue
		default:
			if info, err := os.Stat(filepath.Join(m.Root, path)); err != nil || !info.Mode().IsRegular() {
				continue
			}
		}
		if line != "" {
			path += ":" + line
		}
		return path
	}
	if len(d.Files) == 1 {
		return d.Files[0]
	}
	return ""
}

// story is how an attempt went, for the next one.
func story(d run.Deed) string {
	var w strings.Builder
	what := "The work"
	if len(d.Beads) > 0 {
		what = fmt.Sprintf("%s (%s)", d.Beads[0].ID, d.Beads[0].Title)
	}
	switch {
	case d.Review != "":
		fmt.Fprintf(&w, "%s landed, and its review found fault with it.\n", what)
	case d.Outcome == executor.Landed:
		fmt.Fprintf(&w, "%s landed at attempt %d, after %d that did not.\n", what, d.Number, len(d.Earlier))
		for _, f := range d.Earlier {
			fmt.Fprintf(&w, "Before: %s\n", f.Reason)
		}
	default:
		fmt.Fprintf(&w, "Attempt %d at %s did not land (%s): %s\n", d.Number, what, d.Outcome, d.Reason)
	}
	if d.Review == "" { // else the answer is the reviewer's
		part(&w, "What the agent did", d.Tried())
	}
	if d.Gate != "" {
		part(&w, "Why it failed: "+d.Gate, d.Cause)
	}
	part(&w, "What the review found", d.Review)
	part(&w, "Commit", d.Commit)
	part(&w, "The work is kept at", d.Ref)
	return strings.TrimSpace(w.String())
}

func part(w *strings.Builder, title, text string) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
	case strings.Contains(text, "\n"):
		fmt.Fprintf(w, "%s:\n%s\n", title, text)
	default:
		fmt.Fprintf(w, "%s: %s\n", title, text)
	}
}
