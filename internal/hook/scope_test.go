package hook

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

// TestScope: hooks show what holds for the project of the file at hand, or of the
// session: its entries and those of none, however many others have.
func TestScope(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{at("shop"), at("outside")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = at("shop")
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "start")
	git("worktree", "add", "-q", "--detach", at("linked"))
	if err := os.MkdirAll(at("web/.git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("shop"), at("link")); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	l := log.Open(dir)
	defer l.Close()
	var ops []log.Op
	add := func(id, project string) {
		e := entry.New("login", "RefreshToken must not be called twice, says "+id, day)
		e.ID, e.Project, e.Source.Path = "mem_"+id, project, "src/auth.go"
		ops = append(ops, log.Put(e))
	}
	add("shop", at("shop"))
	add("all", "")
	for i := range 300 {
		add(fmt.Sprintf("web%d", i), at("web"))
	}
	if _, err := l.Append(t.Context(), ops...); err != nil {
		t.Fatal(err)
	}

	const edit, prompt = "PreToolUse", "UserPromptSubmit"
	for _, tt := range []struct {
		event, cwd, file string
		own, all, web    bool
	}{
		{event: edit, cwd: "shop", file: "shop/src/auth.go", own: true, all: true},
		{event: edit, cwd: "shop/src", file: "shop/src/auth.go", own: true, all: true},
		{event: edit, cwd: "linked", file: "linked/src/auth.go", own: true, all: true},
		{event: edit, cwd: "link", file: "link/src/auth.go", own: true, all: true},
		{event: edit, cwd: "shop", file: "web/src/auth.go", web: true},
		{event: edit, cwd: "shop", file: "outside/src/auth.go", own: true, all: true},
		{event: edit, cwd: "outside", file: "shop/src/auth.go", own: true, all: true},
		{event: prompt, cwd: "shop", own: true, all: true},
		{event: prompt, cwd: "linked/src", own: true, all: true},
	} {
		input := fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%q,"prompt":"when is RefreshToken called twice?","tool_name":"Read","tool_input":{"file_path":%q}}`, tt.event, at(tt.cwd), at(tt.file))
		answer, debug := ask(t, dir, tt.event, input)
		got := contextOf(t, answer, tt.event)
		for what, want := range map[string]bool{"says shop (": tt.own, "says all (": tt.all, "says web": tt.web} {
			if strings.Contains(got, what) != want || debug != "" {
				t.Errorf("%s in %s of %s: %q is shown: %v\n%s%s", tt.event, tt.cwd, tt.file, what, !want, got, debug)
			}
		}
	}
	// Outside of any project, there is none that could be meant.
	answer, _ := ask(t, dir, prompt, fmt.Sprintf(`{"hook_event_name":%q,"cwd":%q,"prompt":"when is RefreshToken called twice?"}`, prompt, at("outside")))
	if strings.Count(answer, "RefreshToken must not") != 3 {
		t.Error(answer)
	}
}
