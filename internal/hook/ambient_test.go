package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// call is a PreToolUse event.
func call(t testing.TB, tool, cwd string, input any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": input})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type object = map[string]any

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLayers: each layer has its entries, and an entry is shown once.
func TestLayers(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	path := write(t, filepath.Join(project, "src", "auth.go"), "package src\n\nfunc RefreshToken() {}\n\nfunc checkCookie() {}\n")
	dir := remembers(t,
		note{"login", "auth.go is where RefreshToken lives", "src/auth.go"},
		note{"session", "RefreshToken must not be called twice", ""},
		note{"proxy", "The auth header is stripped here", ""},
		note{"login", "Passwords are hashed with argon2", ""},
		note{"cookie", "checkCookie is called by the mobile app, too", ""},
		note{"other", "Nothing of the kind", "lib/auth.go"},
	)
	answer, debug := ask(t, dir, "ambient", call(t, "Edit", project, object{"file_path": path, "old_string": "func checkCookie() {}", "new_string": "func checkSession() {}"}))
	const want = `helix memory:
source-linked (auth.go):
  [login] 2026-03-04 auth.go is where RefreshToken lives (mem_0)
REFACTOR IMPACT (symbols modified: checkCookie):
  [cookie] 2026-03-04 checkCookie is called by the mobile app, too (mem_4)
symbol context:
  [session] 2026-03-04 RefreshToken must not be called twice (mem_1)
related (auth):
  [proxy] 2026-03-04 The auth header is stripped here (mem_2)
structural coupling (topics of this file: login):
  [login] 2026-03-04 Passwords are hashed with argon2 (mem_3)`
	got := contextOf(t, answer, "PreToolUse")
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" || debug != "" {
		t.Errorf("-want +got, without regard to the order within a layer:\n%s\n%s%s", diff, got, debug)
	}
}

// sorted orders the entries within each layer: how they rank is the memory's.
func sorted(text string) []string {
	var out []string
	layer := ""
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "  ") {
			layer = l
		}
		out = append(out, layer+strings.TrimSpace(l))
	}
	return order(out)
}

