package gate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// known are the programs of the tests' machine.
func known(word string) bool {
	return slices.Contains([]string{"go", "npm", "make", "grep", "test", "find", "sort", "./run.sh", "!", "cd"}, word)
}

func TestAcceptance(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		want       []string
		doubtful   []string
	}{
		{name: "prose", text: "Users can log in with `go` and `npm test` works for them.\nRun the tests.\n"},
		{name: "a fenced script", text: "Check:\n```sh\ngo build ./...\n\n# and then\ngo test ./...\n```\nDone.", want: []string{"set -e\ngo build ./...\n\n# and then\ngo test ./..."}},
		{name: "a fenced single command", text: "```shell\n  go test ./...\n```", want: []string{"go test ./..."}},
		{name: "bash", text: "```bash\nset -x\ngo test ./...\n```", want: []string{"set -eo pipefail\nset -x\ngo test ./..."}},
		{name: "an unmarked fence is an example", text: "```\nrm -rf /\n```"},
		{name: "another language", text: "```go\nfmt.Println()\n```\n~~~json\n{}\n~~~"},
		{name: "a marked fence that never ends", text: "```sh\ngo test ./...", want: []string{"go test ./..."}},
		{name: "tildes, info and attributes", text: "~~~ sh title=\"x\"\ngo vet\n~~~", want: []string{"go vet"}},
		{name: "a longer fence around another", text: "````sh\ncat <<'```'\nx\n```\n````", want: []string{"set -e\ncat <<'```'\nx\n```"}},
		{name: "indented under a list", text: "1. Build:\n   ```sh\n   if go build; then\n     go test\n   fi\n   ```\n- ```sh\n  go vet\n  ```", want: []string{"set -e\nif go build; then\n  go test\nfi", "go vet"}},
		{name: "nothing but comments", text: "```sh\n# go test\n\n```"},
		{name: "console", text: "```console\n$ go test ./...\nok  x 0.1s\n$ npm \\\n> test\n# root\n```", want: []string{"go test ./...", "npm test"}},
		{name: "prompts in a shell block", text: "```bash\n$ go test ./...\nok\n```", want: []string{"go test ./..."}},
		{name: "prompt lines", text: "  $ go test ./...\n- $ anything goes\n$HOME is not one\n$ multi \\\n  line", want: []string{"go test ./...", "anything goes", "multi line"}},
		{name: "labelled", text: "Verify: go test ./... -run 'the one'\nrun: `npm test` passes.\n- **Verify:** `make check`\nRun: ./run.sh --all\n* [ ] Verify: `FOO=1 go test`", want: []string{"go test ./... -run 'the one'", "npm test", "make check", "./run.sh --all", "FOO=1 go test"}},
		{name: "labelled prose", text: "Verify: users can log in\nVerify: make sure that it works\nVerify: find the bug\nRun: sort order is right.\nVerify: `TestFoo` passes\nVerify: `go test` and look", doubtful: []string{"Verify: make sure that it works", "Verify: find the bug", "Run: sort order is right.", "Verify: `TestFoo` passes", "Verify: `go test` and look"}},
		{
			name: "list items",
			text: "- `go test ./...`\n* `npm test` passes\n+ `make check` exits 0.\n1. `grep -q x y` succeeds\n2) `go vet` is clean\n- [x] `! grep TODO main.go` exits with code 0\n- `(cd x && make)` runs without errors\n- ``test \"`pwd`\"`` works",
			want: []string{"go test ./...", "npm test", "make check", "grep -q x y", "go vet", "! grep TODO main.go", "(cd x && make)"},
		},
		{name: "list items that are none", text: "- `README.md`\n- `go test` fails first\n- `go` is the language\n- see `go test`\n- `helix foo` exits 2\n- `TestFoo` passes\n- `config.yaml` and `go.mod`", doubtful: []string{"- `TestFoo` passes"}},
		{name: "no list, no label", text: "`go test ./...` passes"},
		{name: "each once", text: "$ go test\n- `go test` passes\n```sh\ngo test\n```", want: []string{"go test"}},
		{name: "windows line ends", text: "```sh\r\ngo test\r\n```\r\n- `npm test`\r\n", want: []string{"go test", "npm test"}},
		{name: "quoted by a blockquote", text: "> ```sh\n> go test\n> ```", want: []string{"go test"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			specs, doubtful := Acceptance(tc.text, known)
			var got []string
			for _, s := range specs {
				got = append(got, s.Command)
				if (s.Shell == "bash") != strings.HasPrefix(s.Command, "set -eo") {
					t.Errorf("%q by %q", s.Command, s.Shell)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.doubtful, doubtful); diff != "" {
				t.Error("doubtful:", diff)
			}
		})
	}
}

func TestGiven(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		raw  string
		want string
		ok   bool
	}{
		{"", "", true},
		{"null", "", true},
		{`"go test"`, "go test", true},
		{`["go test"," npm test ","",  "go test"]`, "go test|npm test", true},
		{`{"a":1}`, "", false},
		{`[1]`, "", false},
		{`3`, "", false},
	} {
		specs, ok := Given(json.RawMessage(tc.raw))
		if got := commands(specs); got != tc.want || ok != tc.ok {
			t.Errorf("%s: %q, %t", tc.raw, got, ok)
		}
	}
}

// Prose in backticks within sentences is never executed, whatever surrounds it.
func TestProseIsNeverExecuted(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[A-Za-z]{1,8}[,.;:]?`)
	rapid.Check(t, func(t *rapid.T) {
		mark := rapid.SampledFrom([]string{"", "- ", "* ", "1. ", "- [ ] ", "  "}).Draw(t, "mark")
		before := strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "before"), " ")
		after := strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "after"), " ")
		if label := strings.ToLower(strings.TrimSuffix(strings.Fields(before)[0], ":")); label == "run" || label == "verify" {
			t.Skip("a label")
		}
		specs, _ := Acceptance(mark+before+" `rm -rf x` "+after, func(string) bool { return true })
		if len(specs) > 0 {
			t.Fatalf("would run %q", commands(specs))
		}
	})
}

func FuzzAcceptance(f *testing.F) {
	f.Add("```sh\ngo test\n```\n- `npm test` passes\nVerify: make x\n$ y \\\nz")
	f.Add("> - ~~~console\n$ a\n> b\n~~~~\n``` ` ```")
	f.Fuzz(func(t *testing.T, text string) {
		specs, doubtful := Acceptance(text, known)
		seen := map[string]bool{}
		for _, s := range specs {
			if strings.TrimSpace(s.Command) == "" || s.Name == "" || strings.Contains(s.Name, "\n") || seen[s.Command] {
				t.Errorf("got %+v of %q", s, text)
			}
			seen[s.Command] = true
		}
		for _, d := range doubtful {
			if !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), d) {
				t.Errorf("doubtful line %q is not in %q", d, text)
			}
		}
	})
}
