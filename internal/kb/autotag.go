package kb

import (
	"slices"
	"strings"
	"unicode/utf8"

	"helix/internal/kb/entry"
)

// firstWords says what the words at the beginning of a text make of it.
var firstWords = []struct {
	prefix, tag string
	kind        entry.Kind
}{
	{"gotcha:", "gotcha", entry.Finding},
	{"bug:", "gotcha", entry.Finding},
	{"invariant:", "invariant", entry.Fact},
	{"security:", "invariant", entry.Fact},
	{"decision:", "decision", entry.Decision},
	{"design:", "decision", entry.Decision},
	{"data flow:", "data-flow", entry.Fact},
	{"flow:", "data-flow", entry.Fact},
	{"perf:", "performance", entry.Finding},
	{"benchmark:", "performance", entry.Finding},
	{"gap:", "gap", entry.Task},
	{"missing:", "gap", entry.Task},
	{"todo:", "gap", entry.Task},
	{"how-to:", "how-to", entry.Procedure},
	{"impl:", "how-to", entry.Procedure},
	{"fix:", "how-to", entry.Procedure},
	{"module:", "module-map", entry.Fact},
	{"overview:", "architecture", entry.Fact},
	{"coupling:", "coupling", entry.Fact},
	{"pattern:", "pattern", entry.Fact},
}

// classify finds the tag and the kind that the first line of a text gives it; tag
// is "" for none.
func classify(text string) (tag string, kind entry.Kind) {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	line = strings.ToLower(line[:min(len(line), 32)])
	for _, w := range firstWords {
		if strings.HasPrefix(line, w.prefix) {
			return w.tag, w.kind
		}
	}
	return "", entry.Fact
}

// normalTags brings tags to the form in which they are stored: split at commas,
// small letters, singular, sorted, each once.
func normalTags(tags []string) []string {
	var out []string
	for _, list := range tags {
		for tag := range strings.SplitSeq(list, ",") {
			if tag = normalTag(tag); tag != "" {
				out = append(out, tag)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// StoredTag is the form in which a tag is stored, as filters of a view want it.
func StoredTag(tag string) string { return normalTag(tag) }

// checkTags refuses tags that would not stay as they are when letters are made
// small.
func checkTags(tags []string) error {
	for _, tag := range tags {
		if !utf8.ValidString(tag) {
			return refuse("the tag %q is not valid UTF-8", cut(tag, 60))
		}
	}
	return nil
}

// normalTag is the stored form of one tag.
func normalTag(tag string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	switch {
	case len(tag) <= 3:
		return tag
	case strings.HasSuffix(tag, "ies"):
		return tag[:len(tag)-3] + "y"
	case strings.HasSuffix(tag, "sses"):
		return tag[:len(tag)-2]
	case strings.HasSuffix(tag, "ss"), strings.HasSuffix(tag, "us"), strings.HasSuffix(tag, "is"):
		return tag
	}
	if one := strings.TrimSuffix(tag, "s"); one == strings.TrimSpace(one) {
		return one
	}
	return tag
}
