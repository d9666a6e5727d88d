package executor

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAgentOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	want := func(text string, most int64) {
		t.Helper()
		if got := AgentOutput(dir, most); string(got) != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	want("", 100)
	write("embedded/claude.log", "one", 0o644)
	write("embedded/codex.log", "two", 0o644)
	write("embedded/git", "#!/bin/sh\n", 0o755)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "embedded", "link")); err != nil {
		t.Fatal(err)
	}
	want("one\ntwo\n", 100)
	want("wo\n", 3)
	write("agent.log", "what builtin keeps", 0o644)
	want("what builtin keeps", 100)
	want("keeps", 5)
}
