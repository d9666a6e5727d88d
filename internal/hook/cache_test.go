package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/hook/handover"
	"helix/internal/precompute"
)

const overview = `# Project context

## Rules

### CLAUDE.md

- Wrap errors with what was done.
- No globals.

## Recent decisions

- [auth] Tokens rotate (mem_1, 2 d ago)

# Focus

## Active files

### client/retry.go (4 recent changes)
` + "```" + `
12: func Backoff(attempt int) time.Duration
` + "```" + `

# Project structure

- client/ — retries requests with backoff [expand: node_3]
`

// repo is a repository with a queue, and a folder in it.
func repo(t testing.TB) (root, below string) {
	t.Helper()
	root = t.TempDir()
	below = filepath.Join(root, "client")
	for _, d := range []string{".git", ".ddx", "client"} {
		if err := os.Mkdir(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root, below
}

// asker asks hooks about one session in the folder cwd.
type asker struct {
	dir, cwd string
	env      map[string]string
	now      time.Time // zero: the present
	started  [][]string
}

func (a *asker) ask(t testing.TB, event, more string) string {
	t.Helper()
	var out, debug bytes.Buffer
	env := Env{
		Getenv: func(name string) string { return a.env[name] }, Dir: a.dir, Debug: &debug,
		Start: func(args []string, dir string) error {
			a.started = append(a.started, append([]string{dir}, args...))
			return nil
		},
	}
	if !a.now.IsZero() {
		env.Now = func() time.Time { return a.now }
	}
	cwd, err := json.Marshal(a.cwd)
	if err != nil {
		t.Fatal(err)
	}
	Run(event, strings.NewReader(fmt.Sprintf(`{"session_id":"s","cwd":%s%s}`, cwd, more)), &out, env)
	if debug.Len() > 0 {
		t.Fatalf("%s: %s", event, &debug)
	}
	return contextOf(t, out.String(), event)
}

func leave(t testing.TB, dir, root, text string, at time.Time) {
	t.Helper()
	if err := precompute.Write(dir, root, precompute.Content{Context: text, Nodes: []string{"client/retry.go"}, Memories: 1}, at); err != nil {
		t.Fatal(err)
	}
}

// TestPrepared: what a server has left is told at the start of a session, where a
// question has words of it, and at the first edit.
func TestPrepared(t *testing.T) {
	t.Parallel()
	root, below := repo(t)
	dir := remembers(t, shop...)
	a := &asker{dir: dir, cwd: below}
	const question = `,"prompt":"why does backoff in retry take so long?"`
	const edit = `,"tool_name":"Edit","tool_input":{"file_path":"client/send.go","old_string":"abcdefghi","new_string":"b"}`
	if got := a.ask(t, "SessionStart", ""); strings.Contains(got, "\n\n") {
		t.Errorf("without anything prepared: %s", got)
	}
	before := map[string]string{"UserPromptSubmit": a.ask(t, "UserPromptSubmit", question), "PreToolUse": a.ask(t, "PreToolUse", edit)}
	leave(t, dir, root, overview, time.Now())

	want := `HELIX MEMORY: 3 entries in 2 topics.
Topics: auth (2), build (1)
BEFORE you start, call mcp__helix__search with words of your task; what earlier sessions learned is there.

` + strings.TrimSpace(overview)
	if diff := cmp.Diff(want, a.ask(t, "SessionStart", "")); diff != "" {
		t.Error(diff)
	}
	want = `helix memory, relevant to the question:
  [auth] 2026-03-04 Tokens live for 15 minutes; the retry uses jitter. (mem_0)
in this project:
  client/retry.go: 12: func Backoff(attempt int) time.Duration`
	if got := a.ask(t, "UserPromptSubmit", `,"prompt":"which retry has the backoff and the tokens?"`); got != want {
		t.Errorf("a question: %s", got)
	}
	if got := a.ask(t, "UserPromptSubmit", `,"prompt":"what is for dinner tonight, Anna?"`); got != "" {
		t.Errorf("a question about something else: %s", got)
	}
	if got := a.ask(t, "PreToolUse", `,"tool_name":"Read","tool_input":{"file_path":"client/send.go"}`); strings.Contains(got, "rules") {
		t.Errorf("the rules were told before a reading: %s", got)
	}
	want = "the project's rules:\n### CLAUDE.md\n\n- Wrap errors with what was done.\n- No globals."
	if got := a.ask(t, "PreToolUse", edit); got != want {
		t.Errorf("the first edit: %s", got)
	}
	if got := a.ask(t, "PreToolUse", edit); got != before["PreToolUse"] {
		t.Errorf("the second edit: %s", got)
	}
	if len(a.started) > 0 {
		t.Errorf("%q was started", a.started)
	}

	// An agent of a run has all that in its prompt.
	a = &asker{dir: dir, cwd: below, env: map[string]string{"HELIX_AGENT_SESSION": "1"}}
	if got := a.ask(t, "SessionStart", ""); strings.Contains(got, "# Project") {
		t.Errorf("told to an agent of a run: %s", got)
	}
	if got := a.ask(t, "UserPromptSubmit", question); got != before["UserPromptSubmit"] {
		t.Errorf("told to an agent of a run: %s", got)
	}
}

// TestNotPrepared: a file that cannot be relied on changes nothing.
func TestNotPrepared(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, tt := range map[string]struct {
		at    time.Time
		spoil func(t *testing.T, path, dir string)
		told  bool
	}{
		"fresh":          {at: now, told: true},
		"of yesterday":   {at: now.Add(-25 * time.Hour)},
		"of 23 hours":    {at: now.Add(-23 * time.Hour), told: true},
		"of the future":  {at: now.Add(time.Hour)},
		"before a write": {at: now.Add(-20 * time.Minute), spoil: func(t *testing.T, _, dir string) { touch(t, filepath.Join(dir, "data.log"), now) }},
		"a write of late": {at: now.Add(-5 * time.Minute), told: true,
			spoil: func(t *testing.T, _, dir string) { touch(t, filepath.Join(dir, "data.log"), now) }},
		"missing": {at: now, spoil: func(t *testing.T, path, _ string) { os.Remove(path) }},
		"empty":   {at: now, spoil: func(t *testing.T, path, _ string) { write(t, path, "") }},
		"torn":    {at: now, spoil: func(t *testing.T, path, _ string) { cutFile(t, path, 40) }},
		"no JSON": {at: now, spoil: func(t *testing.T, path, _ string) { write(t, path, strings.Repeat("\x00", 500)) }},
		"a list":  {at: now, spoil: func(t *testing.T, path, _ string) { write(t, path, `["timestamp"]`) }},
		"types": {at: now, spoil: func(t *testing.T, path, _ string) {
			write(t, path, `{"timestamp":"now","project_hash":1,"context":[]}`)
		}},
		"huge":      {at: now, spoil: func(t *testing.T, path, _ string) { pad(t, path, 1<<20) }},
		"a folder":  {at: now, spoil: func(t *testing.T, path, _ string) { os.Remove(path); os.Mkdir(path, 0o700) }},
		"foreign":   {at: now, spoil: func(t *testing.T, path, _ string) { edit(t, path, `"project_hash":"`, `"project_hash":"f`) }},
		"no time":   {at: now, spoil: func(t *testing.T, path, _ string) { edit(t, path, `"timestamp":`, `"time":`) }},
		"half time": {at: now, spoil: func(t *testing.T, path, _ string) { edit(t, path, `,"project_hash"`, `.5,"project_hash"`) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, below := repo(t)
			dir := remembers(t, shop...)
			touch(t, filepath.Join(dir, "data.log"), now.Add(-48*time.Hour))
			leave(t, dir, root, overview, tt.at)
			if tt.spoil != nil {
				tt.spoil(t, handover.Context(dir, handover.Project(root)), dir)
			}
			a := &asker{dir: dir, cwd: below, now: now}
			got := a.ask(t, "SessionStart", "")
			if strings.Contains(got, "# Project context") != tt.told || !strings.Contains(got, "3 entries") {
				t.Error(got)
			}
			a.ask(t, "UserPromptSubmit", `,"prompt":"why does backoff in retry take so long?"`)
			a.ask(t, "PreToolUse", `,"tool_name":"Write","tool_input":{"file_path":"client/send.go","content":"x"}`)
		})
	}
}

func touch(t *testing.T, path string, at time.Time) {
	t.Helper()
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func cutFile(t *testing.T, path string, n int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(text[:len(text)-n]))
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatal(err, string(text))
	}
	write(t, path, strings.Replace(string(text), old, new, 1))
}

// pad makes a valid file of more than n bytes.
func pad(t *testing.T, path string, n int) {
	edit(t, path, "{", `{"more":"`+strings.Repeat("x", n)+`",`)
}

// TestStartFits: the answer to the start of a session stays below the size from which
// the clients do not show it.
func TestStartFits(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"lines":  strings.Repeat("- a rule of the project\n", 600),
		"quotes": strings.Repeat(`""""\\\\`+"\n", 600),
		"wide":   strings.Repeat("規則の一つ\n", 600),
	} {
		root, below := repo(t)
		dir := remembers(t, shop...)
		leave(t, dir, root, text, time.Now())
		var out bytes.Buffer
		Run("SessionStart", strings.NewReader(fmt.Sprintf(`{"cwd":%q}`, below)), &out, Env{Getenv: noEnv, Dir: dir})
		got := contextOf(t, out.String(), "SessionStart")
		_, told, _ := strings.Cut(got, "\n\n")
		if out.Len() > 9000 || len(told) < 3000 || !strings.HasPrefix(text, told+"\n") {
			t.Errorf("%s: %d bytes, %d of them of the context", name, out.Len(), len(told))
		}
	}
}

