package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

var day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// note is an entry of a test's memory.
type note struct{ topic, text, source string }

// remembers is a memory in a new folder.
func remembers(t testing.TB, notes ...note) string {
	t.Helper()
	dir := t.TempDir()
	var ops []log.Op
	for i, n := range notes {
		e := entry.New(n.topic, n.text, day.Add(time.Duration(i)*time.Minute))
		e.ID = fmt.Sprintf("mem_%d", i)
		e.Source.Path = n.source
		ops = append(ops, log.Put(e))
	}
	l := log.Open(dir)
	defer l.Close()
	if len(ops) > 0 {
		if _, err := l.Append(t.Context(), ops...); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func noEnv(string) string { return "" }

// ask runs a hook and gives its answer and what it would say to a person who
// debugs it.
func ask(t testing.TB, dir, event, input string) (answer, debug string) {
	t.Helper()
	var out, log bytes.Buffer
	Run(event, strings.NewReader(input), &out, Env{Getenv: noEnv, Dir: dir, Debug: &log})
	return out.String(), log.String()
}

// contextOf is the additionalContext of an answer to event.
func contextOf(t testing.TB, answer, event string) string {
	t.Helper()
	if answer == "" {
		return ""
	}
	var a struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	if a.HookSpecificOutput.HookEventName != event {
		t.Fatalf("the answer is about %q, not %s: %s", a.HookSpecificOutput.HookEventName, event, answer)
	}
	return a.HookSpecificOutput.AdditionalContext
}

var shop = []note{
	{"auth", "Tokens live for 15 minutes; the retry uses jitter.", "src/auth.go"},
	{"auth", "Never log the session cookie.", ""},
	{"build", "linker error undefined symbol: set CGO_ENABLED=0 on arm64", ""},
}

func TestEvents(t *testing.T) {
	t.Parallel()
	context := func(event, text string) string {
		return `{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"` + text + `"}}` + "\n"
	}
	const start = `3 entries in 2 topics.\nTopics: auth (2), build (1)\nBEFORE you start, call mcp__helix__search with words of your task; what earlier sessions learned is there.`
	const allow = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}` + "\n"
	const wentWell = "helix: the build went through. If it took finding something out, store it with mcp__helix__store."
	const wentWrong = "helix: the build failed. Look for the error with mcp__helix__search; once the cause is known, store it with mcp__helix__store."
	for _, c := range []struct{ name, event, input, want string }{
		{"startup", "session", `{"source":"startup"}`, context("SessionStart", "HELIX MEMORY: "+start)},
		{"resume", "session", `{"source":"resume"}`, context("SessionStart", "HELIX MEMORY (the session goes on): "+start)},
		{"compact", "SessionStart", `{"hook_event_name":"SessionStart","source":"compact"}`, context("SessionStart", "HELIX MEMORY (the conversation was compacted): "+start)},
		{"clear", "session", `{"source":"clear"}`, context("SessionStart", "HELIX MEMORY (the conversation was cleared): "+start)},
		{"no input", "session", ``, context("SessionStart", "HELIX MEMORY: "+start)},
		{"subagent", "subagent", `{"agent_id":"a","agent_type":"Explore"}`, context("SubagentStart", `HELIX MEMORY: you can ask it too. BEFORE you start, call mcp__helix__search with words of your task.\nTopics: auth (2), build (1)`)},
		{"pre-compact", "pre-compact", `{"trigger":"manual"}`, `{"systemMessage":"helix: the memory keeps 3 entries in 2 topics through the compaction; search it afterwards.\nTopics: auth (2), build (1)"}` + "\n"},

		{"prompt", "prompt", `{"prompt":"Why do the tokens expire, and what about the retry?"}`, context("UserPromptSubmit", `helix memory, relevant to the question:\n  [auth] 2026-03-04 Tokens live for 15 minutes; the retry uses jitter. (mem_0)`)},
		{"prompt about a topic", "prompt", `{"prompt":"write the changelog of build 7"}`, context("UserPromptSubmit", `helix memory, relevant to the question:\n  [build] 2026-03-04 linker error undefined symbol: set CGO_ENABLED=0 on arm64 (mem_2)`)},
		{"prompt with one word in common", "prompt", `{"prompt":"tell me about minutes of meetings"}`, ""},
		{"short prompt", "prompt", `{"prompt":"auth?"}`, ""},
		{"slash command", "prompt", `{"prompt":"/review the auth tokens retry"}`, ""},
		{"prompt of another type", "prompt", `{"prompt":["auth tokens retry"]}`, ""},

		{"error", "error-context", `{"tool_name":"Bash","error":"Exit code 1\nld: undefined symbol: _main, linker command failed","is_interrupt":false}`, context("PostToolUseFailure", `helix memory, relevant to this error:\n  [build] 2026-03-04 linker error undefined symbol: set CGO_ENABLED=0 on arm64 (mem_2)`)},
		{"interrupted", "error-context", `{"error":"ld: undefined symbol: linker failed","is_interrupt":true}`, ""},
		{"unknown error", "error-context", `{"error":"the dog ate the homework of Tuesday"}`, ""},
		{"short error", "error-context", `{"error":"undefined"}`, ""},

		{"build", "post-build", `{"tool_name":"Bash","tool_input":{"command":"go build ./..."},"tool_response":{"stdout":"","stderr":"","interrupted":false}}`, context("PostToolUse", wentWell)},
		{"hidden failure", "post-build", `{"tool_name":"Bash","tool_input":{"command":"go test ./... | tail"},"tool_response":{"stdout":"FAIL\tx\t0.1s\n","stderr":""}}`, context("PostToolUse", wentWrong)},
		{"codex failure with a memory of it", "PostToolUse", `{"turn_id":"1","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"undefined symbol in linker\nmake: *** [all] Error 2\n"}`,
			context("PostToolUse", wentWrong+`\nhelix memory, relevant to this error:\n  [build] 2026-03-04 linker error undefined symbol: set CGO_ENABLED=0 on arm64 (mem_2)`)},
		{"codex success", "PostToolUse", `{"turn_id":"1","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"ok"}`, context("PostToolUse", wentWell)},
		{"interrupted build", "post-build", `{"tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":"","interrupted":true}}`, ""},
		{"background build", "post-build", `{"tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":"","backgroundTaskId":"b1"}}`, ""},
		{"no response", "post-build", `{"tool_name":"Bash","tool_input":{"command":"make"}}`, ""},
		{"no build", "post-build", `{"tool_name":"Bash","tool_input":{"command":"cat cargo/build/make.txt"},"tool_response":"ok"}`, ""},
		{"another tool", "post-build", `{"tool_name":"Read","tool_input":{"command":"make"},"tool_response":"ok"}`, ""},

		{"our tool", "approve-mcp", `{"tool_name":"mcp__helix__store","tool_input":{}}`, allow},
		{"our tool and server", "PermissionRequest", `{"tool_name":"mcp__helix__store","mcp_server":{"name":"helix"}}`, allow},
		{"another server's tool", "approve-mcp", `{"tool_name":"mcp__helixir__store"}`, ""},
		{"a server that begins like ours", "approve-mcp", `{"tool_name":"mcp__helix__evil__store"}`, ""},
		{"another server of that name", "approve-mcp", `{"tool_name":"mcp__helix__store","mcp_server":{"name":"helix "}}`, ""},
		{"shell", "approve-mcp", `{"tool_name":"Bash","tool_input":{"command":"mcp__helix__store"}}`, ""},
		{"no tool", "approve-mcp", `{}`, ""},
		{"only a prefix", "approve-mcp", `{"tool_name":"mcp__helix__"}`, ""},

		{"stop", "stop", `{"session_id":"s","stop_hook_active":false}`, `{"systemMessage":"helix: is there something that the next session should know? Have it stored with mcp__helix__store."}` + "\n"},
		{"stop that goes on", "stop", `{"session_id":"s","stop_hook_active":true}`, ""},
		{"stop that goes on, as text", "stop", `{"session_id":"s","stop_hook_active":"true"}`, ""},
		{"end of a helper", "subagent-stop", `{"session_id":"s","agent_type":"Explore"}`, `{"systemMessage":"helix: what the helper found out is lost with it unless it is stored with mcp__helix__store."}` + "\n"},
		{"end of a compaction", "subagent-stop", `{"session_id":"s","agent_type":""}`, ""},
		{"end of a session", "session-end", `{"session_id":"s","reason":"other"}`, ""},

		{"ambient without a file", "ambient", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, ""},
		{"ambient of another tool", "ambient", `{"tool_name":"WebFetch","tool_input":{"file_path":"src/auth.go"}}`, ""},
		{"ambient, short name", "ambient", `{"tool_name":"Read","tool_input":{"file_path":"/p/a.go"}}`, ""},
		{"another event than the hook's", "stop", `{"hook_event_name":"SubagentStop"}`, ""},
		{"no such event", "nonsense", `{}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer, _ := ask(t, remembers(t, shop...), c.event, c.input)
			if diff := cmp.Diff(c.want, answer); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestEmptyMemory(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		"session":       `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"HELIX MEMORY: empty so far. Store what you find out with mcp__helix__store as you work."}}` + "\n",
		"prompt":        "",
		"ambient":       "",
		"subagent":      "",
		"pre-compact":   "",
		"error-context": "",
	} {
		dir := filepath.Join(t.TempDir(), "none")
		answer, debug := ask(t, dir, event, `{"prompt":"a longer question","error":"a longer error text","tool_name":"Read","tool_input":{"file_path":"/p/auth.go"}}`)
		if answer != want || debug != "" {
			t.Errorf("%s: %q, %q; want %q", event, answer, debug, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s made the folder of the memory", event)
		}
	}
}

// TestLongTopics: a memory with many long topic names does not flood the model.
func TestLongTopics(t *testing.T) {
	t.Parallel()
	var notes []note
	for i := range 300 {
		notes = append(notes, note{fmt.Sprintf("%03d-%s", i, strings.Repeat("x", 200)), "text", ""})
	}
	dir := remembers(t, notes...)
	for event, name := range map[string]string{"session": "SessionStart", "subagent": "SubagentStart"} {
		answer, _ := ask(t, dir, event, `{}`)
		if got := contextOf(t, answer, name); len(got) > 4<<10 || !strings.Contains(got, " more") {
			t.Errorf("%s: %d bytes: %s", event, len(got), got)
		}
	}
}

func everyEvent() []string {
	return []string{
		"session", "prompt", "ambient", "post-build", "error-context", "pre-compact", "stop", "subagent", "subagent-stop", "session-end", "approve-mcp",
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop", "SubagentStart", "SubagentStop", "SessionEnd", "PermissionRequest",
	}
}

// TestSilence: whatever is wrong, nothing is said, except to a person who asks.
func TestSilence(t *testing.T) {
	t.Parallel()
	const input = `{"prompt":"a longer question","error":"a longer error text","tool_name":"Read","tool_input":{"file_path":"/p/auth.go"}}`
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	garbage := t.TempDir()
	if err := os.WriteFile(filepath.Join(garbage, log.FileName), bytes.Repeat([]byte("garbage\x00"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	needsMemory := map[string]bool{"session": true, "prompt": true, "ambient": true, "error-context": true, "pre-compact": true, "subagent": true}
	for event := range needsMemory {
		for name, dir := range map[string]string{"a file": file, "below a file": filepath.Join(file, "kb"), "garbage": garbage} {
			answer, debug := ask(t, dir, event, input)
			if answer != "" || debug == "" {
				t.Errorf("%s, memory is %s: answer %q, debug %q", event, name, answer, debug)
			}
		}
	}
	for _, event := range everyEvent() {
		for name, bad := range map[string]string{
			"no JSON": "hello", "cut": `{"prompt":"a lon`, "a list": `[1]`, "a text": `"x"`, "two": `{}{}`, "deep": strings.Repeat(`{"a":`, 2*maxDepth) + "1" + strings.Repeat(`}`, 2*maxDepth),
		} {
			if answer, debug := ask(t, remembers(t), event, bad); answer != "" || debug == "" {
				t.Errorf("%s, input is %s: answer %q, debug %q", event, name, answer, debug)
			}
		}
	}
}

