package prompt

import (
	"fmt"
	"strings"
)

// Every parser below returns ErrUninterpretable, wrapped with what is missing or
// wrong, for an answer that does not say what the action must say. Counts that
// an answer leaves out are 0.

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

// NextAction reads a check's answer: its first NEXT_ACTION (TD-002, Queue Drain).
func NextAction(answer string) (Next, error) {
	got, err := Check.read(answer)
	return Next(got["NEXT_ACTION"]), err
}

// Verdict is a review's answer.
type Verdict struct {
	Clean         bool
	Issues        int  // findings; 0 only when Clean
	Filed         int  // beads that the reviewer says it filed for them
	AgentsUpdated bool // AGENTS.md
	Learnings     int
}

// ParseReview reads a review's answer. Issues must come with their number, and an
// answer that contradicts itself cannot be interpreted.
func ParseReview(answer string) (Verdict, error) {
	got, err := Review.read(answer)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{
		Clean: got["REVIEW_STATUS"] == "CLEAN", Issues: got.count("ISSUES_COUNT"), Filed: got.count("FINDINGS_FILED"),
		AgentsUpdated: strings.HasPrefix(strings.ToLower(got["AGENTS_MD_UPDATED"]), "yes"), Learnings: got.count("LEARNINGS_FILED"),
	}
	switch {
	case v.Clean && v.Issues > 0:
		return Verdict{}, fmt.Errorf("%w: REVIEW_STATUS is CLEAN and ISSUES_COUNT is %d", ErrUninterpretable, v.Issues)
	case !v.Clean && got["ISSUES_COUNT"] == "":
		return Verdict{}, fmt.Errorf("%w: REVIEW_STATUS is ISSUES_FOUND and no line begins with ISSUES_COUNT: and a number", ErrUninterpretable)
	case !v.Clean && v.Issues == 0:
		return Verdict{}, fmt.Errorf("%w: REVIEW_STATUS is ISSUES_FOUND and ISSUES_COUNT is 0", ErrUninterpretable)
	}
	return v, nil
}

// ImplementationAnswer is what an implementer says of its own work. It closes
// nothing: helix looks for itself.
type ImplementationAnswer struct {
	Measure   string   // PASS, FAIL or PARTIAL
	Beads     []string // ids
	FollowOns int      // beads filed
}

// ParseImplementation reads an implementer's answer.
func ParseImplementation(answer string) (ImplementationAnswer, error) {
	got, err := Implementation.read(answer)
	if err != nil {
		return ImplementationAnswer{}, err
	}
	return ImplementationAnswer{Measure: got["MEASURE_STATUS"], Beads: got.ids("BEAD_ID"), FollowOns: got.count("FOLLOW_ON_CREATED")}, nil
}

// AlignAnswer is what an alignment reports.
type AlignAnswer struct {
	Status string // COMPLETE, INCOMPLETE or BLOCKED
	Gaps   int
	Beads  int    // execution beads created
	Report string // path, "" when not told
}

// ParseAlign reads an alignment's answer.
func ParseAlign(answer string) (AlignAnswer, error) {
	got, err := Align.read(answer)
	if err != nil {
		return AlignAnswer{}, err
	}
	return AlignAnswer{
		Status: got["ALIGN_STATUS"], Gaps: got.count("GAPS_FOUND"), Beads: got.count("EXECUTION_ISSUES_CREATED"),
		Report: orNone(got["ALIGN_REPORT"]),
	}, nil
}

// BackfillAnswer is what a backfill reports.
type BackfillAnswer struct {
	Status       string // COMPLETE, GUIDANCE_NEEDED or BLOCKED
	Report       string // path, as the agent wrote it; whether it exists is the caller's to see
	ResearchEpic string // id, "" for none
}

