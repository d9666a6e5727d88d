package brief

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"helix/internal/kb/entry"
)

// Category is what sort of knowledge an entry holds, as a reader looks for it.
type Category string

// The categories in the order in which a briefing shows them.
const (
	Architecture Category = "ARCHITECTURE"
	DataFlow     Category = "DATA FLOW"
	Invariants   Category = "INVARIANTS"
	Gotchas      Category = "GOTCHAS"
	Decisions    Category = "DECISIONS"
	HowTo        Category = "HOW-TO"
	Performance  Category = "PERFORMANCE"
	Gaps         Category = "GAPS"
	Untagged     Category = "UNTAGGED"
)

// rule says what brings an entry into a category. Words and phrases are lower
// case with one space between words.
type rule struct {
	category Category
	tags     []string
	prefixes []string // of the first line
	keywords []string // in the first line
	body     []string // anywhere in an entry without tags
}

func rules() []rule {
	return []rule{
		{
			Architecture,
			[]string{"architecture", "module-map", "overview", "coupling", "pattern"},
			[]string{"module:", "overview:", "coupling:", "pattern:", "architecture:"},
			[]string{"architecture", "overview", "module map", "layering"},
			[]string{"architecture", "component", "components", "layer", "layers", "module", "modules", "package layout"},
		},
		{
			DataFlow,
			[]string{"pipeline", "data-flow"},
			[]string{"data flow:", "flow:", "pipeline:"},
			[]string{"pipeline", "data flow", "dataflow"},
			[]string{"pipeline", "data flow", "dataflow", "flows into", "upstream", "downstream"},
		},
		{
			Invariants,
			[]string{"invariant", "constraint"},
			[]string{"invariant:", "security:", "constraint:"},
			[]string{"invariant", "constraint", "must never", "must always"},
			[]string{"invariant", "constraint", "must never", "must not", "must always", "never", "always"},
		},
		{
			Gotchas,
			[]string{"gotcha"},
			[]string{"gotcha:", "bug:", "pitfall:", "beware:"},
			[]string{"gotcha", "pitfall", "beware", "careful"},
			[]string{"gotcha", "pitfall", "beware", "careful", "surprising", "unexpectedly", "silently", "workaround"},
		},
		{
			Decisions,
			[]string{"decision"},
			[]string{"decision:", "design:", "decided:"},
			[]string{"decision", "decided", "we chose"},
			[]string{"decision", "decided", "chose", "chosen", "instead of", "trade off", "rationale"},
		},
		{
			HowTo,
			[]string{"how-to", "workflow"},
			[]string{"how-to:", "howto:", "impl:", "fix:", "workflow:"},
			[]string{"how to", "workflow", "step by step"},
			[]string{"how to", "workflow", "steps", "first run", "to reproduce"},
		},
		{
			Performance,
			[]string{"performance", "zero-alloc"},
			[]string{"perf:", "benchmark:", "performance:"},
			[]string{"performance", "benchmark", "latency", "throughput"},
			[]string{"performance", "benchmark", "latency", "throughput", "allocation", "allocations", "faster", "slower"},
		},
		{
			Gaps,
			[]string{"gap", "missing"},
			[]string{"gap:", "missing:", "todo:"},
			[]string{"not implemented", "unimplemented", "todo"},
			[]string{"todo", "missing", "not implemented", "unimplemented", "not yet"},
		},
	}
}

// Categories lists all of them in the order in which a briefing shows them.
func Categories() []Category {
	var out []Category
	for _, r := range rules() {
		out = append(out, r.category)
	}
	return append(out, Untagged)
}

// ParseCategory reads the name of a category as a person types it, as gotchas,
// Gotcha, how-to or data flow; a tag of the category will do.
func ParseCategory(name string) (Category, error) {
	want := key(name)
	for _, r := range rules() {
		if same := func(s string) bool { return key(s) == want }; same(string(r.category)) || slices.ContainsFunc(r.tags, same) {
			return r.category, nil
		}
	}
	if want == key(string(Untagged)) {
		return Untagged, nil
	}
	var names []string
	for _, c := range Categories() {
		names = append(names, strings.ToLower(strings.ReplaceAll(string(c), " ", "-")))
	}
	return "", fmt.Errorf("no category %q; there are %s", name, strings.Join(names, ", "))
}

