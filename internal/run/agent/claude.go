package agent

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// claudeTranscript reads the stream-json output of Claude Code.
type claudeTranscript struct {
	notice func(string) // may be nil

	events   int // lines that were Claude Code's
	session  string
	result   *claudeResult // the last one
	finished bool          // the last result said success and no work followed it
	said     string        // the latest words of the main conversation
	apiError failure       // the latest failed request
	retrying string        // the retry that is still under way
	resets   time.Time     // of an exhausted limit
	turns    Usage         // sum over the results of the run
	messages map[string]Usage
}

// claudeResult is the object in which Claude Code says what came of a turn. A
// run has several when background work brings the model back: usage then counts
// each turn alone, modelUsage and cost the whole run with its subagents.
type claudeResult struct {
	subtype  string
	isError  bool
	terminal string
	text     string
	unasked  bool // the prompt never reached the model
	failure  failure
	errors   string
	models   Usage // zero when not reported
	cost     gjson.Result
}

func (t *claudeTranscript) line(b []byte) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' || !gjson.ValidBytes(b) {
		return
	}
	typ := gjson.GetBytes(b, "type").String()
	switch typ {
	case "system", "assistant", "user", "result", "rate_limit_event":
	default:
		return
	}
	id := gjson.GetBytes(b, "session_id")
	if !id.Exists() && !(typ == "result" && gjson.GetBytes(b, "is_error").Exists()) {
		return // another program's JSON
	}
	t.events++
	if s := id.String(); s != "" {
		t.session = s
	}
	switch typ {
	case "system":
		t.system(b)
	case "assistant":
		t.assistant(b)
	case "user":
		t.finished, t.retrying = false, ""
	case "result":
		t.ended(gjson.ParseBytes(b))
	case "rate_limit_event":
		if gjson.GetBytes(b, "rate_limit_info.status").String() == "rejected" {
			t.resets = time.Unix(gjson.GetBytes(b, "rate_limit_info.resetsAt").Int(), 0)
		}
	}
}

// system sees a retry: with a provider that is away Claude Code may be at it for
// minutes, and a run that is ended meanwhile failed because of the provider.
func (t *claudeTranscript) system(b []byte) {
	v := gjson.ParseBytes(b)
	if v.Get("subtype").String() != "api_retry" {
		return
	}
	t.apiError = failure{status: int(v.Get("error_status").Int()), kind: v.Get("error").String()}
	t.retrying = "the provider failed: " + t.apiError.kind
	if t.apiError.status != 0 {
		t.retrying += fmt.Sprintf(" (%d)", t.apiError.status)
	}
	t.tell(fmt.Sprintf("… %s; retry %d of %d", shorten(t.retrying, 100), v.Get("attempt").Int(), v.Get("max_retries").Int()))
}

func (t *claudeTranscript) assistant(b []byte) {
	t.finished, t.retrying = false, ""
	v := gjson.ParseBytes(b)
	if v.Get("is_api_error_message").Bool() {
		t.apiError = failure{
			status: int(v.Get("api_error_status").Int()),
			kind:   v.Get("error").String(),
			text:   v.Get("message.content.0.text").String(),
		}
		return
	}
	t.apiError = failure{}
	if t.messages == nil {
		t.messages = map[string]Usage{}
	}
	if u := v.Get("message.usage"); u.Exists() {
		t.messages[v.Get("message.id").String()] = turnUsage(u)
	}
	main := v.Get("parent_tool_use_id").String() == ""
	v.Get("message.content").ForEach(func(_, block gjson.Result) bool {
		switch block.Get("type").String() {
		case "text":
			if main {
				t.said = clip(block.Get("text").String())
			}
		case "tool_use":
			t.tell(toolLine(block.Get("name").String(), mainArgument(block.Get("input"))))
		}
		return true
	})
}

func (t *claudeTranscript) tell(line string) {
	if t.notice != nil {
		t.notice(line)
	}
}

// mainArgument is the part of a tool's input that tells most in one line.
func mainArgument(input gjson.Result) string {
	for _, key := range []string{"file_path", "notebook_path", "path", "command", "cmd", "pattern", "query", "url", "skill", "description", "prompt"} {
		if s := input.Get(key); s.Type == gjson.String {
			return s.String()
		}
	}
	return ""
}

func (t *claudeTranscript) ended(v gjson.Result) {
	r := &claudeResult{
		subtype:  v.Get("subtype").String(),
		isError:  v.Get("is_error").Bool(),
		terminal: v.Get("terminal_reason").String(),
		text:     clip(v.Get("result").String()),
		failure: failure{
			status: int(v.Get("api_error_status").Int()),
			kind:   v.Get("api_error").String(),
		},
		models: modelUsage(v.Get("modelUsage")),
		cost:   v.Get("total_cost_usd"),
	}
	var errs []string
	for _, e := range v.Get("errors").Array() {
		errs = append(errs, e.String())
	}
	r.errors = strings.Join(errs, "; ")
	turns := v.Get("num_turns")
	r.unasked = r.terminal == "" && turns.Exists() && turns.Int() == 0
	t.turns = t.turns.Add(turnUsage(v.Get("usage")))
	t.result, t.retrying = r, ""
	t.finished = r.success()
}

