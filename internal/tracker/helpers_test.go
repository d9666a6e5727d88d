package tracker

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// noon is the time of tests.
var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// newStore is a store whose file holds the given lines. Warnings fail the test
// unless they are asked for.
func newStore(t testing.TB, lines ...string) *Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".ddx")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if len(lines) > 0 {
		writeFile(t, filepath.Join(dir, fileName), strings.Join(lines, "\n")+"\n")
	}
	return OpenStore(dir, WithPrefix("hx"), WithClock(func() time.Time { return noon }),
		WithLock(5*time.Second, 2*time.Millisecond),
		WithWarnings(func(text string) { t.Errorf("warning: %s", text) }))
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rowText is a sound row with the given keys instead of, or beside, the usual
// ones; pairs are key and JSON value.
func rowText(id string, pairs ...string) string {
	row := map[string]json.RawMessage{
		"id": quote(id), "title": quote("bead " + id), "status": quote("open"), "priority": json.RawMessage("2"),
		"issue_type": quote("task"), "created_at": quote("2026-05-01T00:00:00Z"), "updated_at": quote("2026-05-01T00:00:00Z"),
	}
	for i := 0; i < len(pairs); i += 2 {
		if row[pairs[i]] = json.RawMessage(pairs[i+1]); pairs[i+1] == "" {
			delete(row, pairs[i])
		}
	}
	return string(render(row))
}

func depsJSON(id string, on ...string) string {
	var deps []Dependency
	for _, d := range on {
		deps = append(deps, Dependency{IssueID: id, DependsOnID: d, Type: "blocks", CreatedAt: "2026-05-01T00:00:00Z"})
	}
	text, err := json.Marshal(deps)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func load(t testing.TB, s *Store) *Queue {
	t.Helper()
	q, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func get(t testing.TB, s *Store, id string) *Bead {
	t.Helper()
	b, ok := load(t, s).Get(id)
	if !ok {
		t.Fatalf("%s is not in the queue", id)
	}
	return b
}

func ids(beads []*Bead) string {
	var list []string
	for _, b := range beads {
		list = append(list, b.ID)
	}
	return strings.Join(list, " ")
}