// ParseBackfill reads a backfill's answer. Status and report are required.
func ParseBackfill(answer string) (BackfillAnswer, error) {
	got, err := Backfill.read(answer)
	if err != nil {
		return BackfillAnswer{}, err
	}
	report := orNone(got["BACKFILL_REPORT"])
	if report == "" {
		return BackfillAnswer{}, fmt.Errorf("%w: BACKFILL_REPORT names no file", ErrUninterpretable)
	}
	return BackfillAnswer{Status: got["BACKFILL_STATUS"], Report: report, ResearchEpic: orNone(got["RESEARCH_EPIC"])}, nil
}

// PlanAnswer is what a design pass reports.
type PlanAnswer struct {
	Status   string // CONVERGED, IN_PROGRESS or GUIDANCE_NEEDED
	Document string // path, "" for none
	Rounds   int
}

// ParsePlan reads a design pass's answer.
func ParsePlan(answer string) (PlanAnswer, error) {
	got, err := Plan.read(answer)
	if err != nil {
		return PlanAnswer{}, err
	}
	return PlanAnswer{Status: got["PLAN_STATUS"], Document: orNone(got["PLAN_DOCUMENT"]), Rounds: got.count("PLAN_ROUNDS")}, nil
}

// PolishAnswer is what a polish pass did to the queue.
type PolishAnswer struct {
	Status                                string // CONVERGED or IN_PROGRESS
	Decomposition                         string // YES, NO, PARTIAL; "" when not told
	Rounds                                int
	Decomposed, Modified, Created, Merged int // beads
}

// ParsePolish reads a polish pass's answer.
func ParsePolish(answer string) (PolishAnswer, error) {
	got, err := Polish.read(answer)
	if err != nil {
		return PolishAnswer{}, err
	}
	return PolishAnswer{
		Status: got["POLISH_STATUS"], Decomposition: got["DECOMPOSITION"], Rounds: got.count("POLISH_ROUNDS"),
		Decomposed: got.count("ISSUES_DECOMPOSED"), Modified: got.count("ISSUES_MODIFIED"),
		Created: got.count("ISSUES_CREATED"), Merged: got.count("ISSUES_MERGED"),
	}, nil
}

// FrameAnswer is what framing wrote.
type FrameAnswer struct {
	Status           string // COMPLETE or GUIDANCE_NEEDED
	Created, Updated int    // documents
	Beads            int    // created
}

// ParseFrame reads a framing's answer.
func ParseFrame(answer string) (FrameAnswer, error) {
	got, err := Frame.read(answer)
	if err != nil {
		return FrameAnswer{}, err
	}
	return FrameAnswer{
		Status: got["FRAME_STATUS"], Created: got.count("ARTIFACTS_CREATED"), Updated: got.count("ARTIFACTS_UPDATED"),
		Beads: got.count("ISSUES_CREATED"),
	}, nil
}

// EvolveAnswer is what threading a requirement through the documents changed.
type EvolveAnswer struct {
	Status    string // COMPLETE, CONFLICTS or BLOCKED
	Updated   int    // documents
	Beads     int    // created
	Conflicts int
}

// ParseEvolve reads an evolution's answer.
func ParseEvolve(answer string) (EvolveAnswer, error) {
	got, err := Evolve.read(answer)
	if err != nil {
		return EvolveAnswer{}, err
	}
	return EvolveAnswer{
		Status: got["EVOLUTION_STATUS"], Updated: got.count("ARTIFACTS_UPDATED"), Beads: got.count("ISSUES_CREATED"),
		Conflicts: got.count("CONFLICTS"),
	}, nil
}

// ExperimentAnswer is where an experiment stands.
type ExperimentAnswer struct {
	Status           string // CONVERGED, ITERATION_COMPLETE, NO_IMPROVEMENT or CLOSED
	Iterations, Kept int    // trials
	Best             string // measurement and unit
	Confidence       string // improvement divided by the noise
}

// ParseExperiment reads an experiment's answer.
func ParseExperiment(answer string) (ExperimentAnswer, error) {
	got, err := Experiment.read(answer)
	if err != nil {
		return ExperimentAnswer{}, err
	}
	return ExperimentAnswer{
		Status: got["EXPERIMENT_STATUS"], Iterations: got.count("EXPERIMENT_ITERATIONS"), Kept: got.count("EXPERIMENT_KEPT"),
		Best: orNone(got["EXPERIMENT_BEST"]), Confidence: orNone(got["EXPERIMENT_CONFIDENCE"]),
	}, nil
}

