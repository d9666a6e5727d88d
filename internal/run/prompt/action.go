package prompt

// Action is one of the documents in workflows/ and the prompt made from it.
type Action struct {
	name   string // as it stands in the head of the prompt
	file   string // below actions/ of the library
	effort string // how hard the agent should think when nobody says
}

// The actions. Their names are matched by operators' wrappers: they do not change.
var (
	Check          = Action{"check", "check.md", "low"}
	Implementation = Action{"implementation", "implementation.md", "medium"}
	Review         = Action{"fresh-eyes review", "fresh-eyes-review.md", "high"}
	Align          = Action{"alignment", "reconcile-alignment.md", "high"}
	Plan           = Action{"plan", "plan.md", "high"}
	Polish         = Action{"polish", "polish.md", "medium"}
	Backfill       = Action{"backfill", "backfill-helix-docs.md", "high"}
	Frame          = Action{"frame", "frame.md", "high"}
	Evolve         = Action{"evolve", "evolve.md", "high"}
	Experiment     = Action{"experiment", "experiment.md", "high"}
	Input          = Action{"input", "input.md", "high"}
	Measure        = Action{"measure", "measure.md", "medium"}
	Report         = Action{"report", "report.md", "medium"}
	Triage         = Action{"triage", "triage.md", "medium"}
)

// Actions lists every action, in the order of the day's work.
func Actions() []Action {
	return []Action{Check, Implementation, Review, Align, Plan, Polish, Backfill, Frame, Evolve, Experiment, Input, Measure, Report, Triage}
}

// Name is the action's name in the head of its prompt.
func (a Action) Name() string { return a.name }

// Document is the file of the action below the library's root.
func (a Action) Document() string { return "actions/" + a.file }

// Effort is how hard the agent should think unless the user says otherwise.
func (a Action) Effort() string { return a.effort }
