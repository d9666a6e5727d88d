package agent

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// codexTranscript reads the JSONL events of codex exec --json.
type codexTranscript struct {
	notice func(string) // may be nil

	events   int // lines that were Codex's
	thread   string
	said     string // the last agent message
	items    int    // things done, warnings apart
	finished bool   // the last turn was completed
	failed   string // the last turn's failure
	trouble  string // the last error event that is not about a retry
	retrying string // the retry that is still under way
	usage    Usage
	told     map[string]bool // items whose notice was given
}

func (t *codexTranscript) line(b []byte) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' || !gjson.ValidBytes(b) {
		return
	}
	v := gjson.ParseBytes(b)
	typ := v.Get("type").String()
	switch {
	case typ == "thread.started":
		t.thread = v.Get("thread_id").String()
	case typ == "turn.started":
		t.finished, t.failed = false, ""
	case typ == "turn.completed":
		t.finished, t.failed, t.retrying = true, "", ""
		t.usage = codexUsage(v.Get("usage"))
	case typ == "turn.failed":
		t.finished, t.retrying = false, ""
		t.failed = v.Get("error.message").String()
		if t.failed == "" {
			t.failed = "the turn failed"
		}
	case typ == "error" && t.events > 0: // else it may be any program's
		t.problem(v.Get("message").String())
	case strings.HasPrefix(typ, "item."):
		t.item(typ, v.Get("item"))
	default:
		return
	}
	t.events++
}

// problem is an error event. Codex reports each retry as one, and waits for the
// network without end.
func (t *codexTranscript) problem(message string) {
	if !strings.HasPrefix(message, "Reconnecting") {
		t.trouble = message
		return
	}
	t.retrying = message
	t.tell("… " + shorten(message, 160))
}

func (t *codexTranscript) item(event string, item gjson.Result) {
	kind := item.Get("type").String()
	if kind == "error" {
		return // a warning: the turn goes on
	}
	t.finished, t.retrying = false, ""
	t.items++
	if kind == "agent_message" && event == "item.completed" {
		t.said = clip(item.Get("text").String())
	}
	line := itemLine(kind, item)
	id := item.Get("id").String()
	if line == "" || (id != "" && t.told[id]) {
		return
	}
	if t.told == nil {
		t.told = map[string]bool{}
	}
	t.told[id] = true
	t.tell(line)
}

func (t *codexTranscript) tell(line string) {
	if t.notice != nil {
		t.notice(line)
	}
}

// shellCall is how Codex starts a command line.
var shellCall = regexp.MustCompile(`^\S*/(?:ba|z|da)?sh -l?c `)

// itemLine is the progress line of an item, empty for what is not the use of a
// tool.
func itemLine(kind string, item gjson.Result) string {
	switch kind {
	case "command_execution":
		command := item.Get("command").String()
		if prefix := shellCall.FindString(command); prefix != "" {
			command = strings.Trim(command[len(prefix):], `'"`)
		}
		return toolLine("Shell", command)
	case "file_change":
		changes := item.Get("changes").Array()
		if len(changes) == 0 {
			return ""
		}
		arg := changes[0].Get("path").String()
		if more := len(changes) - 1; more > 0 {
			arg = fmt.Sprintf("%s and %d more", shorten(arg, 80), more)
		}
		return toolLine("Edit", arg)
	case "mcp_tool_call":
		return toolLine(item.Get("server").String()+"."+item.Get("tool").String(), mainArgument(item.Get("arguments")))
	case "web_search":
		return toolLine("WebSearch", item.Get("query").String())
	}
	return ""
}

func (t *codexTranscript) judge(e ending) Result {
	if t.events == 0 {
		return e.silent()
	}
	r := t.verdict(e)
	r.Text, r.SessionID, r.Usage = t.said, t.thread, t.usage
	return r
}

func (t *codexTranscript) verdict(e ending) Result {
	switch {
	case t.finished && t.items == 0:
		return fail(NoTrouble, 0, "%s ended without an answer; a hook may have refused the prompt", e.name)
	case t.finished && (e.code == 0 || e.cut):
		return Result{OK: true}
	case t.finished:
		return fail(NoTrouble, 0, "%s: %s after its turn was complete%s", e.name, e.how(), e.because())
	case t.failed != "":
		return t.blame(e, t.failed)
	case e.cut && t.retrying != "":
		return t.blame(e, t.retrying)
	case e.cut:
		return Result{}
	case t.trouble != "":
		return t.blame(e, t.trouble)
	}
	return fail(NoTrouble, 0, "%s ended within a turn (%s)%s", e.name, e.how(), e.because())
}

func (t *codexTranscript) blame(e ending, message string) Result {
	return fail(failure{text: message}.trouble(), retryAfter(message, e.now), "%s: %s", e.name, message)
}

// codexUsage reads the count of a completed turn, which covers the whole thread
// so far: the last one counts, not the sum.
func codexUsage(v gjson.Result) Usage {
	input, cached := count(v.Get("input_tokens")), count(v.Get("cached_input_tokens"))
	return Usage{Input: max(input-cached, 0), Cached: cached, Output: count(v.Get("output_tokens"))}
}
