package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// values draws a JSON value; those that helix looks at are among them.
func values(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.String().Draw(t, "text")
		case 1:
			return json.Number(rapid.SampledFrom([]string{"0", "-1.5e+3", "12345678901234567890", "1.10"}).Draw(t, "number"))
		case 2:
			return rapid.Bool().Draw(t, "truth")
		case 3:
			return nil
		case 4:
			return rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "list")
		}
		return rapid.MapOfN(rapid.OneOf(rapid.String(), rapid.Just("hooks"), rapid.Just("command")), values(depth-1), 0, 3).Draw(t, "object")
	})
}

// foreign draws settings with hooks of others.
func foreign() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		all := rapid.MapOfN(rapid.String(), values(2), 0, 4).Draw(t, "settings")
		delete(all, "hooks")
		if rapid.Bool().Draw(t, "has hooks") {
			events := map[string]any{}
			for _, e := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Stop", "PreToolUse", "SessionStart", "Notification"}), 1, 3, rapid.ID).Draw(t, "events") {
				// A list that is empty after helix's are gone goes with them.
				events[e] = rapid.SliceOfN(rapid.OneOf(values(2), rapid.Just[any](map[string]any{"matcher": "Bash", "hooks": []any{map[string]any{"type": "command", "command": "mine"}}})), 1, 3).Draw(t, "hooks")
			}
			all["hooks"] = events
		}
		return all
	})
}

func decode(t *rapid.T, text []byte) any {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// TestRoundTrip: installing adds nothing but helix's hooks, installing again does
// nothing, and taking them out gives the values back that were there, whatever the
// file looks like.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		settings := foreign().Draw(t, "file")
		indent := rapid.SampledFrom([]string{"", "  ", "\t", "    "}).Draw(t, "indent")
		var text []byte
		var err error
		if indent == "" {
			text, err = json.Marshal(settings)
		} else {
			text, err = json.MarshalIndent(settings, "", indent)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := Place{Client: rapid.SampledFrom([]string{Claude, Codex}).Draw(t, "client"), Scope: User, Hooks: filepath.Join(dir, "settings.json"), Dir: dir}
		if err := os.WriteFile(p.Hooks, text, 0o600); err != nil {
			t.Fatal(err)
		}
		read := func() []byte {
			b, err := os.ReadFile(p.Hooks)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		before := decode(t, text)
		if c, err := Hooks(p, plain); err != nil || !c.Changed {
			t.Fatalf("%+v, %v", c, err)
		}
		installed := read()
		s, err := Look(p, plain)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range s.Hooks {
			if h.State != "no program" {
				t.Fatalf("%+v in %s", h, installed)
			}
		}
		if c, err := Hooks(p, plain); err != nil || c.Changed {
			t.Fatalf("again: %+v, %v", c, err)
		}
		if _, err := Unhook(p); err != nil {
			t.Fatal(err)
		}
		if after := decode(t, read()); !reflect.DeepEqual(before, after) {
			t.Fatalf("before %s\nafter %s", text, read())
		}
		if indent != "" && string(read()) != string(text) {
			t.Fatalf("the layout changed:\n%s\n%s", text, read())
		}
	})
}

// TestTableRoundTrip: the same for the settings of Codex, which keep every byte.
func TestTableRoundTrip(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"# comment [mcp_servers.helix]\n", "\n", "[a]\nx = 1 # end\n", "[a.b]\ntext = \"\"\"\n[mcp_servers.helix]\n\\\"\"\"\"\n", "[[list]]\nn = [\n  [1, 2], # ]\n  [3],\n]\n", "[[list]]\n",
		"[mcp_servers.other]\ncommand = 'x # y'\nenv = { A = \"]\" }\n", "[mcp_servers.helixir]\ncommand = '''\n[c]'''\n", "['quoted.[name]']\n", "[ c . \"d\" ]\n\tk = \"\\\\\"\n\n", "[date]\nd = 2026-01-02T03:04:05Z\r\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "model = \"x\"\n", "\n\nmodel = \"[y]\" # z\n"}).Draw(t, "head") + strings.Join(rapid.SliceOfNDistinct(piece, 0, 6, rapid.ID).Draw(t, "pieces"), "")
		var before map[string]any
		if toml.Unmarshal([]byte(text), &before) != nil {
			t.Skip("not valid together")
		}
		with, err := setTable([]byte(text), "/opt/h\"e\\lix", []string{"serve"}, true)
		if err != nil {
			t.Fatal(err)
		}
		var now struct {
			Servers map[string]map[string]any `toml:"mcp_servers"`
		}
		if err := toml.Unmarshal(with, &now); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"command": "/opt/h\"e\\lix", "args": []any{"serve"}, "env_vars": []any{"HELIX_KB", "HELIX_SESSION"}, "default_tools_approval_mode": "approve"}
		if !reflect.DeepEqual(now.Servers["helix"], want) {
			t.Fatalf("%v in\n%s", now.Servers, with)
		}
		again, err := setTable(with, "/opt/h\"e\\lix", []string{"serve"}, true)
		if err != nil || string(again) != string(with) {
			t.Fatalf("again: %v\n%s", err, again)
		}
		without, err := dropTable(with)
		if err != nil || string(without) != text {
			t.Fatalf("%v\n%q\n%q", err, text, without)
		}
	})
}

