package experience

import (
	"strings"

	"helix/internal/lazyregexp"
)

var (
	// trap words tell of something that is not as one would expect, or of a limit.
	trap = lazyregexp.New(flat(`
		(?i)\b(?:silently|ignor\w+|never|not|cannot|nothing|none|only|always|still|even (?:though|if|with|when|on)|regardless|
		although|must|unless|instead|rather than|differs?|also|anyway|without|before|until|by default|
		drops?|dropped|strips?|stripped|swallow\w*|los(?:es?|t)|skip\w*|surviv\w+|wins|beats|overrid\w+|overwr\w+|truncat\w+|
		shared|twice|two times|again|already|stale|both|at once|needs?|requires?|has to|have to|comes? back|becomes?|treats?|
		returns?|parses?|counts?|reads?|while|but|so|which|because|since|as|than|hits|cut|sat|keeps?|used)\b|n't\b|→`))
	// surprise words are the ones of them that tell a fact from a description.
	surprise = lazyregexp.New(flat(`
		(?i)\b(?:silently|ignor\w+|never|not|cannot|nothing|only|even (?:though|if|with|when|on)|regardless|must|
		unless|differs?|anyway|without an? (?:error|warning)|drops?|strips?|swallow\w*|los(?:es?|t)|skip(?:s|ped)|surviv\w+|
		overrid\w+|overwr\w+|truncat\w+|twice|stale|itself|at once|by default|before)\b|n't\b`))
	// consequence is what follows from a fact in this project.
	consequence = lazyregexp.New(flat(`
		(?i)^(?:that's|that is|this is|which is) (?:also )?why\b|^(?:so|therefore|hence|thus|consequently|as a result),? |
		^(?:that|this) explains\b|^(?:that|this)(?: is|'s) where\b|^(?:our|the) \S+.{0,40}? (?:still|passed|lost|had|relied|
		assumed)\b|\btherefore\b|\bhence\b|\bfor (?:that|this) reason\b|\bbecause of (?:that|this)\b`))
	// such begins what therefore holds for all that the fact is about.
	such = lazyregexp.New(`(?i)^(?:such|these|those|every|each|all|any\w*|whatever|whoever) .{2,60}?\b(?:must|needs?|has to|have to|cannot|can't)\b`)
	// advice is what to do about it.
	advice = lazyregexp.New("(?i)^(?:use|pass|set|run|add|escape|wrap|call|quote|put|prefer|avoid|export|keep|write)\\b.*`")
	fails  = lazyregexp.New(flat(`
		(?i)\b(?:fails?|failed|breaks?|broke|hangs?|hung|crash\w*|times? out|timed out|falls? back|missing|gone|wrong\w*|
		mismatch\w*|dead|corrupt\w*)\b`))
	inItself = lazyregexp.New(flat(`
		(?i)[,;] (?:so|hence|therefore|thus|which is why|and our|that's why) (?:\S+ ){1,6}?(?:was|were|did|had|lost|broke|
		fell|failed|came|went|got|hung|answered|received|logged|\w{3,}ed|didn't|couldn't|wasn't|never \w+ed)\b|
		[,;] so (?:our )?\x60[^\x60]+\x60 (?:must|has to|cannot|needs to)\b`))
	// repair is what was wrong with something that is put right, or the work on it;
	// purpose is meant, not met.
	repair = lazyregexp.New(flat(`
		(?i)\bnow\b|\bno longer\b|\bany ?more\b|^(?:the|a|an|one|two|three|both|all) [^.,:]{2,40}? (?:was|were|wasn't|
		weren't|had|did|didn't) |[,;] so (?:I|we)\b`))
	purpose = lazyregexp.New(`(?i)\bso that\b|\bin order\b`)
	// accounted is trouble that a fact explains; plainly is what was done for it.
	accounted = lazyregexp.New(`(?i)[,;:—] (?:hence|which explains|that explains|this explains|that's where) (?:the|our|those|these|all)\b`)
	plainly   = lazyregexp.New(`(?i)^(?:hence|that explains|this explains) (?:the|our|those|these|all)\b|\btherefore\b|\bfor (?:that|this) reason\b`)
	measured  = lazyregexp.New(flat(`
		(?i)\b(?:accounts? for|(?:goes?|went) (?:to|into)|(?:is|was) spent (?:in|on)|dominated by|makes? up|(?:is|
		are) responsible for)\b`))
	portion = lazyregexp.New(`(?i)\d ?% of (?:the |all )?(?:\w+ ){0,2}(?:time|memory|requests|cpu|queries|allocations|runtime)\b`)
	figure  = lazyregexp.New(`\d ?%|\b\d[\d,.]* (?:of|out of) (?:the )?\d|\d ?(?:ms|s|MB|GB|kB|queries|calls|allocations)\b`)
	// aside begins what is about the speaker or the reader, or points at the talk.
	aside = lazyregexp.New(flat(`
		(?i)^(?:(?:so|but|and|also|however|then|now)[,:]? )?(?:I|we|you|let|please|this (?:is|was|test|change|diff|commit|
		function)|that|these|those|here|there|it(?: |'s)|my|your|if|when|after|next|now|yes|no|because|because of|
		all (?:\w+ )?tests|checked|verified|looked|observ\w+|conclusion|for example|e\.g\.)\b`))
)

