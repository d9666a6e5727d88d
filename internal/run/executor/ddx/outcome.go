package ddx

import (
	"fmt"
	"strings"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
)

// verdict is what a status means before anything is verified.
type verdict struct {
	outcome executor.Outcome
	trouble agent.Trouble
	why     string // for people; "" to use ddx's own detail
	// unjudged: where there is work, it was not the work that kept it from landing.
	unjudged bool
}

// statuses are the words of both eras (contracts/ddx.md, 4.2 and 4.3).
var statuses = map[string]verdict{
	"success":           {outcome: executor.Landed},
	"already_satisfied": {outcome: executor.NoChanges, why: "ddx says that it is done already"},
	"no_changes":        {outcome: executor.NoChanges, why: "the agent changed nothing"},
	"no_evidence_produced": {outcome: executor.NoChanges,
		why: "the agent produced nothing, and ddx has taken the bead out of the queue (status proposed); put it back with: helix bead reopen"},
	"no_ready_work": {outcome: executor.Failed},

	"execution_failed":             {outcome: executor.Failed},
	"structural_validation_failed": {outcome: executor.Failed, why: "ddx's structural validation failed"},
	"post_run_check_failed":        {outcome: executor.Preserved, why: "a check after the run failed"},
	"ratchet_failed":               {outcome: executor.Preserved, why: "a ratchet failed"},
	"preserved_needs_review":       {outcome: executor.Preserved, unjudged: true, why: "ddx keeps the work for a person to review"},
	"declined_needs_decomposition": {outcome: executor.Failed, why: "the bead is too large: break it down"},
	"repair-cycle-exhausted":       {outcome: executor.Preserved, why: "ddx's repair attempts are used up"},

	"land_conflict":                   {outcome: executor.Preserved, unjudged: true, why: "the work conflicts with the branch"},
	"land_retry":                      {outcome: executor.Preserved, unjudged: true, why: "the landing must be tried again"},
	"land_operator_attention":         {outcome: executor.Preserved, unjudged: true, why: "the landing needs a person"},
	"land_conflict_unresolvable":      {outcome: executor.Preserved, unjudged: true, why: "the conflict with the branch cannot be resolved"},
	"land_conflict_operator_required": {outcome: executor.Preserved, unjudged: true, why: "the conflict with the branch needs a person"},
	"push_failed":                     {outcome: executor.Landed, why: "the push failed"},
	"push_conflict":                   {outcome: executor.Preserved, unjudged: true, why: "the push conflicts with the remote branch"},

	"review_request_changes":       {outcome: executor.Preserved, why: "ddx's review asks for changes"},
	"review_block":                 {outcome: executor.Preserved, why: "ddx's review blocks the work"},
	"review_malfunction":           {outcome: executor.Preserved, unjudged: true, why: "ddx's review did not work"},
	"review_request_clarification": {outcome: executor.Preserved, unjudged: true, why: "ddx's review asks for clarification"},
	"review_terminal_block":        {outcome: executor.Preserved, why: "ddx's review rejects the work"},
	"review_fixable_gap":           {outcome: executor.Preserved, why: "ddx's review found a gap"},

	"resource_exhausted": {outcome: executor.Failed, trouble: agent.RateLimit},
	"operator_attention": {outcome: executor.Failed, trouble: agent.Setup},
}

// modes are failure modes that are the provider's or the machine's, not the
// bead's.
var modes = map[string]agent.Trouble{
	"auth_error": agent.Auth, "no_viable_provider": agent.Overload, "provider_connectivity": agent.Network,
	"server_unavailable": agent.Overload, "harness_not_installed": agent.Missing, "blocked_by_passthrough_constraint": agent.Setup,
	"agent_power_unsatisfied": agent.Setup, "lock_contention": agent.Overload, "worktree_lost": agent.Overload,
	"route_resolution_timeout": agent.Network,
}

// judge sorts a report by its status and failure mode. The why of the verdict is what
// people are told.
func judge(r report) verdict {
	v, known := statuses[r.Status]
	if !known {
		v = verdict{outcome: executor.Failed, why: fmt.Sprintf("ddx ended with the status %q, which helix does not know", r.Status)}
	}
	if v.outcome != executor.Landed && v.trouble == "" {
		v.trouble = modes[r.FailureMode]
	}
	if r.Outcome == "preserved" && v.outcome == executor.Landed { // --no-merge says success, too
		v.outcome, v.unjudged = executor.Preserved, true
	}
	why := v.why
	if d := firstLine(r.Detail); r.Detail != "" && d != r.Status {
		if why != "" {
			why += ": "
		}
		why += d
	}
	if len(r.DirtyPaths) > 0 {
		why += " (" + strings.Join(r.DirtyPaths, ", ") + "); commit or stash these files"
	}
	if why == "" {
		why = "ddx ended with the status " + r.Status
	}
	v.why = strings.TrimSpace(why)
	return v
}
