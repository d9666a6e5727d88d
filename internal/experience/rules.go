package experience

import (
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/lazyregexp"
)

// claim is what a rule makes of a sentence.
type claim struct {
	rule       Rule
	confidence float64
}

// Rule names what found an experience.
type Rule string

const (
	Trailer  Rule = "findings" // the agent's own list
	Decided  Rule = "decision"
	Cause    Rule = "root-cause"
	Gotcha   Rule = "gotcha"
	Worked   Rule = "how-to"  // a command that worked after others had failed
	Happened Rule = "episode" // what came of the whole
	Asserted Rule = "agent"   // an agent that was asked to read the transcript
)

// kind of the entries that a rule makes.
func (r Rule) kind() entry.Kind {
	switch r {
	case Decided:
		return entry.Decision
	case Worked:
		return entry.Procedure
	case Happened:
		return entry.Episode
	}
	return entry.Finding
}

// Sizes of sentences that say something and can stand alone.
const (
	minWords = 5
	maxWords = 80
)

// judge applies the rules to a sentence. A rule has a pattern that must be there,
// and then everything speaks against it that makes the sentence a plan, a guess, a
// question, a quotation, or a remark about the session rather than the project.
func judge(s sentence) (claim, bool) {
	text := bare(s.text)
	if n := len(strings.Fields(text)); s.question || n < minWords || n > maxWords {
		return claim{}, false
	}
	for _, rule := range []func(string) (claim, bool){cause, decision, gotcha} {
		if c, ok := rule(text); ok {
			return c, true
		}
	}
	return below(s, text)
}

// below is what the heading above makes of a sentence that begins a paragraph or an
// item of a list.
func below(s sentence, text string) (claim, bool) {
	if !s.begins || unsettled.MatchString(text) || aboutSelf.MatchString(text) || ofSession.MatchString(text) || hedge.MatchString(firstWords(text, 4)) {
		return claim{}, false
	}
	switch {
	case s.first && causeHeading.MatchString(s.heading):
		return claim{Cause, 0.7}, true
	case decisionHeading.MatchString(s.heading) && !errand.MatchString(text):
		return claim{Decided, 0.7}, true
	case gotchaHeading.MatchString(s.heading) && !passing.MatchString(text):
		return claim{Gotcha, 0.65}, true
	}
	return claim{}, false
}

func firstWords(text string, n int) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(n, len(words))], " ")
}

var (
	// hedge before a pattern makes it a guess, a plan, a condition or a denial.
	hedge = lazyregexp.New(`(?i)\b(?:if|whether|could|would|might|may|should|can|maybe|perhaps|probably|possibly|likely|unless|suspect|suspected|think|thought|guess|assume|seems?|appears?|(?:looks?|sounds?|feels?) (?:like|as)|hypothes\w+|when|whenever|once|in case|need to|want to|wanted to|going to|plan to|let me|let's|I'll|we'll|I'd|we'd|will|to find|to see|not|never|unclear|unknown|suggest|recommend|propose|what|why|usually|often|sometimes|typically|generally|normally)\b|n't\b`)
	// unsettled behind a pattern does the same.
	unsettled = lazyregexp.New(`(?i)\b(?:probably|likely|perhaps|maybe|possibly|unclear|(?:is|are|still|remains) unknown|not (?:yet )?(?:clear|known)|might|pending|tbd|to be (?:done|decided|determined)|to do|todo|I (?:think|guess|suspect|believe))\b`)
	// reported words are somebody else's.
	reported = lazyregexp.New(`(?i)\b(?:says?|said|states?|stated|reads|wrote|writes|asked|told|tells|claims?|claimed|according to|mentions?|quot(?:e|es|ed|ing)|the user|you)\b`)
	// aboutSelf is about what the agent did in this session.
	aboutSelf = lazyregexp.New(`(?i)\bmy\b|\b(?:because|that|since) (?:I|you|the user)\b|\bI (?:ran|forgot|made|mis\w+|had|do not|don't|cannot|can't)\b|\bin the wrong (?:directory|folder|branch)\b|\b(?:so|and|but) (?:I'll|I will|I'm|let me|I am)\b|\b(?:the|this|that) (?:command|search|grep|edit)\b|\bI (?:freed|retried|reran|restarted|cleared|killed)\b|\bprevious commit\b|\bas (?:intended|expected)\b|\b(?:sandbox|permission mode)\b`)
)

