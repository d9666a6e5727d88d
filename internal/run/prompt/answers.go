package prompt

import (
	"fmt"
	"strings"
)

// Next is a check's decision about what comes after a drained queue.
type Next string

const (
	NextBuild    Next = "BUILD"
	NextDesign   Next = "DESIGN"
	NextPolish   Next = "POLISH"
	NextAlign    Next = "ALIGN"
	NextBackfill Next = "BACKFILL"
	NextWait     Next = "WAIT"
	NextGuidance Next = "GUIDANCE"
	NextStop     Next = "STOP"
)

// NextAction reads a check's answer: its first NEXT_ACTION.
func NextAction(text string) (Next, error) {
	w, err := word(text, "NEXT_ACTION", "BUILD", "DESIGN", "POLISH", "ALIGN", "BACKFILL", "WAIT", "GUIDANCE", "STOP")
	return Next(w), err
}

// Verdict is a review's answer.
type Verdict struct {
	Clean  bool
	Issues int
	Filed  int // beads that the reviewer says it filed
}

// ParseReview reads a review's answer. Issues must come with their number, and a
// clean review must not have any.
func ParseReview(text string) (Verdict, error) {
	status, err := word(text, "REVIEW_STATUS", "CLEAN", "ISSUES_FOUND")
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Clean: status == "CLEAN", Filed: optionalCount(text, "FINDINGS_FILED")}
	if v.Clean {
		if n := optionalCount(text, "ISSUES_COUNT"); n > 0 {
			return Verdict{}, fmt.Errorf("%w: REVIEW_STATUS is CLEAN but ISSUES_COUNT is %d", ErrUninterpretable, n)
		}
		return v, nil
	}
	if v.Issues, err = count(text, "ISSUES_COUNT"); err != nil {
		return Verdict{}, err
	}
	if v.Issues == 0 {
		return Verdict{}, fmt.Errorf("%w: REVIEW_STATUS is ISSUES_FOUND but ISSUES_COUNT is 0", ErrUninterpretable)
	}
	return v, nil
}

// BackfillAnswer is what a backfill reports.
type BackfillAnswer struct {
	Status       string // COMPLETE, GUIDANCE_NEEDED or BLOCKED
	Report       string // path of the report, from the root of the repository
	ResearchEpic string // id, "" for none
}

// ParseBackfill reads a backfill's answer; status and report are required.
func ParseBackfill(text string) (BackfillAnswer, error) {
	status, err := word(text, "BACKFILL_STATUS", "COMPLETE", "GUIDANCE_NEEDED", "BLOCKED")
	if err != nil {
		return BackfillAnswer{}, err
	}
	report, _ := trailer(text, "BACKFILL_REPORT")
	if report == "" {
		return BackfillAnswer{}, fmt.Errorf("%w: the BACKFILL_REPORT trailer is missing", ErrUninterpretable)
	}
	epic, _ := trailer(text, "RESEARCH_EPIC")
	if strings.EqualFold(epic, "none") {
		epic = ""
	}
	return BackfillAnswer{Status: status, Report: report, ResearchEpic: epic}, nil
}

// statuses are the status trailers of the actions that only report.
var statuses = map[Action]struct {
	key    string
	values []string
}{
	Implementation: {"MEASURE_STATUS", []string{"PASS", "FAIL", "PARTIAL"}},
	Align:          {"ALIGN_STATUS", []string{"COMPLETE", "INCOMPLETE", "BLOCKED"}},
	Plan:           {"PLAN_STATUS", []string{"CONVERGED", "IN_PROGRESS", "GUIDANCE_NEEDED"}},
	Polish:         {"POLISH_STATUS", []string{"CONVERGED", "IN_PROGRESS"}},
	Frame:          {"FRAME_STATUS", []string{"COMPLETE", "GUIDANCE_NEEDED"}},
	Evolve:         {"EVOLUTION_STATUS", []string{"COMPLETE", "CONFLICTS", "BLOCKED"}},
	Experiment:     {"EXPERIMENT_STATUS", []string{"CONVERGED", "ITERATION_COMPLETE", "NO_IMPROVEMENT", "CLOSED"}},
	Input:          {"INPUT_STATUS", []string{"COMPLETE", "NEEDS_CLARIFICATION", "BLOCKED"}},
	Measure:        {"MEASURE_STATUS", []string{"PASS", "FAIL", "PARTIAL"}},
	Report:         {"REPORT_STATUS", []string{"CLOSED", "OPEN", "FOLLOW_ON"}},
	Triage:         {"TRIAGE_STATUS", []string{"COMPLETE", "NEEDS_CLARIFICATION"}},
}

// Status reads the status trailer of an action that has no parser of its own.
func Status(a Action, text string) (string, error) {
	s := statuses[a]
	return word(text, s.key, s.values...)
}

// Findings are the lines that an agent put below a FINDINGS: trailer, for the
// memory: a list that ends at the first empty line or line of another kind.
func Findings(text string) []string {
	var found []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "\r", ""))
		switch {
		case emphasis.Replace(line) == "FINDINGS:":
			inside = true
		case inside && len(line) > 2 && strings.ContainsRune("-*+", rune(line[0])) && line[1] == ' ':
			found = append(found, strings.TrimSpace(line[2:]))
		case inside && len(found) > 0:
			return found
		}
	}
	return found
}