// TestHugeInput: the size of an event is bounded, and so is how deep it is gone
// into, which would end the program by its stack.
func TestHugeInput(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]string{"long": `{"prompt":"` + strings.Repeat("x", maxInput) + `"}`, "deep": `{"prompt":` + strings.Repeat(`[`, maxInput/2)} {
		if answer, debug := ask(t, remembers(t), "prompt", bad); answer != "" || debug == "" {
			t.Errorf("%s: answer %q, debug %q", name, answer, debug)
		}
	}
}

// odd is a memory that misbehaves.
type odd struct {
	Memory
	search func() error
}

func (o odd) Empty() bool                                       { return false }
func (o odd) Len() int                                          { return 1 }
func (o odd) Close() error                                      { return nil }
func (o odd) Leads(view.Query) ([]view.Lead, bool, error)       { return nil, false, o.search() }
func (o odd) NewestLeads(int, view.Filter) ([]view.Lead, error) { return nil, nil }

func TestPanicAndFailure(t *testing.T) {
	t.Parallel()
	for name, search := range map[string]func() error{
		"panics": func() error { panic("boom") },
		"fails":  func() error { return io.ErrUnexpectedEOF },
	} {
		open := func(string) (Memory, error) { return odd{search: search}, nil }
		var out, debug bytes.Buffer
		Run("prompt", strings.NewReader(`{"prompt":"why does the login fail"}`), &out, Env{Getenv: noEnv, Dir: "x", Open: open, Debug: &debug})
		if out.Len() > 0 || debug.Len() == 0 {
			t.Errorf("%s: %q, %q", name, &out, &debug)
		}
	}
}