// place tells where a pattern is, if nothing before it speaks against it.
func place(pattern *lazyregexp.Regexp, text string) (rest string, ok bool) {
	at := pattern.FindStringIndex(text)
	if at == nil || at[0] > 120 || quoted(text, at[0]) {
		return "", false
	}
	lead := text[:at[0]]
	if hedge.MatchString(lead) || reported.MatchString(lead) {
		return "", false
	}
	return strings.TrimSpace(text[at[1]:]), true
}

func words(s string) int { return len(strings.Fields(s)) }

const trouble = `(?:bugs?|failures?|problem|issue|errors?|crash|flake|flakiness|deadlock|regression|leak|race|hang|panic|slowdown|mismatch|corruption|exception|timeouts?|segfault|null pointer|nil pointer|outage|stall)`

var (
	decisionHeading = lazyregexp.New(`(?i)^(?:(?:key|design|main|technical|architectural) )?decisions?(?: (?:made|taken))?$`)
	gotchaHeading   = lazyregexp.New(`(?i)^(?:known )?(?:gotchas?|caveats?|pitfalls?|traps?)$`)
	causeHeading    = lazyregexp.New(`(?i)^(?:the )?(?:root )?cause(?: analysis)?$`)
	causeLabel      = lazyregexp.New(`(?i)^(?:so |and )?(?:the )?(?:actual |real )?root cause(?: found| identified)?(?: (?:of|for|behind|here)\b.{0,80}?)?(?:\s*[:—–]|\s+-| is| was| turned out to be)\s`)
	causeColon      = lazyregexp.New(`(?i)^(?:so |and )?(?:the )?(?:cause|(?:actual|real|underlying) (?:bug|problem|issue|cause|error))\s*[:—–]\s`)
	causes          = []*lazyregexp.Regexp{
		lazyregexp.New(`(?i)\b(?:is|was|were|are) (?:actually |in fact |being )?caused by\b`),
		lazyregexp.New(`(?i)\b` + trouble + `\b.{0,60}?\b(?:is|was|were) (?:actually |in fact )?(?:due to|introduced by|triggered by|the result of)\b`),
		lazyregexp.New(`(?i)\b(?:happen(?:s|ed)|occurs|occurred) (?:\w+ ){0,3}?(?:because|due to)\b`),
		lazyregexp.New(`(?i)\b(?:fail(?:s|ed|ing)?|broke|breaks|crash(?:es|ed|ing)|hung|hangs|panics|panicked|deadlock(?:s|ed)|leak(?:s|ed)|timed out|times out) (?:\w+ ){0,3}?because\b`),
		lazyregexp.New(`(?i)\bculprit (?:is|was)\b`),
		lazyregexp.New(`(?i)\b(?:tests?|` + trouble[3:] + `\b.{0,40}? (?:came|comes|boiled|boils) down to\b`),
		lazyregexp.New(`(?i)^(?:so |and |but )?the (?:actual |real |underlying )?(?:problem|issue|bug|cause|error|failure)(?: here)? (?:is|was) that\b`),
		lazyregexp.New(`(?i)^(?:so |and |but )?the (?:actual |real |underlying )?(?:problem|issue|bug|cause)(?: here)? was (?:a|an|the|in)\b`),
		lazyregexp.New(`(?i)\b` + trouble + `\b.{0,40}? (?:comes?|came|stems?|stemmed|originates?|originated|results?|resulted) from\b`),
	}
	causeReason = lazyregexp.New(`(?i)^the reason (?:why |that )?(?:\S+ ){1,14}?(?:is|was) (?:that|because) `)
	noReason    = lazyregexp.New(`(?i)^the reason (?:why |that )?(?:I|we|you|I'm|we're)\b|^the reason for (?:the|this) (?:decision|choice)`)
	noCause     = lazyregexp.New(`(?i)^(?:the )?(?:same|following|first one|one)\b|^(?:a |an )?(?:I|we|you)\b|^(?:the )?(?:missing|still)\b.{0,20}$`)
)

