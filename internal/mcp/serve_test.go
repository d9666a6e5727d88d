package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helix/internal/checkout"
	"helix/internal/guide"
	"helix/internal/kb"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestMain makes the test binary a server when a test starts it as one.
func TestMain(m *testing.M) {
	dir := os.Getenv("MCP_TEST_SERVE")
	if dir == "" {
		os.Exit(m.Run())
	}
	root := checkout.Of(os.Getenv("MCP_TEST_IN"))
	memory := kb.Open(dir, kb.WithRoot(root), kb.WithProject(root, root))
	err := errors.Join(
		Serve(context.Background(), Options{Memory: memory, Guide: testGuide(memory), Version: "test", In: os.Stdin, Out: os.Stdout}),
		memory.Close())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// client is the SDK's client on a server process of its own.
func client(t *testing.T, dir string) *sdk.ClientSession {
	t.Helper()
	return clientIn(t, dir, "")
}

// clientIn is that of a client who works in a folder.
func clientIn(t *testing.T, dir, in string) *sdk.ClientSession {
	t.Helper()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), "MCP_TEST_SERVE="+dir, "MCP_TEST_IN="+in)
	server.Stderr = os.Stderr
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &sdk.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the server's end: %v", err)
		}
	})
	return s
}

func callTool(t *testing.T, s *sdk.ClientSession, name string, args any) (text string, structured any, isError bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s: %d contents", name, len(r.Content))
	}
	return r.Content[0].(*sdk.TextContent).Text, r.StructuredContent, r.IsError
}

type args = map[string]any

