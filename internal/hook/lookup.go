package hook

import (
	"strings"
	"unicode"

	"helix/internal/kb/text"
	"helix/internal/kb/view"
)

// lineBytes is how much of an entry is shown.
const lineBytes = 220

// appendLine shows an entry: where it belongs, when it was written, how it begins,
// and the id under which the rest can be read.
func appendLine(b []byte, e *known) []byte {
	from := len(b)
	b = append(b, '[')
	b = appendOneLine(b, e.topic, topicBytes)
	b = append(b, "] "...)
	b = e.created.AppendFormat(b, "2006-01-02")
	b = append(b, ' ')
	id := oneLine(e.id, 120)
	b = appendOneLine(b, e.text, max(lineBytes-(len(b)-from)-len(" ()")-len(id), 40))
	b = append(b, " ("...)
	b = append(b, id...)
	return append(b, ')')
}

// lookUp finds up to n entries that share at least two of the words, or one that
// their topic or a tag is about.
func (q *request) lookUp(words []string, n int) ([]known, error) {
	m, err := q.memory()
	if err != nil || m.Empty() {
		return nil, err
	}
	return twice(func() ([]known, error) {
		leads, _, err := m.Leads(view.Query{Text: strings.Join(words, " "), Any: true, Telling: true, Limit: n + spare, Filter: view.Filter{For: q.scope(""), Quick: true}})
		if err != nil {
			return nil, err
		}
		out := make([]known, 0, n)
		for _, l := range leads {
			if len(out) == n {
				break
			}
			e, ok, err := m.Follow(l)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, knownOf(&e))
			}
		}
		return out, nil
	})
}

// spare is how many entries more than are shown are looked for: one may not be readable.
const spare = 1

// words are the first n different words of s that say something, in small
// letters.
func words(s string, n int) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		w = strings.ToLower(strings.Trim(w, "_"))
		if len(w) < 3 || len(w) > 40 || seen[w] || empty(w) || strings.Trim(w, "0123456789") == "" {
			continue
		}
		seen[w] = true
		if out = append(out, w); len(out) == n {
			break
		}
	}
	return out
}

// empty tells words that occur in any request to an agent, or in any error.
func empty(w string) bool {
	switch w {
	case "let", "yes", "please", "make", "need", "want", "now", "get", "code", "file", "files", "exit", "error", "errors":
		return true
	}
	return text.Stop(w)
}

// related is a heading and the lines of entries, nothing for no entries.
func related(heading string, entries []known) reply {
	if len(entries) == 0 {
		return reply{}
	}
	b := append(make([]byte, 0, maxAmbient), heading...)
	for i := range entries {
		b = appendLine(append(b, "\n  "...), &entries[i])
	}
	return reply{context: string(b)}
}

// prompt looks up what the person asks for.
func prompt(q *request) (reply, error) {
	asked := str(q.input, "prompt")
	if len(asked) < 10 || strings.HasPrefix(asked, "/") {
		return reply{}, nil
	}
	// The start of a long prompt is the request, the rest mostly pasted.
	w := words(asked[:min(len(asked), 500)], 6)
	if len(w) < 2 {
		return reply{}, nil
	}
	found, err := q.lookUp(w, 3)
	if err != nil {
		return reply{}, err
	}
	return q.withFacts(related("helix memory, relevant to the question:", found), w), nil
}

// errorContext looks up what a failed command says.
func errorContext(q *request) (reply, error) {
	if yes(q.input, "is_interrupt") {
		return reply{}, nil
	}
	return q.aboutError(str(q.input, "error"))
}

func (q *request) aboutError(output string) (reply, error) {
	if len(output) < 15 {
		return reply{}, nil
	}
	w := words(errorLines(output), 8)
	if len(w) < 2 {
		return reply{}, nil
	}
	found, err := q.lookUp(w, 3)
	return related("helix memory, relevant to this error:", found), err
}

// errorLines are the lines of an output that name an error, the whole output when
// none does.
func errorLines(output string) string {
	output = output[:min(len(output), 64<<10)]
	var out []string
	for l := range strings.Lines(output) {
		low := strings.ToLower(l)
		if strings.HasPrefix(low, "exit code") {
			continue
		}
		for _, sign := range []string{"error", "fail", "panic", "fatal", "cannot", "undefined", "denied", "not found", "no such", "exception"} {
			if strings.Contains(low, sign) {
				out = append(out, l)
				break
			}
		}
	}
	if len(out) == 0 {
		return output
	}
	return strings.Join(out, "\n")
}
