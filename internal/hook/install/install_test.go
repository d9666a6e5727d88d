package install

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// home is a person's home folder.
func home(t testing.TB) Machine {
	t.Helper()
	dir := t.TempDir()
	return Machine{Home: dir, Project: filepath.Join(dir, "project"), Getenv: func(string) string { return "" }}
}

func place(t testing.TB, m Machine, client, scope string) Place {
	t.Helper()
	all, err := Places(m, client, scope)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0]
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
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

// files are the names in a folder.
func files(t testing.TB, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	return strings.Join(names, " ")
}

var plain = Program{Helix: "/opt/helix", Hook: "/opt/helix-hook"}

func TestPlaces(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	m := Machine{Home: "/h", Project: "/p", Getenv: func(n string) string { return env[n] }}
	get := func(client, scope string) []Place {
		t.Helper()
		p, err := Places(m, client, scope)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	user := []Place{
		{Claude, User, "/h/.claude/settings.json", "/h/.claude.json", "/h/.claude"},
		{Codex, User, "/h/.codex/hooks.json", "/h/.codex/config.toml", "/h/.codex"},
	}
	project := []Place{{Claude, Project, "/p/.claude/settings.json", "/p/.mcp.json", "/p/.claude"}}
	own := []Place{
		{Claude, User, "/c/settings.json", "/c/.claude.json", "/c"},
		{Codex, User, "/x/hooks.json", "/x/config.toml", "/x"},
	}
	for _, c := range []struct{ got, want []Place }{
		{get("all", User), user}, {get(Claude, User), user[:1]}, {get(Codex, User), user[1:]}, {get("all", Project), project}, {get(Claude, Project), project},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Error(diff)
		}
	}
	env["CLAUDE_CONFIG_DIR"], env["CODEX_HOME"] = "/c", "/x"
	if diff := cmp.Diff(own, get("all", User)); diff != "" {
		t.Error(diff)
	}
	for _, c := range [][2]string{{"emacs", User}, {"all", "world"}, {Codex, Project}, {"", User}} {
		if p, err := Places(m, c[0], c[1]); err == nil {
			t.Errorf("%v: %v", c, p)
		}
	}
}

const others = `{
    "model" : "opus",
    "permissions": {"allow": ["Bash(go test:*)"], "deny": []},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "notify 'done & <dusted>'"}]}
        ],
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "/usr/bin/guard helix hook", "timeout": 1e1}]
            }
        ],
        "Notification": []
    },
    "big": 12345678901234567890.10
}
`

// TestBesideOthers: what is not helix's keeps every byte, through installing twice
// and taking it out.
func TestBesideOthers(t *testing.T) {
	t.Parallel()
	m := home(t)
	p := place(t, m, Claude, User)
	write(t, p.Hooks, others)
	if err := os.Chmod(p.Hooks, 0o640); err != nil {
		t.Fatal(err)
	}
	c, err := Hooks(p, plain)
	if err != nil || !c.Changed || c.Backup != p.Hooks+".helix-backup" {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := readFile(t, c.Backup); got != others {
		t.Errorf("the backup is %s", got)
	}
	first := readFile(t, p.Hooks)
	for l := range strings.Lines(strings.NewReplacer("            {\"hooks\": [{\"type\": \"command\", \"command\": \"notify", "notify").Replace(others)) {
		if l = strings.TrimRight(strings.TrimSpace(l), ","); !strings.Contains(first, l) {
			t.Errorf("%q is gone from\n%s", l, first)
		}
	}
	var s struct {
		Hooks map[string][]json.RawMessage
	}
	if err := json.Unmarshal([]byte(first), &s); err != nil {
		t.Fatal(err)
	}
	for _, w := range hooks(Claude) {
		var last group
		groups := s.Hooks[w.event]
		if len(groups) == 0 || json.Unmarshal(groups[len(groups)-1], &last) != nil || !reflect.DeepEqual(last, group{w.matcher, []hook{{"command", "GOMAXPROCS=1 /opt/helix-hook " + w.short, 5, false}}}) {
			t.Errorf("%s: %s", w.event, groups)
		}
	}
	info, err := os.Stat(p.Hooks)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if c, err := Hooks(p, plain); err != nil || c.Changed || c.Backup != "" || readFile(t, p.Hooks) != first {
		t.Errorf("the second time: %+v, %v", c, err)
	}
	if c, err := Unhook(p); err != nil || !c.Changed || readFile(t, p.Hooks) != others {
		t.Errorf("%+v, %v: %s", c, err, readFile(t, p.Hooks))
	}
	if c, err := Unhook(p); err != nil || c.Changed {
		t.Errorf("taking out nothing: %+v, %v", c, err)
	}
	if got := files(t, p.Dir); got != "settings.json settings.json.helix-backup" {
		t.Errorf("left: %s", got)
	}
}

func TestNewFile(t *testing.T) {
	t.Parallel()
	m := home(t)
	for _, scope := range []string{User, Project} {
		p := place(t, m, Claude, scope)
		if c, err := Unhook(p); err != nil || c.Changed {
			t.Errorf("taking out of nothing: %+v, %v", c, err)
		}
		if c, err := Unserve(p); err != nil || c.Changed {
			t.Errorf("taking out of nothing: %+v, %v", c, err)
		}
		if c, err := Hooks(p, plain); err != nil || !c.Changed || c.Backup != "" {
			t.Errorf("%+v, %v", c, err)
		}
		want := map[string]fs.FileMode{User: 0o600, Project: 0o644}[scope]
		if info, err := os.Stat(p.Hooks); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", scope, info.Mode(), err)
		}
		text := readFile(t, p.Hooks)
		if !strings.HasPrefix(text, "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n") || !strings.HasSuffix(text, "\n  }\n}\n") {
			t.Errorf("layout: %s", text)
		}
	}
}

