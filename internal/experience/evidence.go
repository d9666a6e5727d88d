package experience

import "helix/internal/lazyregexp"

var (
	// symbol is something that can be found in the code: a name in code marks, a
	// file, an identifier, an option, a version, a measure.
	symbol = lazyregexp.New(flat(`
		\x60[^\x60]+\x60|\b[A-Za-z_]\w*(?:\.\w+)+\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|
		(?:^|\s)--?[a-z][\w-]+|\b[A-Z]{2,}\w*\b|\b\w+/\w+|\b\d+(?:\.\d+)+\b|\b[1-9]\d*,?\d* ?(?:%|\w)`))

	// done is the past of a change: with "I" or, in terse reports, without.
	done = lazyregexp.New(flat(`
		(?i)(?:^|[.;:,—–] |\band |\bso |\btherefore |\bthus |\bhence )(?:\w+ly )?(?:I|we)?(?:'ve| have)? ?(?:now |therefore |
		\w+ly )?(?:chang|switch|mov|add|wrapp|replac|pinn|lower|rais|remov|upsert|pass|capp|order|reorder|disabl|enabl|escap|
		quot|fix|bump|convert|renam|cach|lock|clear|drop|flush|register|patch|restrict|limit|swapp|guard|invalidat|normali[sz]|
		updat|extend|split|extract|pushe?|call|us)(?:ed|ped|ted)\b`))
	doneIrregular = lazyregexp.New(flat(`
		(?i)(?:^|[.;:,—–] |\band |\bso )(?:I|we)(?:'ve| have)? (?:now |\w+ly )?(?:set|put|made|wrote|kept|gave|took|left|
		went|built|got|\w{3,}ed)\b`))
	doneNow = lazyregexp.New(flat(`
		(?i)^(?:so )?(?:I|we) (?:now |therefore )?(?:pass|copy|export|call|use|set|wrap|keep|clear|hold|take|store|send|read|
		write|make|sort|release|close|open|skip|catch|await|upsert|filter|create|lock|put|escape|quote|encode|decode|
		convert)\b`))
	// holdsNow is a state that the work has brought about, or what the project does
	// about a fact.
	holdsNow = lazyregexp.New(flat(`
		(?i)\bno longer\b|\bany ?more\b|\btherefore\b|\b(?:now|always) \w+s\b|\w+s now\b|\b(?:is|are|lives?|sits?) now\b|
		\bnow[.!]?$|
		^now \S+ (?:\S+ )?(?:\w+s|is|are)\b`))
	// shown is that it works.
	shown = lazyregexp.New(flat(`
		(?i)\b(?:tests?|suite|build|ci|job|run|it|everything|both|all|with (?:that|it|the)\b.{0,60}?|\d+ (?:runs|times|h|
		hours)|stress test|repro\w*)\b.{0,40}?\b(?:pass(?:es|ed)?|green|works?|worked|gone|clean|stays?|without a|shows? no|
		finish(?:es|ed)?)\b|\b(?:confirmed|verified|is fixed|is gone|solved?|solves it|fixes it)\b|\b\d\S* green\b|^(?:fixed|
		solved|works)\b|\bfalls from\b|\bfell from\b`))

	// going is a step under way or to come. What is said on the way to the next step
	// explains that step and little else.
	going = lazyregexp.New(flat(`
		(?i)^(?:(?:so|now|ok|okay|then|and|but|first|next|also|meanwhile|hm+|well|alright|still|back)[,:]? )*(?:let me|let's|
		I'll|I will|I'm|I am|I'd|we'll|I need|I have to|I should|I want|I can|we need|we should|next|to the|looking|
		moving on)\b`))
	gerund = lazyregexp.New(`(?i)^(?:(?:so|now|ok|okay|then|and|but|first|next|also)[,:]? )*\w{2,}ing\b`)
	finite = lazyregexp.New(`(?i)\b(?:is|are|was|were|would|will|means?|makes?|takes?|needs?|does|has|had|can|cannot|breaks?|must|works?|goes|costs?|leads?)\b|:`)

	// circumstance is about where the agent works, not what it works on.
	circumstance = lazyregexp.New(flat(`
		(?i)\b(?:sandbox(?:ed)?|(?:allowed|available|possible) in this session|uncommitted|working tree|(?:this|my|
		the current) (?:environment|machine|container|shell|checkout)|network (?:access|being|is|
		was) (?:\w+ )?(?:unavailable|denied|blocked|allowed|disabled|off)|credentials (?:are|were|is) \w+|permission mode|
		(?:isn't|is not|not|aren't|wasn't) (?:yet )?installed|node_modules (?:is|are|was)|wrong (?:directory|folder|branch|
		file|place)|(?:old|stale|wrong) branch)\b`))
	// slip is a mistake of the agent's own, or of no weight: nobody meets it again.
	slip = lazyregexp.New(flat(`
		(?i)\b(?:trailing whitespace|(?:of|a) whitespace|typos?|lint(?:er)? (?:errors?|warnings?)|unused (?:variables?|
		imports?)|(?:a|the|an) (?:missing |extra |closing |wrong )+(?:semicolon|comma|brace|bracket|paren\w*|import|quote|
		line)|merge conflict|(?:old|outdated|stale) (?:error |expected )?(?:messages?|snapshots?|strings?|values?|texts?|
		tests?)|my (?:script|edit|change|command|regex|test|patch))\b`))

	// passed on are somebody else's words, wherever they stand in the sentence.
	passedOn = lazyregexp.New(flat(`
		(?i)\b(?:according to|(?:the )?(?:docs?|documentation|readme|ticket|issue|guide|header|comment|release notes|manual|
		spec|rfc|adr|subagent|agent|reviewer|linter|eslint|compiler|claude\.md|agents\.md|log|report|error message|response|
		previous developer|author|stack ?trace)\b.{0,40}?\b(?:says?|states?|reads?|claims?|reports?|mentions?|explains?|
		shows?|contains?|complains?|suggests?|asks?|recommends?|has this)|as you (?:said|mentioned|wrote|noted)|you (?:said|
		mentioned|told|wrote|decided|want)|they (?:decided|chose)|(?:documents?|documented) (?:that|as))\b`))
)

// underWay tells of a step that is being done or comes next: "Let me …", or a gerund
// without a verb behind it.
func underWay(text string) bool {
	return going.MatchString(text) || gerund.MatchString(text) && words(text) <= maxLabel && !finite.MatchString(text)
}

func specific(text string) bool { return symbol.MatchString(text) }

// settles tells of a change that was made, or of a proof that it works.
func settles(text string) bool {
	return !underWay(text) && (done.MatchString(text) || doneIrregular.MatchString(text) || doneNow.MatchString(text) || holdsNow.MatchString(text) || shown.MatchString(text))
}
