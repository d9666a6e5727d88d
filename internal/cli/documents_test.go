package cli

import (
	"bytes"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"helix/workflows"
)

// commandText finds "helix …" in a document: in backticks, or as a line of an
// indented block with its continuations.
var commandText = regexp.MustCompile("(?m)`(helix [^`]+)`|^ {4,}(helix (?:[^\\\\\n]|\\\\\n|\\\\.)+)")

// TestDocumentsNameRealCommands: an agent that follows an action document never
// meets a command or a flag of helix that does not exist.
func TestDocumentsNameRealCommands(t *testing.T) {
	t.Parallel()
	app := &App{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Dir: t.TempDir(), Getenv: func(string) string { return "" }}
	found := 0
	err := fs.WalkDir(workflows.Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(workflows.Files, path)
		if err != nil {
			return err
		}
		for _, m := range commandText.FindAllStringSubmatch(string(text), -1) {
			found++
			checkCommandText(t, path, app.rootCmd(), m[1]+m[2])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 80 {
		t.Errorf("only %d commands were found in the documents", found)
	}
}

var (
	quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	hole       = regexp.MustCompile(`<[^>]*>`)
)

func checkCommandText(t *testing.T, path string, root *cobra.Command, text string) {
	t.Helper()
	words := strings.Fields(hole.ReplaceAllString(quotedText.ReplaceAllString(strings.ReplaceAll(text, "\\\n", " "), "X"), "X"))
	cmd, rest, err := root.Find(words[1:])
	if err != nil || cmd == root {
		t.Errorf("%s: %q: %v", path, text, err)
		return
	}
	if len(rest) > 0 && cmd.HasSubCommands() {
		t.Errorf("%s: %q: %s has no command %s", path, text, cmd.CommandPath(), rest[0])
	}
	for _, word := range rest {
		name, isFlag := strings.CutPrefix(word, "--")
		if name, _, _ = strings.Cut(name, "="); isFlag && name != "help" && cmd.Flag(name) == nil {
			t.Errorf("%s: %q: %s has no flag --%s", path, text, cmd.CommandPath(), name)
		}
	}
	if i := slices.Index(rest, "--status"); i >= 0 {
		for _, status := range strings.Split(rest[i+1], ",") {
			if _, err := parseStatusFlag(status); err != nil {
				t.Errorf("%s: %q: %v", path, text, err)
			}
		}
	}
}