// TestUpdate: an older helix hook is replaced, wherever it stands, and a hook of
// somebody else in the same group stays.
func TestUpdate(t *testing.T) {
	t.Parallel()
	p := place(t, home(t), Claude, User)
	write(t, p.Hooks, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"'/old place/helix' hook stop","async":true},{"type":"command","command":"mine"}]}],
"PostCompact":[{"hooks":[{"type":"command","command":"HELIX_KB=/x /old/helix-hook PostCompact"}]}],"SessionEnd":[{"hooks":[{"type":"command","command":"/opt/helix-hook session-end","timeout":5}]},{"hooks":[{"type":"command","command":"/opt/helix-hook session-end","timeout":5}]}]}}`)
	if _, err := Hooks(p, plain); err != nil {
		t.Fatal(err)
	}
	text := readFile(t, p.Hooks)
	for _, gone := range []string{"/old", "PostCompact", "async", `"/opt/helix-hook`} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	if n := strings.Count(text, "/opt/helix-hook session-end"); n != 1 {
		t.Errorf("%d hooks for the end of a session", n)
	}
	if !strings.Contains(text, `"Stop":[{"hooks":[{"type":"command","command":"mine"}]},`) {
		t.Errorf("the other hook: %s", text)
	}
	s, err := Look(p, plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range s.Hooks {
		if h.State != "no program" { // /opt/helix-hook is not there
			t.Errorf("%+v", h)
		}
	}
}

