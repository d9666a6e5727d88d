package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// Memory is what questions are answered from. *view.View is one.
type Memory interface {
	Newest(n int, f view.Filter) ([]entry.Entry, error)
	Topics() ([]view.Topic, error)
	Search(q view.Query) (view.Result, error)
	Close() error
}

// Answerer answers requests.
type Answerer struct {
	Open func() (Memory, error) // the memory as it is now
	// Hook answers a hook: its event and what it got, and what it says.
	Hook func(ctx context.Context, event string, input []byte) []byte
	// Refresh has what is prepared for the project at root brought up to date; it
	// does not wait for that. nil: nothing is.
	Refresh func(root string)
}

type request struct {
	Op    string   `json:"op"`
	Query string   `json:"query"`
	Limit int      `json:"limit"`
	Stem  string   `json:"stem"`
	Path  string   `json:"path"`
	Syms  []string `json:"syms"`
	Type  string   `json:"type"`
	Event string   `json:"hook_event_name"`
	Root  string   `json:"root"`
}

const (
	maxHits    = 50
	maxLine    = 200     // bytes of a snippet
	maxAmbient = 2 << 10 // bytes of what is said about a file
)

// Answer answers one request; what is no request, or cannot be answered, gets
// nothing.
func (a *Answerer) Answer(ctx context.Context, line []byte) []byte {
	var r request
	// A field of another type says nothing; the others still count.
	if err := json.Unmarshal(line, &r); err != nil && !json.Valid(line) {
		return nil
	}
	switch r.Op {
	case "hook_ambient":
		return a.hook(ctx, r, line)
	case "refresh":
		if a.Refresh != nil {
			a.Refresh(r.Root)
		}
		return nil
	}
	of := map[string]func(Memory, request) (string, error){"search": search, "topics": topics, "ambient": ambient}[r.Op]
	if of == nil {
		return nil
	}
	m, err := a.Open()
	if err != nil {
		return nil
	}
	defer m.Close()
	text, err := of(m, r)
	if err != nil {
		return nil
	}
	return []byte(text)
}

func (a *Answerer) hook(ctx context.Context, r request, line []byte) []byte {
	event := r.Event
	switch {
	case r.Type == "subagent-start":
		event = "SubagentStart"
	case event == "":
		event = "PreToolUse"
	}
	// One line of answer: the answer to a hook is JSON.
	var b bytes.Buffer
	if json.Compact(&b, a.Hook(ctx, event, line)) != nil {
		return nil
	}
	return b.Bytes()
}

func search(m Memory, r request) (string, error) {
	if strings.TrimSpace(r.Query) == "" {
		return "", nil
	}
	limit := r.Limit
	if limit <= 0 {
		limit = 5
	}
	found, err := m.Search(view.Query{Text: r.Query, Limit: min(limit, maxHits)})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, h := range found.Hits {
		lines = append(lines, snippet(&h.Entry))
	}
	return strings.Join(lines, "\n"), nil
}

func topics(m Memory, _ request) (string, error) {
	all, err := m.Topics()
	if err != nil {
		return "", err
	}
	var names []string
	for _, t := range all {
		names = append(names, fmt.Sprintf("%s (%d)", oneLine(t.Name), t.Entries))
	}
	return strings.Join(names, ", "), nil
}

// ambient is what is known about a file: the entries that come from it, then
// those that speak of its stem or its symbols.
func ambient(m Memory, r request) (string, error) {
	seen := map[string]bool{}
	var b strings.Builder
	say := func(title string, entries []entry.Entry) {
		for _, e := range entries {
			line := "  " + snippet(&e) + "\n"
			if seen[e.ID] || b.Len()+len(title)+len(line) > maxAmbient {
				continue
			}
			b.WriteString(title)
			b.WriteString(line)
			seen[e.ID], title = true, ""
		}
	}
	if r.Path != "" {
		linked, err := m.Newest(5, view.Filter{Source: r.Path})
		if err != nil {
			return "", err
		}
		say("source-linked ("+oneLine(r.Path)+"):\n", linked)
	}
	for _, layer := range []struct {
		title, words string
		any          bool
	}{
		{"symbol context:\n", strings.Join(r.Syms[:min(len(r.Syms), 15)], " "), true},
		{"related (" + oneLine(r.Stem) + "):\n", r.Stem, false},
	} {
		if strings.TrimSpace(layer.words) == "" {
			continue
		}
		found, err := m.Search(view.Query{Text: layer.words, Plain: true, Any: layer.any, Limit: 3})
		if err != nil {
			return "", err
		}
		var entries []entry.Entry
		for _, h := range found.Hits {
			entries = append(entries, h.Entry)
		}
		say(layer.title, entries)
	}
	return b.String(), nil
}

// snippet is an entry on one line.
func snippet(e *entry.Entry) string {
	line := "[" + oneLine(e.Topic) + "] " + oneLine(e.Text)
	if len(line) <= maxLine {
		return line
	}
	cut := maxLine - len("…")
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + "…"
}

// oneLine makes all white space and control characters single blanks.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