func (r *claudeResult) success() bool {
	return r.subtype == "success" && !r.isError && !r.unasked &&
		(r.terminal == "" || r.terminal == "completed")
}

// why is the failure of a result in words.
func (r *claudeResult) why() string {
	switch {
	case r.terminal == "hook_stopped":
		return "a hook stopped the agent"
	case r.unasked:
		return "the prompt was not run: " + r.text
	case r.errors != "":
		return r.errors
	case r.text != "":
		return r.text
	}
	return strings.TrimSpace(r.subtype + " " + r.terminal)
}

// judge follows the result object, then the exit code (contracts/clients.md 2.4):
// subtype "success" also comes with failed requests, and exit code 0 with an
// interrupted run.
func (t *claudeTranscript) judge(e ending) Result {
	if t.events == 0 {
		return e.silent()
	}
	r := t.verdict(e)
	r.SessionID, r.Usage = t.session, t.usage()
	if r.Text == "" && t.result != nil {
		r.Text = t.result.text
	}
	if r.Text == "" {
		r.Text = t.said
	}
	return r
}

func (t *claudeTranscript) verdict(e ending) Result {
	res := t.result
	switch {
	case t.finished && (e.code == 0 || e.cut):
		return Result{OK: true}
	case t.finished:
		return fail(NoTrouble, 0, "%s: %s after it had said success%s", e.name, e.how(), e.because())
	case e.cut:
		if t.retrying == "" {
			return Result{}
		}
		return fail(t.apiTrouble(t.apiError), t.advice("", e.now), "%s", t.retrying)
	case res == nil && t.apiError != (failure{}):
		return fail(t.apiTrouble(t.apiError), t.advice(t.apiError.text, e.now), "%s ended without a result (%s): %s", e.name, e.how(), t.apiError.text)
	case res == nil || res.success():
		return fail(NoTrouble, 0, "%s ended without a result (%s)%s", e.name, e.how(), e.because())
	}
	return fail(t.blame(res), t.advice(res.why(), e.now), "%s: %s", e.name, res.why())
}

// blame says whether a failed result is the provider's. Only failed requests
// have is_error together with subtype "success".
func (t *claudeTranscript) blame(r *claudeResult) Trouble {
	switch {
	case r.terminal == "prompt_too_long":
		return NoTrouble
	case r.terminal == "api_error" || (r.isError && r.subtype == "success"):
		f := t.apiError
		f.text = r.text
		if r.failure.status != 0 {
			f.status = r.failure.status
		}
		if _, known := kindTroubles[f.kind]; !known {
			f.kind = r.failure.kind
		}
		return t.apiTrouble(f)
	case r.subtype == "error_during_execution":
		return troubleIn(r.errors)
	}
	return NoTrouble
}

// apiTrouble is the trouble of a failed request. Where nothing names the cause,
// no answer came: the network's failure.
func (t *claudeTranscript) apiTrouble(f failure) Trouble {
	trouble := f.trouble()
	if _, definite := kindTroubles[f.kind]; trouble == NoTrouble && !definite && f.status == 0 {
		return Network
	}
	return trouble
}

func (t *claudeTranscript) advice(text string, now time.Time) time.Duration {
	if wait := t.resets.Sub(now); !t.resets.IsZero() && wait > 0 {
		return min(wait, maxAdvice)
	}
	return retryAfter(text, now)
}

// usage is what the run took. Without a result it is a lower bound, from what the
// messages said at their start; then no cost is known.
func (t *claudeTranscript) usage() (u Usage) {
	switch {
	case t.result == nil:
		for _, m := range t.messages {
			u = u.Add(m)
		}
		return u
	case t.result.models != (Usage{}):
		u = t.result.models
	default:
		u = t.turns
	}
	if t.result.cost.Type == gjson.Number {
		u.CostUSD, u.CostSource = max(t.result.cost.Float(), 0), "agent"
	}
	return u
}

func turnUsage(v gjson.Result) Usage {
	return Usage{
		Input:  count(v.Get("input_tokens")),
		Cached: count(v.Get("cache_creation_input_tokens")) + count(v.Get("cache_read_input_tokens")),
		Output: count(v.Get("output_tokens")),
	}
}

func modelUsage(v gjson.Result) (u Usage) {
	v.ForEach(func(_, m gjson.Result) bool {
		u = u.Add(Usage{
			Input:  count(m.Get("inputTokens")),
			Cached: count(m.Get("cacheReadInputTokens")) + count(m.Get("cacheCreationInputTokens")),
			Output: count(m.Get("outputTokens")),
		})
		return true
	})
	return u
}

// count reads a number of tokens; what cannot be one counts as none.
func count(v gjson.Result) int64 {
	const beyond = 1 << 50
	if n := v.Int(); n > 0 && n < beyond {
		return n
	}
	return 0
}