// TestProjects: what is stored belongs to the project in which the server was started,
// or where the call says.
func TestProjects(t *testing.T) {
	t.Parallel()
	dir, base := t.TempDir(), t.TempDir()
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	shop, web := filepath.Join(base, "shop"), filepath.Join(base, "web")
	for _, root := range []string{shop, web} {
		if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	inShop, inWeb := clientIn(t, dir, shop), clientIn(t, dir, web)
	for _, c := range []struct {
		s     *sdk.ClientSession
		tool  string
		args  args
		want  string // in the JSON of the result
		error bool
	}{
		{s: inShop, tool: "store", args: args{"topic": "auth", "text": "decision: tokens live 15 minutes"}, want: `"project":"` + shop + `"`},
		{s: inShop, tool: "store", args: args{"topic": "git", "text": "no merge commits", "project": "none"}, want: `"topic":"git"`},
		{s: inWeb, tool: "batch", args: args{"entries": []args{{"topic": "auth", "text": "cookies are signed"}, {"topic": "auth", "text": "sessions are short", "project": "shop"}}}, want: `"project":"` + shop + `"`},
		{s: inWeb, tool: "batch", args: args{"project": "none", "entries": []args{{"topic": "x", "text": "y"}}}, want: `"stored":1`},
		{s: inWeb, tool: "search", args: args{"query": "tokens"}, want: `"other_project":true`},
		{s: inWeb, tool: "search", args: args{"query": "project:shop"}, want: `"matches":2`},
		{s: inWeb, tool: "search", args: args{"project": "."}, want: `"matches":1`},
		{s: inWeb, tool: "search", args: args{"project": "none"}, want: `"matches":2`},
		{s: inWeb, tool: "topics", args: args{"action": "recent", "project": "shop"}, want: "tokens live"},
		{s: inWeb, tool: "topics", args: args{"action": "entries", "topic": "auth", "project": "."}, want: `"matches":1`},
		{s: inWeb, tool: "store", args: args{"topic": "x", "text": "y", "project": "nowhere"}, want: `project "nowhere" is not known here`, error: true},
		{s: inWeb, tool: "search", args: args{"query": "project:../.."}, want: "is in no git checkout", error: true},
	} {
		text, structured, isError := callTool(t, c.s, c.tool, c.args)
		got, err := json.Marshal(structured)
		if err != nil {
			t.Fatal(err)
		}
		if isError {
			got = []byte(text)
		}
		if isError != c.error || !strings.Contains(string(got), c.want) {
			t.Errorf("%s %v: %s\n%s", c.tool, c.args, text, got)
		}
	}
}

// TestEveryTool calls every tool, and every action, over a real pair of pipes.
// What comes back fits the schema that the tool has announced.
func TestEveryTool(t *testing.T) {
	t.Parallel()
	s := client(t, t.TempDir())
	schemas := outputSchemas(t, s)
	exported := ""
	for _, c := range []struct {
		tool string
		args args
		want string // in the text
	}{
		{"store", args{"topic": "auth", "text": "gotcha: tokens live 15 minutes", "source": "auth.go:42", "tags": []string{"token"}}, "stored in auth [tags: token]"},
		{"store", args{"topic": "auth", "text": "gotcha: the clock of the login server is late", "confidence": "0.8", "force": "true", "links": "auth:0"}, "(~80%)"},
		{"batch", args{"entries": []args{{"topic": "build", "text": "auth is built first"}, {"topic": "build"}}, "verbose": true}, "batch: 1/2 stored"},
		{"search", args{"query": "token"}, "1 match"},
		{"search", args{"query": "token", "detail": "full", "limit": "5", "days": 3}, "15 minutes"},
		{"search", args{"query": "token", "detail": "brief"}, "tokens"},
		{"search", args{"query": "auth", "detail": "count"}, "match"},
		{"search", args{"query": "auth", "detail": "topics"}, "build: 1"},
		{"search", args{"query": "auth", "detail": "grouped"}, "build"},
		{"search", args{"query": "none of these there"}, "no matches"},
		{"search", args{"query": "", "topic": "build"}, "built first"},
		{"brief", args{}, "==="},
		{"brief", args{"query": "auth", "detail": "full", "since": "48", "focus": "gotchas", "compact": "1"}, "auth"},
		{"brief", args{"query": "auth", "detail": "scan"}, "auth"},
		{"read", args{"topic": "auth"}, "2 entries in auth"},
		{"read", args{"topic": "auth", "index": -1}, "clock"},
		{"topics", args{}, "auth: 2"},
		{"topics", args{"action": "list"}, "auth: 2"},
		{"topics", args{"action": "recent", "hours": 2}, "3 entries"},
		{"topics", args{"action": "entries", "topic": "auth"}, "tokens"},
		{"topics", args{"action": "entries", "topic": "auth", "match_str": "clock"}, "clock"},
		{"topics", args{"action": "stats"}, "2 topics"},
		{"topics", args{"action": "stats", "detail": "tags"}, "#token"},
		{"topics", args{"action": "stats", "detail": "index"}, "index"},
		{"topics", args{"action": "xref", "topic": "auth"}, "build"},
		{"topics", args{"action": "graph"}, "build"},
		{"topics", args{"action": "stale"}, "stale"},
		{"topics", args{"action": "prune", "days": 1}, "quiet"},
		{"topics", args{"action": "session"}, "3 entries"},
		{"topics", args{"action": "verify"}, "as it was written"},
		{"topics", args{"action": "export"}, "tokens"},
		{"topics", args{"action": "export", "format": "markdown", "topic": "auth"}, "tokens"},
		{"edit", args{"action": "export", "format": "jsonl"}, "tokens"},
		{"context", args{"task": "log in", "max_tokens": 300}, "[expand: node_1]"},
		{"expand", args{"node": "node_1"}, "login.go"},
		{"ask", args{"question": "what calls Login"}, "cmd/main.go:7: auth.Login()"},
		{"ask", args{"question": "why do tokens live so long", "limit": "3"}, "15 minutes"},
		{"edit", args{"action": "append", "topic": "auth", "text": "by 3 seconds"}, "appended to last entry in auth"},
		{"edit", args{"action": "revise", "topic": "auth", "index": "0", "text": "tokens live 20 minutes"}, "revised"},
		{"edit", args{"action": "tag", "topic": "auth", "match_str": "clock", "tag": "time,ops", "remove": "gotcha"}, "updated tags"},
		{"edit", args{"action": "rename", "topic": "build", "new_name": "make"}, "renamed"},
		{"edit", args{"action": "merge", "topic": "make", "into": "auth"}, "merged 1 entry"},
		{"edit", args{"action": "delete", "topic": "auth"}, "removed last entry from auth"},
		{"edit", args{"action": "delete", "topic": "auth", "all": true}, "deleted auth"},
		{"edit", args{"action": "import", "data": &exported}, "imported 3 entries"},
		{"edit", args{"action": "import", "json": `{"old":[{"ts":28000000,"body":"[tags: gotcha]\nfrom long ago"}]}`}, "imported 1 entry"},
		{"edit", args{"action": "compact"}, "compacted"},
		{"edit", args{"action": "reindex"}, "index"},
		{"search", args{"query": "token"}, "1 match"},
	} {
		text, structured, isError := callTool(t, s, c.tool, c.args)
		if isError || !strings.Contains(text, c.want) {
			t.Errorf("%s %v: error %t, no %q in:\n%s", c.tool, c.args, isError, c.want, text)
		}
		if c.args["action"] == "export" && c.args["topic"] == nil {
			exported = text
		}
		if structured == nil {
			t.Errorf("%s %v: nothing structured", c.tool, c.args)
		}
		if err := schemas[c.tool].Validate(structured); err != nil {
			t.Errorf("%s %v: %v: %v", c.tool, c.args, structured, err)
		}
	}
}

func outputSchemas(t *testing.T, s *sdk.ClientSession) map[string]*jsonschema.Resolved {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		text, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		if schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
	}
	return schemas
}

