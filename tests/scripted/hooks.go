package scripted

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// settings are the hooks of a client, as far as they are asked here.
type settings struct {
	Hooks struct {
		SessionStart []struct {
			Hooks []struct{ Command string }
		}
	}
}

// sessionStart is what the hooks of the client add to the first words of a session.
func sessionStart(kind string) string {
	file := map[string]string{"claude": ".claude/settings.json", "codex": ".codex/hooks.json"}[kind]
	if file == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), file))
	if err != nil {
		return ""
	}
	var s settings
	if err := json.Unmarshal(text, &s); err != nil {
		return err.Error()
	}
	dir, err := os.Getwd()
	if err != nil {
		return err.Error()
	}
	event, err := json.Marshal(map[string]string{
		"hook_event_name": "SessionStart", "source": "startup", "session_id": fmt.Sprintf("s-%d", os.Getpid()), "cwd": dir,
	})
	if err != nil {
		return err.Error()
	}
	var added strings.Builder
	for _, group := range s.Hooks.SessionStart {
		for _, h := range group.Hooks {
			cmd := exec.Command("sh", "-c", h.Command)
			cmd.Stdin = strings.NewReader(string(event))
			out, err := cmd.Output()
			if err != nil {
				return err.Error()
			}
			var answer struct {
				HookSpecificOutput struct{ HookEventName, AdditionalContext string }
			}
			if len(out) > 0 {
				if err := json.Unmarshal(out, &answer); err != nil || answer.HookSpecificOutput.HookEventName != "SessionStart" {
					return fmt.Sprintf("the hook said %s", out)
				}
			}
			added.WriteString("\n" + answer.HookSpecificOutput.AdditionalContext + "\n")
		}
	}
	return added.String()
}