// TestNudge: a server is asked to refresh, and whatever it does, a session starts.
func TestNudge(t *testing.T) {
	t.Parallel()
	root, below := repo(t)
	short := func() string { // a socket's path must be short
		dir, err := os.MkdirTemp("", "h")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	t.Run("answered", func(t *testing.T) {
		dir := short()
		l, err := net.Listen("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		a := &asker{dir: dir, cwd: below}
		a.ask(t, "SessionStart", "")
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var r struct{ Op, Root string }
		if err := json.NewDecoder(c).Decode(&r); err != nil || r.Op != "refresh" || r.Root != root {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("full", func(t *testing.T) { // nobody accepts: at last there is no room
		dir := short()
		l, err := net.Listen("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for range 5000 {
			if !nudge(filepath.Join(dir, socketName), root) {
				t.Fatal("the server seems to be gone")
			}
		}
	})
	t.Run("dead", func(t *testing.T) {
		dir := short()
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
		for _, path := range []string{socketName, "none", strings.Repeat("x", 200)} {
			if nudge(filepath.Join(dir, path), root) {
				t.Errorf("%s answers", path)
			}
		}
		write(t, filepath.Join(dir, "file"), "x")
		if nudge(filepath.Join(dir, "file"), root) {
			t.Error("a file answers")
		}
	})
}

func FuzzReadCache(f *testing.F) {
	dir := f.TempDir()
	if err := precompute.Write(dir, dir, precompute.Content{Context: overview}, time.Unix(1706940000, 0)); err != nil {
		f.Fatal(err)
	}
	project := handover.Project(dir)
	text, err := os.ReadFile(handover.Context(dir, project))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(strings.Replace(string(text), project, "p", 1))
	f.Add(`{"timestamp":1,"project_hash":"p","context":"## Rules\n"}`)
	f.Add(`{"timestamp":-1,"project_hash":"p"}`)
	f.Add(`{"timestamp":1e9,"project_hash":"\u0070","context":"\ud83d"}`)
	f.Fuzz(func(t *testing.T, text string) {
		context, made, ok := readCache(text, "p")
		var want struct {
			Project string `json:"project_hash"`
		}
		if ok && (made.Unix() <= 0 || json.Unmarshal([]byte(text), &want) != nil) {
			t.Errorf("%q was read as %q of %s", text, context, made)
		}
		for _, l := range facts(context, []string{"wrap", "errors"}) {
			if len(l) > maxFactBytes || strings.Contains(l, "\n") {
				t.Errorf("a line: %q", l)
			}
		}
		section(context, "Rules")
		for _, n := range []int{0, 10, 100} {
			var b bytes.Buffer
			quote(&b, fit(context, n))
			if b.Len() > n+2 && fit(context, n) != "" {
				t.Errorf("%q has %d bytes, not %d", b.String(), b.Len(), n)
			}
		}
	})
}
