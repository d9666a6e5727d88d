package prompt

import (
	"fmt"
	"regexp"
	"strings"

	"helix/internal/tracker"
)

// Situation is what .helix/context.md tells an agent about the queue.
type Situation struct {
	Root, Tracker string
	AgentsMD      string // content of AGENTS.md, "" when there is none
	Counts        tracker.Counts
	Epic          *tracker.Bead // in focus; nil for none
}

// ContextDocument renders .helix/context.md (TD-002, Cycle Accounting).
func ContextDocument(s Situation) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# HELIX Execution Context\n\nProject root: %s\nTracker: %s\nIssue counts: ready=%d, open=%d, in-progress=%d, closed=%d\n",
		s.Root, s.Tracker, s.Counts.WorkerReady, s.Counts.Open, s.Counts.InProgress, s.Counts.Closed)
	if commands := QuickReference(s.AgentsMD); commands != "" {
		fmt.Fprintf(&w, "\n## Build/Test Commands\n\n```bash\n%s\n```\n", commands)
	}
	if e := s.Epic; e != nil {
		fmt.Fprintf(&w, "\n## Current Epic\n\nID: %s\nTitle: %s\n", e.ID, e.Title)
		if e.SpecID() != "" {
			fmt.Fprintf(&w, "Spec: %s\n", e.SpecID())
		}
		if e.Acceptance != "" {
			fmt.Fprintf(&w, "Acceptance: %s\n", e.Acceptance)
		}
	}
	w.WriteString(keyRules)
	return w.String()
}

const keyRules = `
## Key Rules

- A bead's acceptance says what done means. Meet all of it, and no more than it asks.
- When documents disagree: vision, then PRD, specs, architecture, designs, tests, code.
- Small work that the same acceptance needs is part of the bead; anything else becomes a bead of its own.
- Run the checks of what you changed. helix runs the project's gates itself before it lands the work.
- Never push, and never edit the tracker's file by hand: use helix bead.
`

var (
	heading = regexp.MustCompile(`^#{1,6}\s`)
	fence   = regexp.MustCompile("^\\s*(```+|~~~+)")
)

// QuickReference is the first fenced block below a heading that says "Quick
// Reference": the build and test commands of an AGENTS.md.
func QuickReference(agentsMD string) string {
	var block []string
	below, closing := false, ""
	for line := range strings.Lines(agentsMD) {
		line = strings.TrimRight(line, "\r\n")
		mark := fence.FindStringSubmatch(line)
		switch {
		case closing != "" && mark != nil && strings.HasPrefix(mark[1], closing):
			return strings.Join(block, "\n")
		case closing != "":
			block = append(block, line)
		case heading.MatchString(line):
			below = strings.Contains(strings.ToLower(line), "quick reference")
		case below && mark != nil:
			closing = mark[1]
		}
	}
	return strings.Join(block, "\n")
}
