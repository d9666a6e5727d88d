package hook

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRun: no input makes a hook fail, and every answer is one that the client
// takes.
func FuzzRun(f *testing.F) {
	for i := range everyEvent() {
		for _, input := range []string{
			``, `{}`, `null`, `[`, `{"a":`, "\xff", `{"source":"compact"}`, `{"prompt":"why do auth tokens fail on retry?"}`, `{"error":"undefined symbol linker error","tool_name":"Bash"}`,
			`{"tool_name":"Edit","cwd":"/","tool_input":{"file_path":"src/auth.go","old_string":"RefreshToken()","new_string":""}}`,
			`{"tool_name":"Bash","tool_input":{"command":"go test <<E ' \\"},"tool_response":"FAIL\n--- FAIL: x undefined symbol linker"}`,
			`{"tool_name":"apply_patch","tool_input":{"command":"*** Update File: src/auth.go\n-RefreshToken\n"}}`,
			`{"tool_name":"mcp__helix__store"}`, `{"stop_hook_active":"true"}`, `{"session_id":"\u0000/../x","agent_type":"x"}`,
			`{"tool_name":"MultiEdit","tool_input":{"file_path":"auth.go","edits":[{"old_string":1},{"old_string":"checkCookie()"}]}}`,
		} {
			f.Add(uint8(i), input)
		}
	}
	dir := remembers(f, append(shop, note{"odd\\\"<>&\u2028", "RefreshToken \x1b[31m \u2028\" \\ </script>", "src/auth.go"})...)
	f.Fuzz(func(t *testing.T, n uint8, input string) {
		event := everyEvent()[int(n)%len(everyEvent())]
		var out, debug bytes.Buffer
		Run(event, strings.NewReader(input), &out, Env{Getenv: noEnv, Dir: dir, Debug: &debug})
		if strings.Contains(debug.String(), "panic") {
			t.Fatal(debug.String())
		}
		if out.Len() == 0 {
			return
		}
		var a struct {
			HookSpecificOutput *struct {
				HookEventName     string
				AdditionalContext string
			}
			SystemMessage string
		}
		d := json.NewDecoder(&out)
		if err := d.Decode(&a); err != nil || d.More() {
			t.Fatalf("not one JSON value: %v", err)
		}
		name, _ := handler(event)
		switch h := a.HookSpecificOutput; {
		case h == nil && a.SystemMessage == "":
			t.Error("an answer that says nothing")
		case h == nil:
		case h.HookEventName != name:
			t.Errorf("the answer to %s is about %s", name, h.HookEventName)
		case name == "Stop" || name == "SubagentStop" || name == "PreCompact" || name == "SessionEnd":
			t.Errorf("context for %s", name)
		case len(h.AdditionalContext) > maxContext:
			t.Errorf("%d bytes", len(h.AdditionalContext))
		}
	})
}
