package ddx

import (
	"errors"
	"strings"
	"testing"
	"time"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, out string
		check     func(report) bool
	}{
		{"a loop's result after noise", "▶ a-1: T ok\n✓ a-1 → merged (0c93688f)\n{\"attempts\":1,\"successes\":1,\"last_success_at\":\"2026-01-01T00:00:00Z\",\"results\":[{\"bead_id\":\"a-1\",\"attempt_id\":\"A\",\"status\":\"success\",\"base_rev\":\"b\",\"result_rev\":\"r\"}]}\ntrailing noise\n",
			func(r report) bool {
				return r.Status == "success" && r.Attempt == "A" && r.Base == "b" && r.Result == "r"
			}},
		{"the wanted bead among several", `{"results":[{"bead_id":"x","status":"success"},{"bead_id":"a-1","status":"no_changes","retry_after":"2026-11-21T09:25:19Z"}]}`,
			func(r report) bool {
				return r.Bead == "a-1" && r.Status == "no_changes" && r.RetryAfter.Equal(time.Date(2026, 11, 21, 9, 25, 19, 0, time.UTC))
			}},
		{"another bead", `{"results":[{"bead_id":"x","status":"success"}]}`, func(r report) bool { return r.Bead == "x" }},
		{"a single result", `{"bead_id":"a-1","outcome":"preserved","status":"land_conflict","detail":"merge conflict","preserve_ref":"refs/p","failure_mode":"merge_conflict","tokens":12,"cost_usd":0.5}`,
			func(r report) bool {
				return r.Outcome == "preserved" && r.PreserveRef == "refs/p" && r.Usage.Input == 12 && r.Usage.CostUSD == 0.5
			}},
		{"nothing ready", `{"attempts":0,"no_ready_work":true,"no_ready_work_detail":{"next_retry_after":"2026-11-21T09:25:19Z"}}`,
			func(r report) bool { return r.Status == "no_ready_work" && !r.RetryAfter.IsZero() }},
		{"a dirty checkout", `{"attempts":0,"exit_reason":"operator_attention","operator_attention":{"reason":"dirty_project_root","dirty_paths":["a.go"]}}`,
			func(r report) bool { return r.Status == "operator_attention" && r.DirtyPaths[0] == "a.go" }},
		{"Go's zero time is none", `{"status":"no_changes","retry_after":"0001-01-01T00:00:00Z"}`, func(r report) bool { return r.RetryAfter.IsZero() }},
		{"the lines of try", "▶ working\nbead: a-1\nstatus: success\ndetail: all: well\nlanded_rev: abc\npreserve_ref: refs/p\n",
			func(r report) bool {
				return r.Bead == "a-1" && r.Detail == "all: well" && r.Landed == "abc" && r.PreserveRef == "refs/p"
			}},
	} {
		r, err := parse(tt.out, "a-1")
		if err != nil || !tt.check(r) {
			t.Errorf("%s: got %+v, %v", tt.name, r, err)
		}
	}
	for _, out := range []string{"", "▶ only noise\n", "{}", `{"results":[]}`, `{"results":[{}]}`, "{broken", "[]"} {
		if _, err := parse(out, "a-1"); !errors.Is(err, errUnreadable) {
			t.Errorf("%q: got %v", out, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("noise\n{\"results\":[{\"status\":\"success\"}]}", "a")
	f.Add("bead: a\nstatus: x\n", "a")
	f.Fuzz(func(t *testing.T, out, want string) {
		r, err := parse(out, want)
		if err == nil && r.Status == "" {
			t.Error("a report without a status was accepted")
		}
		judge(r)
	})
}

// vocabulary is every status of both eras.
const vocabulary = `success already_satisfied no_changes no_evidence_produced structural_validation_failed execution_failed
post_run_check_failed ratchet_failed land_conflict land_retry land_operator_attention land_conflict_unresolvable
land_conflict_operator_required push_failed push_conflict preserved_needs_review resource_exhausted
declined_needs_decomposition review_request_changes review_block review_malfunction review_request_clarification
review_terminal_block review_fixable_gap repair-cycle-exhausted`

func TestEveryStatusIsKnown(t *testing.T) {
	for _, status := range strings.Fields(vocabulary) {
		v := judge(report{Status: status, Detail: status})
		if _, known := statuses[status]; !known || v.outcome == "" || v.why == "" {
			t.Errorf("%s: %+v", status, v)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		r       report
		outcome executor.Outcome
		trouble agent.Trouble
		why     string
	}{
		{report{Status: "success"}, executor.Landed, "", ""},
		{report{Status: "success", Outcome: "preserved", Detail: "--no-merge specified"}, executor.Preserved, "", "--no-merge"},
		{report{Status: "execution_failed", Detail: "exit status 3"}, executor.Failed, "", "exit status 3"},
		{report{Status: "execution_failed", FailureMode: "auth_error"}, executor.Failed, agent.Auth, ""},
		{report{Status: "execution_failed", FailureMode: "provider_connectivity"}, executor.Failed, agent.Network, ""},
		{report{Status: "execution_failed", FailureMode: "harness_not_installed"}, executor.Failed, agent.Missing, ""},
		{report{Status: "execution_failed", FailureMode: "lock_contention"}, executor.Failed, agent.Overload, ""},
		{report{Status: "execution_failed", FailureMode: "test_failure"}, executor.Failed, "", ""},
		{report{Status: "resource_exhausted"}, executor.Failed, agent.RateLimit, ""},
		{report{Status: "operator_attention", Detail: "dirty_project_root ", DirtyPaths: []string{"a.go", "b.go"}}, executor.Failed, agent.Setup, "dirty_project_root (a.go, b.go); commit or stash"},
		{report{Status: "no_evidence_produced"}, executor.NoChanges, "", "helix bead reopen"},
		{report{Status: "wibble"}, executor.Failed, "", "which helix does not know"},
	} {
		v := judge(tt.r)
		if v.outcome != tt.outcome || v.trouble != tt.trouble || !strings.Contains(v.why, tt.why) {
			t.Errorf("%+v: got %+v", tt.r, v)
		}
	}
}

// TestUnjudged: what the branch, a person or ddx itself is in the way of says nothing
// about the work.
func TestUnjudged(t *testing.T) {
	for status, want := range map[string]bool{
		"land_conflict": true, "push_conflict": true, "review_malfunction": true, "preserved_needs_review": true,
		"review_block": false, "ratchet_failed": false, "post_run_check_failed": false, "execution_failed": false, "wibble": false,
	} {
		if v := judge(report{Status: status}); v.unjudged != want {
			t.Errorf("%s: %+v", status, v)
		}
	}
	if v := judge(report{Status: "success", Outcome: "preserved"}); !v.unjudged {
		t.Errorf("--no-merge: %+v", v)
	}
}

func TestArguments(t *testing.T) {
	s := Surface{Mode: Try, help: "Flags:\n --harness string\n --model string\n"}
	got := strings.Join(s.args("a-1", agent.Spec{Kind: agent.Codex, Model: "m", Effort: "high"}), " ")
	if got != "try a-1 --harness codex --model m" {
		t.Errorf("got %q: a flag that this ddx does not have must not be given", got)
	}
	loop := Surface{Mode: ExecuteLoop, help: "--local --no-review"}
	if got := strings.Join(loop.args("a-1", agent.Spec{Kind: agent.Command}), " "); got != "agent execute-loop --once --json --local --no-review" {
		t.Errorf("got %q", got)
	}
}
