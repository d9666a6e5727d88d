package hook

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helix/internal/hook/handover"
)

const attempt = "20260601T120000-0a1b2c3d"

// briefed is a checkout with a briefing, and what an agent's hook finds there.
type briefed struct {
	t                *testing.T
	root, tree, path string
	env              map[string]string
}

func brief(t *testing.T, text string) *briefed {
	t.Helper()
	b := &briefed{t: t, root: t.TempDir(), tree: t.TempDir()}
	for _, dir := range []string{b.root, b.tree} {
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path, err := handover.WriteAttempt(b.root, attempt, text)
	if err != nil {
		t.Fatal(err)
	}
	b.path = path
	b.env = map[string]string{"HELIX_AGENT_SESSION": "1", "HELIX_ATTEMPT_ID": attempt, "HELIX_CONTEXT_FILE": path}
	return b
}

// ask is what a session in dir is told when it starts.
func (b *briefed) ask(event, session, dir, memory string) string {
	b.t.Helper()
	return b.askAt(event, "startup", session, dir, memory)
}

func (b *briefed) askAt(event, source, session, dir, memory string) string {
	b.t.Helper()
	var out, debug bytes.Buffer
	Run(event, strings.NewReader(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"source":%q}`, session, dir, source)), &out,
		Env{Getenv: func(name string) string { return b.env[name] }, Dir: memory, Debug: &debug})
	if debug.Len() > 0 {
		b.t.Errorf("%s: %s", event, debug.String())
	}
	name, _ := handler(event)
	return contextOf(b.t, out.String(), name)
}

func TestBriefing(t *testing.T) {
	t.Parallel()
	const text = "=== What helix remembers ===\n> [mem_1] the port is \"7443\"\n"
	b, memory := brief(t, text), remembers(t, shop...)
	if got := b.ask("subagent", "s1", b.tree, memory); !strings.Contains(got, "you can ask it too") {
		t.Errorf("a helper is told %q", got)
	}
	if got := b.ask("session", "s1", b.tree, memory); got != text {
		t.Errorf("told %q", got)
	}
	if n := handover.Told(b.root, b.path); n != len(text) {
		t.Errorf("it is noted that %d bytes were told", n)
	}
	if got := b.ask("session", "s1", b.tree, memory); !strings.HasPrefix(got, "HELIX MEMORY: 3 entries") {
		t.Errorf("told again: %q", got)
	}
	if got := b.askAt("session", "compact", "s1", b.tree, memory); got != text {
		t.Errorf("after a compaction, which takes it away, told %q", got)
	}
	if got := b.ask("session", "s2", b.tree, memory); got != text {
		t.Errorf("another session is told %q", got)
	}
	// The memory need not be there.
	if got := b.ask("session", "s3", b.tree, filepath.Join(t.TempDir(), "none")); got != text {
		t.Errorf("without a memory: %q", got)
	}
	for name, spoil := range map[string]func(){
		"no run of helix":   func() { b.env["HELIX_AGENT_SESSION"] = "" },
		"another attempt's": func() { b.env["HELIX_ATTEMPT_ID"] = "other" },
		"no file":           func() { b.env["HELIX_CONTEXT_FILE"] = b.path + "x" },
		"none":              func() { b.env["HELIX_CONTEXT_FILE"] = "" },
		"another's file": func() {
			if err := os.Chmod(b.path, 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		env := b.env
		b.env = map[string]string{}
		for k, v := range env {
			b.env[k] = v
		}
		spoil()
		if got := b.ask("session", name, b.tree, memory); !strings.HasPrefix(got, "HELIX MEMORY: 3 entries") {
			t.Errorf("%s: told %q", name, got)
		}
		if err := os.Chmod(b.path, 0o600); err != nil {
			t.Fatal(err)
		}
		b.env = env
	}
}

// TestBriefingIsCut: a long one ends before a memory, a heading or an attempt, and says
// where the rest is.
func TestBriefingIsCut(t *testing.T) {
	t.Parallel()
	entry := func(i int) string {
		return fmt.Sprintf("> [mem_%d] finding, from today\n> %s\n>\n> %s\n>\n", i, strings.Repeat("ä", 200), strings.Repeat("b ", 100))
	}
	var long strings.Builder
	long.WriteString("HELIX, which had you started\n\n=== What helix remembers ===\n")
	for i := range 40 {
		long.WriteString(entry(i))
	}
	for name, c := range map[string]struct{ text, ends string }{
		"memories": {long.String(), "b \n>\n"},
		"a layer":  {"=== What helix remembers ===\n" + strings.Repeat("> text\n", 800) + "> # Focus\n" + strings.Repeat("> text\n", 800), "> text\n"},
		"no block": {strings.Repeat("0123456\n", 2000), "0123456\n"},
		"no line":  {strings.Repeat("0", 20000), ""},
	} {
		b := brief(t, c.text)
		got := b.ask("session", "s", b.tree, t.TempDir())
		told := c.text[:handover.Told(b.root, b.path)]
		if len(got) > maxContext || !strings.HasPrefix(got, told) || !strings.HasSuffix(got, "There is more of it. Read the rest before you start: "+b.path+"\n") {
			t.Errorf("%s: %d bytes: %q", name, len(got), got)
		}
		if !strings.HasSuffix(told, c.ends) || c.ends != "" && len(told) < maxContext/2 {
			t.Errorf("%s: told %d bytes, which end with %q", name, len(told), told[max(0, len(told)-40):])
		}
		if name == "a layer" && !strings.HasPrefix(c.text[len(told):], "> # Focus") {
			t.Errorf("cut before %.20q", c.text[len(told):])
		}
		if name == "memories" && !strings.HasPrefix(c.text[len(told):], "> [mem_") {
			t.Errorf("cut before %.20q", c.text[len(told):])
		}
	}
}
