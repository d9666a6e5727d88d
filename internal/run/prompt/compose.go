package prompt

import (
	"fmt"
	"strings"
	"time"

	"helix/internal/tracker"
)

// Case is what a prompt is about. Fields that an action has no use for stay empty.
type Case struct {
	Root    string // top folder that the agent works in
	Tracker string // path of beads.jsonl
	Context string // content of .helix/context.md
	Scope   string
	Log     string // path of the session log

	Beads   []*tracker.Bead // targets of an implementation, the primary one first
	Attempt int             // of the primary bead in this run, from 1
	Earlier []Earlier       // attempts that failed, oldest first
	Memory  string          // what helix recalls for this case
	// Governing is the bead that stands for a planning action in the queue.
	Governing *tracker.Bead

	Rounds      int    // of plan and polish; 0: the document's own
	Autonomy    string // of input: low, medium, high
	Requirement string // of evolve, input, experiment
	Options     []string
}

// Earlier is an attempt at the same bead that did not land.
type Earlier struct {
	Attempt int
	At      time.Time
	Outcome string
	Reason  string
	Ref     string // keeps its work; "" for none
	Gate    string // the command that failed
	Tail    string // the end of its output
}

// Compose makes the prompt of an action. It begins with the action's name and
// ends with the trailers that the answer must have; operators' wrappers and the
// loop depend on both.
func Compose(a Action, document string, c Case) string {
	var w strings.Builder
	fmt.Fprintf(&w, "Execute the following HELIX %s action.\n", a.name)
	if len(c.Beads) > 0 {
		fmt.Fprintf(&w, "Implementation target: %s\n", c.Beads[0].ID)
	}
	for _, b := range c.Beads[min(1, len(c.Beads)):] {
		fmt.Fprintf(&w, "Also in this batch: %s\n", b.ID)
	}
	fmt.Fprintf(&w, "\nExecute in the current repository rooted at %s.\n", c.Root)
	if c.Tracker != "" {
		fmt.Fprintf(&w, "Issue tracker: beads in %s. Read and change them with `helix bead` only.\n", c.Tracker)
	}
	facts(&w, c)
	section(&w, "Execution context", c.Context)
	for _, b := range c.Beads {
		section(&w, "Bead "+b.ID, describe(b))
	}
	if g := c.Governing; g != nil {
		section(&w, "Governing bead "+g.ID, describe(g))
	}
	section(&w, "Earlier attempts at this bead", describeEarlier(c))
	section(&w, "What helix remembers", c.Memory)
	section(&w, "Action", document)
	w.WriteString("\nFollow the action above to its end: do the work, do not describe what you would do.\n")
	if r := reminders[a]; r != "" {
		w.WriteString(r + "\n")
	}
	return w.String()
}

func facts(w *strings.Builder, c Case) {
	for _, f := range []struct{ name, value string }{
		{"Scope", c.Scope}, {"Request", c.Requirement}, {"Autonomy", c.Autonomy}, {"Session log", c.Log},
	} {
		if f.value != "" {
			fmt.Fprintf(w, "%s: %s\n", f.name, f.value)
		}
	}
	if c.Rounds > 0 {
		fmt.Fprintf(w, "Rounds: at most %d\n", c.Rounds)
	}
	for _, o := range c.Options {
		fmt.Fprintf(w, "%s\n", o)
	}
}

// section sets a text apart. Beads, memories and earlier output are data from
// many hands: the mark says so, and a text cannot forge the mark's end.
func section(w *strings.Builder, title, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	mark := "=" + strings.Repeat("=", 7)
	for strings.Contains(text, mark) {
		mark += "="
	}
	fmt.Fprintf(w, "\n%s %s %s\n%s\n%s end %s\n", mark, title, mark, text, mark, mark)
}

func describe(b *tracker.Bead) string {
	var w strings.Builder
	fmt.Fprintf(&w, "Title: %s\nType: %s\nPriority: %d\n", b.Title, b.Type, b.Priority)
	for _, f := range []struct{ name, value string }{
		{"Parent", b.Parent}, {"Spec", b.SpecID()}, {"Labels", strings.Join(b.Labels, ", ")},
	} {
		if f.value != "" {
			fmt.Fprintf(&w, "%s: %s\n", f.name, f.value)
		}
	}
	for _, f := range []struct{ name, value string }{
		{"Description", b.Description}, {"Design", b.Str("design")}, {"Acceptance", b.Acceptance}, {"Notes", b.Notes},
	} {
		if f.value != "" {
			fmt.Fprintf(&w, "\n%s:\n%s\n", f.name, f.value)
		}
	}
	return w.String()
}

