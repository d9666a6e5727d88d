package experience

import (
	"strings"

	"helix/internal/lazyregexp"
)

// Outcome is what came of the work, in the words of experience.jsonl.
type Outcome string

const (
	Unknown     Outcome = "unknown"
	Success     Outcome = "success"     // the last tests passed
	Failure     Outcome = "failure"     // the last tests failed
	Stopped     Outcome = "interrupted" // by the person
	ErrorOfTool Outcome = "error"       // the client or its provider failed
)

var (
	testCommand = lazyregexp.New(flat(`
		(?:^|[\s/;&|(])(?:go (?:test|vet|build)|cargo (?:\+\S+ )?(?:test|nextest|check|build|clippy)|
		(?:npm|pnpm|yarn|bun) (?:run )?(?:test|build|lint|typecheck|t)\b|
		pytest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|gradlew?|mvnw?|
		make(?: -\S+)* (?:test|check|ci|all|build|verify|lint)|make$|python3? -m (?:pytest|unittest)|
		dotnet (?:test|build)|swift (?:test|build)|mix test|bazel (?:test|build)|tsc|just (?:test|check|ci)|
		deno test|zig build|rake(?: test| spec)?)\b`))
	// testFailed are lines that test programs print only when something failed; a
	// pipe behind them hides their exit code.
	testFailed = lazyregexp.New(flat(`
		(?m)^(?:FAIL(?:\t|$)|--- FAIL:|error\[E\d|error: could not compile|npm ERR!|BUILD FAILED|
		FAILURE: Build failed|\[ERROR\] BUILD FAILURE|make(?:\[\d+\])?: \*\*\*|test result: FAILED|panic: |
		=+ .*\b[1-9]\d* failed|Tests: +[1-9]\d* failed|FAILED \(|FAILED \S+::)`))
)

// isTest tells a command that shows whether the work is sound.
func isTest(command string) bool { return testCommand.MatchString(command) }

// outcome is what the end of a transcript says, and the test that says so.
func outcome(t *Transcript, actions []action) (Outcome, string) {
	switch t.End {
	case Interrupted:
		return Stopped, ""
	case Failed:
		return ErrorOfTool, ""
	}
	for i := len(actions) - 1; i >= 0; i-- {
		a := actions[i]
		if !a.known || !isTest(a.command) {
			continue
		}
		if a.failed || testFailed.MatchString(a.output) {
			return Failure, a.command
		}
		return Success, a.command
	}
	return Unknown, ""
}

func (o Outcome) words(command string) string {
	with := ""
	if command != "" {
		with = " (`" + oneLine(command, maxCommand) + "`)"
	}
	switch o {
	case Success:
		return "the last tests passed" + with
	case Failure:
		return "the last tests failed" + with
	case Stopped:
		return "interrupted"
	case ErrorOfTool:
		return "ended by an error of the agent"
	}
	return ""
}

// episode is what came of the whole, if files were changed.
func episode(t *Transcript, w *walked, o Outcome, command string) (Experience, bool) {
	files := w.changed()
	if len(files) == 0 {
		return Experience{}, false
	}
	var b strings.Builder
	b.WriteString("Changed " + strings.Join(files[:min(len(files), 5)], ", "))
	if more := len(files) - 5; more > 0 {
		b.WriteString(" and more")
	}
	if task := firstAsked(t); task != "" {
		b.WriteString(" for: " + task)
	}
	if end := lastSaid(t); end != "" {
		b.WriteString(". It came to: " + end)
	}
	if how := o.words(command); how != "" {
		b.WriteString(". Outcome: " + how)
	}
	return Experience{Rule: Happened, Text: b.String(), Confidence: 0.5, step: len(t.Steps)}, true
}

// firstAsked is the beginning of the task. What programs put before it stands in
// tags or brackets.
func firstAsked(t *Transcript) string {
	for _, s := range t.Steps {
		if s.Kind != Asked || strings.HasPrefix(strings.TrimSpace(s.Text), "<") || strings.HasPrefix(s.Text, "[") || strings.HasPrefix(s.Text, "Caveat:") ||
			strings.HasPrefix(s.Text, "# AGENTS.md") {
			continue
		}
		for _, one := range sentences(s.Text) {
			return strings.TrimRight(oneLine(bare(one.text), 200), ".")
		}
	}
	return ""
}

// lastSaid is the first sentence of the last message.
func lastSaid(t *Transcript) string {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if t.Steps[i].Kind != Said {
			continue
		}
		for _, one := range sentences(withoutTrailer(t.Steps[i].Text)) {
			if words(one.text) >= 3 && !one.question {
				return strings.TrimRight(oneLine(bare(one.text), 300), ".")
			}
		}
	}
	return ""
}
