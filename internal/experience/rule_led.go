package experience

import (
	"strings"

	"helix/internal/lazyregexp"
)

// causeLeads announce a cause, as a label or as a sentence of their own. The weak
// ones announce other things as well: what they lead must name something, and
// something must have been done about it.
var (
	causeLead = lazyregexp.New(flat(`
		(?i)^(?:so |and |ok,? |ah,? |yes,? |after .{3,60}? )*(?:(?:the |a )?(?:root|actual|real|underlying|true) (?:cause|bug|problem|issue|reason|
		culprit)\b.*|(?:the )?(?:cause|culprit|reason|explanation)(?: (?:of|for|behind|why) .+| found| identified)?|
		(?:(?:I|we)(?:'ve| have)? )?(?:finally |now )?(?:got to the bottom of|found|figured out|tracked down|understood|identified|nailed|
		located|pinned down|know|(?:tracked|nailed|pinned|figured) (?:it|this|that|them) (?:down|out))(?: out)? (?:the |what |why |where )*.*?(?:\bwhy\b|\breason\b|\bcause\b|\bbug\b|\bculprit\b|\bproblem\b|
		\bissue\b|\bsource\b|\bleak\b|\bcaus\w+|\bit\b|` + trouble + `).*|(?:that's |that is |this is )?why .+|
		.{3,80}? has an? (?:simple |easy |plain )?explanation|found|.{3,40} (?:found|explained|understood)|it was .{3,40}? after all|(?:now )?it's clear(?: now)?|what happens is(?: this)?|.{0,40}\bhere it is|here's (?:why|what happens|the reason)|that was it|found it|got it|mystery solved)$`))
	weakLead = lazyregexp.New(flat(`
		(?i)^(?:so |and |ok,? )?(?:confirmed\b.*|fixed\b.*|solved\b.*|(?:the )?(?:result|outcome|conclusion|findings?|
		upshot)\b.*|bisect\w*\b.*|after (?:\S+ ){0,4}?(?:debug\w*|trac\w+|investigat\w+|digging|bisect\w*|hours?)\b.*|
		the problem was in .*|what happened|debugged)$`))
	// symptom tells what went wrong.
	symptom = lazyregexp.New(flat(`
		(?i)^(?:the|all|every|both|some|our|after|on|\x60)\b?.{2,80}? (?:was|were|did|had|got|came|went|never|failed|broke|hung|crashed|lost|returned|showed)\b.{0,60}?(?:\b(?:empty|never|wrong|lost|missing|failed|
		slow|twice|broken|stale|late|hung|crashed|blank|garbled|duplicat\w+|zero|different|unstable|flaky|stuck|off|not|compiled)\b|n't\b)|^(?:(?:the|this|that) )?(?:\w+ ){0,3}?` + trouble + `\b (?:(?:.{0,60}? )?(?:was|came|comes|lies|lay|sits|sat|started|is) |(?:only )?(?:in|on|with|after|during) )`))
	whyAsked = lazyregexp.New(`(?i)^(?:so |but |and )?why (?:did|does|do|is|are|was|were|didn't|doesn't|wasn't|isn't)\b`)
	ofUs     = lazyregexp.New(`(?i)\b(?:I|we|you)\b`)
	because  = lazyregexp.New(`(?i)^because (?:of )?[^,]`)
	// confirmedBy leads to the cause with a comma only.
	confirmedBy = lazyregexp.New(flat(`
		(?i)^(?:confirmed|fixed|solved|done|after (?:\S+ ){0,3}?(?:debug\w*|investigation|tracing|digging)),? (?:I (?:find|
		found|see|saw) (?:out )?(?:that )?)?`))
)

// led is what stands behind words that announce it: "Why …? Because …", "Label: …", or
// a short sentence before.
func led(m *message, i int, text string) (claim, bool) {
	label, rest := labelled(text)
	if aboutSelf.MatchString(rest) || ofSession.MatchString(rest) {
		return claim{}, false
	}
	before := m.before(i)
	if because.MatchString(text) && answersItself(before) && !underWay(m.after(i).plain) {
		return claim{rule: Cause, confidence: 0.7, text: before.plain + " " + text}, true
	}
	if c, ok := ledBy(m, label, rest); ok {
		return c, true
	}
	if at := confirmedBy.FindStringIndex(text); at != nil {
		if body := text[at[1]:]; holds(body) && m.settled() && trap.MatchString(body) {
			return claim{rule: Cause, confidence: 0.65}, true
		}
	}
	announced := strings.TrimRight(before.plain, ".!:")
	if i-1 <= m.claimed && m.claimed >= 0 || words(announced) > maxLabel || before.question || hedge.MatchString(announced) && !causeLead.MatchString(announced) {
		return claim{}, false
	}
	c, ok := ledBy(m, announced, text)
	if ok && words(announced) >= minWords {
		c.text = before.plain + " " + text
	}
	return c, ok
}

// answersItself tells of a question that its speaker answers itself; one about people asks
// for a reason, not a cause.
func answersItself(s sentence) bool {
	return s.question && whyAsked.MatchString(s.plain) && !ofUs.MatchString(s.plain)
}

// ledBy is what a label makes of what stands behind it.
func ledBy(m *message, label, rest string) (claim, bool) {
	if label == "" || denied.MatchString(label) && !symptom.MatchString(label) || !holds(rest) {
		return claim{}, false
	}
	f := framed(label)
	switch {
	case f == planned || f == retold:
	case causeLead.MatchString(label):
		return claim{rule: Cause, confidence: 0.75}, true
	case (symptom.MatchString(label) || weakLead.MatchString(label) && trap.MatchString(rest)) && specific(rest) && m.settled():
		return claim{rule: Cause, confidence: 0.65}, true
	case f == warned && !passing.MatchString(rest):
		return claim{rule: Gotcha, confidence: 0.7}, true
	case f == remarked && trap.MatchString(rest) && specific(rest) && !passing.MatchString(rest):
		return claim{rule: Gotcha, confidence: 0.6}, true
	case f == deciding && !m.awaits && !errand.MatchString(rest) && !hedge.MatchString(firstWords(rest, 4)):
		return claim{rule: Decided, confidence: 0.75}, true
	}
	return claim{}, false
}

// holds tells that words can be the content of a memory: enough of them, and neither
// a step to come nor a guess.
func holds(text string) bool {
	return words(text) >= minWords && !underWay(text) && !guess.MatchString(firstWords(text, 4)) && !because.MatchString(text)
}

// denied announcements are none.
var denied = lazyregexp.New(`(?i)\b(?:not|no|never|don't|doesn't|isn't|unclear|unknown|can't|cannot|couldn't|haven't|find out|to find|let me|if|whether)\b`)
