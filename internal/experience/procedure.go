package experience

import (
	"fmt"
	"strings"

	"helix/internal/lazyregexp"
)

// action is a call with what came of it.
type action struct {
	step    int // of the call
	command string
	output  string
	failed  bool
	known   bool // there is a result
	edits   bool // it changed files
}

// lookAround is how many commands after a failure may still be its remedy.
const lookAround = 12

// procedures finds commands that worked after one had failed while no file was
// changed in between: then it is the command that made the difference. Either
// another form of the same command worked, or the same one did after others.
func procedures(actions []action) []Experience {
	var out []Experience
	for i, bad := range actions {
		if !bad.known || !bad.failed || trivial(bad.command) {
			continue
		}
		var between []string
	next:
		for _, a := range actions[i+1 : min(len(actions), i+1+lookAround)] {
			switch {
			case a.edits:
				break next
			case a.command == "" || !a.known:
			case programOf(a.command) == programOf(bad.command) && a.failed:
				break next // its own remedy is looked for from there
			case a.failed || testFailed.MatchString(a.output):
			case oneLine(a.command, maxCommand) == oneLine(bad.command, maxCommand):
				if len(between) > 0 && len(between) <= 3 {
					out = append(out, worked(a, fmt.Sprintf("`%s` failed%s until `%s` was run", oneLine(bad.command, maxCommand), becauseOf(bad.output), strings.Join(between, "`, `"))))
				}
				break next
			case sameGoal(a.command, bad.command):
				out = append(out, worked(a, fmt.Sprintf("`%s` works; `%s` failed%s", oneLine(a.command, maxCommand), oneLine(bad.command, maxCommand), becauseOf(bad.output))))
				break next
			case !trivial(a.command):
				between = append(between, oneLine(a.command, maxCommand))
			}
		}
	}
	return out
}

const maxCommand = 200 // bytes of a command that are shown

func worked(a action, text string) Experience {
	return Experience{Rule: Worked, Text: text, Confidence: 0.6, step: a.step}
}

// looks are programs that only look around, and ones whose failure is an answer.
var looks = map[string]bool{
	"": true, "ls": true, "cat": true, "head": true, "tail": true, "grep": true, "rg": true, "find": true, "sed": true, "awk": true,
	"echo": true, "printf": true, "pwd": true, "wc": true, "diff": true, "test": true, "[": true, "which": true, "command": true,
	"file": true, "stat": true, "tree": true, "sleep": true, "true": true, "false": true, "kill": true, "pkill": true, "rm": true,
	"mkdir": true, "cp": true, "mv": true, "touch": true, "type": true, "man": true, "ps": true, "jq": true, "sort": true, "for": true,
	"while": true, "if": true, "apply_patch": true, "cd": true, "du": true, "env": true, "history": true, "less": true, "nl": true,
}

func trivial(command string) bool {
	name, verb, _ := strings.Cut(programOf(command), " ")
	if looks[name] {
		return true
	}
	if name == "git" {
		return verb != "clone" && verb != "submodule" && verb != "worktree" && verb != "lfs"
	}
	inline := strings.Contains(command, "<<") || (name == "python" || name == "python3" || name == "node" || name == "perl" || name == "ruby") &&
		(strings.Contains(command, " -c ") || strings.Contains(command, " -e "))
	return inline || len(command) > 4*maxCommand
}

var (
	changeDir = lazyregexp.New(`^\s*cd\s+\S+\s*(?:&&|;)\s*`)
	assign    = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|"[^"]*"|\S*)\s+`)
	wrapper   = lazyregexp.New(`^(?:sudo|time|nice|env|exec|npx|(?:timeout|gtimeout)\s+\S+|(?:uv|poetry|pipenv|bundle) (?:run|exec))\s+`)
)

// withVerbs are programs whose first plain word says what they do.
var withVerbs = map[string]bool{
	"go": true, "cargo": true, "npm": true, "pnpm": true, "yarn": true, "bun": true, "git": true, "docker": true, "podman": true,
	"kubectl": true, "helm": true, "make": true, "mvn": true, "gradle": true, "gradlew": true, "dotnet": true, "pip": true, "pip3": true,
	"poetry": true, "uv": true, "terraform": true, "bazel": true, "swift": true, "mix": true, "rails": true, "rake": true, "just": true,
	"brew": true, "apt-get": true, "apt": true, "gh": true, "deno": true, "zig": true, "rustup": true, "composer": true, "php": true,
}

// programOf is the program of a command and, where it says so, what it does: "go
// test", "make check".
func programOf(command string) string {
	for {
		before := command
		for _, p := range []*lazyregexp.Regexp{changeDir, assign, wrapper} {
			command = p.ReplaceAllString(strings.TrimSpace(command), "")
		}
		if command == before {
			break
		}
	}
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	name := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if withVerbs[name] {
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") {
				return name + " " + w
			}
		}
	}
	return name
}

// sameGoal tells that two commands are forms of one: the same program, verb and
// targets, with other flags, variables or wrappers.
func sameGoal(a, b string) bool {
	pa, pb := programOf(a), programOf(b)
	// A test of another package, or a build of another target, is another goal.
	return pa == pb && !trivial(a) && sameTargets(a, b)
}

func sameTargets(a, b string) bool {
	ta, tb := targets(a), targets(b)
	for t := range ta {
		if !tb[t] {
			return false
		}
	}
	return len(ta) == len(tb)
}

// targets are the paths and names that a command works on.
func targets(command string) map[string]bool {
	set := map[string]bool{}
	command, _, _ = strings.Cut(command, "|")
	for _, w := range strings.Fields(changeDir.ReplaceAllString(command, "")) {
		if strings.HasPrefix(w, "-") || strings.HasPrefix(w, "2>") || w == "&&" || assign.MatchString(w+" ") {
			continue
		}
		if strings.Contains(w, "/") && !strings.HasPrefix(w, "/usr") || strings.Contains(w, ".") {
			set[w] = true
		}
	}
	return set
}

var errorLine = lazyregexp.New(`(?i)\b(?:error|fatal|failed|cannot|can't|undefined|not found|no such|missing|denied|unknown|invalid|requires?|refused|must)\b`)

// becauseOf is the line of an output that says most about a failure, in brackets.
func becauseOf(output string) string {
	for line := range strings.Lines(output) {
		line = oneLine(line, 160)
		if len(line) > 8 && errorLine.MatchString(line) && !strings.HasPrefix(line, "Exit code") {
			return " (" + line + ")"
		}
	}
	return ""
}
