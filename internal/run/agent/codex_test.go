package agent

import (
	"strings"
	"testing"
	"time"
)

const (
	cxStart = `{"type":"thread.started","thread_id":"th1"}` + "\n" +
		`{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for x not found."}}` + "\n" +
		`{"type":"turn.started"}` + "\n"
	cxWork = `{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'go test ./...'","aggregated_output":"","exit_code":null,"status":"in_progress"}}` + "\n" +
		`{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'go test ./...'","aggregated_output":"FAIL","exit_code":1,"status":"failed"}}` + "\n" +
		`{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"First."}}` + "\n"
	cxSaid  = `{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"Done."}}` + "\n"
	cxDone  = `{"type":"turn.completed","usage":{"input_tokens":1018,"cached_input_tokens":500,"cache_write_input_tokens":0,"output_tokens":50,"reasoning_output_tokens":10}}` + "\n"
	cxRetry = `{"type":"error","message":"Reconnecting... 1/5 (unexpected status 503 Service Unavailable: busy, url: http://h/v1)"}` + "\n"
	cxWait  = `{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}` + "\n"
)

func cxFailed(message string) string {
	return cxStart + cxRetry + `{"type":"error","message":"` + message + `"}` + "\n" + `{"type":"turn.failed","error":{"message":"` + message + `"}}` + "\n"
}

func TestCodexIsJudgedByItsTurn(t *testing.T) {
	t.Parallel()
	used := Usage{Input: 518, Cached: 500, Output: 50}
	for name, c := range map[string]struct {
		out  string
		end  ending
		want verdict
	}{
		"success, failed tool": {cxStart + cxWork + cxSaid + cxDone, ending{}, verdict{OK: true, Text: "Done.", Usage: used}},
		"no line end":          {strings.TrimSpace(cxStart + cxSaid + cxDone), ending{}, verdict{OK: true, Text: "Done.", Usage: used}},
		"retry overcome":       {cxStart + cxRetry + cxSaid + cxDone, ending{}, verdict{OK: true, Text: "Done.", Usage: used}},
		"two turns": {cxStart + cxSaid + cxDone + `{"type":"turn.started"}` + "\n" + cxSaid +
			`{"type":"turn.completed","usage":{"input_tokens":2077,"cached_input_tokens":1000,"output_tokens":90}}`, ending{}, verdict{OK: true, Text: "Done.", Usage: Usage{Input: 1077, Cached: 1000, Output: 90}}},
		"exit 1 all the same":   {cxStart + cxSaid + cxDone, ending{code: 1, errOut: "WARNING: aliases\nthread panicked\n"}, verdict{Reason: "exit code 1 after its turn was complete: thread panicked", Text: "Done.", Usage: used}},
		"429":                   {cxFailed("exceeded retry limit, last status: 429 Too Many Requests"), ending{code: 1}, verdict{Trouble: RateLimit, Reason: "429"}},
		"rate limit":            {cxFailed("rate limit exceeded: Rate limit reached for m. Please try again in 11.054s."), ending{code: 1}, verdict{Trouble: RateLimit, Reason: "Rate limit", Wait: 11 * time.Second}},
		"usage limit":           {cxFailed("You’ve hit your usage limit. Upgrade or try again at 6:40 AM."), ending{code: 1}, verdict{Trouble: RateLimit, Reason: "usage limit", Wait: 130 * time.Minute}},
		"quota":                 {cxFailed("Quota exceeded. Check your plan and billing details."), ending{code: 1}, verdict{Trouble: RateLimit, Reason: "Quota"}},
		"529":                   {cxFailed("unexpected status 529 <unknown status code>: Overloaded, url: http://h"), ending{code: 1}, verdict{Trouble: Overload, Reason: "529"}},
		"401":                   {cxFailed("unexpected status 401 Unauthorized: Incorrect API key provided: x., url: http://h"), ending{code: 1}, verdict{Trouble: Auth, Reason: "401"}},
		"403":                   {cxFailed("unexpected status 403 Forbidden: no, url: http://h"), ending{code: 1}, verdict{Trouble: Auth, Reason: "403"}},
		"stream cut":            {cxFailed("stream disconnected before completion: stream closed before response.completed"), ending{code: 1}, verdict{Trouble: Network, Reason: "disconnected"}},
		"missing key variable":  {cxFailed("Missing environment variable: `OPENAI_API_KEY`."), ending{code: 1}, verdict{Trouble: Setup, Reason: "Missing environment"}},
		"context window":        {cxFailed("Codex ran out of room in the model's context window."), ending{code: 1}, verdict{Reason: "context window"}},
		"failed without words":  {cxStart + `{"type":"turn.failed"}`, ending{code: 1}, verdict{Reason: "the turn failed"}},
		"error, no turn.failed": {cxStart + `{"type":"error","message":"unexpected status 500 Internal Server Error"}`, ending{code: 1}, verdict{Trouble: Overload, Reason: "500"}},
		"SIGINT":                {cxStart + cxWork, ending{code: 1}, verdict{Reason: "within a turn (exit code 1)", Text: "First."}},
		"exit 0 within a turn":  {cxStart + cxWork, ending{}, verdict{Reason: "within a turn (exit code 0)", Text: "First."}},
		"torn end":              {cxStart + cxSaid + cxDone[:40], ending{}, verdict{Reason: "within a turn", Text: "Done."}},
		"hook refused prompt":   {cxStart + `{"type":"turn.completed","usage":{"input_tokens":0,"output_tokens":0}}`, ending{}, verdict{Reason: "without an answer"}},
		"bad flag":              {"", ending{code: 2, errOut: "error: unexpected argument '--nope' found\n\n  tip: x\n"}, verdict{Trouble: Setup, Reason: "unexpected argument '--nope'"}},
		"untrusted folder":      {"", ending{code: 1, errOut: "WARNING: x\nNot inside a trusted directory and --skip-git-repo-check was not specified.\n"}, verdict{Trouble: Setup, Reason: "trusted directory"}},
		"text mode":             {"The answer.\n", ending{errOut: "OpenAI Codex\n--------\ncodex\nThe answer.\ntokens used\n1,950\n"}, verdict{OK: true, Text: "The answer.", Usage: Usage{Input: 1950}}},
		"text mode, 401":        {"", ending{code: 1, errOut: "OpenAI Codex\nERROR: Reconnecting... 5/5\nERROR: unexpected status 401 Unauthorized: no\nERROR: unexpected status 401 Unauthorized: no\n"}, verdict{Trouble: Auth, Reason: "401"}},
		"cut at work":           {cxStart + cxWork, ending{code: 143, cut: true}, verdict{Text: "First."}},
		"cut in a wait":         {cxStart + cxWork + cxWait, ending{code: 143, cut: true}, verdict{Trouble: Network, Reason: "waiting for network", Text: "First."}},
		"cut after a wait":      {cxStart + cxWait + cxWork, ending{code: 143, cut: true}, verdict{Text: "First."}},
		"cut when finished":     {cxStart + cxSaid + cxDone, ending{code: -1, cut: true}, verdict{OK: true, Text: "Done.", Usage: used}},
		"more cached than read": {cxStart + cxSaid + `{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":9,"output_tokens":-4}}`, ending{}, verdict{OK: true, Text: "Done.", Usage: Usage{Cached: 9}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := play(&codexTranscript{}, c.out, c.end)
			c.want.check(t, got)
			if strings.HasPrefix(c.out, cxStart) && got.SessionID != "th1" {
				t.Errorf("session %q", got.SessionID)
			}
		})
	}
}