func TestTable(t *testing.T) {
	t.Parallel()
	const now = "a = 1\n\n# about helix\n[mcp_servers.helix] # mine\ncommand = \"/old\"\nargs = [\n  \"serve\",\n]\n\n[mcp_servers.helix.env]\nX = \"1\"\n\n# about b\n[b]\nc = 2\n"
	got, err := setTable([]byte(now), "/opt/helix", []string{"serve"}, false)
	const want = "a = 1\n\n# about helix\n[mcp_servers.helix]\ncommand = \"/opt/helix\"\nargs = [\"serve\"]\nenv_vars = [\"HELIX_KB\", \"HELIX_SESSION\"]\n\n[mcp_servers.helix.env]\nX = \"1\"\n\n# about b\n[b]\nc = 2\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = dropTable([]byte(now))
	if err != nil || string(got) != "a = 1\n\n# about helix\n\n# about b\n[b]\nc = 2\n" {
		t.Errorf("%v\n%q", err, got)
	}
	// What the person adds stays as long as the command is right.
	mine := want + "\n[x]\n"
	mine = strings.Replace(mine, "args = [\"serve\"]\n", "args = [\"serve\"]\nstartup_timeout_sec = 20\n", 1)
	mine = strings.Replace(mine, "env_vars = [", "env_vars = [\"MINE\", ", 1)
	if got, err := setTable([]byte(mine), "/opt/helix", []string{"serve"}, false); err != nil || string(got) != mine {
		t.Errorf("%v\n%s", err, got)
	}
	// A table from before the variables were passed on gets them.
	old := strings.Replace(want, passed+"\n", "", 1)
	if got, err := setTable([]byte(old), "/opt/helix", []string{"serve"}, false); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, bad := range []string{"a = ", "[mcp_servers]\nhelix = { command = \"x\" }\n", "mcp_servers.helix.command = \"x\"\n", "mcp_servers = 3\n", "a = 1\na = 2\n", "x = \"\"\"\n"} {
		if got, err := setTable([]byte(bad), "/opt/helix", nil, false); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v\n%s", bad, err, got)
		}
	}
}

// FuzzTable: no file makes the editor fail otherwise than by an error, and what it
// writes is valid, holds the server, and gives the bytes back.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"", "a = 1", "[a]\nb = [\n'x',\n]\n", "a = \"\"\"x\"\"\"\"\"\n", "[a]\r\nb = 1\r\n", "[\"a\\u0062\".c]\n", "# x", "[mcp_servers.helix]\n", "[[mcp_servers.helix]]\n", "[mcp_servers.helix.env]\nA='1'\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		with, err := setTable([]byte(text), "/opt/helix", []string{"serve"}, false)
		if err != nil {
			return
		}
		if tables := tables(with); len(tables) == 0 {
			t.Fatalf("no table in %q", with)
		}
		without, err := dropTable(with)
		if err != nil {
			t.Fatalf("%v in %q", err, with)
		}
		if !strings.Contains(text, "helix") && strings.TrimRight(string(without), "\n") != strings.TrimRight(text, "\n") {
			t.Fatalf("%q became %q", text, without)
		}
	})
}

// FuzzDocument: the same for JSON.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{"", "{}", "{ }", `{"hooks":{}}`, others, `{"hooks":{"Stop":[]}}`, `{"hooks":{"Stop":[1,{"hooks":[{"command":"helix hook x"}]}]}}`, `{"a":"\"{","hooks":{"Stop":[[],{}]},"hooks":{}}`, "{\n\t\"a\": [\n]}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parse([]byte(text))
		if err != nil || d.checkHooks() != nil {
			return
		}
		for _, w := range hooks(Claude) {
			d.addHook(w, plain)
		}
		if !json.Valid(d.text) {
			t.Fatalf("%q became %q", text, d.text)
		}
		d.dropHooks(func(string) bool { return true })
		if !json.Valid(d.text) || len(found(d)) > 0 {
			t.Fatalf("%q became %q", text, d.text)
		}
	})
}
