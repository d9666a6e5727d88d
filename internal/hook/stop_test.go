package hook

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestStopOncePerSession(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kb")
	spoke := func(event, session string) bool {
		t.Helper()
		answer, debug := ask(t, dir, event, fmt.Sprintf(`{"session_id":%q,"agent_type":"Explore"}`, session))
		if debug != "" || strings.Contains(answer, "additionalContext") || strings.Contains(answer, "decision") {
			t.Errorf("%s: %s%s", event, answer, debug)
		}
		return answer != ""
	}
	for i, c := range []struct {
		event, session string
		want           bool
	}{
		{"stop", "a", true}, {"stop", "a", false}, {"stop", "b", true}, {"subagent-stop", "a", true}, {"subagent-stop", "a", false},
		{"session-end", "a", false}, {"stop", "a", true}, {"stop", "b", false}, {"stop", "../../etc", true}, {"stop", "", true}, {"stop", "", false},
	} {
		if got := spoke(c.event, c.session); got != c.want {
			t.Errorf("step %d, %s of %q: spoke %v", i, c.event, c.session, got)
		}
	}
	state := filepath.Join(dir, "hook-state")
	for path, mode := range map[string]os.FileMode{dir: 0o700, state: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestStopOfManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var spoke atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			var out bytes.Buffer
			Run("stop", strings.NewReader(`{"session_id":"s"}`), &out, Env{Getenv: noEnv, Dir: dir})
			if out.Len() > 0 {
				spoke.Add(1)
			}
		})
	}
	wg.Wait()
	if spoke.Load() != 1 {
		t.Errorf("%d reminders", spoke.Load())
	}
}

// TestNotesAreCleaned: the notes of sessions that never ended go in time, and there
// are never many.
func TestNotesAreCleaned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, "hook-state")
	now := time.Now()
	for i := range maxNotes + 30 {
		path := write(t, filepath.Join(state, fmt.Sprintf("%d.stop", i)), "")
		age := time.Duration(i) * time.Minute
		if i < 5 {
			age = maxNoteAge + time.Hour
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if answer, debug := ask(t, dir, "stop", `{"session_id":"s"}`); answer == "" || debug != "" {
		t.Errorf("%q, %s", answer, debug)
	}
	files, err := os.ReadDir(state)
	if err != nil || len(files) != maxNotes {
		t.Errorf("%d notes, %v", len(files), err)
	}
	for _, f := range files {
		if len(f.Name()) == len("1.stop") && f.Name()[0] < '5' {
			t.Errorf("the old note %s is there", f.Name())
		}
	}
	if answer, _ := ask(t, dir, "stop", `{"session_id":"s"}`); answer != "" {
		t.Error("the note of this session was cleaned away")
	}
}
