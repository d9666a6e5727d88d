package prompt

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// An answer cannot flood the memory: more findings than maxFindings are dropped,
// longer ones than maxFinding bytes cut.
const (
	maxFindings = 20
	maxFinding  = 1000
)

var listItem = regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)])\s+(.*)$`)

// Findings are what an agent learned and wants remembered: the list below the
// first "FINDINGS:" line of its answer. Indented lines continue an item; the list
// ends at the first other line, and at the first empty one behind an item. Text
// on the line itself is a finding too; "none" and templates are not.
func Findings(answer string) []string {
	var found []string
	inside := false
	for line := range strings.Lines(strings.ToValidUTF8(answer, "\uFFFD")) {
		if !inside {
			value, ok := cutKey(line, "FINDINGS")
			if inside = ok; ok && value != "" {
				found = append(found, value)
			}
			continue
		}
		body := strings.TrimSpace(line)
		item := listItem.FindStringSubmatch(body)
		indented := line[0] == ' ' || line[0] == '\t'
		switch {
		case item != nil:
			found = append(found, strings.TrimSpace(item[1]))
		case body == "" && len(found) == 0:
		case body != "" && indented && len(found) > 0:
			found[len(found)-1] += " " + body
		default:
			return tidy(found)
		}
	}
	return tidy(found)
}

func tidy(items []string) []string {
	var kept []string
	for _, item := range items {
		if len(kept) == maxFindings {
			break
		}
		if item == "" || strings.HasPrefix(item, "<") || strings.EqualFold(strings.Trim(item, "."), "none") {
			continue
		}
		kept = append(kept, cut(item, maxFinding))
	}
	return kept
}

// cut is text of at most most bytes, at a character's end.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
