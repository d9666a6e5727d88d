package agent

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// footer is what Codex prints under a run in its text mode.
var footer = regexp.MustCompile(`(?m)^[ \t]*tokens used:?[ \t]*\r?\n[ \t]*([0-9][0-9,]*)[ \t]*\r?$\n?`)

// splitFooter takes the token footers out of an answer and reads the last one:
// an earlier one may be part of what the agent quotes. The figure is input
// without cached plus output; 0 when there is none.
func splitFooter(s string) (text string, tokens int64) {
	found := footer.FindAllStringSubmatch(s, -1)
	if len(found) == 0 {
		return strings.TrimSpace(s), 0
	}
	digits := strings.ReplaceAll(found[len(found)-1][1], ",", "")
	tokens, err := strconv.ParseInt(digits, 10, 64)
	if err != nil { // beyond any count
		tokens = 0
	}
	return strings.TrimSpace(footer.ReplaceAllString(s, "")), tokens
}

// textTranscript is the output of any program. Where it turns out to be that of
// Claude Code or Codex, as a wrapper around them passes on, it is judged as such.
type textTranscript struct {
	claude claudeTranscript
	codex  codexTranscript
}

func (t *textTranscript) line(b []byte) {
	t.claude.line(b)
	t.codex.line(b)
}

func (t *textTranscript) judge(e ending) Result {
	switch {
	case t.claude.events > 0:
		return t.claude.judge(e)
	case t.codex.events > 0:
		return t.codex.judge(e)
	}
	r := e.silent()
	switch {
	case e.cut || r.OK:
	case e.code == 0: // a command need not say anything, nor in a certain way
		r.Text, _ = splitFooter(e.out)
		r.OK, r.Reason = true, ""
	case e.code == 127:
		r = fail(Missing, 0, "%s: a program was not found (exit code 127)%s", e.name, e.because())
	case r.Trouble == Setup:
		r.Trouble, r.Reason = NoTrouble, oneLine(e.name+": "+e.how()+e.because())
	}
	return r
}

// Answer is the agent's final answer in what it printed, as Claude Code, Codex or any
// program in plain text prints it. Lines of JSON that are neither client's are no answer.
func Answer(output []byte) string {
	var t textTranscript
	var plain strings.Builder
	for line := range bytes.Lines(output) {
		t.line(line)
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
			plain.Write(line)
		}
	}
	switch {
	case t.claude.events > 0 && t.claude.result != nil && t.claude.result.text != "":
		return clip(t.claude.result.text)
	case t.claude.events > 0:
		return t.claude.said
	case t.codex.events > 0:
		return t.codex.said
	}
	text, _ := splitFooter(plain.String())
	return clip(text)
}
