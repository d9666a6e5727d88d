package prompt

import "slices"

// Action is a kind of work that an agent is asked for. Its text is its name in
// the head of the prompt, by which operators' wrappers recognise it: it does not
// change.
type Action string

// The actions.
const (
	Check          Action = "check"
	Implementation Action = "implementation"
	Review         Action = "fresh-eyes review"
	Align          Action = "alignment"
	Plan           Action = "plan"
	Polish         Action = "polish"
	Backfill       Action = "backfill"
	Frame          Action = "frame"
	Evolve         Action = "evolve"
	Experiment     Action = "experiment"
	Input          Action = "input"
	Measure        Action = "measure"
	Report         Action = "report"
	Triage         Action = "triage"
)

// Field is one line of an action's trailer: "KEY: value".
type Field struct {
	Key      string
	Kind     Kind
	Values   []string // what a Choice may be
	Required bool     // an answer without the line means nothing
	Hint     string   // what the value is; it stands in <> where the agent is asked for it
}

// Kind is what the value of a trailer line must be.
type Kind int

const (
	Choice Kind = iota // one of Field.Values
	Count              // a whole number, or "none"
	Text               // anything in one line, also a path or ids
)

type spec struct {
	action   Action
	document string // file below actions/
	effort   string
	findings bool // a FINDINGS: list is welcome
	trailer  []Field
}

