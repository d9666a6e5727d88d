package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// transcript reads an agent's standard output line by line and judges the run
// after its end. Neither touches the outside.
type transcript interface {
	line(b []byte)
	judge(e ending) Result
}

// ending is how the program ended.
type ending struct {
	name   string // of the program, for messages
	code   int    // exit code; -1: a signal ended it
	cut    bool   // helix ended it
	out    string // last part of standard output
	errOut string // last part of standard error
	now    time.Time
}

// fail is a run that did not come off.
func fail(trouble Trouble, advice time.Duration, format string, args ...any) Result {
	return Result{Trouble: trouble, RetryAfter: advice, Reason: oneLine(fmt.Sprintf(format, args...))}
}

// how is the end in words.
func (e ending) how() string {
	if e.code < 0 {
		return "ended by a signal"
	}
	return fmt.Sprintf("exit code %d", e.code)
}

// silent judges a program that printed nothing of its kind: one that refused to
// start, one that speaks plain text, or one that was ended before it spoke.
func (e ending) silent() Result {
	text, tokens := splitFooter(e.out)
	_, more := splitFooter(e.errOut)
	usage := Usage{Input: max(tokens, more)}
	torn := strings.HasPrefix(text, `{"`)
	switch {
	case e.cut:
		return Result{Text: text, Usage: usage}
	case e.code == 0 && text != "" && !torn:
		return Result{OK: true, Text: text, Usage: usage}
	case e.code == 0:
		return fail(NoTrouble, 0, "%s ended without an answer%s", e.name, e.because())
	case e.code < 0:
		return fail(NoTrouble, 0, "%s was ended by a signal before it said anything%s", e.name, e.because())
	}
	if t, message := e.complaint(); t != NoTrouble {
		r := fail(t, retryAfter(message, e.now), "%s: %s", e.name, message)
		r.Text, r.Usage = text, usage
		return r
	}
	if text != "" {
		r := fail(NoTrouble, 0, "%s: %s%s", e.name, e.how(), e.because())
		r.Text, r.Usage = text, usage
		return r
	}
	if strings.Contains(e.errOut, "root/sudo privileges") {
		return fail(Setup, 0, "Claude Code refuses to run unattended as root; set IS_SANDBOX=1 if this is a sandbox, or run helix as another user")
	}
	return fail(Setup, 0, "%s refused to start (%s)%s", e.name, e.how(), e.because())
}

// because is the line of standard error that says most about the end, led by a
// colon; empty when there is none.
func (e ending) because() string {
	best := ""
	for line := range strings.Lines(e.errOut) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		switch {
		case line == "" || strings.HasPrefix(lower, "warning"):
		case strings.HasPrefix(lower, "error") || strings.HasPrefix(lower, "fatal"):
			return ": " + line
		case best == "":
			best = ": " + line
		}
	}
	return best
}

// complaint finds what the program, in contrast to the model, says last of a
// failed request: text modes print it as "ERROR: …" (Codex) and "API Error: …"
// (Claude Code). Prose and the output of tools are no evidence: an agent may be
// at work on rate limits.
func (e ending) complaint() (Trouble, string) {
	for _, output := range []string{e.errOut, e.out} {
		lines := strings.Split(strings.TrimSpace(output), "\n")
		for _, line := range slices.Backward(lines[max(0, len(lines)-3):]) {
			line = strings.TrimSpace(line)
			message, codex := strings.CutPrefix(line, "ERROR: ")
			if !codex && !strings.HasPrefix(line, "API Error") {
				continue
			}
			if t := (failure{text: message}).trouble(); t != NoTrouble {
				return t, message
			}
		}
	}
	return NoTrouble, ""
}

// clean makes text valid UTF-8.
func clean(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// clip bounds an answer; see maxText.
func clip(s string) string {
	s = clean(s)
	if len(s) > maxText {
		s = clean("[…]" + s[len(s)-maxText:])
	}
	return strings.TrimSpace(s)
}

// oneLine makes text fit a line for people: no control characters, no more than
// 300 characters.
func oneLine(s string) string { return shorten(s, 300) }

func shorten(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, clean(s[:min(len(s), 8*most)]))
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	return string(runes)
}

// toolLine is the progress line for a use of a tool.
func toolLine(tool, arg string) string {
	return fmt.Sprintf("→ %s(%s)", shorten(tool, 60), shorten(arg, 100))
}
