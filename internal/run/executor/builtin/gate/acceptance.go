package gate

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Acceptance finds the commands in the acceptance text of a bead:
//
//   - each fenced block marked sh, shell or bash is one script that stops at the
//     first failure; of one marked console, or with "$ " before its commands,
//     each such line is a command and the rest is output
//   - a line that starts with "$ "
//   - a line "Verify: command" or "Run: command", the command in backticks or
//     unmistakably one
//   - an item of a list that is one command in backticks, with nothing after it
//     but "passes", "succeeds", "exits 0" or the like
//
// Of the last two, only what starts with a program that runnable knows is taken.
// Lines that look like a command of theirs but were not taken are in doubtful.
func Acceptance(text string, runnable func(word string) bool) (specs []Spec, doubtful []string) {
	p := parser{runnable: runnable}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if m := fenceLine.FindStringSubmatch(lines[i]); m != nil {
			end := i + 1
			for end < len(lines) && !closes(lines[end], m[2]) {
				end++
			}
			p.block(m[3], lines[i+1:min(end, len(lines))], m[1])
			i = end
			continue
		}
		line := lines[i]
		for strings.HasSuffix(line, `\`) && isPromptLine(lines[i]) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + strings.TrimSpace(lines[i])
		}
		p.line(line)
	}
	return p.specs, p.doubtful
}

// Given are the commands of a bead's acceptance-commands key: a string, or an
// array of strings. Anything else is malformed.
func Given(raw json.RawMessage) (specs []Spec, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	var list []string
	var one string
	switch {
	case json.Unmarshal(raw, &list) == nil:
	case json.Unmarshal(raw, &one) == nil:
		list = []string{one}
	default:
		return nil, false
	}
	var p parser
	for _, c := range list {
		p.add(c, "")
	}
	return p.specs, true
}

var (
	fenceLine  = regexp.MustCompile("^([ \t>]*(?:[-*+][ \t]+)?)(```+|~~~+)[ \t]*([A-Za-z]*)[^`]*$")
	listMark   = regexp.MustCompile(`^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?`)
	promptMark = regexp.MustCompile(`^\$[ \t]+`)
	labelled   = regexp.MustCompile(`(?i)^(?:\*\*|__)?(?:verify|run)(?:\*\*|__)?:(?:\*\*|__)?[ \t]+(\S.*)$`)
	quoted     = regexp.MustCompile("^(`+)([^`]+)`+(.*)$")
	success    = regexp.MustCompile(`(?i)^[ \t]*(?:(?:it )?(?:still )?(?:must |should )?(?:pass(?:es)?|succeeds?|works|runs|is (?:green|clean)|(?:runs?|finish(?:es)?) (?:clean(?:ly)?|green|without errors?)|(?:exits?|returns?)(?: with)?(?: code| status)? (?:0|zero)))?[ \t]*[.;,:]?[ \t]*$`)
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=\S*$`)
	quotes     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	sentence   = regexp.MustCompile(`(?i)(?:^|\s)(?:the|a|an|that|this|is|are|be|should|must|shall|can|with|when|where|sure|all|every|each|and|or|no|not|to|of|from|by|it|its)(?:\s|$)|[a-z]\.$|,\s`)
)

type parser struct {
	runnable func(string) bool
	specs    []Spec
	doubtful []string
}

func (p *parser) add(command, shell string) {
	if command = strings.TrimSpace(command); command == "" {
		return
	}
	for _, s := range p.specs {
		if s.Command == command {
			return
		}
	}
	p.specs = append(p.specs, Spec{Name: oneLine(command), Command: command, Shell: shell})
}

func isPromptLine(line string) bool {
	return promptMark.MatchString(strings.TrimLeft(listMark.ReplaceAllString(line, ""), " \t"))
}

func closes(line, fence string) bool {
	line = strings.TrimLeft(strings.TrimSpace(line), "> \t")
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}

// block takes a fenced block. indent stands before its fence, and so before its
// lines, which a here-document must not see.
func (p *parser) block(language string, lines []string, indent string) {
	language = strings.ToLower(language)
	switch language {
	case "sh", "shell", "bash", "console":
	default:
		return
	}
	prompts := language == "console"
	var script []string
	meaning := false
	for _, line := range lines {
		line = strings.TrimPrefix(line, indent)
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "#") {
			meaning = true
			prompts = prompts || promptMark.MatchString(trimmed)
		}
		script = append(script, line)
	}
	switch {
	case prompts:
		for i := 0; i < len(script); i++ {
			line := strings.TrimSpace(script[i])
			if !promptMark.MatchString(line) {
				continue
			}
			for strings.HasSuffix(line, `\`) && i+1 < len(script) {
				i++
				line = strings.TrimSuffix(line, `\`) + strings.TrimPrefix(strings.TrimSpace(script[i]), "> ")
			}
			p.add(promptMark.ReplaceAllString(line, ""), "")
		}
	case meaning && language == "bash":
		p.add(scriptOf("set -eo pipefail", dedent(script)), "bash")
	case meaning:
		p.add(scriptOf("set -e", dedent(script)), "")
	}
}

// scriptOf is a script of one command as it is, and of several with a first line
// that makes it stop at the first failure.
func scriptOf(head string, lines []string) string {
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if !strings.Contains(text, "\n") {
		return text
	}
	return head + "\n" + text
}

// dedent takes away the white space that all lines begin with.
func dedent(lines []string) []string {
	common, first := "", true
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lead := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if first {
			common, first = lead, false
		}
		for !strings.HasPrefix(lead, common) {
			common = common[:len(common)-1]
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimPrefix(line, common)
	}
	return out
}

func (p *parser) line(line string) {
	item := listMark.MatchString(line)
	rest := strings.TrimSpace(listMark.ReplaceAllString(line, ""))
	if promptMark.MatchString(rest) {
		p.add(promptMark.ReplaceAllString(rest, ""), "")
		return
	}
	label := labelled.FindStringSubmatch(rest)
	if label != nil {
		rest = label[1]
	}
	if label == nil && !item {
		return
	}
	if q := quoted.FindStringSubmatch(rest); q != nil {
		switch {
		case success.MatchString(q[3]) && p.isCommand(q[2]):
			p.add(q[2], "")
		case label != nil || success.MatchString(q[3]) && strings.TrimSpace(q[3]) != "":
			p.doubtful = append(p.doubtful, strings.TrimSpace(line))
		}
		return
	}
	switch {
	case label == nil || !p.isCommand(rest): // prose
	case sentence.MatchString(quotes.ReplaceAllString(rest, "")):
		p.doubtful = append(p.doubtful, strings.TrimSpace(line)) // "Verify: make sure that …"
	default:
		p.add(rest, "")
	}
}

// isCommand tells whether the first word that is no assignment, negation or
// grouping can be run.
func (p *parser) isCommand(command string) bool {
	for word := range strings.FieldsSeq(command) {
		word = strings.TrimLeft(word, "(")
		if word == "" || word == "!" || assignment.MatchString(word) {
			continue
		}
		return p.runnable(word)
	}
	return false
}
