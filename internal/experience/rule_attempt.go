package experience

import (
	"strings"

	"helix/internal/lazyregexp"
)

var (
	tried = lazyregexp.New(flat(`
		(?i)\b(?:I|we)(?:'ve| have)? (?:\w+ )?(?:tried|attempted|experimented|spent|stopped)\b|\b(?:I|we) (?:could not|couldn't|
		was not able to|wasn't able to|were not able to|weren't able to|failed to|gave up|was unable to|(?:did not|didn't) (?:get|manage|succeed)|gave .{3,60} a try)\b|^(?:not landed|
		no success|unsuccessful|abandoned|failed|no luck|without success)|^[^.:]{3,60} (?:didn't|did not) work out\b`))
	undone = lazyregexp.New(flat(`
		(?i)\b(?:made no changes|no trace of|put .{2,30} back|(?:everything|all|it) is back (?:on|to|at|in)|not (?:committed|merged)|no changes? (?:was|were) (?:kept|made|committed)|revert(?:ed)?|undid|undone|rolled (?:\w+ ){0,2}?back|gave up|(?:did not|didn't|not) keep|(?:removed|
		took) (?:it|that|this|them) (?:out )?again|(?:left|leave) .{1,40} (?:unchanged|as (?:it|they) (?:is|was|are|were)|
		disabled|alone)|no (?:code|file)s? (?:was|were|is) changed|nothing (?:was|is) (?:changed|committed)|not landed|
		abandoned|backed (?:it |that )?out|discarded|scrapped|threw (?:it|that) away|dropped (?:it|that|the (?:idea|attempt|
		approach)))\b`))
	undoneByMe = lazyregexp.New(flat(`
		(?i)\b(?:I|we)(?:'ve| have)? (?:\w+ )?(?:reverted|undid|rolled|gave up|did not keep|didn't keep|removed it|
		took it out|abandoned|discarded|scrapped|dropped)\b`))
	outcomeLabel = lazyregexp.New(`(?i)^(?:result|outcome|conclusion|status|verdict|in the end)$`)
)

// attempt finds what was tried in vain: that it was tried, why it did not go, and
// that nothing of it is left. What was overcome on the way is none.
func attempt(m *message, i int, text string) (claim, bool) {
	body := text
	if label, rest := labelled(text); outcomeLabel.MatchString(label) {
		body = rest
	}
	if m.asks || underWay(body) {
		return claim{}, false
	}
	before := m.before(i).plain
	begun := tried.MatchString(body) || words(before) < minWords && tried.MatchString(unlabelled(before))
	if !begun && !(undoneByMe.MatchString(body) && explains.MatchString(body)) {
		return claim{}, false
	}
	whole, last := text, i
	for j := i + 1; j < len(m.all) && j <= i+3 && m.all[j].paragraph == m.all[i].paragraph; j++ {
		whole, last = whole+" "+m.all[j].plain, j
	}
	if words(whole) < 12 || !undone.MatchString(whole) || !reasoned(whole) || insteadDone.MatchString(whole) ||
		circumstance.MatchString(whole) || slip.MatchString(whole) || stray.MatchString(whole) {
		return claim{}, false
	}
	return claim{rule: Tried, confidence: 0.65, text: whole, last: last}, true
}

// reasoned tells of words that say why.
func reasoned(text string) bool {
	return explains.MatchString(text) || strings.Contains(text, ": ") || strings.Contains(text, ", which ") || strings.Contains(text, " but ")
}

func unlabelled(text string) string {
	_, rest := labelled(text)
	return rest
}

// stray changes are undone because they were never meant.
var stray = lazyregexp.New(`(?i)\b(?:accidental\w*|formatting|unrelated|unintended|unwanted|by mistake|(?:part|scope) of (?:this|the)|out of scope)\b`)

// insteadDone goes on to what was done in place of what failed.
var insteadDone = lazyregexp.New(`(?i)\binstead\b|\b(?:by hand|manually)\b|\b(?:switched|went) (?:back )?to\b|\bso I (?:applied|used|wrote|added)\b`)