// TestInputWithoutEnd: a client that never closes its end is not waited for.
func TestInputWithoutEnd(t *testing.T) {
	t.Parallel()
	in, w := io.Pipe()
	var out bytes.Buffer
	Main([]string{"session", t.TempDir()}, in, &out, io.Discard, noEnv, func() { _ = w.CloseWithError(io.ErrUnexpectedEOF) })
	if out.Len() > 0 {
		t.Errorf("answered %s", &out)
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	dir := remembers(t, shop...)
	env := func(name string) string {
		switch name {
		case "HELIX_KB":
			return dir
		case "HELIX_HOOK_DEBUG":
			return "1"
		}
		return ""
	}
	for _, c := range []struct {
		args    []string
		out     string
		problem string
	}{
		{[]string{"session"}, "3 entries", ""},
		{[]string{"session", remembers(t)}, "empty so far", ""},
		{[]string{"nonsense"}, "", "no such event"},
		{nil, "", "usage:"},
		{[]string{"--help"}, "", "usage:"},
	} {
		var out, problem bytes.Buffer
		Main(c.args, strings.NewReader("{}"), &out, &problem, env, func() { t.Error("the time was up") })
		if !strings.Contains(out.String(), c.out) || c.out == "" && out.Len() > 0 || !strings.Contains(problem.String(), c.problem) || c.problem == "" && problem.Len() > 0 {
			t.Errorf("%q: %q, %q", c.args, &out, &problem)
		}
	}
}
