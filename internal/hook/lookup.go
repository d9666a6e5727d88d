package hook

import (
	"strings"
	"unicode"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// lineBytes is how much of an entry is shown.
const lineBytes = 220

// line shows an entry: where it belongs, when it was written, how it begins, and
// the id under which the rest can be read.
func line(e *entry.Entry) string {
	head := "[" + oneLine(e.Topic, topicBytes) + "] " + e.Created.Format("2006-01-02") + " "
	tail := " (" + oneLine(e.ID, 120) + ")"
	return head + oneLine(e.Text, max(lineBytes-len(head)-len(tail), 40)) + tail
}

// lookUp finds up to n entries that share at least two of the words, or one that
// their topic or a tag is about. An entry with any one word of a question is
// rarely an answer to it.
func (q *request) lookUp(words []string, n int) ([]entry.Entry, error) {
	m, err := q.memory()
	if err != nil || m.Len() == 0 {
		return nil, err
	}
	found, err := m.Search(view.Query{Text: strings.Join(words, " "), Any: true, Limit: 5 * n})
	if err != nil {
		return nil, err
	}
	var out []entry.Entry
	for _, h := range found.Hits {
		if len(out) < n && shared(&h.Entry, words) >= 2 {
			out = append(out, h.Entry)
		}
	}
	return out, nil
}

// shared counts the words that e has; one in its topic or tags counts twice.
func shared(e *entry.Entry, words []string) int {
	text := strings.ToLower(e.Text)
	about := strings.ToLower(e.Topic + " " + strings.Join(e.Tags, " "))
	n := 0
	for _, w := range words {
		w = root(w)
		if strings.Contains(about, w) {
			n += 2
		} else if strings.Contains(text, w) {
			n++
		}
	}
	return n
}

// root leaves out the end of a longer word, which is where its forms differ.
func root(word string) string {
	if len(word) > 6 {
		return word[:len(word)-2]
	}
	if len(word) > 4 {
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// words are the first n different words of text that say something, in small
// letters.
func words(text string, n int) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
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

// empty tells words that occur in any sentence, or in any request to an agent.
func empty(w string) bool {
	switch w {
	case "the", "and", "for", "are", "was", "not", "you", "but", "can", "all", "any", "has", "had", "its", "our", "out",
		"how", "why", "who", "what", "when", "where", "which", "that", "this", "with", "from", "have", "been", "were", "will",
		"their", "there", "about", "would", "could", "should", "into", "also", "each", "does", "just", "more", "than", "then",
		"them", "some", "only", "other", "very", "after", "before", "most", "same", "both", "your", "they", "did", "let", "yes",
		"please", "make", "need", "want", "use", "using", "now", "get", "code", "file", "files", "exit", "error", "errors":
		return true
	}
	return false
}

// related is a heading and the lines of entries, nothing for no entries.
func related(heading string, entries []entry.Entry) reply {
	if len(entries) == 0 {
		return reply{}
	}
	text := heading
	for i := range entries {
		text += "\n  " + line(&entries[i])
	}
	return reply{context: text}
}

// prompt looks up what the person asks for.
func prompt(q *request) (reply, error) {
	text := str(q.input, "prompt")
	if len(text) < 10 || strings.HasPrefix(text, "/") {
		return reply{}, nil
	}
	// The start of a long prompt is the request, the rest mostly pasted.
	w := words(text[:min(len(text), 500)], 6)
	if len(w) < 2 {
		return reply{}, nil
	}
	found, err := q.lookUp(w, 3)
	return related("helix memory, relevant to the question:", found), err
}

// errorContext looks up what a failed command says.
func errorContext(q *request) (reply, error) {
	if yes(q.input, "is_interrupt") {
		return reply{}, nil
	}
	return q.aboutError(str(q.input, "error"))
}

func (q *request) aboutError(text string) (reply, error) {
	if len(text) < 15 {
		return reply{}, nil
	}
	w := words(errorLines(text), 8)
	if len(w) < 2 {
		return reply{}, nil
	}
	found, err := q.lookUp(w, 3)
	return related("helix memory, relevant to this error:", found), err
}

// errorLines are the lines of an output that name an error, the whole output when
// none does.
func errorLines(text string) string {
	text = text[:min(len(text), 64<<10)]
	var out []string
	for l := range strings.Lines(text) {
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
		return text
	}
	return strings.Join(out, "\n")
}