func TestCodexTellsOfItsProgress(t *testing.T) {
	t.Parallel()
	var lines []string
	tr := &codexTranscript{notice: func(s string) { lines = append(lines, s) }}
	play(tr, cxStart+cxWork+cxWait+
		`{"type":"item.completed","item":{"id":"i4","type":"file_change","changes":[{"path":"/w/a.go","kind":"add"},{"path":"/w/b.go","kind":"update"}]}}`+"\n"+
		`{"type":"item.completed","item":{"id":"i5","type":"file_change","changes":[]}}`+"\n"+
		`{"type":"item.started","item":{"id":"i6","type":"mcp_tool_call","server":"helix","tool":"memory.search","arguments":{"query":"retry"}}}`+"\n"+
		`{"type":"item.completed","item":{"id":"i6","type":"mcp_tool_call","server":"helix","tool":"memory.search","arguments":{"query":"retry"}}}`+"\n"+
		`{"type":"item.completed","item":{"id":"i7","type":"web_search","query":"go waitid"}}`+"\n"+
		`{"type":"item.completed","item":{"id":"i8","type":"reasoning","text":"hm"}}`+"\n", ending{})
	want := strings.Join([]string{
		"→ Shell(go test ./...)",
		"… Reconnecting... waiting for network (Connection failed: error sending request)",
		"→ Edit(/w/a.go and 1 more)",
		"→ helix.memory.search(retry)",
		"→ WebSearch(go waitid)",
	}, "\n")
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
