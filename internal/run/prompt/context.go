package prompt

import (
	"fmt"
	"regexp"
	"strings"

	"helix/internal/tracker"
)

// Situation is what .helix/context.md tells an agent about the project and its
// queue.
type Situation struct {
	Root, Tracker string
	AgentsMD      string // content of AGENTS.md, "" when there is none
	Counts        tracker.Counts
	Epic          *tracker.Bead // in focus; nil for none
}

// ContextDocument is the content of .helix/context.md (TD-002, Cycle Accounting;
// contracts/original-cli.md 1.8). The count of ready beads is of those that an
// agent may be given.
func ContextDocument(s Situation) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# HELIX Execution Context\n\nProject root: %s\nTracker: %s\n", oneLine(s.Root), oneLine(s.Tracker))
	fmt.Fprintf(&w, "Issue counts: ready=%d, open=%d, in-progress=%d, closed=%d\n",
		s.Counts.WorkerReady, s.Counts.Open, s.Counts.InProgress, s.Counts.Closed)
	if commands := QuickReference(s.AgentsMD); commands != "" {
		commands = head(commands, maxTail, "see AGENTS.md")
		marks := "```"
		for strings.Contains(commands, marks) {
			marks += "`"
		}
		fmt.Fprintf(&w, "\n## Build/Test Commands\n\n%sbash\n%s\n%s\n", marks, commands, marks)
	}
	if s.Epic != nil {
		w.WriteString("\n## Current Epic\n\n")
		for _, f := range []struct{ name, value string }{
			{"ID", s.Epic.ID}, {"Title", s.Epic.Title}, {"Spec", s.Epic.SpecID()}, {"Acceptance", s.Epic.Acceptance},
		} {
			if value := oneLine(f.value); value != "" {
				fmt.Fprintf(&w, "%s: %s\n", f.name, cut(value, maxTail))
			}
		}
	}
	w.WriteString(keyRules)
	return w.String()
}

const keyRules = `
## Key Rules

- The acceptance of a bead says what done means: meet all of it, and nothing beyond it.
- Where documents disagree, the earlier decides: vision, PRD, specs, architecture, designs, tests, code.
- Small work next to a bead (under 100 lines, same part of the project) that its acceptance needs belongs to it; anything else becomes a bead of its own.
- Verify what you changed. helix runs the project's gates itself before it lands the work.
- Use helix bead for everything about beads. helix claims, lands and closes them.
- Never push, and leave other people's changes as they are.
`

var (
	headingLine = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*)$`)
	fenceLine   = regexp.MustCompile("^([ \t]*)(`{3,}|~{3,})(.*)$")
)

// QuickReference is the content of the first fenced block below a heading that
// says "Quick Reference", within that heading's section: the build and test
// commands of an AGENTS.md. It is "" when there is none.
func QuickReference(agentsMD string) string {
	var block []string
	level := 0              // of the heading, 0 outside of its section
	indent, marks := "", "" // of the fence that is open
	for line := range strings.Lines(printable(agentsMD)) {
		line = strings.TrimSuffix(line, "\n")
		fence := fenceLine.FindStringSubmatch(line)
		switch {
		case marks != "" && fence != nil && strings.HasPrefix(fence[2], marks) && strings.TrimSpace(fence[3]) == "":
			if level > 0 {
				return strings.Trim(strings.Join(block, "\n"), "\n")
			}
			marks = ""
		case marks != "" && level > 0:
			block = append(block, strings.TrimRight(strings.TrimPrefix(line, indent), " \t"))
		case marks != "":
		case fence != nil:
			indent, marks = fence[1], fence[2]
		default:
			if h := headingLine.FindStringSubmatch(line); h != nil {
				if strings.Contains(strings.ToLower(h[2]), "quick reference") {
					level = len(h[1])
				} else if len(h[1]) <= level {
					level = 0
				}
			}
		}
	}
	return strings.Trim(strings.Join(block, "\n"), "\n")
}
