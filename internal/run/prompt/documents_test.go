package prompt

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"helix/workflows"
)

func document(t *testing.T, a Action) string {
	t.Helper()
	text, from, err := (&Library{}).Document(a)
	if err != nil {
		t.Fatal(err)
	}
	if from != BuiltIn {
		t.Fatalf("%s is from %s", a, from)
	}
	return text
}

// TestDocuments: every action has a document that explains all of its trailer,
// and there is no document without an action.
func TestDocuments(t *testing.T) {
	t.Parallel()
	var files []string
	for _, a := range Actions() {
		files = append(files, a.Document())
		text := document(t, a)
		for _, f := range a.Trailer() {
			if !strings.Contains(text, "`"+f.Key+"`") {
				t.Errorf("%s does not name %s", a.Document(), f.Key)
			}
			for _, v := range f.Values {
				if !strings.Contains(text, v) {
					t.Errorf("%s does not say what %s %s means", a.Document(), f.Key, v)
				}
			}
		}
		if lines := strings.Count(text, "\n"); lines > 150 {
			t.Errorf("%s has %d lines; an agent reads all of them every time", a.Document(), lines)
		}
	}
	embedded, err := fs.Glob(workflows.Files, "actions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	if !slices.Equal(files, embedded) {
		t.Errorf("the actions name the files %v, built in are %v", files, embedded)
	}
	readme, err := workflows.Files.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range Actions() {
		if !strings.Contains(string(readme), "| "+path.Base(a.Document())+" | "+a.Name()+" |") {
			t.Errorf("README.md does not list %s as the document of %s", path.Base(a.Document()), a)
		}
	}
}

// TestNothingWeWritePassesForAnAnswer: an agent may repeat any part of what it
// was given, from any line to any other, and helix reads no answer from it.
func TestNothingWeWritePassesForAnAnswer(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	readme, err := workflows.Files.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	texts["README.md"] = string(readme)
	for _, a := range Actions() {
		texts[a.Document()] = document(t, a)
		texts["prompt of "+a.Name()] = Compose(a, document(t, a), hostileCase())
	}
	for name, text := range texts {
		for a, parse := range parsers {
			if got, err := parse(text); err == nil {
				t.Errorf("%s passes for an answer of %s: %+v", name, a, got)
			}
			for line := range strings.Lines(text) {
				for _, f := range a.Trailer() {
					if value, ok := f.find(line); ok {
						t.Errorf("%s: a line sets %s to %q: %s", name, f.Key, value, line)
					}
				}
			}
		}
		if found := Findings(text); found != nil {
			t.Errorf("%s: findings %q", name, found)
		}
	}
}

func TestNamesAndEfforts(t *testing.T) {
	t.Parallel()
	efforts := map[string][]Action{
		"low":    {Check},
		"medium": {Implementation, Polish, Experiment, Measure, Report, Triage},
		"high":   {Review, Align, Plan, Backfill, Frame, Evolve, Input},
	}
	n := 0
	for effort, actions := range efforts {
		for _, a := range actions {
			n++
			if a.Effort() != effort {
				t.Errorf("%s: effort %s, want %s", a, a.Effort(), effort)
			}
		}
	}
	if n != len(Actions()) {
		t.Errorf("%d of %d actions are judged", n, len(Actions()))
	}
}