// fact finds a statement of how something behaves that needs no announcement: it
// names what it is about, says something unexpected, and what was done about it
// follows. In a message that ends with the next step it is a look at the code.
func fact(m *message, i int, text string) (claim, bool) {
	found := claim{rule: Gotcha, confidence: 0.6}
	if m.ongoing || m.explained(i) || m.all[i].frame == remarked || repair.MatchString(text) || aside.MatchString(text) ||
		aboutSelf.MatchString(text) || toReader.MatchString(text) || passing.MatchString(text) {
		return claim{}, false
	}
	if isMeasure(text) {
		return found, true
	}
	next := m.after(i).plain
	if !specific(text+" "+next) || guess.MatchString(text) || underWay(text) || underWay(next) {
		return claim{}, false
	}
	follows, followed := consequence.MatchString(next), m.followed(i)
	unexpected := surprise.MatchString(text) || fails.MatchString(text)
	switch {
	case accounted.MatchString(text):
	case followed && (follows || unexpected && specific(text)):
	case unexpected && inItself.MatchString(text) && !purpose.MatchString(text):
	case isRule(text) && (followed || local.MatchString(text) || breach.MatchString(text)):
	case specific(text) && mute.MatchString(text):
	default:
		return claim{}, false
	}
	// What does not begin its paragraph leans on the sentence before.
	if before := m.before(i).plain; i-1 > m.claimed && words(before) >= minWords && !underWay(before) && !aside.MatchString(before) && !m.before(i).question {
		found.text = before + " " + text
	}
	return found, true
}

// explained tells that a cause was found in the paragraph: what follows belongs to it.
func (m *message) explained(i int) bool {
	return m.caused > 0 && m.all[m.caused-1].paragraph == m.all[i].paragraph
}

// isMeasure tells of a share of the time or the memory that something takes.
func isMeasure(text string) bool {
	return (measured.MatchString(text) || portion.MatchString(text)) && figure.MatchString(text) && specific(text) && !guess.MatchString(firstWords(text, 12))
}

// isRule tells of what must be or must not be done with something, and why.
func isRule(text string) bool {
	return specific(text) && obliges.MatchString(text) && (explains.MatchString(text) || forbids.MatchString(text))
}

// followed tells that the next sentence says what came of a fact: what follows from
// it, what was done because of it, or what to do.
func (m *message) followed(i int) bool {
	next := m.after(i)
	if next.plain == "" || next.question || often.MatchString(next.plain) {
		return false
	}
	settled, named := settles(next.plain), specific(next.plain)
	switch {
	case consequence.MatchString(next.plain) && (settled || plainly.MatchString(next.plain) || past.MatchString(next.plain)):
	case consequence.MatchString(next.plain) && strings.Contains(next.plain, "`") && must.MatchString(next.plain):
	case named && (settled || advice.MatchString(next.plain) || such.MatchString(next.plain)):
	case settled && shown.MatchString(next.plain):
	default:
		return false
	}
	return true
}

var (
	past = lazyregexp.New(`(?i)\b(?:was|were|did|had|didn't|couldn't|wasn't|weren't|lost|broke|failed|came|got|saw|went|ended|gave|\w{3,}ed)\b`)
	// obliges is a rule about something that is named.
	obliges = lazyregexp.New(`(?i)\b(?:must(?:n't)?|has to|have to|needs? to|may not|cannot|can't|needs?)\b|^(?:do not|don't|never) \w+ `)
	forbids = lazyregexp.New(`(?i)^(?:do not|don't|never) \w+ .{3,80}, `)
	// breach is what comes of breaking a rule.
	breach = lazyregexp.New(`(?i)\b(?:otherwise|or else) .{0,60}?\b(?:fails?|breaks?|hangs?|crash\w*|rejects?|refuses|loses?|overwrites?|wrong|missing)\b`)
	// local rules are those of the project, not of a language.
	local = lazyregexp.New(flat(`
		(?i)\b(?:in|of|for|on) (?:this|our) (?:project|repo\w*|codebase|service|app\w*|module|package|cluster|pipeline|setup|
		monorepo)\b|\bhere\b|\b(?:our|in) CI\b|\bour\b`))
	// mute failures are told by nobody.
	mute = lazyregexp.New(`(?i)\bsilently\b|\bwithout (?:an?|any) (?:error|warning|message|exception)\b|\bno (?:error|warning) (?:is|at)\b`)
	// guess is a hedge wherever it stands; "can", "will" and the like are no guesses
	// in a statement of how something behaves.
	guess = lazyregexp.New(flat(`
		(?i)\b(?:could|would|might|should|maybe|perhaps|probably|possibly|likely|suspect\w*|seems?|appears?|assum\w+|
		hypothes\w+|I (?:think|believe|guess))\b`))
	must  = lazyregexp.New(`(?i)\b(?:must(?:n't)?|has to|have to|needs? to)\b`)
	often = lazyregexp.New(`(?i)\b(?:usually|typically|often|generally|normally|commonly|always need)\b`)
)
