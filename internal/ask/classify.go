package ask

import (
	"strings"
)

// Intent says what a question is after.
type Intent int

const (
	Hybrid     Intent = iota // both
	Structural               // how code hangs together: the tree
	Positional               // what is in a place: the tree
	Semantic                 // meaning and reasons: the text
)

func (i Intent) String() string {
	return [...]string{"hybrid", "structural", "positional", "semantic"}[i]
}

// patterns are phrases that give an intent away, the more telling ones first. A
// phrase counts as whole words.
var patterns = []struct {
	intent  Intent
	phrases []string
}{
	{Structural, []string{
		"what calls", "who calls", "which functions call", "callers of", "called by", "call sites of", "calls to",
		"who imports", "what imports", "imports of", "imported by", "which files import",
		"who uses", "what uses", "users of", "usages of", "used by", "references to",
		"dependencies of", "depends on", "what does", "dependents of",
		"implements", "implementations of", "subclasses of", "extends",
		"where is", "defined", "definition of", "declared", "signature of", "tests of", "tests for", "which tests",
	}},
	{Positional, []string{
		"in section", "in file", "in module", "in package", "in folder", "in directory", "inside", "contents of",
		"outline of", "structure of", "symbols of", "what is in", "list of functions",
	}},
	{Semantic, []string{
		"how does", "how do", "how to", "how should", "how can", "why", "explain", "similar to", "meaning of",
		"purpose of", "reason for", "what is the idea", "decided", "decision", "gotcha", "lesson", "best way", "describe",
	}},
}

// Classify tells what a question is after. A question with signs of several is
// hybrid, unless it begins with one of them.
func Classify(question string) Intent {
	q := " " + strings.Join(strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || r == '?' || r == ',' || r == '!'
	}), " ") + " "
	found := map[Intent]bool{}
	for _, p := range patterns {
		for _, phrase := range p.phrases {
			switch at := strings.Index(q, " "+phrase+" "); {
			case at == 0 && phrase == "what does" && !dependsQuestion(q):
			case at == 0:
				return p.intent
			case at > 0 && phrase != "what does":
				found[p.intent] = true
			}
		}
	}
	if len(found) == 1 {
		for intent := range found {
			return intent
		}
	}
	return Hybrid
}

// dependsQuestion tells "what does X import" from "what does X mean".
func dependsQuestion(q string) bool {
	for _, end := range []string{" import ", " depend on ", " call ", " use "} {
		if strings.HasSuffix(q, end) {
			return true
		}
	}
	return false
}