// TestTimeouts: Codex complains in every session of a hook at its end that is given
// more than 3 seconds.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	m := home(t)
	for client, want := range map[string]int{Claude: 5, Codex: 3} {
		p := place(t, m, client, User)
		if _, err := Hooks(p, plain); err != nil {
			t.Fatal(err)
		}
		var f struct {
			Hooks map[string][]group `json:"hooks"`
		}
		if err := json.Unmarshal([]byte(readFile(t, p.Hooks)), &f); err != nil {
			t.Fatal(err)
		}
		end, start := f.Hooks["SessionEnd"][0].Hooks[0].Timeout, f.Hooks["SessionStart"][0].Hooks[0].Timeout
		if end != want || start != 5 {
			t.Errorf("%s: %d seconds at the end, %d at the start", client, end, start)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	m := home(t)
	real := Program{Helix: filepath.Join(m.Home, "a b", "helix"), Hook: filepath.Join(m.Home, "a b", "helix-hook")}
	for _, f := range []string{real.Helix, real.Hook} {
		write(t, f, "#!/bin/sh\n")
		if err := os.Chmod(f, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	states := func(p Place, program Program) map[string]string {
		t.Helper()
		s, err := Look(p, program)
		if err != nil {
			t.Fatal(err)
		}
		if (s.Note != "") != (p.Client == Codex && s.Hooks[0].State != "missing") {
			t.Errorf("%s: note %q", p.Client, s.Note)
		}
		out := map[string]string{}
		for _, h := range s.Hooks {
			out[h.State] += h.Event + " "
		}
		return out
	}
	all := func(client string) string {
		text := ""
		for _, w := range hooks(client) {
			text += w.event + " "
		}
		return text
	}
	for _, client := range []string{Claude, Codex} {
		p := place(t, m, client, User)
		check := func(program Program, want map[string]string) {
			t.Helper()
			if diff := cmp.Diff(want, states(p, program)); diff != "" {
				t.Errorf("%s:\n%s", client, diff)
			}
		}
		check(real, map[string]string{"missing": all(client)})
		if _, err := Hooks(p, real); err != nil {
			t.Fatal(err)
		}
		check(real, map[string]string{"installed": all(client)})
		check(Program{Helix: real.Helix}, map[string]string{"different": all(client)})
		if _, err := Hooks(p, Program{Helix: real.Helix}); err != nil {
			t.Fatal(err)
		}
		check(Program{Helix: real.Helix}, map[string]string{"installed": all(client)})
		if text := readFile(t, p.Hooks); !strings.Contains(text, `a b/helix' hook stop"`) || strings.Contains(text, "helix-hook") {
			t.Errorf("%s", text)
		}
	}
}

// TestRefused: a file that the client could not read either is named, with the
// place, and left alone.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"cut":            {`{"a": 1,` + "\n", "not valid JSON at byte 9 (line 2)"},
		"comment":        {"{\n// mine\n}", "not valid JSON at byte 3 (line 2)"},
		"a list":         {"[]", "does not hold a JSON object"},
		"null":           {"null", "does not hold a JSON object"},
		"two":            {"{} {}", "not valid JSON at byte 4"},
		"hooks a list":   {`{"hooks":[]}`, `"hooks" (byte 9) are not an object`},
		"event a string": {`{"hooks":{"Stop":"x"}}`, "hooks.Stop (byte 17) is not a list"},
	} {
		p := place(t, home(t), Claude, User)
		write(t, p.Hooks, c.text)
		change, err := Hooks(p, plain)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), p.Hooks) || strings.Contains(err.Error(), "\n") || change.Changed {
			t.Errorf("%s: %+v, %v", name, change, err)
		}
		if readFile(t, p.Hooks) != c.text || files(t, p.Dir) != "settings.json" {
			t.Errorf("%s: something was written: %s", name, files(t, p.Dir))
		}
	}
	p := place(t, home(t), Claude, User)
	write(t, p.Server, `{"mcpServers":[]}`)
	if c, err := Server(p, plain, nil, false); err == nil || c.Changed {
		t.Errorf("%+v, %v", c, err)
	}
	if err := os.MkdirAll(p.Hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := Hooks(p, plain); err == nil || c.Changed {
		t.Errorf("a folder: %+v, %v", c, err)
	}
}