func cause(text string) (claim, bool) {
	accept := func(rest string, confidence float64) (claim, bool) {
		if words(rest) < 3 || unsettled.MatchString(text) || aboutSelf.MatchString(text) || noCause.MatchString(rest) {
			return claim{}, false
		}
		return claim{Cause, confidence}, true
	}
	for _, label := range []*lazyregexp.Regexp{causeLabel, causeColon} {
		if rest, ok := place(label, text); ok {
			return accept(rest, 0.85)
		}
	}
	if rest, ok := place(causeReason, text); ok && !noReason.MatchString(text) {
		return accept(rest, 0.7)
	}
	for _, pattern := range causes {
		if rest, ok := place(pattern, text); ok {
			return accept(rest, 0.75)
		}
	}
	return claim{}, false
}

const self = `\b(?:I|we)(?:'ve|’ve| have)? `

var (
	decidedTo     = lazyregexp.New(`(?i)` + self + `(?:\w+ly )?(?:decided|opted|chose|chosen|elected) (?:not )?to `)
	decidedOn     = lazyregexp.New(`(?i)` + self + `(?:\w+ly )?(?:decided (?:on|against|that|for|in favou?r of)|opted (?:for|against)|settled (?:on|for)) `)
	chose         = lazyregexp.New(`(?i)(?:` + self + `(?:\w+ly )?|^)(?:chose|chosen|picked|went with|gone with|opted for|settled on|ended up (?:using|with)) `)
	used          = lazyregexp.New(`(?i)` + self + `(?:\w+ly )?(?:used|kept|made|put|moved|switched|replaced|implemented|stored|built|based|wrote|modell?ed|represented) `)
	onPurpose     = lazyregexp.New(`(?i)` + self + `(?:deliberately|intentionally|purposely) \w+ `)
	wasChosen     = lazyregexp.New(`(?i)\b(?:was|were|is|are) (?:deliberately |intentionally )?(?:chosen|picked|preferred|selected) (?:over|instead of|because|so that|rather than) `)
	ratherThan    = lazyregexp.New(`(?i)^(?:instead of|rather than) .{3,120}?, (?:I|we|the|it|each|every|an?) `)
	replaced      = lazyregexp.New(`(?i)` + self + `(?:replaced|swapped|exchanged) .{3,120}? (?:with|by|for) `)
	theFix        = lazyregexp.New(`(?i)^(?:so )?the (?:fix|solution|remedy) (?:is|was) to `)
	decisionLabel = lazyregexp.New(`(?i)^(?:design |key |architectural |architecture |technical )?decision\s*[:—–]\s`)

	reason     = lazyregexp.New(`(?i)\b(?:because|since|so that|in order to|as (?:it|this|that|the))\b|,? so (?:the|a|an|it|that|no|both|each|all|we|every)\b`)
	comparison = lazyregexp.New(`(?i)\b(?:over|instead of|rather than|in favou?r of|than|against)\b`)
	// errand is what an agent does next, not how the project is made.
	errand = lazyregexp.New(`(?i)^(?:first |also |just |now |simply |quickly |briefly )*(?:look|take (?:a|another) |have a |read|check|inspect|run\b|rerun|re-run|start|begin|see\b|explore|investigate|search|grep|open\b|review|examine|ask\b|try|test\b|wait|continue|stop here|list\b|view|verify|dig|move on|proceed|go |focus|debug|trace|print|find|figure|understand|double-check|compare|measure|profile|experiment|commit|push|skip|do |tackle|fix|finish|work|re-?read|confirm|leave (?:it|.{1,60} (?:alone|as is|as it is|unchanged|untouched))\b|get |learn|study|walk|scan|gather|dump|step|revert|undo|retry|roll back|switch back|split the (?:commit|pr|change|work)|rewrite the (?:commit|history)|mention|report|tell|summari[sz]e|note\b|write (?:a|the|some) (?:quick |small |short |first )?(?:test|script|plan|summary|reproduc)|create (?:a|the) (?:plan|todo|branch|test|script|reproduc)|add (?:a |an |some |more |the )?(?:\w+ )?(?:tests?|logging|log|print|debug)|use (?:the )?(?:read|edit|write|bash|grep|glob|task|todo)\w* tool|use (?:sub-?agents?|tasks?|background)\b|delegate|spawn|clean up|keep going|call it)`)
	// ofSession is about the session's own changes and what was asked for.
	ofSession = lazyregexp.New(`(?i)\bmy\b|\bas requested\b|\byou (?:asked|wanted|said|told)\b|\bthe following\b|\bth(?:e|is|at) (?:commits?|pr|pull request|branch|plan)\b|\bthis session\b|\boption [a-d1-9]\b|\b(?:next|first) step\b|\bit(?: is|'s) time\b|\byour\b`)
	// byHand is a choice between the agent's tools.
	byHand = lazyregexp.New("(?i)^`?(?:grep|rg|ripgrep|sed|awk|perl|cat|find|ls|curl|wget|jq|(?:python3?|node|perl|bash)(?: (?:script|one-liner|here))?|a (?:small |short |quick )?(?:python |shell |bash )?(?:script|one-liner)|the (?:edit|read|write|bash|grep|glob|task) tool|apply_patch|edit|multiedit)`? ")
	first  = lazyregexp.New(`(?i)\bfirst\b[.!]?$`)
)

