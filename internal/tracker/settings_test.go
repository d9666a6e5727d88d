package tracker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPrefix(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"My_App (2)": "my-app-2", "--": "bx", "héllo": "h-llo", strings.Repeat("x", 80): strings.Repeat("x", 55), "helix": "helix",
	} {
		if got := cleanPrefix(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	root := filepath.Join(t.TempDir(), "Some.Project")
	dir := filepath.Join(root, ".ddx")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	expect := func(want string) {
		t.Helper()
		s := OpenStore(dir, WithEnvironment(func(k string) string { return env[k] }))
		got, err := s.idPrefix()
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("prefix %q, want %q", got, want)
		}
	}
	expect("bx")
	writeFile(t, filepath.Join(root, ".git"), "gitdir: elsewhere\n")
	expect("some-project")
	config := filepath.Join(dir, "config.yaml")
	writeFile(t, config, "bead:\n  id_prefix: Team X\nother: [1]\n")
	expect("team-x")
	writeFile(t, config, "other: 1\n")
	expect("some-project")
	writeFile(t, config, "bead: [\n")
	expect(config + ": bead.id_prefix cannot be read: ")
	env["DDX_BEAD_PREFIX"] = "env"
	expect("env")
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HELIX_TRACKER_LOCK_TIMEOUT": "2.5", "HELIX_TRACKER_LOCK_POLL_INTERVAL": "20ms"}
	s := OpenStore("x", WithEnvironment(func(k string) string { return env[k] }))
	if s.lockTimeout != 2500*time.Millisecond || s.lockPoll != 20*time.Millisecond || s.badSetting != nil {
		t.Errorf("timeout %s, poll %s, %v", s.lockTimeout, s.lockPoll, s.badSetting)
	}
	for _, bad := range []string{"soon", "-1", "NaN", "-3s", "1e9"} {
		env["HELIX_TRACKER_LOCK_TIMEOUT"] = bad
		s = OpenStore(filepath.Join(t.TempDir(), ".ddx"), WithEnvironment(func(k string) string { return env[k] }))
		_, err := s.Create(ctx, New{Title: "t"})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "HELIX_TRACKER_LOCK_TIMEOUT="+bad) {
			t.Errorf("%s: %v", bad, err)
		}
		if q := load(t, s); q.Len() != 0 {
			t.Error("a read must go on")
		}
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	hooks := filepath.Join(s.Dir(), "hooks")
	if err := os.Mkdir(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nread row\ncase $row in\n*refuse*) echo 'not this'; echo \"no: $row\" >&2; exit 1;;\n*doubt*) echo careful >&2; exit 2;;\n*crash*) exit 9;;\nesac\n"
	for _, name := range []string{"validate-bead-create", "validate-bead-update"} {
		if err := os.WriteFile(filepath.Join(hooks, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before := readFile(t, s.Path())
	if _, err := s.Create(ctx, New{Title: "refuse me"}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), `validate-bead-create: no: {"created_at"`) {
		t.Errorf("create: %v", err)
	}
	if _, err := s.Edit(ctx, "hx-a", func(b *Bead) error { b.Notes = "refuse"; return nil }); !errors.Is(err, ErrRefused) {
		t.Errorf("edit: %v", err)
	}
	if err := s.Close(ctx, "hx-a", Closing{Reason: "crash"}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "exit 9 without a word") {
		t.Errorf("close: %v", err)
	}
	if readFile(t, s.Path()) != before {
		t.Error("what was refused was written")
	}
	var warnings []string
	s.warn = func(text string) { warnings = append(warnings, text) }
	b, err := s.Create(ctx, New{Title: "in doubt"})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], b.ID+": careful") {
		t.Errorf("warned %q (%v)", warnings, err)
	}
	// Claims are the supervisor's bookkeeping: no hook stands in their way.
	if _, err := s.Edit(ctx, "hx-a", func(b *Bead) error { b.Notes = "fine"; return nil }); err != nil {
		t.Error(err)
	}
	writeFile(t, filepath.Join(hooks, "validate-bead-update"), "#!/bin/sh\nexit 1\n")
	if _, err := s.Claim(ctx, "hx-a", Claim{}); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(filepath.Join(hooks, "validate-bead-create"), 0o644); err != nil {
		t.Fatal(err)
	}
	warnings = nil
	if _, err := s.Create(ctx, New{Title: "refuse"}); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "not executable") {
		t.Errorf("a hook that cannot be run: %q (%v)", warnings, err)
	}
}

func TestCancelledContextWritesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t, rowText("hx-a"))
	before := readFile(t, s.Path())
	cancelled, cancel := context.WithCancel(ctx)
	_, err := s.Edit(cancelled, "hx-a", func(b *Bead) error { cancel(); b.Notes = "n"; return nil })
	if !errors.Is(err, context.Canceled) || readFile(t, s.Path()) != before {
		t.Errorf("got %v", err)
	}
	if _, err := s.Load(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v", err)
	}
}
