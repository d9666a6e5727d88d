// Package scripted is the coding agent of the end-to-end tests: it does what
// small shell scripts tell it to, and speaks as Claude Code, as Codex or in
// plain text, by the name it is started under.
//
// AGENT_SCRIPT names a folder. For each prompt the agent looks there for
// NAME.N.sh (the Nth time that NAME is asked, from 1), then NAME.sh, and runs it
// with sh in its working folder; what the script prints is the agent's answer,
// and its exit code the agent's. NAME is the id of the first target of an
// implementation prompt, else the action's name with dashes. Exit code 29 stands
// for a rate limit of the provider. Without a script a
// target gets a file of its name, a check answers STOP and a review CLEAN.
// Every prompt is kept in AGENT_SCRIPT/prompts/NAME.N, and behind it what the hooks of
// SessionStart in the client's settings add to it, which are asked as the clients do.
// The prompts of ddx are understood as well: that of an attempt, and the one by which it
// asks whether a bead is ready (NAME is intake).
package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	head = regexp.MustCompile(`^Execute the following HELIX (.+) action\.`)
	// ddxBead is how ddx begins the prompt of an attempt.
	ddxBead = regexp.MustCompile(`^<execute-bead>\s*<bead id="(\S+?)"`)
	target  = regexp.MustCompile(`(?m)^Implementation target: (\S+?)\.?$`)
)

// Main answers the prompt on standard input and returns the exit code.
func Main() int {
	kind := filepath.Base(os.Args[0])
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println(kind, "0.0.0 (scripted)")
		return 0
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	name, err := nameOf(string(prompt))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 64
	}
	prompt = append(prompt, sessionStart(kind)...)
	dir := os.Getenv("AGENT_SCRIPT")
	n, err := keep(dir, name, prompt)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	answer, code := act(dir, name, n)
	say(kind, answer, code)
	return code
}

// rateLimited is the exit code of a script that stands for a provider's refusal.
const rateLimited = 29

func nameOf(prompt string) (string, error) {
	action := head.FindStringSubmatch(prompt)
	switch ddx := ddxBead.FindStringSubmatch(prompt); {
	case ddx != nil:
		return ddx[1], nil
	case strings.HasPrefix(prompt, "MODE: "):
		mode, _, _ := strings.Cut(strings.TrimPrefix(prompt, "MODE: "), "\n")
		return mode, nil
	}
	if action == nil {
		return "", errors.New("the prompt does not begin as HELIX prompts do")
	}
	if action[1] != "implementation" {
		return strings.ReplaceAll(action[1], " ", "-"), nil
	}
	id := target.FindStringSubmatch(prompt)
	if id == nil {
		return "", errors.New("the implementation prompt names no target")
	}
	return id[1], nil
}

// keep stores the prompt and returns how often this name was asked by now.
func keep(dir, name string, prompt []byte) (int, error) {
	prompts := filepath.Join(dir, "prompts")
	if err := os.MkdirAll(prompts, 0o755); err != nil {
		return 0, err
	}
	for n := 1; ; n++ {
		f, err := os.OpenFile(filepath.Join(prompts, fmt.Sprintf("%s.%d", name, n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		defer f.Close()
		_, err = f.Write(prompt)
		return n, err
	}
}

func act(dir, name string, n int) (string, int) {
	for _, file := range []string{fmt.Sprintf("%s.%d.sh", name, n), name + ".sh"} {
		path := filepath.Join(dir, file)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		cmd := exec.Command("sh", path)
		cmd.Env = append(os.Environ(), "TARGET="+name)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		switch {
		case err == nil:
			return string(out), 0
		case errors.As(err, &exit):
			return string(out), exit.ExitCode()
		}
		return err.Error(), 1
	}
	switch name {
	case "intake":
		return "ready\n", 0
	case "check":
		return "NEXT_ACTION: STOP\n", 0
	case "fresh-eyes-review":
		return "REVIEW_STATUS: CLEAN\nISSUES_COUNT: 0\nFINDINGS_FILED: 0\n", 0
	}
	if err := os.WriteFile(name+".txt", []byte(name+"\n"), 0o644); err != nil {
		return err.Error(), 1
	}
	return "done\n", 0
}

// say prints the answer in the form of the client that this process stands in
// for, with the usage that the tests look for.
func say(kind, answer string, code int) {
	enc := json.NewEncoder(os.Stdout)
	switch kind {
	case "claude":
		if code == rateLimited {
			_ = enc.Encode(map[string]any{
				"type": "result", "subtype": "success", "is_error": true, "terminal_reason": "api_error", "api_error_status": 429,
				"result": "API Error: 429 rate limit", "session_id": "s-1", "usage": map[string]any{},
			})
			return
		}
		_ = enc.Encode(map[string]any{"type": "system", "subtype": "init", "session_id": "s-1"})
		_ = enc.Encode(map[string]any{
			"type": "result", "subtype": "success", "is_error": code != 0, "result": answer, "session_id": "s-1", "num_turns": 1,
			"terminal_reason": "completed", "total_cost_usd": 0.25,
			"usage": map[string]any{"input_tokens": 900, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 20, "output_tokens": 100},
		})
	case "codex":
		_ = enc.Encode(map[string]any{"type": "thread.started", "thread_id": "t-1"})
		_ = enc.Encode(map[string]any{"type": "turn.started"})
		_ = enc.Encode(map[string]any{"type": "item.completed", "item": map[string]any{"id": "item_0", "type": "agent_message", "text": answer}})
		if code != 0 {
			_ = enc.Encode(map[string]any{"type": "turn.failed", "error": map[string]any{"message": answer}})
			return
		}
		_ = enc.Encode(map[string]any{"type": "turn.completed", "usage": map[string]any{
			"input_tokens": 1500, "cached_input_tokens": 500, "cache_write_input_tokens": 0, "output_tokens": 34, "reasoning_output_tokens": 0}})
	default:
		fmt.Print(answer)
		if code == 0 {
			fmt.Print("\ntokens used\n1,234\n")
		}
	}
}