// specs are in the order of a day's work. Documents and trailers are those of
// contracts/original-cli.md, section 3.
var specs = []spec{
	{Check, "check.md", "low", false, []Field{
		status("NEXT_ACTION", "BUILD", "DESIGN", "POLISH", "ALIGN", "BACKFILL", "WAIT", "GUIDANCE", "STOP"),
	}},
	{Implementation, "implementation.md", "medium", true, []Field{
		status("MEASURE_STATUS", "PASS", "FAIL", "PARTIAL"),
		text("BEAD_ID", "id; in a batch the ids that are done"),
		count("FOLLOW_ON_CREATED", "number of beads that you filed"),
	}},
	{Review, "fresh-eyes-review.md", "high", true, []Field{
		status("REVIEW_STATUS", "CLEAN", "ISSUES_FOUND"),
		count("ISSUES_COUNT", "number of findings"),
		count("FINDINGS_FILED", "number of beads filed or reopened for them"),
		text("AGENTS_MD_UPDATED", "yes or no"),
		count("LEARNINGS_FILED", "number"),
	}},
	{Align, "reconcile-alignment.md", "high", true, []Field{
		status("ALIGN_STATUS", "COMPLETE", "INCOMPLETE", "BLOCKED"),
		count("GAPS_FOUND", "number"),
		count("EXECUTION_ISSUES_CREATED", "number of beads"),
		text("ALIGN_REPORT", "path of the report"),
	}},
	{Plan, "plan.md", "high", false, []Field{
		status("PLAN_STATUS", "CONVERGED", "IN_PROGRESS", "GUIDANCE_NEEDED"),
		text("PLAN_DOCUMENT", "path of the document"),
		count("PLAN_ROUNDS", "number of rounds made"),
	}},
	{Polish, "polish.md", "medium", false, []Field{
		status("POLISH_STATUS", "CONVERGED", "IN_PROGRESS"),
		choice("DECOMPOSITION", "YES", "NO", "PARTIAL"),
		count("POLISH_ROUNDS", "number of rounds made"),
		count("ISSUES_DECOMPOSED", "number"),
		count("ISSUES_MODIFIED", "number"),
		count("ISSUES_CREATED", "number"),
		count("ISSUES_MERGED", "number"),
	}},
	{Backfill, "backfill-helix-docs.md", "high", false, []Field{
		status("BACKFILL_STATUS", "COMPLETE", "GUIDANCE_NEEDED", "BLOCKED"),
		{Key: "BACKFILL_REPORT", Kind: Text, Required: true, Hint: "path of the report, which exists"},
		text("RESEARCH_EPIC", "id, or none"),
	}},
	{Frame, "frame.md", "high", false, []Field{
		status("FRAME_STATUS", "COMPLETE", "GUIDANCE_NEEDED"),
		count("ARTIFACTS_CREATED", "number of documents"),
		count("ARTIFACTS_UPDATED", "number of documents"),
		count("ISSUES_CREATED", "number of beads"),
	}},
	{Evolve, "evolve.md", "high", false, []Field{
		status("EVOLUTION_STATUS", "COMPLETE", "CONFLICTS", "BLOCKED"),
		count("ARTIFACTS_UPDATED", "number of documents"),
		count("ISSUES_CREATED", "number of beads"),
		count("CONFLICTS", "number that a person must settle"),
	}},
	{Experiment, "experiment.md", "medium", true, []Field{
		status("EXPERIMENT_STATUS", "CONVERGED", "ITERATION_COMPLETE", "NO_IMPROVEMENT", "CLOSED"),
		count("EXPERIMENT_ITERATIONS", "number of trials on record"),
		count("EXPERIMENT_KEPT", "number of trials kept"),
		text("EXPERIMENT_BEST", "best measurement and its unit"),
		text("EXPERIMENT_CONFIDENCE", "improvement divided by the noise"),
	}},
	{Input, "input.md", "high", false, []Field{
		status("INPUT_STATUS", "COMPLETE", "NEEDS_CLARIFICATION", "BLOCKED"),
		count("BEADS_CREATED", "number"),
		count("BEADS_UPDATED", "number"),
		text("AUTONOMY_LEVEL", "low, medium or high"),
		count("CONFLICTS", "number"),
		text("NEXT_ACTION", "what should happen next, in a few words"),
	}},
	{Measure, "measure.md", "medium", false, []Field{
		status("MEASURE_STATUS", "PASS", "FAIL", "PARTIAL"),
		count("BEADS_MEASURED", "number"),
		count("BEADS_PASSED", "number"),
		count("BEADS_FAILED", "number"),
		count("BEADS_PARTIAL", "number"),
		count("CRITERIA_CHECKED", "number"),
		count("CRITERIA_PASSED", "number"),
		count("CRITERIA_FAILED", "number"),
		count("CRITERIA_UNVERIFIED", "number"),
		count("GATES_FAILED", "number"),
		count("RATCHETS_REGRESSED", "number"),
	}},
	{Report, "report.md", "medium", true, []Field{
		status("REPORT_STATUS", "CLOSED", "OPEN", "FOLLOW_ON"),
		text("REPORT_DOCUMENT", "path of the report, or none"),
		count("BEADS_CLOSED", "number"),
		count("BEADS_OPEN", "number"),
		count("FOLLOW_ON_CREATED", "number of beads that you filed"),
	}},
	{Triage, "triage.md", "medium", false, []Field{
		status("TRIAGE_STATUS", "COMPLETE", "NEEDS_CLARIFICATION"),
		count("BEADS_CREATED", "number"),
		count("BEADS_UPDATED", "number"),
	}},
}

func status(key string, values ...string) Field {
	return Field{Key: key, Kind: Choice, Values: values, Required: true}
}

func choice(key string, values ...string) Field {
	return Field{Key: key, Kind: Choice, Values: values}
}

func count(key, hint string) Field { return Field{Key: key, Kind: Count, Hint: hint} }

func text(key, hint string) Field { return Field{Key: key, Kind: Text, Hint: hint} }

// Actions are all actions, in the order of a day's work.
func Actions() []Action {
	list := make([]Action, len(specs))
	for i, s := range specs {
		list[i] = s.action
	}
	return list
}

// spec panics for an action that does not exist: actions are constants.
func (a Action) spec() spec {
	i := slices.IndexFunc(specs, func(s spec) bool { return s.action == a })
	if i < 0 {
		panic("prompt: there is no action " + string(a))
	}
	return specs[i]
}

// Name is the action's name in the head of its prompt.
func (a Action) Name() string { return string(a) }

// Document is the action's file below the root of the library.
func (a Action) Document() string { return "actions/" + a.spec().document }

// Effort is how hard the agent should think unless the user says otherwise:
// low, medium or high.
func (a Action) Effort() string { return a.spec().effort }

// Trailer is what the answer must say in a form that helix reads.
func (a Action) Trailer() []Field { return slices.Clone(a.spec().trailer) }
