package remember

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helix/internal/experience"
	"helix/internal/run"
	"helix/internal/run/executor"
	"helix/internal/tracker"
)

// TestRecordOutput: what an attempt's output shows is stored beside its findings,
// once.
func TestRecordOutput(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	evidence := filepath.Join(t.TempDir(), "attempt")
	if err := os.MkdirAll(evidence, 0o755); err != nil {
		t.Fatal(err)
	}
	output := strings.Join([]string{
		`{"type":"thread.started","thread_id":"t"}`,
		`{"type":"item.completed","item":{"id":"1","type":"file_change","changes":[{"path":"/tree/auth/token.go","kind":"update"}],"status":"completed"}}`,
		`{"type":"item.completed","item":{"id":"2","type":"agent_message","text":"We chose opaque tokens over JWTs because they have to be revocable.\n\nNote that tokens are cached for a minute, so a revoked one still works that long.\n\nFINDINGS:\n- tokens are cached for a minute, so a revoked one still works that long"}}`,
		`{"type":"turn.completed","usage":{}}`,
	}, "\n")
	if err := os.WriteFile(filepath.Join(evidence, "agent.log"), []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	l := run.Lesson{
		Deed: run.Deed{
			Run: "run-1", Attempt: "a1", Beads: []*tracker.Bead{bead("hx-1", "x", "")}, Files: []string{"auth/token.go"}, Evidence: evidence,
			Outcome: executor.Landed, Commit: "0123456789abcdef",
		},
		Findings: []string{"tokens are cached for a minute, so a revoked one still works that long"}, Output: true,
	}
	items := record(t, m, l)
	if len(items) != 2 {
		t.Fatalf("%d entries: %+v", len(items), items)
	}
	if e := items[1]; e.Kind != "decision" || e.Topic != items[0].Topic || e.Source != "auth/token.go" || !slices.Contains(e.Tags, "bead-hx-1") || !slices.Contains(e.Tags, "commit-0123456789ab") {
		t.Errorf("the entry: %+v", e)
	}
	journal, err := os.ReadFile(filepath.Join(m.KB.Dir(), experience.JournalName))
	if err != nil || strings.Count(string(journal), "\n") != 1 || !strings.Contains(string(journal), `"session_id":"run-1/a1"`) || !strings.Contains(string(journal), `"outcome":"success"`) {
		t.Errorf("%v: %s", err, journal)
	}
	if again := record(t, m, l); len(again) != 0 {
		t.Errorf("stored again: %+v", again)
	}
	l.Evidence = filepath.Join(evidence, "gone")
	if again := record(t, m, l); len(again) != 0 {
		t.Errorf("without the output: %+v", again)
	}
}