func order(s []string) []string {
	for i := range s {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
	return s
}

// TestRefactorImpact: what an edit takes away is found in every form of edit.
func TestRefactorImpact(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	notes := []note{{"api", "The mobile app calls legacyLogin directly", ""}}
	var book string
	for i := range 6 {
		notes = append(notes, note{"pay", fmt.Sprintf("number %d", i), "pay.go"}, note{"pay", fmt.Sprintf("number %d", i), "pay.ipynb"})
	}
	dir := remembers(t, notes...)
	file := write(t, filepath.Join(project, "pay.go"), "package pay\n\nfunc legacyLogin() {}\n")
	book = write(t, filepath.Join(project, "pay.ipynb"), `{"cells":[{"id":"a","source":["x = 1\n"]},{"id":"b","source":["def legacyLogin():\n","    pass\n"]}]}`)
	edit := object{"old_string": "legacyLogin()", "new_string": "login()"}
	for name, c := range map[string]struct {
		tool  string
		input object
		found bool
	}{
		"edit":                   {"Edit", object{"file_path": file, "old_string": "legacyLogin()", "new_string": "login()"}, true},
		"edit that keeps it":     {"Edit", object{"file_path": file, "old_string": "legacyLogin()", "new_string": "x, legacyLogin()"}, false},
		"short edit":             {"Edit", object{"file_path": file, "old_string": "legacy", "new_string": "login()"}, false},
		"part of a name":         {"Edit", object{"file_path": file, "old_string": "xlegacyLogin()", "new_string": "login()"}, false},
		"edits":                  {"MultiEdit", object{"file_path": file, "edits": []object{{"old_string": "a", "new_string": "b"}, edit}}, true},
		"write":                  {"Write", object{"file_path": file, "content": "package pay\n"}, true},
		"write that keeps it":    {"Write", object{"file_path": file, "content": "package pay\n\nfunc legacyLogin(n int) {}\n"}, false},
		"write of a new file":    {"Write", object{"file_path": filepath.Join(project, "new", "pay.go"), "content": "package pay\n"}, false},
		"cell":                   {"NotebookEdit", object{"notebook_path": book, "cell_id": "b", "new_source": "def login():\n    pass\n"}, true},
		"another cell":           {"NotebookEdit", object{"notebook_path": book, "cell_id": "a", "new_source": "y = 2"}, false},
		"deleted cell":           {"NotebookEdit", object{"notebook_path": book, "cell_id": "b", "edit_mode": "delete", "new_source": ""}, true},
		"new cell":               {"NotebookEdit", object{"notebook_path": book, "cell_id": "b", "edit_mode": "insert", "new_source": "z = 1"}, false},
		"patch":                  {"apply_patch", object{"command": "*** Begin Patch\n*** Update File: pay.go\n@@\n-func legacyLogin() {}\n+func login() {}\n*** End Patch\n"}, true},
		"patch that adds a line": {"apply_patch", object{"command": "*** Begin Patch\n*** Update File: pay.go\n@@\n func legacyLogin() {}\n+func login() {}\n*** End Patch\n"}, false},
		"patch in a shell":       {"Bash", object{"command": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: pay.go\n@@\n-func legacyLogin() {}\n+func login() {}\n*** End Patch\nEOF\n"}, true},
		"a patch is only shown":  {"Bash", object{"command": "cat pay.go <<'EOF'\n*** Begin Patch\n*** Update File: pay.go\n-func legacyLogin() {}\n*** End Patch\nEOF\n"}, false},
		"read":                   {"Read", object{"file_path": file}, false},
	} {
		answer, debug := ask(t, dir, "ambient", call(t, c.tool, project, c.input))
		got := contextOf(t, answer, "PreToolUse")
		if strings.Contains(got, "REFACTOR IMPACT (symbols modified: legacyLogin):\n  [api] ") != c.found || debug != "" {
			t.Errorf("%s: %s%s", name, got, debug)
		}
	}
}

// TestImpactOfOwn: what the edit takes away brings up an old entry of the file that
// newer ones have pushed out of its layer.
func TestImpactOfOwn(t *testing.T) {
	t.Parallel()
	notes := []note{{"pay", "legacyLogin is kept for the mobile app", "pay.go"}}
	for i := range 12 {
		notes = append(notes, note{"pay", fmt.Sprintf("number %d", i), "pay.go"})
	}
	answer, debug := ask(t, remembers(t, notes...), "ambient", call(t, "Edit", t.TempDir(), object{"file_path": "pay.go", "old_string": "legacyLogin()", "new_string": "login()"}))
	got := contextOf(t, answer, "PreToolUse")
	if !strings.Contains(got, "REFACTOR IMPACT (symbols modified: legacyLogin):\n  [pay] 2026-03-04 legacyLogin is kept") || !strings.HasSuffix(got, "\n(2 more: mcp__helix__search)") || debug != "" {
		t.Error(got, debug)
	}
}

// TestTarget: which file a tool is about.
func TestTarget(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	write(t, filepath.Join(project, "src", "auth.go"), "package src\n")
	own := "[here] 2026-03-04 known (mem_0)"
	dir := remembers(t, note{"here", "known", "src/auth.go"})
	for name, c := range map[string]struct {
		tool  string
		input object
		want  bool
	}{
		"absolute":                {"Read", object{"file_path": project + "/src/auth.go"}, true},
		"relative":                {"Read", object{"file_path": "src/auth.go"}, true},
		"shorter than the source": {"Read", object{"file_path": "auth.go"}, true},
		"unclean":                 {"Read", object{"file_path": "./src/../src/auth.go"}, true},
		"another folder":          {"Read", object{"file_path": project + "/lib/auth.go"}, false},
		"a longer name":           {"Read", object{"file_path": project + "/src/xauth.go"}, false},
		"grep":                    {"Grep", object{"pattern": "x", "path": "src/auth.go"}, true},
		"glob":                    {"Glob", object{"pattern": "**/auth.go"}, true},
		"grep of the project":     {"Grep", object{"pattern": "auth.go", "path": project, "glob": "auth.go"}, true},
		"glob of many":            {"Glob", object{"pattern": "**/*.go"}, false},
		"shell":                   {"Bash", object{"command": "sed -n '1,20p' src/auth.go | head"}, true},
		"shell, no such file":     {"Bash", object{"command": "cat src/nothing.go"}, false},
		"a number for a path":     {"Read", object{"file_path": 7}, false},
		"a NUL in the path":       {"Read", object{"file_path": "src/\x00auth.go"}, false},
	} {
		answer, debug := ask(t, dir, "ambient", call(t, c.tool, project, c.input))
		if got := contextOf(t, answer, "PreToolUse"); strings.Contains(got, own) != c.want || debug != "" {
			t.Errorf("%s: %q, %s", name, got, debug)
		}
	}
}

// TestShortName: what is known of a file is told however short its name, but a short
// name is no word to search for.
func TestShortName(t *testing.T) {
	t.Parallel()
	dir := remembers(t, note{"store", "known", "kv/db.go"}, note{"db", "the db is elsewhere", ""})
	answer, debug := ask(t, dir, "ambient", call(t, "Read", t.TempDir(), object{"file_path": "kv/db.go"}))
	got := contextOf(t, answer, "PreToolUse")
	if !strings.Contains(got, "source-linked (db.go):\n  [store] 2026-03-04 known (mem_0)") || strings.Contains(got, "elsewhere") || debug != "" {
		t.Error(got, debug)
	}
}

// TestBudget: a file about which much is known gets a bounded answer, each layer
// its part of it, and the rest is counted.
func TestBudget(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	path := write(t, filepath.Join(project, "auth.go"), "package auth\n")
	long := strings.Repeat("lorem ipsum dolor ", 40)
	var notes []note
	for i := range 50 {
		notes = append(notes, note{"login", fmt.Sprintf("%d %s", i, long), "auth.go"}, note{"login", long, ""}, note{"x", "auth " + long, ""}, note{"y", "oldName " + long, ""})
	}
	answer, debug := ask(t, remembers(t, notes...), "ambient", call(t, "Edit", project, object{"file_path": path, "old_string": "oldName()", "new_string": "newName()"}))
	got := contextOf(t, answer, "PreToolUse")
	if len(got) > maxAmbient || len(got) < maxAmbient/2 {
		t.Errorf("%d bytes", len(got))
	}
	for _, part := range []string{"source-linked (auth.go):", "related (auth):", "structural coupling (", "REFACTOR IMPACT (symbols modified: oldName):", " more: mcp__helix__search)"} {
		if !strings.Contains(got, part) {
			t.Errorf("there is no %q", part)
		}
	}
	for l := range strings.Lines(got) {
		if len(l) > lineBytes+2+len("\n") {
			t.Errorf("a line of %d bytes: %s", len(l), l)
		}
	}
	if debug != "" || t.Failed() {
		t.Log(got, debug)
	}
}

// TestOneLine: an entry cannot break out of its line.
func TestOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\nb\r\n\tc":      "a b c",
		"\x1b[31mred":      "[31mred",
		"  x  ":            "x",
		"a\u2028b\u0085c":  "a b c",
		"":                 "",
		"12345 1234567890": "12345…",
		"ααααααααααααααα":  "αααααα…",
		"ab\xffcd":         "ab\ufffdcd",
	} {
		if got := oneLine(in, 15); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
