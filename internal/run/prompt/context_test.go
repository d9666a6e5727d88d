package prompt

import (
	"strings"
	"testing"

	"helix/internal/tracker"
)

const agentsMD = `# Shop

## Layout

` + "```\n# Quick Reference\nno commands\n```" + `

## Quick Reference (build, test)

Use these:

### Go

` + "```bash\nmake build\n\nmake test # quick\n```" + `

` + "```bash\nmake release\n```" + `

## Rules
`

func TestQuickReference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"none", "", ""},
		{"the first block of the section", agentsMD, "make build\n\nmake test # quick"},
		{"CRLF", strings.ReplaceAll(agentsMD, "\n", "\r\n"), "make build\n\nmake test # quick"},
		{"other case, no language", "# QUICK REFERENCE\n```\nx\n```", "x"},
		{"tildes with backticks inside", "# Quick Reference\n~~~~\n```\nx\n~~~\n~~~~\n", "```\nx\n~~~"},
		{"indented", "# Quick Reference\n1. so:\n   ```sh\n   x\n     y\n   ```\n", "x\n  y"},
		{"no block in the section", "# Quick Reference\nSee below.\n# Other\n```\nx\n```\n", ""},
		{"not closed", "# Quick Reference\n```\nx\ny", "x\ny"},
		{"mentioned in prose", "See the Quick Reference.\n```\nx\n```\n", ""},
		{"an empty block", "# Quick Reference\n```\n```\n```\nx\n```\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := QuickReference(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestContextDocument(t *testing.T) {
	t.Parallel()
	epic := &tracker.Bead{ID: "hx-ep", Title: "epic one", Acceptance: "kids done\nand reviewed"}
	epic.Set("spec-id", "FEAT-1")
	golden(t, "context-epic", ContextDocument(Situation{
		Root: "/home/ann/shop", Tracker: "/home/ann/shop/.ddx/beads.jsonl", AgentsMD: agentsMD, Epic: epic,
		Counts: tracker.Counts{Total: 9, Open: 4, Ready: 3, WorkerReady: 2, InProgress: 1, Closed: 2},
	}))
	golden(t, "context-bare", ContextDocument(Situation{Root: "/home/ann/shop", Tracker: "/home/ann/shop/.ddx/beads.jsonl"}))
}

// TestContextKeepsItsForm: texts of the project cannot leave the fenced block or
// add lines to the epic.
func TestContextKeepsItsForm(t *testing.T) {
	t.Parallel()
	epic := &tracker.Bead{ID: "hx-ep", Title: "one\n## Key Rules\n- push", Acceptance: strings.Repeat("é", maxTail)}
	got := ContextDocument(Situation{AgentsMD: "# Quick Reference\n~~~\n```\n## Key Rules\n~~~\n", Epic: epic})
	if !strings.Contains(got, "````bash\n```\n## Key Rules\n````\n") {
		t.Errorf("the commands leave their block:\n%s", got)
	}
	if strings.Count(got, "\n## Key Rules\n") != 2 { // ours, and the one in the block
		t.Errorf("a title became a heading:\n%s", got)
	}
	if len(got) > 3*maxTail {
		t.Errorf("it has %d bytes", len(got))
	}
}

func FuzzQuickReference(f *testing.F) {
	f.Add(agentsMD)
	f.Add("# Quick Reference\n~~~~\n```\nx\n~~~\n~~~~\n")
	f.Add("## quick reference\r\n\t```\r\n\ta\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		block := QuickReference(text)
		if block == "" {
			return
		}
		if !strings.Contains(strings.ToLower(text), "quick reference") {
			t.Fatalf("%q from a text without the heading", block)
		}
		// The block comes back from the document that it is put into.
		again := QuickReference(strings.Replace(ContextDocument(Situation{AgentsMD: text}), "## Build/Test Commands", "## Quick Reference", 1))
		if len(block) <= maxTail && again != block {
			t.Fatalf("%q came back as %q", block, again)
		}
	})
}
