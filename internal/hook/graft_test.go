package hook

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGraft: the end of a turn has its transcript read, and nothing else does.
func TestGraft(t *testing.T) {
	t.Parallel()
	dir, project := t.TempDir(), t.TempDir()
	transcript := filepath.Join(project, "s 1.jsonl")
	if err := os.WriteFile(transcript, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := func(session ...string) []string {
		return append(append([]string{"kb", "graft", "--from-hook", "--kb=" + dir}, session...), "--", transcript)
	}
	input := func(more string) string {
		return fmt.Sprintf(`{"session_id":"s1","cwd":%q,%s}`, project, more)
	}
	path := fmt.Sprintf("%q", transcript)
	for _, c := range []struct {
		name, event, input, kb string
		env                    map[string]string
		want                   []string
	}{
		{name: "stop", event: "stop", input: input(`"transcript_path":` + path), want: args("--session=s1")},
		{name: "stop that goes on", event: "stop", input: input(`"stop_hook_active":true,"transcript_path":` + path), want: args("--session=s1")},
		{name: "helper", event: "SubagentStop", input: input(`"agent_type":"Explore","transcript_path":"/parent","agent_transcript_path":` + path), want: args("--session=s1")},
		{name: "end", event: "session-end", input: input(`"transcript_path":` + path), want: args("--session=s1")},
		{name: "no session", event: "stop", input: `{"transcript_path":` + path + `}`, want: args()},

		{name: "compaction", event: "SubagentStop", input: input(`"agent_type":"","agent_transcript_path":` + path)},
		{name: "no transcript", event: "stop", input: input(`"x":1`)},
		{name: "a transcript that is gone", event: "stop", input: input(`"transcript_path":"/nowhere/at/all"`)},
		{name: "a relative one", event: "stop", input: input(`"transcript_path":"s 1.jsonl"`)},
		{name: "a folder", event: "stop", input: input(fmt.Sprintf(`"transcript_path":%q`, project))},
		{name: "no memory", event: "stop", input: input(`"transcript_path":` + path), kb: filepath.Join(dir, "none")},
		{name: "not wanted", event: "stop", input: input(`"transcript_path":` + path), env: map[string]string{"HELIX_NO_GRAFT": "1"}},
		{name: "an agent of a run", event: "stop", input: input(`"transcript_path":` + path), env: map[string]string{"HELIX_AGENT_SESSION": "1"}},
		{name: "another event", event: "prompt", input: input(`"transcript_path":` + path)},
	} {
		t.Run(c.name, func(t *testing.T) {
			kb := c.kb
			if kb == "" {
				kb = dir
			}
			var got []string
			var out bytes.Buffer
			Run(c.event, strings.NewReader(c.input), &out, Env{
				Dir: kb, Getenv: func(name string) string { return c.env[name] },
				Start: func(args []string, dir string) error {
					if got = args; dir != project && c.name != "no session" {
						t.Errorf("started in %q", dir)
					}
					return nil
				},
			})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestGraftFails: a helix that cannot be started costs the person no reminder, and
// is told to one who debugs.
func TestGraftFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	input := fmt.Sprintf(`{"session_id":"s1","transcript_path":%q}`, filepath.Join(dir, "t.jsonl"))
	if err := os.WriteFile(filepath.Join(dir, "t.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func() (string, string) {
		var out, debug bytes.Buffer
		Run("stop", strings.NewReader(input), &out, Env{
			Dir: dir, Getenv: noEnv, Debug: &debug,
			Start: func([]string, string) error { return errors.New("no more processes") },
		})
		return out.String(), debug.String()
	}
	if answer, _ := ask(); !strings.Contains(answer, "systemMessage") {
		t.Errorf("no reminder: %q", answer)
	}
	if answer, debug := ask(); answer != "" || !strings.Contains(debug, "no more processes") {
		t.Errorf("%q, %q", answer, debug)
	}
}

func TestBeside(t *testing.T) {
	t.Parallel()
	bin, links := t.TempDir(), t.TempDir()
	for _, name := range []string{"helix", "helix-hook"} {
		if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(bin, "helix-hook"), filepath.Join(links, "helix-hook")); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(bin, "helix"))
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		filepath.Join(bin, "helix-hook"):   filepath.Join(bin, "helix"),
		filepath.Join(links, "helix-hook"): real,
		filepath.Join(t.TempDir(), "hook"): "",
	} {
		if got := beside(program); got != want {
			t.Errorf("beside(%s) = %q, want %q", program, got, want)
		}
	}
}

// TestHandedOn: what a hook starts may use all processors again, unless the person
// has set how many.
func TestHandedOn(t *testing.T) {
	t.Parallel()
	got := handedOn([]string{"A=1", "GOMAXPROCS=1", "GOMAXPROCS=4", "MY_GOMAXPROCS=1"})
	if want := []string{"A=1", "GOMAXPROCS=4", "MY_GOMAXPROCS=1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