// InputAnswer is what became of a request.
type InputAnswer struct {
	Status           string // COMPLETE, NEEDS_CLARIFICATION or BLOCKED
	Created, Updated int    // beads
	Autonomy         string // low, medium or high, as the agent understood it
	Conflicts        int
	Next             string // free text; not a check's NEXT_ACTION
}

// ParseInput reads an intake's answer.
func ParseInput(answer string) (InputAnswer, error) {
	got, err := Input.read(answer)
	if err != nil {
		return InputAnswer{}, err
	}
	return InputAnswer{
		Status: got["INPUT_STATUS"], Created: got.count("BEADS_CREATED"), Updated: got.count("BEADS_UPDATED"),
		Autonomy: strings.ToLower(got["AUTONOMY_LEVEL"]), Conflicts: got.count("CONFLICTS"), Next: got["NEXT_ACTION"],
	}, nil
}

// MeasureAnswer is what a measurement saw.
type MeasureAnswer struct {
	Status   string // PASS, FAIL or PARTIAL
	Beads    Tally
	Criteria Tally // of acceptance; Open are those that could not be verified
	// GatesFailed and RatchetsRegressed count commands and floors.
	GatesFailed, RatchetsRegressed int
}

// Tally counts results. Open is what neither passed nor failed.
type Tally struct{ Total, Passed, Failed, Open int }

// ParseMeasure reads a measurement's answer.
func ParseMeasure(answer string) (MeasureAnswer, error) {
	got, err := Measure.read(answer)
	if err != nil {
		return MeasureAnswer{}, err
	}
	return MeasureAnswer{
		Status:      got["MEASURE_STATUS"],
		Beads:       Tally{got.count("BEADS_MEASURED"), got.count("BEADS_PASSED"), got.count("BEADS_FAILED"), got.count("BEADS_PARTIAL")},
		Criteria:    Tally{got.count("CRITERIA_CHECKED"), got.count("CRITERIA_PASSED"), got.count("CRITERIA_FAILED"), got.count("CRITERIA_UNVERIFIED")},
		GatesFailed: got.count("GATES_FAILED"), RatchetsRegressed: got.count("RATCHETS_REGRESSED"),
	}, nil
}

// ReportAnswer is how the reported work stands.
type ReportAnswer struct {
	Status       string // CLOSED, OPEN or FOLLOW_ON
	Document     string // path, "" for none
	Closed, Open int    // beads
	FollowOns    int    // beads filed
}

// ParseReport reads a report's answer.
func ParseReport(answer string) (ReportAnswer, error) {
	got, err := Report.read(answer)
	if err != nil {
		return ReportAnswer{}, err
	}
	return ReportAnswer{
		Status: got["REPORT_STATUS"], Document: orNone(got["REPORT_DOCUMENT"]), Closed: got.count("BEADS_CLOSED"),
		Open: got.count("BEADS_OPEN"), FollowOns: got.count("FOLLOW_ON_CREATED"),
	}, nil
}

// TriageAnswer is what triage did to the queue.
type TriageAnswer struct {
	Status           string // COMPLETE or NEEDS_CLARIFICATION
	Created, Updated int    // beads
}

// ParseTriage reads a triage's answer.
func ParseTriage(answer string) (TriageAnswer, error) {
	got, err := Triage.read(answer)
	if err != nil {
		return TriageAnswer{}, err
	}
	return TriageAnswer{Status: got["TRIAGE_STATUS"], Created: got.count("BEADS_CREATED"), Updated: got.count("BEADS_UPDATED")}, nil
}

// orNone is a value with "none" understood.
func orNone(value string) string {
	if strings.EqualFold(value, "none") {
		return ""
	}
	return value
}

// Status is the word that decides about an answer: the value of the first line of
// the action's trailer.
func Status(a Action, answer string) (string, error) {
	return a.spec().trailer[0].read(answer)
}
