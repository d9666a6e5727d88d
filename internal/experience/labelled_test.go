package experience

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helix/internal/kb/entry"
)

// stretch is a labelled piece of a session, as testdata/*.txt have it.
type stretch struct {
	name  string
	steps []Step
	want  []label
}

// label is what is worth remembering of a stretch: an entry of a kind that contains
// words.
type label struct {
	kind  entry.Kind
	words string
}

var labelKinds = map[string]entry.Kind{
	"decision": entry.Decision, "cause": entry.Finding, "gotcha": entry.Finding, "procedure": entry.Procedure, "episode": entry.Episode,
}

func stretches(t testing.TB, name string) []stretch {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []stretch
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(title, " --\n") {
			all = append(all, stretch{name: strings.TrimSuffix(title, " --\n")})
			continue
		}
		if len(all) == 0 {
			continue // what stands before the first one is about the file
		}
		if err := all[len(all)-1].line(line); err != nil {
			t.Fatalf("%s: %s: %v", name, all[len(all)-1].name, err)
		}
	}
	for _, s := range all {
		for _, w := range s.want {
			if !slices.ContainsFunc(s.steps, func(step Step) bool { return step.Kind == Said && strings.Contains(step.Text, w.words) }) {
				t.Fatalf("%s: %s: nobody says %q", name, s.name, w.words)
			}
		}
	}
	return all
}

func (s *stretch) line(line string) error {
	turn, input, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch turn {
	case "@user":
		s.steps = append(s.steps, Step{Kind: Asked})
	case "@assistant":
		s.steps = append(s.steps, Step{Kind: Said})
	case "@tool", "@failed":
		tool, input, _ := strings.Cut(input, " ")
		call := Step{Kind: Call, ID: strconv.Itoa(len(s.steps)), Tool: tool}
		switch tool {
		case "Bash":
			call.Command = input
		case "Edit", "Write":
			call.Files = []File{{Path: input, Changed: true}}
		default:
			call.Files = []File{{Path: input}}
		}
		s.steps = append(s.steps, call, Step{Kind: Result, ID: call.ID, Failed: turn == "@failed"})
	case "@expect":
		s.want = []label{}
	default:
		switch {
		case s.want == nil && len(s.steps) > 0:
			s.steps[len(s.steps)-1].Text += line
		case strings.TrimSpace(line) == "":
		case s.want == nil:
			return fmt.Errorf("%q is in no turn", line)
		default:
			kind, words, ok := strings.Cut(strings.TrimSpace(line), " | ")
			if labelKinds[kind] == "" || !ok {
				return fmt.Errorf("the label %q is not known", line)
			}
			s.want = append(s.want, label{labelKinds[kind], words})
		}
	}
	return nil
}

// fold makes marks of emphasis and line breaks no matter.
func fold(s string) string { return bare(strings.ReplaceAll(s, "\n", " ")) }

// score is what the rules make of labelled stretches, by kind. An entry is right if
// it has the kind and the words of a label that no entry had before.
type score map[entry.Kind]*tally

func scored(all []stretch, report func(format string, args ...any)) score {
	by := score{entry.Decision: {}, entry.Finding: {}, entry.Procedure: {}, entry.Episode: {}}
	for _, s := range all {
		want := slices.Clone(s.want)
		for _, e := range Extract(Transcript{Steps: s.steps}) {
			if e.Rule == Happened {
				continue // it is there whenever files were changed
			}
			kind := e.Rule.kind()
			i := slices.IndexFunc(want, func(w label) bool { return w.kind == kind && strings.Contains(fold(e.Text), fold(w.words)) })
			if i < 0 {
				by[kind].wrong++
				report("%s: wrong %s (%s): %q", s.name, kind, e.Rule, e.Text)
				continue
			}
			by[kind].right++
			want = slices.Delete(want, i, i+1)
		}
		for _, w := range want {
			by[w.kind].missed++
			report("%s: missed %s: %q", s.name, w.kind, w.words)
		}
	}
	return by
}

type tally struct{ right, wrong, missed int }

func (c tally) precision() float64 { return share(c.right, c.wrong) }
func (c tally) recall() float64    { return share(c.right, c.missed) }

func share(part, rest int) float64 {
	if part+rest == 0 {
		return 1
	}
	return float64(part) / float64(part+rest)
}

func (by score) total() (all tally) {
	for _, c := range by {
		all.right, all.wrong, all.missed = all.right+c.right, all.wrong+c.wrong, all.missed+c.missed
	}
	return all
}

func (by score) String() string {
	var b strings.Builder
	row := func(name string, c tally) {
		fmt.Fprintf(&b, "\n%-9s precision %.2f, recall %.2f (%d right, %d wrong, %d missed)", name, c.precision(), c.recall(), c.right, c.wrong, c.missed)
	}
	for _, kind := range []entry.Kind{entry.Decision, entry.Finding, entry.Procedure, entry.Episode} {
		row(string(kind), *by[kind])
	}
	row("all", by.total())
	return b.String()
}
