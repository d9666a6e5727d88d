package experience

import "helix/internal/lazyregexp"

const trouble = `(?:bugs?|failures?|problem|issue|errors?|crash|flake|flakiness|deadlock|regression|leak|race|hang|panic|slowdown|mismatch|corruption|exception|timeouts?|segfault|null pointer|nil pointer|outage|stall)`

var (
	causeLabel = lazyregexp.New(flat(`
		(?i)^(?:so |and )?(?:the )?(?:actual |real )?root cause(?: found| identified)?(?: (?:of|for|behind|
		here)\b.{0,80}?)?(?:\s*[:—–]|\s+-| is| was| turned out to be)\s`))
	causeColon = lazyregexp.New(`(?i)^(?:so |and )?(?:the )?(?:cause|(?:actual|real|underlying) (?:bug|problem|issue|cause|error))\s*[:—–]\s`)
	causes     = []*lazyregexp.Regexp{
		lazyregexp.New(`(?i)\b(?:is|was|were|are) (?:actually |in fact |being )?caused by\b`),
		lazyregexp.New(`(?i)\b` + trouble + `\b.{0,60}?\b(?:is|was|were) (?:actually |in fact )?(?:due to|introduced by|triggered by|the result of)\b`),
		lazyregexp.New(`(?i)\b(?:happen(?:s|ed)|occurs|occurred) (?:\w+ ){0,3}?(?:because|due to)\b`),
		lazyregexp.New(flat(`
		(?i)\b(?:fail(?:s|ed|ing)?|broke|breaks|crash(?:es|ed|ing)|hung|hangs|panics|panicked|deadlock(?:s|ed)|leak(?:s|ed)|
		grows?|grew|stall(?:s|ed)|disappear(?:s|ed)|vanish(?:es|ed)|timed out|times out) (?:\w+ ){0,3}?because\b`)),
		lazyregexp.New(`(?i)^(?:so )?the (?:difference|trouble|catch)(?: here)? (?:is|was) that\b`),
		lazyregexp.New(`(?i)\bkept \w+ing (?:because|since)\b`),
		lazyregexp.New(`(?i)\bculprit (?:is|was)\b`),
		lazyregexp.New(`(?i)\b(?:tests?|` + trouble[3:] + `\b.{0,40}? (?:came|comes|boiled|boils) down to\b`),
		lazyregexp.New(flat(`
		(?i)^(?:so |and |but |[^,]{3,40}, )?the (?:actual |real |underlying )?(?:problem|issue|bug|cause|error|
		failure)(?: here)? (?:is|was) that\b`)),
		lazyregexp.New(`(?i)^(?:so |and |but |[^,]{3,40}, )?the (?:actual |real |underlying )?(?:problem|issue|bug|cause)(?: here)? was (?:a|an|the|in)\b`),
		lazyregexp.New(`(?i)\b` + trouble + `\b.{0,40}? (?:comes?|came|stems?|stemmed|originates?|originated|results?|resulted) from\b`),
		lazyregexp.New(`(?i)^(?:the|these|those|all) (?:\S+ ){1,6}?(?:came|stemmed|originated|resulted) from (?:\S+ ){1,10}?\S+(?::|;| because| which) `),
	}
	causeReason = lazyregexp.New(`(?i)^the reason (?:why |that )?(?:\S+ ){1,14}?(?:is|was) (?:that|because) `)
	reasonIs    = lazyregexp.New(`(?i)^the reason (?:is|was)(?: that)?\b`)
	failure     = lazyregexp.New(`(?i)\b(?:` + trouble[3:] + `|\b(?:fails?|failed|broken?|hung|hangs|crash\w*|wrong|flaky|slow)\b`)
	reasonWord  = lazyregexp.New(`(?i),? (?:because|since|as) `)
	// passed is trouble that went away by itself.
	passed   = lazyregexp.New(`(?i)\b(?:restarted|reran|re-ran|retried|rerunning|retrying|freed|killed)\b`)
	noReason = lazyregexp.New(`(?i)^the reason (?:why |that )?(?:I|we|you|I'm|we're)\b|^the reason for (?:the|this) (?:decision|choice)`)
	noCause  = lazyregexp.New(`(?i)^(?:the )?(?:same|following|first one|one)\b|^(?:a |an )?(?:I|we|you)\b|^(?:the )?(?:missing|still)\b.{0,20}$`)
)

func cause(m *message, i int, text string) (claim, bool) {
	accept := func(rest string, confidence float64) (claim, bool) {
		if words(rest) < 3 || slip.MatchString(text) || aboutSelf.MatchString(text) || noCause.MatchString(rest) {
			return claim{}, false
		}
		return claim{rule: Cause, confidence: confidence}, true
	}
	for _, label := range []*lazyregexp.Regexp{causeLabel, causeColon} {
		if rest, ok := place(label, text); ok {
			return accept(rest, 0.85)
		}
	}
	if rest, ok := place(reasonIs, text); ok && failure.MatchString(m.before(i).text) {
		return accept(rest, 0.7)
	}
	if rest, ok := place(causeReason, text); ok && !noReason.MatchString(text) {
		return accept(rest, 0.7)
	}
	// What is said on the way to the next step explains the step.
	next := m.after(i).plain
	if underWay(next) && !m.settled() || passed.MatchString(next) {
		return claim{}, false
	}
	if at := reasonWord.FindStringIndex(text); at != nil && symptom.MatchString(text[:at[0]]) && !hedge.MatchString(text[:at[0]]) && m.settled() && specific(text+" "+next) {
		return accept(text[at[1]:], 0.65)
	}
	for _, pattern := range causes {
		if rest, ok := place(pattern, text); ok {
			return accept(rest, 0.75)
		}
	}
	return claim{}, false
}
