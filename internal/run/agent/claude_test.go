package agent

import (
	"strings"
	"testing"
	"time"
)

var testNow = time.Date(2026, 11, 21, 4, 30, 0, 0, time.UTC)

// play feeds output to a transcript and judges it. The exit code is that of e.
func play(t transcript, out string, e ending) Result {
	r := &lineReader{each: t.line, max: maxLine}
	_, _ = r.Write([]byte(out))
	r.end()
	kept := &tail{max: maxText}
	_, _ = kept.Write([]byte(out))
	e.out, e.now = kept.String(), testNow
	if e.name == "" {
		e.name = "agent"
	}
	return t.judge(e)
}

// verdict is what the tests compare; Reason is a part of the real one.
type verdict struct {
	OK      bool
	Trouble Trouble
	Reason  string
	Text    string
	Wait    time.Duration
	Usage   Usage
}

func (want verdict) check(t *testing.T, got Result) {
	t.Helper()
	if got.OK != want.OK || got.Trouble != want.Trouble || got.Text != want.Text || got.Usage != want.Usage ||
		got.RetryAfter.Round(time.Second) != want.Wait {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if (want.Reason == "") != (got.Reason == "") || !strings.Contains(got.Reason, want.Reason) {
		t.Errorf("reason %q, want it to say %q", got.Reason, want.Reason)
	}
}

const (
	ccInit  = `{"type":"system","subtype":"init","cwd":"/w","session_id":"s1","model":"m","permissionMode":"bypassPermissions"}` + "\n"
	ccText  = `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Looking."}],"usage":{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s1"}` + "\n"
	ccTool  = `{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make test","description":"run"}}],"usage":{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s1"}` + "\n"
	ccBack  = `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"ok"}]},"session_id":"s1"}` + "\n"
	ccUsage = `"usage":{"input_tokens":200,"cache_creation_input_tokens":40,"cache_read_input_tokens":60,"output_tokens":80},"total_cost_usd":0.25`
	ccDone  = `{"duration_ms":5,"session_id":"s1",` + ccUsage + `,"terminal_reason":"completed","is_error":false,"num_turns":2,"subtype":"success","api_error_status":null,"result":"All done.","type":"result"}` + "\n"
	ccHook  = `{"type":"system","subtype":"hook_response","hook_name":"Stop","session_id":"s1","outcome":"cancelled"}` + "\n"
	ccRetry = `{"type":"system","subtype":"api_retry","attempt":3,"max_retries":10,"retry_delay_ms":500,"error_status":529,"error":"overloaded","session_id":"s1"}` + "\n"
	ccWait  = `{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":500,"error_status":null,"error":"unknown","session_id":"s1"}` + "\n"
)

// ccFailed is a run whose request failed: the message of the failure, then the
// result with subtype "success".
func ccFailed(kind, status, text, extra string) string {
	return ccInit +
		`{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"` + text + `"}],"usage":{"input_tokens":0,"output_tokens":0}},"error":"` + kind + `","is_api_error_message":true,"api_error_status":` + status + `,"session_id":"s1"}` + "\n" +
		`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"terminal_reason":"api_error","api_error_status":` + status + extra + `,"result":"` + text + `","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"modelUsage":{},"session_id":"s1"}` + "\n"
}

func ccError(subtype, terminal, errs string) string {
	return ccInit + ccText + `{"type":"result","subtype":"` + subtype + `","is_error":true,"terminal_reason":"` + terminal + `","result":null,"errors":["` + errs + `"],"num_turns":2,"session_id":"s1",` + ccUsage + "}\n"
}

func TestClaudeIsJudgedByItsResult(t *testing.T) {
	t.Parallel()
	full := Usage{Input: 200, Cached: 100, Output: 80, CostUSD: 0.25, CostSource: "agent"}
	free := Usage{CostSource: "agent"}
	begun := Usage{Input: 100, Cached: 50, Output: 1}
	work := ccInit + ccText + ccTool + ccBack
	for name, c := range map[string]struct {
		out  string
		end  ending
		want verdict
	}{
		"success":                {work + ccDone, ending{}, verdict{OK: true, Text: "All done.", Usage: full}},
		"no line end":            {strings.TrimSuffix(work+ccDone, "\n"), ending{}, verdict{OK: true, Text: "All done.", Usage: full}},
		"denied tool":            {work + strings.Replace(ccDone, `"num_turns"`, `"permission_denials":[{"tool_name":"Bash"}],"num_turns"`, 1), ending{}, verdict{OK: true, Text: "All done.", Usage: full}},
		"max_tokens":             {work + `{"type":"user","message":{"content":[{"type":"text","text":"Output token limit hit."}]},"isSynthetic":true,"session_id":"s1"}` + "\n" + ccDone, ending{}, verdict{OK: true, Text: "All done.", Usage: full}},
		"hook lines after":       {work + ccDone + ccHook, ending{}, verdict{OK: true, Text: "All done.", Usage: full}},
		"older, no terminal":     {ccInit + `{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s1","total_cost_usd":0.5,"usage":{"input_tokens":7,"output_tokens":2}}`, ending{}, verdict{OK: true, Text: "ok", Usage: Usage{Input: 7, Output: 2, CostUSD: 0.5, CostSource: "agent"}}},
		"success and exit 1":     {work + ccDone, ending{code: 1, errOut: "Warning: x\nError: auto mode check unavailable\n"}, verdict{Reason: "exit code 1 after it had said success: Error: auto mode", Text: "All done.", Usage: full}},
		"529":                    {ccFailed("server_error", "529", "API Error: 529 Overloaded. Try again.", ""), ending{code: 1}, verdict{Trouble: Overload, Reason: "529 Overloaded", Text: "API Error: 529 Overloaded. Try again.", Usage: free}},
		"500":                    {ccFailed("server_error", "500", "API Error: 500 Internal server error.", ""), ending{code: 1}, verdict{Trouble: Overload, Reason: "500", Text: "API Error: 500 Internal server error.", Usage: free}},
		"429":                    {ccFailed("rate_limit", "429", "API Error: Request rejected (429) · slow down, try again in 30s", ""), ending{code: 1}, verdict{Trouble: RateLimit, Reason: "429", Wait: 30 * time.Second, Text: "API Error: Request rejected (429) · slow down, try again in 30s", Usage: free}},
		"usage limit":            {`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795239000,"rateLimitType":"five_hour"},"session_id":"s1"}` + "\n" + ccFailed("rate_limit", "429", "You've hit your 5-hour limit", `,"api_error":"usage_limit_reached"`), ending{code: 1}, verdict{Trouble: RateLimit, Reason: "5-hour limit", Wait: time.Unix(1795239000, 0).Sub(testNow), Text: "You've hit your 5-hour limit", Usage: free}},
		"limit of old":           {ccInit + `{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1795239000","session_id":"s1"}`, ending{code: 1}, verdict{Trouble: RateLimit, Reason: "usage limit", Wait: time.Unix(1795239000, 0).Sub(testNow), Text: "Claude AI usage limit reached|1795239000"}},
		"limit near":             {`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1795239000},"session_id":"s1"}` + "\n" + ccDone, ending{}, verdict{OK: true, Text: "All done.", Usage: full}},
		"401":                    {ccFailed("authentication_failed", "401", "Invalid API key", ""), ending{code: 1}, verdict{Trouble: Auth, Reason: "Invalid API key", Text: "Invalid API key", Usage: free}},
		"403":                    {ccFailed("", "403", "Failed. API Error: 403 no access", ""), ending{code: 1}, verdict{Trouble: Auth, Reason: "403", Text: "Failed. API Error: 403 no access", Usage: free}},
		"not logged in":          {ccFailed("authentication_failed", "null", "Not logged in · Please run /login", ""), ending{code: 1}, verdict{Trouble: Auth, Reason: "logged in", Text: "Not logged in · Please run /login", Usage: free}},
		"refused connection":     {ccFailed("server_error", "null", "API Error: Connection refused (ECONNREFUSED)", `,"api_error":"connection_failed"`), ending{code: 1}, verdict{Trouble: Network, Reason: "refused", Text: "API Error: Connection refused (ECONNREFUSED)", Usage: free}},
		"API timeout":            {ccFailed("server_error", "null", "Request timed out.", ""), ending{code: 1}, verdict{Trouble: Network, Reason: "timed out", Text: "Request timed out.", Usage: free}},
		"unknown API failure":    {ccFailed("unknown", "null", "Something odd", ""), ending{code: 1}, verdict{Trouble: Network, Reason: "odd", Text: "Something odd", Usage: free}},
		"credit":                 {ccFailed("billing_error", "400", "Credit balance is too low", ""), ending{code: 1}, verdict{Trouble: RateLimit, Reason: "balance", Text: "Credit balance is too low", Usage: free}},
		"unknown model":          {ccFailed("model_not_found", "404", "There's an issue with the selected model", ""), ending{code: 1}, verdict{Trouble: Setup, Reason: "model", Text: "There's an issue with the selected model", Usage: free}},
		"bad request":            {ccFailed("invalid_request", "400", "API Error: 400 bad", ""), ending{code: 1}, verdict{Reason: "400", Text: "API Error: 400 bad", Usage: free}},
		"prompt too long":        {strings.Replace(ccFailed("invalid_request", "400", "Prompt is too long", ""), `"terminal_reason":"api_error"`, `"terminal_reason":"prompt_too_long"`, 1), ending{code: 1}, verdict{Reason: "too long", Text: "Prompt is too long", Usage: free}},
		"stream cut":             {ccError("error_during_execution", "", "Connection closed mid-response"), ending{code: 1}, verdict{Trouble: Network, Reason: "closed", Text: "Looking.", Usage: full}},
		"max turns":              {ccError("error_max_turns", "max_turns", "Reached maximum number of turns (2)"), ending{code: 1}, verdict{Reason: "turns (2)", Text: "Looking.", Usage: full}},
		"SIGINT":                 {ccError("error_during_execution", "aborted_tools", "Interrupted"), ending{}, verdict{Reason: "Interrupted", Text: "Looking.", Usage: full}},
		"SIGINT, no result":      {work, ending{}, verdict{Reason: "without a result (exit code 0)", Text: "Looking.", Usage: begun}},
		"SIGTERM":                {work, ending{code: 143}, verdict{Reason: "without a result (exit code 143)", Text: "Looking.", Usage: begun}},
		"killed":                 {work, ending{code: -1}, verdict{Reason: "ended by a signal", Text: "Looking.", Usage: begun}},
		"torn result":            {work + ccDone[:len(ccDone)-9], ending{}, verdict{Reason: "without a result", Text: "Looking.", Usage: begun}},
		"hook stopped it":        {work + `{"type":"result","subtype":"success","is_error":false,"result":"","num_turns":2,"terminal_reason":"hook_stopped","session_id":"s1",` + ccUsage + `}`, ending{}, verdict{Reason: "hook stopped", Text: "Looking.", Usage: full}},
		"hook refused prompt":    {ccInit + `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"blocked by hook: no","session_id":"s1","total_cost_usd":0,"usage":{}}`, ending{}, verdict{Reason: "not run: blocked", Text: "blocked by hook: no", Usage: free}},
		"nothing, refused":       {"", ending{code: 1, errOut: "error: unknown option '--x'\n"}, verdict{Trouble: Setup, Reason: "unknown option"}},
		"nothing, root":          {"", ending{code: 1, errOut: "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n"}, verdict{Trouble: Setup, Reason: "set IS_SANDBOX=1"}},
		"nothing, signal":        {"", ending{code: -1}, verdict{Reason: "signal before it said anything"}},
		"nothing, exit 0":        {"", ending{}, verdict{Reason: "without an answer"}},
		"torn first line":        {`{"type":"result","subtype":"succ`, ending{}, verdict{Reason: "without an answer"}},
		"plain text":             {"just an answer\n", ending{}, verdict{OK: true, Text: "just an answer"}},
		"plain API error":        {"API Error: 529 Overloaded\n", ending{code: 1}, verdict{Trouble: Overload, Reason: "529", Text: "API Error: 529 Overloaded"}},
		"cut at work":            {work, ending{code: 143, cut: true}, verdict{Text: "Looking.", Usage: begun}},
		"cut in a retry":         {work + ccRetry, ending{code: 143, cut: true}, verdict{Trouble: Overload, Reason: "overloaded (529)", Text: "Looking.", Usage: begun}},
		"cut without a network":  {work + ccWait, ending{code: 143, cut: true}, verdict{Trouble: Network, Reason: "the provider failed", Text: "Looking.", Usage: begun}},
		"cut after a retry":      {ccInit + ccRetry + ccText, ending{code: 143, cut: true}, verdict{Text: "Looking.", Usage: begun}},
		"cut when finished":      {work + ccDone + ccHook, ending{code: 143, cut: true}, verdict{OK: true, Text: "All done.", Usage: full}},
		"cut at work again":      {work + ccDone + ccText, ending{code: 143, cut: true}, verdict{Text: "All done.", Usage: full}},
		"ended in a retry":       {ccInit + ccRetry, ending{code: 1}, verdict{Trouble: Overload, Reason: "without a result"}},
		"wrong types everywhere": {ccInit + `{"type":"result","subtype":7,"is_error":"no","result":{"a":1},"usage":[],"modelUsage":"x","total_cost_usd":"much","errors":3,"num_turns":"2"}`, ending{}, verdict{Reason: "3", Text: `{"a":1}`}},
		"absurd numbers":         {ccInit + `{"type":"result","subtype":"success","is_error":false,"result":"ok","total_cost_usd":-5,"usage":{"input_tokens":-1,"output_tokens":1e300},"session_id":"s1"}`, ending{}, verdict{OK: true, Text: "ok", Usage: free}},
		"invalid UTF-8":          {ccInit + "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"a\xffb\",\"session_id\":\"s1\"}", ending{}, verdict{OK: true, Text: "a\uFFFDb"}},
		"no JSON after a start":  {ccInit + "Segmentation fault\n", ending{code: 139}, verdict{Reason: "exit code 139"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want.check(t, play(&claudeTranscript{}, c.out, c.end))
		})
	}
}

// Background work brings the model back for another turn: usage is then of one
// turn, modelUsage and the cost are of the run, with its subagents.
func TestClaudeUsageCoversTheWholeRun(t *testing.T) {
	t.Parallel()
	result := func(text, usage, models, cost string) string {
		return `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"terminal_reason":"completed","result":"` + text +
			`","usage":` + usage + `,"modelUsage":` + models + `,"total_cost_usd":` + cost + `,"session_id":"s1"}` + "\n"
	}
	usage := `{"input_tokens":10,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":5}`
	for name, c := range map[string]struct {
		out  string
		want Usage
	}{
		"models of the last result": {
			result("first", usage, `{"m":{"inputTokens":30,"outputTokens":12,"cacheReadInputTokens":4,"cacheCreationInputTokens":3}}`, "1") +
				result("second", usage, `{"m":{"inputTokens":40,"outputTokens":15,"cacheReadInputTokens":4,"cacheCreationInputTokens":3},"n":{"inputTokens":2,"outputTokens":1}}`, "1.5"),
			Usage{Input: 42, Cached: 7, Output: 16, CostUSD: 1.5, CostSource: "agent"},
		},
		"without models, the sum of the turns": {
			result("first", usage, "{}", "1") + result("second", usage, "{}", "1.5"),
			Usage{Input: 20, Cached: 6, Output: 10, CostUSD: 1.5, CostSource: "agent"},
		},
		"budget reached: only models know": {
			result("x", `{"input_tokens":0,"output_tokens":0}`, `{"m":{"inputTokens":125,"outputTokens":40}}`, "0.1"),
			Usage{Input: 125, Output: 40, CostUSD: 0.1, CostSource: "agent"},
		},
	} {
		if got := play(&claudeTranscript{}, ccInit+c.out, ending{}).Usage; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestClaudeTellsOfItsProgress(t *testing.T) {
	t.Parallel()
	var lines []string
	tr := &claudeTranscript{notice: func(s string) { lines = append(lines, s) }}
	use := func(name, input string) string {
		return `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"` + name + `","input":` + input + `}]},"session_id":"s1"}` + "\n"
	}
	r := play(tr, ccInit+ccTool+ccRetry+ccWait+
		use("Write", `{"content":"x","file_path":"/w/a.go"}`)+
		use("mcp__kb__search", `{"query":"two\nlines\u001b[31m"}`)+
		use("Odd", `[1]`)+ccDone, ending{})
	want := strings.Join([]string{
		"→ Bash(make test)",
		"… the provider failed: overloaded (529); retry 3 of 10",
		"… the provider failed: unknown; retry 1 of 10",
		"→ Write(/w/a.go)",
		"→ mcp__kb__search(two lines[31m)",
		"→ Odd()",
	}, "\n")
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r.SessionID != "s1" {
		t.Errorf("session %q", r.SessionID)
	}
}

func TestSubagentsDoNotSpeakForTheAgent(t *testing.T) {
	t.Parallel()
	r := play(&claudeTranscript{}, ccInit+ccText+
		`{"type":"assistant","message":{"id":"m9","content":[{"type":"text","text":"child"}]},"parent_tool_use_id":"t1","session_id":"s1"}`, ending{code: 1})
	if r.Text != "Looking." {
		t.Errorf("text %q", r.Text)
	}
}