func TestByteOrderMarkStays(t *testing.T) {
	t.Parallel()
	const mark = "\uFEFF"
	args := []string{"serve"}
	for name, c := range map[string]struct {
		before  string
		file    func(Place) string
		in, out func(Place) (Change, error)
		place   Place
	}{
		"hooks": {`{"model":"x"}`, func(p Place) string { return p.Hooks },
			func(p Place) (Change, error) { return Hooks(p, plain) }, Unhook, place(t, home(t), Claude, User)},
		"server": {`{"model":"x"}`, func(p Place) string { return p.Server },
			func(p Place) (Change, error) { return Server(p, plain, args, false) }, Unserve, place(t, home(t), Claude, User)},
		"toml": {"model = \"x\"\n", func(p Place) string { return p.Server },
			func(p Place) (Change, error) { return Server(p, plain, args, false) }, Unserve, place(t, home(t), Codex, User)},
		"nothing but the mark": {"", func(p Place) string { return p.Hooks },
			func(p Place) (Change, error) { return Hooks(p, plain) }, Unhook, place(t, home(t), Claude, User)},
	} {
		file := c.file(c.place)
		write(t, file, mark+c.before)
		if change, err := c.in(c.place); err != nil || !change.Changed {
			t.Errorf("%s: %+v, %v", name, change, err)
		}
		text, marked := strings.CutPrefix(readFile(t, file), mark)
		if !marked || strings.Contains(text, mark) || !strings.Contains(text, "helix") {
			t.Errorf("%s: %q", name, text)
		}
		if change, err := c.in(c.place); err != nil || change.Changed {
			t.Errorf("%s again: %+v, %v", name, change, err)
		}
		if s, err := Look(c.place, plain); err != nil {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if _, err := c.out(c.place); err != nil || c.before != "" && readFile(t, file) != mark+c.before {
			t.Errorf("%s: %v, %q", name, err, readFile(t, file))
		}
	}
}

func TestLinkIsFollowed(t *testing.T) {
	t.Parallel()
	m := home(t)
	p := place(t, m, Claude, User)
	real := filepath.Join(m.Home, "dotfiles", "claude.json")
	write(t, real, "{}\n")
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/claude.json", p.Hooks); err != nil {
		t.Fatal(err)
	}
	if _, err := Hooks(p, plain); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(p.Hooks); err != nil || info.Mode()&fs.ModeSymlink == 0 || !strings.Contains(readFile(t, real), "helix-hook") {
		t.Errorf("%v, %v, %s", info.Mode(), err, readFile(t, real))
	}
	if _, err := Unhook(p); err != nil || readFile(t, real) != "{}\n" {
		t.Errorf("%v, %s", err, readFile(t, real))
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	p := place(t, home(t), Claude, User)
	const before = `{"numStartups":7,"mcpServers":{"other":{"command":"x","args":[]}},"projects":{"/a":{"history":["<&>"]}}}`
	write(t, p.Server, before)
	if _, err := Server(p, plain, []string{"serve"}, false); err != nil {
		t.Fatal(err)
	}
	const with = `{"numStartups":7,"mcpServers":{"other":{"command":"x","args":[]},"helix":{"type":"stdio","command":"/opt/helix","args":["serve"]}},"projects":{"/a":{"history":["<&>"]}}}`
	if got := readFile(t, p.Server); got != with {
		t.Errorf("%s", got)
	}
	// What the person adds stays as long as the command is right.
	mine := strings.Replace(with, `"type":"stdio"`, `"type":"stdio","env":{"HELIX_KB":"/kb"}`, 1)
	write(t, p.Server, mine)
	if c, err := Server(p, plain, []string{"serve"}, false); err != nil || c.Changed || readFile(t, p.Server) != mine {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Server(p, Program{Helix: "/new/helix"}, []string{"serve"}, false); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, p.Server); got != strings.Replace(with, "/opt/", "/new/", 1) {
		t.Errorf("%s", got)
	}
	if _, err := Unserve(p); err != nil || readFile(t, p.Server) != before {
		t.Errorf("%v, %s", err, readFile(t, p.Server))
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir := "/" + rapid.String().Filter(func(s string) bool { return !strings.ContainsRune(s, 0) }).Draw(t, "folder")
		for _, p := range []Program{{Helix: dir + "/helix"}, {Helix: dir + "/helix", Hook: dir + "/helix-hook"}} {
			program, event, ok := ours(p.command("stop"))
			if want := p.Helix + p.Hook[min(len(p.Hook), len(p.Helix)):]; !ok || program != want || event != "stop" {
				t.Fatalf("%q: %q, %q, %v", p.command("stop"), program, event, ok)
			}
		}
	})
	for command, want := range map[string]bool{
		`helix hook stop`: true, `"/a b/helix-hook" stop`: true, `/a\ b/helix-hook stop /kb`: true, `A=b helix-hook stop`: true,
		`helix`: false, `helix-hook`: false, `helix run`: false, `echo helix hook stop`: false, `my-helix-hook stop`: false, `helix-hook.sh stop`: false,
		`guard && helix hook stop`: false, ``: false, `'`: false, `"\`: false,
	} {
		if _, _, ok := ours(command); ok != want {
			t.Errorf("%s: %v", command, ok)
		}
	}
}

// TestAnswers: one place whose hook can run is enough.
func TestAnswers(t *testing.T) {
	t.Parallel()
	m := home(t)
	user, project := place(t, m, Claude, User), place(t, m, Claude, Project)
	want := func(want bool) {
		t.Helper()
		if got, err := Answers([]Place{user, project}, "SessionStart"); err != nil || got != want {
			t.Errorf("%t, %v; want %t", got, err, want)
		}
	}
	want(false)
	gone := Program{Helix: filepath.Join(m.Home, "gone")}
	if _, err := Hooks(user, gone); err != nil {
		t.Fatal(err)
	}
	want(false)
	real := Program{Helix: filepath.Join(m.Home, "helix")}
	write(t, real.Helix, "#!/bin/sh\n")
	if err := os.Chmod(real.Helix, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Hooks(project, real); err != nil {
		t.Fatal(err)
	}
	want(true)
	write(t, user.Hooks, "{")
	if _, err := Answers([]Place{user}, "SessionStart"); err == nil {
		t.Error("settings that cannot be read were read")
	}
}
