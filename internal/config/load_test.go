package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// setup makes a user's and a project's file and an environment.
func setup(t *testing.T, user, project string, env ...string) (root string, getenv func(string) string) {
	t.Helper()
	home, root := t.TempDir(), t.TempDir()
	vars := map[string]string{"HOME": home}
	for _, kv := range env {
		name, text, _ := strings.Cut(kv, "=")
		vars[name] = text
	}
	getenv = func(name string) string { return vars[name] }
	for path, text := range map[string]string{UserFile(getenv): user, filepath.Join(root, ProjectFile): project} {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, getenv
}

func TestLayers(t *testing.T) {
	root, getenv := setup(t,
		"agent: claude\nmodel: big\nmax_attempts: 7\n",
		"# ours\nmodel: small\ngates:\n  - go test ./...\n  - \"make lint\"\ncommand: [prog, -x]\nagent_timeout: 10m\nmax_duration: none\nauto_align: false\n",
		"HELIX_MODEL=tiny", "HELIX_ORPHAN_THRESHOLD=60", "HELIX_BACKOFF_SLEEP=0.5")
	got, err := Load(root, getenv)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Agent, want.Model, want.MaxAttempts = "claude", "tiny", 7
	want.Gates, want.Command = []string{"go test ./...", "make lint"}, []string{"prog", "-x"}
	want.AgentTimeout, want.MaxDuration, want.AutoAlign = 10*time.Minute, 0, false
	want.OrphanAge, want.BackoffSleep, want.BackoffFixed = time.Minute, 500*time.Millisecond, true
	project := filepath.Join(root, ProjectFile)
	for key, origin := range map[string]string{
		"agent": UserFile(getenv), "max_attempts": UserFile(getenv), "model": "$HELIX_MODEL",
		"gates": project, "command": project, "agent_timeout": project, "max_duration": project, "auto_align": project,
		"orphan_threshold": "$HELIX_ORPHAN_THRESHOLD", "backoff_sleep": "$HELIX_BACKOFF_SLEEP",
	} {
		want.Origins[key] = origin
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoFiles(t *testing.T) {
	root, getenv := setup(t, "", "")
	got, err := Load(root, getenv)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Error(diff)
	}
	for _, empty := range []string{"\n", "# nothing\n", "---\n"} {
		root, getenv := setup(t, "", empty)
		if _, err := Load(root, getenv); err != nil {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct{ file, env, want string }{
		{file: "agent: claude\ngatez: [x]\n", want: `config.yaml:2: unknown key "gatez"; did you mean "gates"?`},
		{file: "colour: red\n", want: `config.yaml:1: unknown key "colour"; see the table`},
		{file: "agent: gpt\n", want: `config.yaml:1: agent is "gpt"; use claude, codex or command`},
		{file: "gates: go test\n", want: "config.yaml:1: gates must be a list"},
		{file: "gates: [[a]]\n", want: "config.yaml:1: gates must be a list of texts"},
		{file: "model: [a]\n", want: "config.yaml:1: model must be a single value"},
		{file: "command: []\n", want: "command must name a program"},
		{file: "\n\nagent_timeout: soon\n", want: `config.yaml:3: agent_timeout is "soon", not a time`},
		{file: "agent_timeout: 45\n", want: `agent_timeout is "45", not a time`},
		{file: "max_attempts: 0\n", want: `max_attempts is "0", not a number from 1 up`},
		{file: "max_cost: -1\n", want: "max_cost"},
		{file: "max_tokens: 0\n", want: "max_tokens"},
		{file: "auto_align: maybe\n", want: "use true or false"},
		{file: "- a\n- b\n", want: "config.yaml:1: settings are lines of the form key: value"},
		{file: "agent: [\n", want: "config.yaml is not YAML"},
		{env: "HELIX_AGENT_TIMEOUT=soon", want: "environment variable HELIX_AGENT_TIMEOUT is \"soon\""},
		{env: "HELIX_EFFORT=extreme", want: "environment variable HELIX_EFFORT"},
		{env: "HELIX_BACKOFF_SLEEP=-1", want: "HELIX_BACKOFF_SLEEP"},
	} {
		root, getenv := setup(t, "", tt.file, tt.env)
		_, err := Load(root, getenv)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q %q: got %v, want one line with %q", tt.file, tt.env, err, tt.want)
		}
	}
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte("agent: claude\ngates: [a, b]\n"))
	f.Add([]byte("a: &x [1]\nb: *x\n"))
	f.Add([]byte("---\n? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := Default()
		if err := c.merge("f", data); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %q", err)
		}
	})
}
