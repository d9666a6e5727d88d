package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helix/internal/cli"
	"helix/internal/config"
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section is the text below a heading, up to the next one of its level.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("README.md has no heading %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	body, _, _ := strings.Cut(rest, "\n"+level+" ")
	return body
}

// rows are the rows of the tables in text, without their heads.
func rows(text string) [][]string {
	var all [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "|"), "|")
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
		}
		if strings.Trim(cells[0], "-:") == "" {
			all = all[:len(all)-1] // what was taken last is the head
			continue
		}
		all = append(all, cells)
	}
	return all
}

// TestReadmeCommands: the tables of commands are the command tree.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	root := cli.Commands()
	var want [][]string
	for _, group := range root.Groups() {
		for _, c := range sorted(root.Commands()) {
			if c.GroupID == group.ID && !c.Hidden {
				want = append(want, []string{"`helix " + c.Use + "`", c.Short})
			}
		}
	}
	if diff := cmp.Diff(want, rows(section(t, document(t, "README.md"), "## Commands"))); diff != "" {
		t.Errorf("the commands in README.md (+) are not those of helix (-):\n%s", diff)
	}
	for _, c := range root.Commands() {
		if c.GroupID == "" && !c.Hidden && c.Name() != "help" && c.Name() != "completion" {
			t.Errorf("helix %s is in no group, so it is in no table", c.Name())
		}
	}
}

func sorted(commands []*cobra.Command) []*cobra.Command {
	return slices.SortedFunc(slices.Values(commands), func(a, b *cobra.Command) int { return strings.Compare(a.Name(), b.Name()) })
}

var (
	exitConstant = regexp.MustCompile(`(?m)^\tExit\w+ += (\d+)`)
	codeText     = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	helixCall    = regexp.MustCompile(`(?m)(?:^|[ $(/])helix ([a-z][^\n#|;)]*)`)
	flagText     = regexp.MustCompile(`--[a-z][a-z-]+`)
	variableText = regexp.MustCompile(`\b(?:HELIX|DDX)_[A-Z_]+\b`)
)

func TestReadmeExitCodes(t *testing.T) {
	t.Parallel()
	source := document(t, "internal/cli/exit.go")
	var want, got []string
	for _, m := range exitConstant.FindAllStringSubmatch(source, -1) {
		want = append(want, m[1])
	}
	for _, row := range rows(section(t, document(t, "README.md"), "## Exit codes")) {
		got = append(got, row[0])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the exit codes in README.md (+) are not those of exit.go (-):\n%s", diff)
	}
}

// defaults are the settings with a default, as a person writes them.
func defaults() map[string]string {
	c := config.Default()
	return map[string]string{
		"agent_timeout": duration(c.AgentTimeout), "executor": c.Executor, "gate_timeout": duration(c.GateTimeout),
		"auto_align": fmt.Sprint(c.AutoAlign), "review_every": fmt.Sprint(c.ReviewEvery), "review_threshold": fmt.Sprint(c.ReviewLines),
		"memory": c.Memory, "orphan_threshold": duration(c.OrphanAge), "batch": fmt.Sprint(c.Batch), "max_cycles": fmt.Sprint(c.MaxCycles),
		"max_attempts": fmt.Sprint(c.MaxAttempts), "max_duration": duration(c.MaxDuration), "max_tokens": "none", "max_cost": "none",
		"auto_init.enabled": fmt.Sprint(c.AutoInit), "auto_init.min_files": fmt.Sprint(c.AutoInitFiles),
		"auto_init.exclude_patterns": "`" + strings.Join(c.AutoInitExclude, "`, `") + "`", "serve.auto_start": fmt.Sprint(c.AutoServe),
	}
}

func duration(d time.Duration) string {
	text := strings.TrimSuffix(d.String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// TestReadmeSettings: the table of settings is that of the code.
func TestReadmeSettings(t *testing.T) {
	t.Parallel()
	if c := config.Default(); c.MaxTokens != 0 || c.MaxCostUSD != 0 {
		t.Error("tokens or cost have a bound by default; correct the table and this test")
	}
	var want [][]string
	value := defaults()
	for _, s := range config.Settings() {
		row := []string{"`" + s.Key + "`", "", value[s.Key], s.Help}
		if s.Env != "" {
			row[1] = "`" + s.Env + "`"
		}
		want = append(want, row)
	}
	if diff := cmp.Diff(want, rows(section(t, document(t, "README.md"), "## Settings"))); diff != "" {
		t.Errorf("the settings in README.md (+) are not those of helix (-):\n%s", diff)
	}
}

// TestDocumentsNameWhatExists: every command, flag and variable that a document
// names is one of helix.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	variables := knownVariables(t)
	root := cli.Commands()
	root.InitDefaultCompletionCmd("completion")
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"} {
		text := document(t, name)
		for _, v := range variableText.FindAllString(text, -1) {
			if !variables[v] {
				t.Errorf("%s names the variable %s, which nothing reads or sets", name, v)
			}
		}
		found := 0
		for _, code := range codeText.FindAllString(text, -1) {
			for _, m := range helixCall.FindAllStringSubmatch(strings.Trim(code, "`"), -1) {
				found++
				checkCall(t, name, root, m[1])
			}
		}
		if name == "README.md" && found < 30 {
			t.Errorf("only %d commands were found in README.md", found)
		}
		prose := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
		for _, f := range flagText.FindAllString(prose, -1) {
			if !anyHas(root, strings.TrimPrefix(f, "--")) {
				t.Errorf("%s: no command has the flag %s", name, f)
			}
		}
	}
}

func checkCall(t *testing.T, name string, root *cobra.Command, call string) {
	t.Helper()
	cmd, rest, err := root.Find(strings.Fields(call))
	if err != nil || cmd == root {
		t.Errorf("%s: helix %s: no such command", name, call)
		return
	}
	if cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		t.Errorf("%s: helix %s: %s has no command %s", name, call, cmd.CommandPath(), rest[0])
	}
	for _, f := range flagText.FindAllString(call, -1) {
		if f = strings.TrimPrefix(f, "--"); f != "help" && cmd.Flag(f) == nil {
			t.Errorf("%s: helix %s: there is no flag --%s", name, call, f)
		}
	}
}

func anyHas(cmd *cobra.Command, flag string) bool {
	has := cmd.Flag(flag) != nil
	cmd.Flags().VisitAll(func(f *pflag.Flag) { has = has || f.Name == flag })
	return has || flag == "help" || slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool { return anyHas(c, flag) })
}

// knownVariables are those that the code names, tests left out.
func knownVariables(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	err := filepath.WalkDir("../internal", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`"((?:HELIX|DDX)_[A-Z_]+)[="]`).FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return known
}

var folderText = regexp.MustCompile("`((?:internal|cmd|tests|workflows|bench|\\.ci|\\.ddx)(?:/[A-Za-z0-9_.-]+)*)/?`")

// TestDocumentsNameRealFolders: what a document says about the layout is there.
func TestDocumentsNameRealFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		found := folderText.FindAllStringSubmatch(document(t, name), -1)
		if len(found) < 5 {
			t.Errorf("%s: only %d folders were found", name, len(found))
		}
		for _, m := range found {
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s names %s: %v", name, m[1], err)
			}
		}
	}
}
