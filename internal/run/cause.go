package run

import (
	"fmt"
	"strings"

	"helix/internal/lazyregexp"
	"helix/internal/run/executor"
)

const (
	mostCause = 2000 // bytes of a failed gate's output that the next attempt is told
	mostTried = 1200 // bytes of an agent's own account of what it did
	// causeLines is how many lines behind one that tells of a failure belong to it.
	causeLines = 4
)

var (
	// telling lines say that, or why, something failed.
	telling = lazyregexp.New(`(?i)\b(fail(ed|ure|s)?|error|errors|panic|fatal|exception|traceback|assert\w*|expected|undefined|cannot|can't|not found|no such|denied|refused|mismatch|timed out|segmentation|want|got)\b|^\S+\.\w+:\d+[:(]|^\s+\S+\.\w+:\d+: |^E\s|✗|✖|×`)
	// noise is what test runners print about what is well, and about themselves.
	noise = lazyregexp.New(`^\s*(=== (RUN|PAUSE|CONT|NAME)\b.*|--- PASS:.*|PASS|ok\s+\S+\s.*|\?\s+\S+\s+\[no test files\]|test \S+ \.\.\. ok|\s*Compiling \S+ .*|\s*(Downloaded|Downloading|Finished) .*|.*\bPASSED\b.*|[.\s]*)$`)
)

// Cause is what an output says about why a command failed, in at most most bytes:
// the lines that tell of a failure and some behind each, without what passed and
// without repetitions; where no line tells, its end.
func Cause(output string, most int) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	var kept []string
	seen := map[string]bool{}
	behind, gap := 0, false
	for _, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case noise.MatchString(line):
			continue
		case telling.MatchString(line):
			behind = causeLines
		case behind > 0:
			behind--
		default:
			gap = true
			continue
		}
		if seen[line] {
			continue
		}
		seen[line] = true
		if gap && len(kept) > 0 {
			kept = append(kept, "…")
		}
		gap = false
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return lastBytes(strings.TrimSpace(output), most)
	}
	return firstBytes(strings.Join(kept, "\n"), most)
}

// failedGate is the first gate that is red and what it says about why.
func failedGate(gates []executor.Gate) (command, cause string) {
	for _, g := range gates {
		if !g.Passed {
			return g.Command, Cause(g.Tail, mostCause)
		}
	}
	return "", ""
}

var trailerLine = lazyregexp.New(`^\s*[A-Z][A-Z_]{3,}: `)

// tried is an agent's account of what it did, from its answer: what stands before
// the trailer.
func tried(answer string) string {
	var kept []string
	for line := range strings.Lines(answer) {
		if strings.HasPrefix(strings.TrimSpace(line), "FINDINGS:") {
			break
		}
		if !trailerLine.MatchString(line) {
			kept = append(kept, strings.TrimRight(line, " \t\r\n"))
		}
	}
	return firstBytes(strings.TrimSpace(strings.Join(kept, "\n")), mostTried)
}

// firstBytes is the beginning of a text, in whole lines where it has some, with a
// word on what is left out.
func firstBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := text[:most]
	if i := strings.LastIndexByte(kept, '\n'); i > most/2 {
		kept = kept[:i]
	}
	kept = strings.ToValidUTF8(kept, "")
	return fmt.Sprintf("%s\n[%d bytes are left out]", kept, len(text)-len(kept))
}

func lastBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	kept := text[len(text)-most:]
	if i := strings.IndexByte(kept, '\n'); i >= 0 && i < most/2 {
		kept = kept[i+1:]
	}
	kept = strings.ToValidUTF8(kept, "")
	return fmt.Sprintf("[%d bytes are left out]\n%s", len(text)-len(kept), kept)
}
