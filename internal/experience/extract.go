package experience

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"helix/internal/kb/entry"
	"helix/internal/lazyregexp"
	"helix/internal/run/prompt"
)

// Experience is one thing worth remembering.
type Experience struct {
	Rule       Rule
	Kind       entry.Kind // of the entry; "": what the rule makes
	Text       string     // stands alone
	Rationale  string     // why; "" is not known
	Topic      string     // from the files; "" is not known
	Files      []string
	Line       int // of the first file; 0 is not known
	Confidence float64
	Outcome    Outcome
	Time       time.Time // zero: not known

	step int // where in the transcript; rules only
}

// Bounds of what one transcript gives.
const (
	maxExperiences = 40
	maxText        = 1200 // bytes
	maxRecent      = 200  // experiences that a new one is compared with; far more than are kept
	similarShare   = 0.7  // as kb has it: more common words are the same said twice
)

// Extract finds what is worth remembering, in the order of the transcript with the
// agent's own findings first. It is pure.
func Extract(t Transcript) []Experience {
	w := walk(&t)
	result, command := outcome(&t, w.actions)

	found := trailers(&t)
	explicit := len(found)
	found = append(found, fromSentences(&t)...)
	found = append(found, procedures(w.actions)...)
	slices.SortStableFunc(found[explicit:], func(a, b Experience) int { return cmp.Compare(a.step, b.step) })
	if e, ok := episode(&t, w, result, command); ok {
		found = append(found, e)
	}

	var kept []Experience
	var known []wordSet
	for _, e := range found {
		if e.Text = clip(e.Text, maxText); e.Text == "" {
			continue
		}
		set := wordsOf(e.Text)
		if n := min(explicit, len(known)); slices.ContainsFunc(known[:n], set.saidBy) || slices.ContainsFunc(known[max(n, len(known)-maxRecent):], set.saidBy) {
			continue
		}
		known = append(known, set)
		w.place(&e)
		if e.Outcome = result; result == Failure && e.Rule == Decided {
			e.Confidence *= 0.7 // what was decided did not work, or not yet
		}
		if e.step < len(t.Steps) {
			e.Time = t.Steps[e.step].Time
		}
		kept = append(kept, e)
	}
	if len(kept) > maxExperiences {
		// The end of a transcript knows better than its beginning; what the agent
		// listed itself stays.
		explicit = min(explicit, maxExperiences)
		kept = append(kept[:explicit:explicit], kept[len(kept)-(maxExperiences-explicit):]...)
	}
	return kept
}

// trailers are the lists that the agent itself wrote.
func trailers(t *Transcript) []Experience {
	var out []Experience
	for i, s := range t.Steps {
		if s.Kind != Said {
			continue
		}
		for _, text := range prompt.Findings(s.Text) {
			out = append(out, Experience{Rule: Trailer, Text: text, Confidence: 0.9, step: i})
		}
	}
	return out
}

// withoutTrailer is a message up to its list of findings.
func withoutTrailer(text string) string {
	if len(prompt.Findings(text)) == 0 {
		return text
	}
	at := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.ToUpper(strings.TrimLeft(line, "*_# \t")), "FINDINGS") {
			return text[:at]
		}
		at += len(line)
	}
	return text
}

// touch is a file that was used at a step.
type touch struct {
	step    int
	path    string // below the working folder, else as it was written
	line    int
	changed bool
}

// walked is what was done, with calls and their results joined.
type walked struct {
	actions []action
	touches []touch
}

func walk(t *Transcript) *walked {
	w := &walked{}
	byID := map[string]int{} // the last call with an id, as a place in actions
	var files [][]File
	for i, s := range t.Steps {
		switch s.Kind {
		case Call:
			if s.ID != "" {
				byID[s.ID] = len(w.actions)
			}
			edits := slices.ContainsFunc(s.Files, func(f File) bool { return f.Changed })
			w.actions = append(w.actions, action{step: i, command: strings.TrimSpace(s.Command), edits: edits})
			files = append(files, s.Files)
		case Result:
			n, ok := byID[s.ID]
			if !ok || s.ID == "" {
				continue
			}
			a := &w.actions[n]
			a.known, a.failed, a.output = true, s.Failed, s.Text
			if len(s.Files) > 0 {
				files[n] = s.Files
			}
		}
	}
	for n, a := range w.actions {
		if a.known && a.failed && a.command == "" {
			w.actions[n].edits = false
			continue
		}
		for _, f := range files[n] {
			w.touches = append(w.touches, touch{a.step, relative(t.Dir, f.Path), f.Line, f.Changed})
		}
	}
	return w
}

