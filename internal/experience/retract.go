package experience

import (
	"unicode/utf8"

	"helix/internal/lazyregexp"
)

// What was said once may be taken back later on: by the agent, which found that the
// cause is another one or that its choice does not work, or by the person.

var (
	notTheCause = lazyregexp.New(flat(`
		(?i)\b(?:wasn't|isn't|was not|is not|weren't|aren't) (?:it\b|that\b|the (?:\w+ )?(?:problem|cause|issue|reason|
		culprit|bug|source)|to blame|why\b|related)|^(?:hm+,? |so |well,? |actually,? |wait,? |oh,? )*no[,.:]|\b(?:it|that|
		this)(?:'s| is) not (?:the|a|because)\b|\b(?:theory|idea|hypothesis) (?:is|was) (?:out|wrong|dead)\b|
		\bspoke too soon\b|\b(?:doesn't|does not|didn't|did not) explain\b|\bI was (?:wrong|mistaken)\b|\bI(?:'ve|
		 have)? mis(?:read|understood|diagnosed|interpreted)\b|\b(?:false lead|false alarm|red herring)\b|
		\bnot the (?:\w+ )?(?:problem|cause|issue|culprit)\b|\bstill (?:crash|fail|hang|happen|reproduc|broken|there|
		leak)\w*|\bscratch that\b|\bdisregard\b|\b(?:earlier|previous|first|my) (?:\w+ )?(?:diagnosis|theory|hypothesis|
		assumption|guess|conclusion|explanation) (?:was|is) (?:wrong|incorrect|not)`))
	takenBack = lazyregexp.New(flat(`
		(?i)(?:^|\b(?:I|we)(?:'ve|'m|'re| have| am| are)? (?:\w+ ){0,2}?)(?:revert(?:ed|ing)?|undid|undone|undoing|
		roll(?:ed|ing) (?:\w+ ){0,2}?back|dropp(?:ed|ing) (?:that|this|it|the (?:idea|approach))|went back to|
		(?:switch|chang|go)(?:ed|ing)? back to|back(?:ed|ing) (?:it|this|that) out|
		(?:removed|removing|took) (?:it|that|this|them) (?:out )?again|g[ai]v(?:e|ing) up on|abandon(?:ed|ing)|
		scrapp(?:ed|ing)|scratch that|threw (?:it|that) away)\b|
		\b(?:(?:doesn't|does not|didn't|did not|won't|will not) work (?:here|out|after all|for us|because|as)|
		(?:is|are) (?:no|not an) option|(?:brings?|brought|gains?|gained) nothing|change of plan|on second thought|that breaks|
		turned out to be (?:wrong|a mistake|too)|was a mistake|not going to work)\b`))
	// objection of the person who reads along.
	objection = lazyregexp.New(flat(`
		(?i)^(?:no\b|nope\b|stop\b|wait\b|please (?:don't|do not|revert|undo|change|remove)|(?:revert|undo)\b|don't\b|
		do not\b|that(?:'s| is) (?:wrong|not)|not like that|wrong\b|actually\b|hm+\b)|\b(?:please (?:revert|undo)|
		revert (?:that|this|it)|(?:is|are|was) wrong\b|\b(?:won't|doesn't|does not|can't|cannot|will not) work\b|\b(?:no|
		not an) option\b|\b(?:isn't|not) (?:allowed|possible|supported|available)\b|\bstill (?:slow|broken|there|fail\w*|
		crash\w*|happen\w*|the same|not|hang\w*)\b|not what I|I'd rather|instead please|we (?:don't|can't|do not|cannot) )`))
)

// reach is how many messages back something is taken back without naming it.
const reach = 2

// takeBack marks what a sentence takes back, among the last few that were heard: what
// was said just before, or what has the sentence's own words.
func takeBack(before []heard, message int, text string, causes, choices bool) {
	for i := max(0, len(before)-8); i < len(before); i++ {
		h := &before[i]
		fits := causes && (h.Rule == Cause || h.Rule == Gotcha) || choices && h.Rule == Decided
		if fits && (message-h.message <= reach || sharedTerms(h.Text, text) >= 2) {
			h.gone = true
		}
	}
}

// sharedTerms counts the long words that two texts have in common.
func sharedTerms(a, b string) int {
	of, n := wordsOf(a), 0
	for w := range wordsOf(b) {
		if utf8.RuneCountInString(w) >= 5 && of[w] {
			n++
		}
	}
	return n
}