// key leaves the letters of a name, in the singular.
func key(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	return strings.TrimSuffix(s, "s")
}

// Classify sorts one entry, in three passes: by what its writer said of it (tags,
// then kind), by its first line, and, when it has no tags at all, by the words of
// its text.
func Classify(e *entry.Entry) Category {
	c := newClassifier()
	return c.classify(e)
}

// classifier is the rules, made ready for many entries.
type classifier struct {
	rules    []rule
	keywords lexicon
	body     lexicon
}

func newClassifier() classifier {
	c := classifier{rules: rules()}
	for i, r := range c.rules {
		c.keywords.add(i, r.keywords)
		c.body.add(i, r.body)
	}
	return c
}

func (c *classifier) classify(e *entry.Entry) Category {
	if found, ok := c.byTag(e); ok {
		return found
	}
	if found, ok := c.byFirstLine(firstLine(e.Text)); ok {
		return found
	}
	if len(e.Tags) == 0 {
		return c.byBody(e.Text)
	}
	return Untagged
}

func (c *classifier) byTag(e *entry.Entry) (Category, bool) {
	for _, r := range c.rules {
		for _, tag := range e.Tags {
			if slices.Contains(r.tags, strings.ToLower(tag)) {
				return r.category, true
			}
		}
	}
	switch e.Kind {
	case entry.Decision:
		return Decisions, true
	case entry.Procedure:
		return HowTo, true
	}
	return "", false
}

func (c *classifier) byFirstLine(line string) (Category, bool) {
	line = strings.ToLower(head(line, maxFirst))
	for _, r := range c.rules {
		for _, p := range r.prefixes {
			if strings.HasPrefix(line, p) {
				return r.category, true
			}
		}
	}
	for i, n := range c.keywords.count(line, len(c.rules)) {
		if n > 0 {
			return c.rules[i].category, true
		}
	}
	return "", false
}

// How much, in bytes, is looked through for words.
const (
	maxFirst = 256     // of a first line
	maxScan  = 4 << 10 // of a text
)

// byBody picks the category most of whose keywords occur.
func (c *classifier) byBody(text string) Category {
	best, most := Untagged, 0
	for i, n := range c.body.count(head(text, maxScan), len(c.rules)) {
		if n > most {
			best, most = c.rules[i].category, n
		}
	}
	return best
}

// lexicon finds words and phrases in a text.
type lexicon struct {
	terms   []term
	byFirst map[string][]int // places in terms, by the first word
}

type term struct {
	phrase string // with a space after each word
	rule   int
}

func (l *lexicon) add(rule int, phrases []string) {
	if l.byFirst == nil {
		l.byFirst = map[string][]int{}
	}
	for _, p := range phrases {
		first, _, _ := strings.Cut(p, " ")
		l.byFirst[first] = append(l.byFirst[first], len(l.terms))
		l.terms = append(l.terms, term{p + " ", rule})
	}
}

// count tells how many different terms of each of n rules a text has.
func (l *lexicon) count(text string, n int) []int {
	found, seen := make([]int, n), make([]bool, len(l.terms))
	for rest := spaced(text); rest != ""; {
		word, after, _ := strings.Cut(rest, " ")
		for _, i := range l.byFirst[word] {
			if t := l.terms[i]; !seen[i] && strings.HasPrefix(rest, t.phrase) {
				seen[i] = true
				found[t.rule]++
			}
		}
		rest = after
	}
	return found
}

// spaced gives the words of s in lower case, with one space after each.
func spaced(s string) string {
	out := make([]byte, 0, len(s)+1)
	gap := func() {
		if len(out) > 0 && out[len(out)-1] != ' ' {
			out = append(out, ' ')
		}
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			out = append(out, byte(r))
		case r >= 'A' && r <= 'Z':
			out = append(out, byte(r)+'a'-'A')
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			out = utf8.AppendRune(out, unicode.ToLower(r))
		default:
			gap()
		}
	}
	gap()
	return string(out)
}
