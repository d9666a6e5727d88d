package hook

import (
	"strconv"
	"strings"

	"helix/internal/kb/view"
)

// topicsShown is how many topics are named; topicBytes how much of a name.
const (
	topicsShown = 15
	topicBytes  = 60
)

// session tells the model at its start what there is.
func session(q *request) (reply, error) {
	if text := q.briefing(); text != "" {
		return reply{context: text}, nil
	}
	head := "HELIX MEMORY: "
	switch str(q.input, "source") {
	case "compact":
		head = "HELIX MEMORY (the conversation was compacted): "
	case "resume":
		head = "HELIX MEMORY (the session goes on): "
	case "clear":
		head = "HELIX MEMORY (the conversation was cleared): "
	}
	m, err := q.memory()
	if err != nil {
		return reply{}, err
	}
	n := m.Len()
	if n == 0 {
		return q.started(head + "empty so far. Store what you find out with mcp__helix__store as you work."), nil
	}
	topics, all, err := m.TopTopics(topicsShown)
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	b.WriteString(head + count(n, "entry", "entries") + " in " + count(all, "topic", "topics") + ".\n")
	b.WriteString("Topics: " + largest(topics, all) + "\n")
	b.WriteString("BEFORE you start, call mcp__helix__search with words of your task; what earlier sessions learned is there.")
	return q.started(b.String()), nil
}

// started adds to the first words of a session what there is to say of its project.
func (q *request) started(text string) reply {
	return reply{context: strings.TrimRight(text+fit(q.atStart(), maxContext-len(text)), "\n")}
}

// subagent tells an agent's helper the same: it does not see the parent's context.
func subagent(q *request) (reply, error) {
	m, err := q.memory()
	if err != nil || m.Len() == 0 {
		return reply{}, err
	}
	topics, all, err := m.TopTopics(40)
	if err != nil {
		return reply{}, err
	}
	return reply{context: "HELIX MEMORY: you can ask it too. BEFORE you start, call mcp__helix__search with words of your task.\n" +
		"Topics: " + largest(topics, all)}, nil
}

// preCompact tells the person: this event has no way to tell the model, which gets
// the topics from the session event after the compaction.
func preCompact(q *request) (reply, error) {
	m, err := q.memory()
	if err != nil || m.Len() == 0 {
		return reply{}, err
	}
	topics, all, err := m.TopTopics(topicsShown)
	if err != nil {
		return reply{}, err
	}
	return reply{message: "helix: the memory keeps " + count(m.Len(), "entry", "entries") + " in " + count(all, "topic", "topics") +
		" through the compaction; search it afterwards.\nTopics: " + largest(topics, all)}, nil
}

// largest names topics with their entries, and counts those that are not among
// them.
func largest(topics []view.Count, all int) string {
	var names []string
	for _, t := range topics {
		names = append(names, oneLine(t.Name, topicBytes)+" ("+strconv.Itoa(t.Entries)+")")
	}
	text := strings.Join(names, ", ")
	if rest := all - len(names); rest > 0 {
		text += ", and " + strconv.Itoa(rest) + " more"
	}
	return text
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
