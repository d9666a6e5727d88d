package experience

import (
	"strings"

	"helix/internal/lazyregexp"
)

const self = `\b(?:I|we)(?:'ve|’ve| have)? `

var (
	decidedTo = lazyregexp.New(`(?i)` + self + `(?:\w+ly )?(?:decided|opted|chose|chosen|elected) (?:not )?to `)
	decidedOn = lazyregexp.New(`(?i)(?:^|` + self + `)(?:\w+ly )?(?:decided (?:on|against|that|for|in favou?r of)|opted (?:for|against)|settled (?:on|for)) `)
	chose     = lazyregexp.New(`(?i)(?:` + self + `(?:\w+ly )?|^)(?:chose|chosen|picked|went with|gone with|opted for|settled on|ended up (?:using|with)) `)
	used      = lazyregexp.New(`(?i)` + self + `(?:\w+ly )?(?:used|kept|made|put|moved|switched|replaced|implemented|stored|built|based|wrote|modell?ed|represented) `)
	onPurpose = lazyregexp.New(`(?i)` + self + `(?:deliberately|intentionally|purposely) \w+ `)
	wasChosen = lazyregexp.New(flat(`
		(?i)\b(?:was|were|is|are) (?:deliberately |intentionally )?(?:chosen|picked|preferred|
		selected) (?:over|instead of|because|so that|rather than) `))
	ratherThan    = lazyregexp.New(`(?i)^(?:instead of|rather than) .{3,120}?, (?:I|we|the|it|each|every|an?) `)
	replaced      = lazyregexp.New(`(?i)(?:^|` + self + `)(?:replaced|swapped|exchanged) .{3,120}? (?:with|by|for) `)
	theFix        = lazyregexp.New(`(?i)^(?:so )?the (?:fix|solution|remedy) (?:is|was) to `)
	decisionLabel = lazyregexp.New(`(?i)^(?:design |key |architectural |architecture |technical )?decision\s*[:—–]\s`)

	reason     = lazyregexp.New(`(?i)\b(?:because|since|so that|in order to|as (?:it|this|that|the))\b|,? so (?:the|a|an|it|that|no|both|each|all|we|every)\b`)
	comparison = lazyregexp.New(`(?i)\b(?:over|instead of|rather than|in favou?r of|than|against)\b`)
	// errand is what an agent does next, not how the project is made.
	errand = lazyregexp.New(flat(`
		(?i)^(?:first |also |just |now |simply |quickly |briefly )*(?:look|take (?:a|another) |have a |read|
		check|inspect|run\b|rerun|re-run|start|begin|see\b|explore|investigate|search|grep|open\b|review|
		examine|ask\b|try|test\b|wait|continue|stop here|list\b|view|verify|dig|move on|proceed|go |focus|
		debug|trace|print|find|figure|understand|double-check|compare|measure|profile|experiment|commit|
		push|skip|do |tackle|fix|finish|work|re-?read|confirm|leave (?:it|.{1,60} (?:alone|as is|as it is|
		unchanged|untouched))\b|get |learn|study|walk|scan|gather|dump|step|revert|undo|retry|roll back|
		switch back|split the (?:commit|pr|change|work)|rewrite the (?:commit|history)|mention|report|tell|
		summari[sz]e|note\b|write (?:a|the|some) (?:quick |small |short |first )?(?:test|script|plan|
		summary|reproduc)|create (?:a|the) (?:plan|todo|branch|test|script|reproduc)|add (?:a |an |some |
		more |the )?(?:\w+ )?(?:tests?|logging|log|print|debug)|use (?:the )?(?:read|edit|write|bash|grep|
		glob|task|todo)\w* tool|use (?:sub-?agents?|tasks?|background)\b|delegate|spawn|clean up|keep going|
		call it)`))
	// ofSession is about the session's own changes and what was asked for.
	ofSession = lazyregexp.New(flat(`
		(?i)\bmy\b|\bas requested\b|\byou (?:asked|wanted|said|told)\b|\bthe following\b|\bth(?:is|at) (?:commits?|branch)\b|
		\bth(?:e|is|at) (?:commits|pr|pull request|plan)\b|\bthis session\b|\boption [a-d1-9]\b|\b(?:next|
		first) step\b|\bit(?: is|'s) time\b|\byour\b|\bsub-?agents?\b`))
	// byHand is a choice between the agent's tools.
	byHand = lazyregexp.New(flat(`
		(?i)^\x60?(?:grep|rg|ripgrep|sed|awk|perl|cat|find|ls|curl|wget|jq|
		(?:python3?|node|perl|bash)(?: (?:script|one-liner|here))?|
		a (?:small |short |quick )?(?:python |shell |bash )?(?:script|one-liner)|
		the (?:edit|read|write|bash|grep|glob|task) tool|apply_patch|edit|multiedit)\x60? `))
	first = lazyregexp.New(`(?i)\bfirst\b[.!]?$`)
)

