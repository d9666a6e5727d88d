package hook

import (
	"strings"

	"helix/internal/hook/handover"
)

// briefing is what the run of helix that had this agent started has to say to it, once
// a session and again when the conversation has lost it: ddx composes the prompt, and
// this is the way around it.
func (q *request) briefing() string {
	path := q.env.Getenv(handover.ContextVariable)
	if path == "" || !q.ofRun() {
		return ""
	}
	text, err := handover.ReadAttempt(path, q.env.Getenv(handover.AttemptVariable))
	if err != nil || text == "" {
		return ""
	}
	shown, n := beginning(text, path)
	root := ""
	if p, ok := q.project(); ok {
		root = p.root
	}
	first, err := handover.Tell(path, str(q.input, "session_id"), root, n)
	if source := str(q.input, "source"); err != nil || !first && source != "compact" && source != "clear" {
		return ""
	}
	return shown
}

// blocks are beginnings of lines before which a briefing may be cut: sections, layers,
// and in these headings, memories and attempts (package prompt).
var blocks = [...]string{"=== ", "> #", "> [mem_", "> Attempt "}

// beginning is as much of a text as a client passes on, with a word on where the rest
// is, and how many bytes of the text that is.
func beginning(text, path string) (shown string, n int) {
	if len(text) <= maxContext {
		return text, len(text)
	}
	rest := "\nThere is more of it. Read the rest before you start: " + path + "\n"
	most := maxContext - len(rest)
	line := strings.LastIndexByte(text[:most], '\n') + 1
	for at := line; at > most/2; at = strings.LastIndexByte(text[:at-1], '\n') + 1 {
		for _, b := range blocks {
			if strings.HasPrefix(text[at:], b) {
				return text[:at] + rest, at
			}
		}
	}
	return text[:line] + rest, line
}