// TestRefusals: what cannot be done is for the model to read, and changes nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := client(t, dir)
	callTool(t, s, "store", args{"topic": "auth", "text": "one"})
	before := files(t, dir)
	for _, c := range []struct {
		tool string
		args any
		want string
	}{
		{"store", args{}, "store: topic is missing"},
		{"store", args{"topic": "auth", "text": ""}, "text"},
		{"store", args{"topic": "auth", "text": "x", "colour": "red"}, `unknown argument "colour"`},
		{"store", args{"topic": "auth", "text": "x", "kind": "rumour"}, `kind is "rumour": it must be one of fact,`},
		{"store", args{"topic": "auth", "text": "x", "confidence": 2}, "the most is 1"},
		{"store", args{"topic": strings.Repeat("t", 10_000), "text": "x"}, "topic"},
		{"batch", args{"entries": []args{}}, "no entries"},
		{"batch", args{"entries": slices.Repeat([]args{{"topic": "a", "text": "b"}}, 31)}, "the most is 30"},
		{"search", args{"query": " "}, "say what to look for"},
		{"search", args{"query": "a", "limit": -1}, "the least is 0"},
		{"search", args{"query": "a", "after": "someday"}, "someday"},
		{"search", args{"query": "a", "detail": "all"}, "it must be one of full, medium"},
		{"read", args{"topic": "none"}, "none"},
		{"read", args{"topic": "auth", "index": 7}, "7"},
		{"topics", args{"action": "compact"}, "call the tool edit"},
		{"topics", args{"action": "reindex"}, "call the tool edit"},
		{"topics", args{"action": "import", "json": "{}"}, "call the tool edit"},
		{"topics", args{"action": "dance"}, "there are"},
		{"topics", args{"action": "xref"}, "topic"},
		{"edit", args{"action": "dance"}, "the actions are append, revise"},
		{"edit", args{"topic": "auth"}, "action is missing"},
		{"edit", args{"action": "delete", "topic": "none"}, "none"},
		{"edit", args{"action": "revise", "topic": "auth"}, "text"},
		{"edit", args{"action": "import", "data": "not an export"}, "line 1"},
		{"context", args{}, "say for which task"},
		{"context", args{"bead": "hx-1"}, "no queue here"},
		{"context", args{"task": "x", "max_tokens": 1000000}, "give 1 to"},
		{"expand", args{"node": "node_9"}, "no node node_9 any more"},
		{"ask", args{"question": " "}, "the question is missing"},
		{"ask", args{"question": "x", "limit": 201}, "give 1 to 200"},
	} {
		text, structured, isError := callTool(t, s, c.tool, c.args)
		if c.args.(args)["action"] == "dance" && c.tool == "topics" {
			c.want = "the actions are list, recent"
		}
		if !isError || !strings.Contains(text, c.want) || strings.Contains(strings.TrimSpace(text), "\n") {
			t.Errorf("%s %v: error %t, want one line with %q:\n%s", c.tool, c.args, isError, c.want, text)
		}
		if structured != nil {
			t.Errorf("%s: an error has structured content, which hides its text", c.tool)
		}
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("the folder has changed:\n%s", diff)
	}
}

// files are the contents of what holds the truth in a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range []string{"data.log"} {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		all[path] = string(text)
	}
	return all
}