func decision(text string) (claim, bool) {
	yes := func() (claim, bool) {
		c := claim{Decided, 0.6}
		if reason.MatchString(text) {
			c.confidence = 0.75
		}
		return c, true
	}
	no := func() (claim, bool) { return claim{}, false }
	if unsettled.MatchString(text) || ofSession.MatchString(text) {
		return no()
	}
	weighed := comparison.MatchString(text) || reason.MatchString(text)
	if rest, ok := place(decisionLabel, text); ok && words(rest) >= 4 {
		return claim{Decided, 0.85}, true
	}
	if rest, ok := place(decidedTo, text); ok {
		if errand.MatchString(rest) || first.MatchString(rest) || words(rest) < 3 {
			return no()
		}
		return yes()
	}
	if rest, ok := place(decidedOn, text); ok && words(rest) >= 3 {
		return yes()
	}
	if rest, ok := place(chose, text); ok && weighed && words(rest) >= 3 && !strings.HasPrefix(rest, "up ") && !byHand.MatchString(rest) {
		return yes()
	}
	if rest, ok := place(used, text); ok && comparison.MatchString(rest) && reason.MatchString(rest) && !byHand.MatchString(rest) && !first.MatchString(rest) {
		return yes()
	}
	if rest, ok := place(onPurpose, text); ok && words(rest) >= 4 {
		return yes()
	}
	if rest, ok := place(replaced, text); ok && reason.MatchString(rest) && !byHand.MatchString(rest) {
		return yes()
	}
	if rest, ok := place(theFix, text); ok && comparison.MatchString(rest) && reason.MatchString(rest) {
		return yes()
	}
	if _, ok := place(wasChosen, text); ok {
		return yes()
	}
	if rest, ok := place(ratherThan, text); ok && reason.MatchString(rest) && !hedge.MatchString(text[:len(text)-len(rest)]) && !errandDone.MatchString(rest) {
		return yes()
	}
	return no()
}

// errandDone is an errand in the past.
var errandDone = lazyregexp.New(`(?i)^(?:\w+ly )?(?:looked|took|read|checked|inspected|ran|reran|started|began|explored|searched|grepped|opened|reviewed|tried|tested|verified|debugged|printed|compared|asked|'ll|will|'d)\b`)

const lead = `^(?:(?:but|however|also|and|so|hm+|ok|ah|interesting|interestingly|one more thing)[,:]? )?`