// decisions are ways to tell of a decision, each with what must be true of it.
var decisions = []struct {
	pattern *lazyregexp.Regexp
	holds   func(text, rest string) bool
}{
	{decidedTo, func(_, rest string) bool {
		return words(rest) >= 3 && !errand.MatchString(rest) && !first.MatchString(rest)
	}},
	{decidedOn, func(_, rest string) bool { return words(rest) >= 3 }},
	{chose, func(text, rest string) bool {
		return words(rest) >= 3 && (comparison.MatchString(text) || reason.MatchString(text)) && !strings.HasPrefix(rest, "up ") && !byHand.MatchString(rest)
	}},
	{used, func(_, rest string) bool {
		return comparison.MatchString(rest) && reason.MatchString(rest) && !byHand.MatchString(rest) && !first.MatchString(rest)
	}},
	{replaced, func(_, rest string) bool {
		return (reason.MatchString(rest) || explains.MatchString(rest)) && !byHand.MatchString(rest)
	}},
	{onPurpose, func(_, rest string) bool { return words(rest) >= 4 }},
	{theFix, func(_, rest string) bool { return comparison.MatchString(rest) && reason.MatchString(rest) }},
	{wasChosen, func(_, _ string) bool { return true }},
	{ratherThan, func(text, rest string) bool {
		return reason.MatchString(rest) && !hedge.MatchString(strings.TrimSuffix(text, rest)) && !errandDone.MatchString(rest)
	}},
}

func decision(m *message, i int, text string) (claim, bool) {
	if ofSession.MatchString(text) || m.awaits || provisional.MatchString(text) {
		return claim{}, false
	}
	if rest, ok := place(decisionLabel, text); ok && words(rest) >= 4 {
		return claim{rule: Decided, confidence: 0.85}, true
	}
	for _, d := range decisions {
		rest, ok := place(d.pattern, text)
		if !ok || !d.holds(text, rest) || d.pattern != decidedTo && d.pattern != decidedOn && small.MatchString(text) {
			continue
		}
		if reason.MatchString(text) {
			return claim{rule: Decided, confidence: 0.75}, true
		}
		return claim{rule: Decided, confidence: 0.6}, true
	}
	return contrast(m, i, text)
}

// provisional choices are not meant to last.
var provisional = lazyregexp.New(`(?i)\b(?:for now|temporar\w+|for the moment|as a workaround for the session|clean (?:this|it) up later|(?:in|as) a follow-?up)\b`)

// errandDone is an errand in the past.
var errandDone = lazyregexp.New(flat(`
		(?i)^(?:\w+ly )?(?:looked|took|read|checked|inspected|ran|reran|started|began|explored|searched|grepped|opened|
		reviewed|tried|tested|verified|debugged|printed|compared|asked|'ll|will|'d)\b`))

var (
	inSentence = lazyregexp.New(`(?i)\b(?:because|since|so that|as (?:it|this|that))\s`)
	nextReason = lazyregexp.New(flat(`
		(?i)^(?:the reason(?: for (?:this|that))? (?:is|was)(?: that)?|(?:this|that) is because|that's because|
		because|reason\s*:|rationale\s*:|
		(?:this|that)(?: way,?)? (?:keeps|avoids|means|ensures|lets|allows|makes|gives|prevents|saves)|
		that way,?|this way,?)\s+`))
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