// TestTwoServers: what one server stores, the other finds at once.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := client(t, dir), client(t, dir)
	for i := range 5 {
		word := fmt.Sprintf("word%d", i)
		from, to := a, b
		if i%2 == 1 {
			from, to = b, a
		}
		callTool(t, from, "store", args{"topic": "t", "text": "this has the " + word, "force": true})
		if text, _, _ := callTool(t, to, "search", args{"query": word}); !strings.Contains(text, "1 match") {
			t.Fatalf("the other server says %s", text)
		}
		if text, _, _ := callTool(t, to, "topics", args{}); !strings.Contains(text, fmt.Sprintf("t: %d", i+1)) {
			t.Fatalf("the other server says %s", text)
		}
	}
	callTool(t, a, "edit", args{"action": "delete", "topic": "t", "all": true})
	if text, _, _ := callTool(t, b, "search", args{"query": "word1"}); !strings.Contains(text, "no matches") {
		t.Errorf("what was deleted is still found: %s", text)
	}
}

// TestToolsList compares the announced tools with testdata/tools.json: what a
// model is told is changed on purpose only.
func TestToolsList(t *testing.T) {
	t.Parallel()
	list, err := client(t, t.TempDir()).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(list.Tools); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "tools.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("tools/list has changed (go test ./internal/mcp -update): -want +got\n%s", diff)
	}
}

func TestToolProperties(t *testing.T) {
	t.Parallel()
	reading := []string{"search", "brief", "read", "topics", "context", "expand", "ask"}
	always := []string{"search", "store"}
	for _, tool := range append(tools(), guideTools(&guide.Guide{})...) {
		d := tool.describe()
		if got, want := d.Annotations.ReadOnlyHint, slices.Contains(reading, d.Name); got != want {
			t.Errorf("%s: readOnlyHint %t", d.Name, got)
		}
		if got, want := *d.Annotations.DestructiveHint, d.Name == "edit"; got != want {
			t.Errorf("%s: destructiveHint %t", d.Name, got)
		}
		if got, want := d.Annotations.IdempotentHint, slices.Contains(reading, d.Name); got != want {
			t.Errorf("%s: idempotentHint %t", d.Name, got)
		}
		if got, want := d.Meta["anthropic/alwaysLoad"] == true, slices.Contains(always, d.Name); got != want {
			t.Errorf("%s: alwaysLoad %t", d.Name, got)
		}
		if writes(json.RawMessage(`{"name":"`+d.Name+`"}`)) == d.Annotations.ReadOnlyHint {
			t.Errorf("%s: the connection and the annotations disagree on whether it writes", d.Name)
		}
	}
}

// TestVersions opens with every protocol version, as raw lines.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		byID, _ := exchange(t, kb.Open(t.TempDir()), initialize(version)+
			`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`+"\n"+callLine(1, "topics", "{}"))
		if got := string(byID[`"init"`].Result); !strings.Contains(got, `"protocolVersion":"`+version+`"`) {
			t.Errorf("%s: initialize gives %s", version, got)
		}
		if got := string(byID[`"list"`].Result); strings.Count(got, `"inputSchema"`) != 7 {
			t.Errorf("%s: tools/list gives %s", version, got)
		}
		if got := string(byID["1"].Result); !strings.Contains(got, `"structuredContent":{"action":"list"`) {
			t.Errorf("%s: a call gives %s", version, got)
		}
	}
	// An unknown version gets one that the server has.
	byID, _ := exchange(t, kb.Open(t.TempDir()), initialize("1999-01-01"))
	if got := string(byID[`"init"`].Result); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
		t.Errorf("an unknown version gives %s", got)
	}
}

// TestDiscover: the newest protocol has no initialize.
func TestDiscover(t *testing.T) {
	t.Parallel()
	newest := sdk.SupportedProtocolVersions()[0]
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + newest + `","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	byID, _ := exchange(t, kb.Open(t.TempDir()),
		`{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{`+meta+`}}`+"\n"+
			`{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`+"\n"+
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"store","arguments":{"topic":"a","text":"b"},`+meta+`}}`+"\n"+
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"topic":"a"},`+meta+`}}`+"\n")
	for id, want := range map[string]string{
		`"server-discover-probe-1"`: `"` + newest + `"`,
		"1":                         `"anthropic/alwaysLoad":true`,
		"2":                         "stored in a",
		"3":                         "1 entry in a",
	} {
		if got := byID[id]; !strings.Contains(string(got.Result), want) {
			t.Errorf("%s: no %s in %s %+v", id, want, got.Result, got.Error)
		}
	}
	if got := string(byID[`"server-discover-probe-1"`].Result); !strings.Contains(got, "search for it") {
		t.Errorf("no instructions in %s", got)
	}
}