var (
	strongNote = lazyregexp.New(`(?i)` + lead + `(?:(?:one |another |a |the )?(?:gotcha|caveat|pitfall|caution|footgun)s?(?: here| for later| to remember)?(?:\s*[:—–]| is that| -)|careful\s*[:—–,]|be careful(?:\s*[:—–]| when| with| not to)|beware(?: that| of|\s*:)|watch out\s*[:—–,]|watch out (?:for|that)|(?:as )?(?:it )?turn(?:s|ed) out(?:,| that|\s*:)?|surprisingly,?|counter-?intuitively,?|keep in mind(?: that|\s*:)|be aware(?: that|\s*:))\s+`)
	weakNote   = lazyregexp.New(`(?i)` + lead + `(?:(?:please |do )?note(?: here)?(?: that|\s*:| the| how)|nb\s*:|n\.b\.:?|important\s*:|importantly,?|warning\s*:|heads[- ]up\s*:|remember that|don't forget(?: that|\s*:)|(?:worth noting|worth knowing|good to know|(?:one )?thing to (?:know|note|remember|watch)|interesting)\s*:)\s+`)
	// lasting words are those of a rule or an exception.
	lasting = lazyregexp.New(`(?i)\b(?:must|otherwise|before|after|because|since|only|never|always|cannot|ignores?|unless|so|does not|do not|did not|is not|are not|instead|without|until|even|which|requires?|needs?|has to|have to|rejects?|refuses|also|by default|silently|returns?|treats?|still|first)\b|n't\b|\x60`)
	// passing is about the session, its change or its reader.
	passing = lazyregexp.New(`(?i)^(?:that )?(?:(?:was|is|wasn't|isn't|to be)\b|to work|that\b|this\b|it (?:was|is just|did|does not matter)\b|I\b|I'|we\b|we'|you\b|your\b|the user|this (?:change|commit|patch|pr|session|fix|is|was|only|does|has|also|update|edit|refactor)|these (?:changes|are)|all (?:the |of )?(?:\w+ )?tests|(?:the )?(?:\w+ )?tests? (?:all |now |still )?(?:pass|fail)|there (?:is|are) (?:no|already)|lines? \d|\d|please|see\b|nothing|none|no \w+ (?:change|test)|it (?:works|worked|passes|compiles|builds)\b|everything|the (?:build|test suite|suite|task|change|fix|file) (?:now |is |was |already |has )|my\b)|\btests? (?:all |now )*pass|\bthe changes\b|\bthis file\b|\bas requested\b|\bfor you\b|\byou (?:asked|want|may|can|might)\b`)
)

func gotcha(text string) (claim, bool) {
	if rest, ok := place(strongNote, text); ok && words(rest) >= 4 && !passing.MatchString(rest) && !unsettled.MatchString(text) {
		return claim{Gotcha, 0.7}, true
	}
	if rest, ok := place(weakNote, text); ok && words(rest) >= minWords && lasting.MatchString(rest) && !passing.MatchString(rest) && !unsettled.MatchString(text) {
		return claim{Gotcha, 0.6}, true
	}
	return claim{}, false
}

var (
	inSentence = lazyregexp.New(`(?i)\b(?:because|since|so that|as (?:it|this|that))\s`)
	nextReason = lazyregexp.New(`(?i)^(?:the reason(?: for (?:this|that))? (?:is|was)(?: that)?|(?:this|that) is because|that's because|because|reason\s*:|rationale\s*:|(?:this|that)(?: way,?)? (?:keeps|avoids|means|ensures|lets|allows|makes|gives|prevents|saves)|that way,?|this way,?)\s+`)
)

// rationale is why: what the sentence says behind its because, or the next one.
// behind tells that it is the next one.
func rationale(text string, next sentence) (why string, behind bool) {
	text = bare(text)
	if at := inSentence.FindStringIndex(text); at != nil && !quoted(text, at[0]) {
		return strings.TrimRight(text[at[0]:], ". "), false
	}
	if n := bare(next.text); !next.question && !next.begins && nextReason.MatchString(n) && words(n) <= maxWords {
		return strings.TrimRight(n, ". "), true
	}
	return "", false
}