func describeEarlier(c Case) string {
	if len(c.Earlier) == 0 {
		return ""
	}
	var w strings.Builder
	fmt.Fprintf(&w, "This is attempt %d. Do not repeat what failed; find the cause first.\n", c.Attempt)
	for _, e := range c.Earlier {
		fmt.Fprintf(&w, "\nAttempt %d (%s): %s\n", e.Attempt, e.Outcome, e.Reason)
		if e.Ref != "" {
			fmt.Fprintf(&w, "Its work is kept at %s; see it with: git diff HEAD...%s\n", e.Ref, e.Ref)
		}
		if e.Tail != "" {
			fmt.Fprintf(&w, "%s ended with:\n%s\n", e.Gate, strings.TrimRight(e.Tail, "\n"))
		}
	}
	return w.String()
}

// reminders name the trailers of each action, in a form that no parser takes for
// an answer.
var reminders = map[Action]string{
	Check:          "The FIRST line of your answer is NEXT_ACTION: followed by exactly one of BUILD, DESIGN, POLISH, ALIGN, BACKFILL, WAIT, GUIDANCE, STOP.",
	Implementation: "End with the trailer lines MEASURE_STATUS (PASS, FAIL or PARTIAL), BEAD_ID and FOLLOW_ON_CREATED. Add FINDINGS: and a list when you learned something that the next one should know.",
	Review:         "You are part of an automated loop: an answer without its trailer stops it. End with the trailer lines REVIEW_STATUS (CLEAN or ISSUES_FOUND), ISSUES_COUNT, FINDINGS_FILED, AGENTS_MD_UPDATED and LEARNINGS_FILED.",
	Align:          "End with the trailer lines ALIGN_STATUS (COMPLETE, INCOMPLETE or BLOCKED), GAPS_FOUND and EXECUTION_ISSUES_CREATED.",
	Plan:           "End with the trailer lines PLAN_STATUS (CONVERGED, IN_PROGRESS or GUIDANCE_NEEDED), PLAN_DOCUMENT and PLAN_ROUNDS.",
	Polish:         "End with the trailer lines POLISH_STATUS (CONVERGED or IN_PROGRESS), POLISH_ROUNDS, ISSUES_MODIFIED, ISSUES_CREATED and ISSUES_MERGED.",
	Backfill:       "End with the trailer lines BACKFILL_STATUS (COMPLETE, GUIDANCE_NEEDED or BLOCKED), BACKFILL_REPORT (the path of the report, which must exist) and RESEARCH_EPIC (an id, or none).",
	Frame:          "End with the trailer line FRAME_STATUS (COMPLETE or GUIDANCE_NEEDED).",
	Evolve:         "End with the trailer lines EVOLUTION_STATUS (COMPLETE, CONFLICTS or BLOCKED), ARTIFACTS_UPDATED, ISSUES_CREATED and CONFLICTS.",
	Experiment:     "End with the trailer lines EXPERIMENT_STATUS (CONVERGED, ITERATION_COMPLETE, NO_IMPROVEMENT or CLOSED), EXPERIMENT_ITERATIONS, EXPERIMENT_KEPT, EXPERIMENT_BEST and EXPERIMENT_CONFIDENCE.",
	Input:          "End with the trailer lines INPUT_STATUS (COMPLETE, NEEDS_CLARIFICATION or BLOCKED), BEADS_CREATED, BEADS_UPDATED, AUTONOMY_LEVEL, CONFLICTS and NEXT_ACTION.",
	Measure:        "End with the trailer lines MEASURE_STATUS (PASS, FAIL or PARTIAL) and BEAD_ID.",
	Report:         "End with the trailer lines REPORT_STATUS (CLOSED, OPEN or FOLLOW_ON) and FOLLOW_ON_CREATED.",
	Triage:         "End with the trailer lines TRIAGE_STATUS (COMPLETE or NEEDS_CLARIFICATION), BEADS_UPDATED and BEADS_CREATED.",
}