// relative is path as seen from dir, if it lies below.
func relative(dir, path string) string {
	path = filepath.Clean(path)
	if dir == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// changed are the files of the project that were changed, in the order of their
// first change.
func (w *walked) changed() []string {
	var out []string
	for _, t := range w.touches {
		if t.changed && filepath.IsLocal(t.path) && !slices.Contains(out, t.path) && len(out) < maxFiles {
			out = append(out, t.path)
		}
	}
	return out
}

// place says which files an experience is about, the first one most of all: one
// that its text names, else the one that was changed last before the words, else
// the first one that was changed. Tests come after what they test.
func (w *walked) place(e *Experience) {
	e.Files = w.changed()
	best, ok := w.about(e)
	if !ok {
		return
	}
	if e.Rule != Happened { // which is about files, not places
		e.Line = best.line
	}
	e.Files = append([]string{best.path}, slices.DeleteFunc(e.Files, func(f string) bool { return f == best.path })...)
	e.Topic = topicOf(best.path)
}

func (w *walked) about(e *Experience) (best touch, ok bool) {
	whole := e.Rule == Happened || e.Rule == Trailer // about all of the work
	rank := 0
	for _, t := range w.touches {
		if !filepath.IsLocal(t.path) {
			continue
		}
		before := !whole && t.step < e.step
		r := 0
		if t.changed {
			r += 2
		}
		switch {
		case !whole && strings.Contains(e.Text, t.path):
			r += 20
		case !whole && names(e.Text, filepath.Base(t.path)):
			r += 10
		case !t.changed:
			continue
		}
		if before {
			r++
		}
		if !isTestFile(t.path) {
			r += 4
		}
		// Of equal ones the last one before the words counts, else the first one.
		if r > rank || r == rank && before {
			best, rank, ok = t, r, true
		}
	}
	return best, ok
}

var testFile = lazyregexp.New(`(?i)(?:^|/)(?:tests?|__tests__|spec|testdata)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$|Tests?\.\w+$`)

func isTestFile(path string) bool { return testFile.MatchString(path) }

// names tells whether text has the name of a file as a word of its own.
func names(text, base string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], base)
		if i < 0 {
			return false
		}
		i += at
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = text[i-1]
		}
		if end := i + len(base); end < len(text) {
			after = text[end]
		}
		if !wordByte(before) && !wordByte(after) {
			return true
		}
		at = i + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// containers are folders whose names say nothing about what is in them.
var containers = map[string]bool{
	".": true, "src": true, "lib": true, "libs": true, "internal": true, "pkg": true, "cmd": true, "app": true, "apps": true, "main": true,
	"java": true, "kotlin": true, "python": true, "test": true, "tests": true, "testdata": true, "spec": true, "packages": true, "crates": true,
	"modules": true, "include": true, "source": true, "sources": true, "__tests__": true, "scripts": true,
}

// topicOf is the folder of a file that says what it belongs to, "" for none.
func topicOf(path string) string {
	for dir := filepath.Dir(path); dir != "." && dir != string(filepath.Separator) && dir != ".."; dir = filepath.Dir(dir) {
		if name := filepath.Base(dir); !containers[name] {
			return clip(name, 100)
		}
	}
	return ""
}

// oneLine makes one line of text, of at most most bytes.
func oneLine(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
	return clip(strings.Join(strings.Fields(text), " "), most)
}

// clip is text of at most most bytes, at a character's end.
func clip(text string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[:most-len("…")], "")) + "…"
}
