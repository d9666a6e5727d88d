package experience

import "helix/internal/lazyregexp"

var (
	// against what something was chosen.
	against = lazyregexp.New(flat(`
		(?i)\b(?:instead of|rather than|in favou?r of|in place of|as opposed to|over (?:a|an|the|\w+ing|\x60)\b)\b|
		,? (?:and )?not (?:in|by|from|on|per|with|to|into|over|as|of|the|a|an|inside|via|through)\b|, not \S+|[;,] no \w+|
		\bso that (?:no|nothing|nobody)\b|\bover [A-Z\x60]|\binstead[,.;]|\breplaces\b`))
	// because of what: a word of reason, or what stands behind a colon or semicolon.
	explains = lazyregexp.New(flat(`
		(?i)\b(?:because|since|so that|in order to|so|otherwise|therefore)\b|, as \w+|\bas (?:it|this|that|the|there|they|we|
		nothing|nobody|none|each|both|all|our)\b|[:;] .{15,}| — .{15,}`))

	// made begins with the past of making something, by "I" or, in terse reports, by
	// nobody.
	made = lazyregexp.New(flat(`
		(?i)^(?:.{0,60}?(?:[:,;.]| and) )?(?:(?:I|we)(?:'ve| have)? )?(?:(?:\w+ly|also|now|therefore|have) )?(?:chose|chosen|
		picked|opted|went|gone|settled|stuck|used|kept|made|make|put|moved|switched|replaced|implemented|stored|built|based|
		wrote|modell?ed|represented|took|gave|set|left|swapped|introduced|pinned|turned|split|merged|computed|cached|limited|
		capped|dropped|removed|added|stayed|rejected|ruled) `))
	// stands is a state of the project, brought about.
	stands = lazyregexp.New(flat(`
		(?i)^(?:\w+: |to [^,:]{3,60}, )?(?:[^.,:;]{2,80}?) (?:(?:is|are|gets?) (?:now |always |only )?(?:\w{3,}ed|kept|built|
		written|made|held|set|sent|run|read|put|taken|done|given|drawn|an?|the)|now \w+s|lives?|stays?|remains?|runs?|
		happens?|goes|uses|takes|replaces?|sits?|belongs?) `))
	remains = lazyregexp.New(flat(`
		(?i)\b(?:I|we)(?:'ve| have)? (?:stay|stayed|keep|stick|stuck|remain|went without|do without|did without|went back to|
		fell back (?:on|to)|put .{1,30} back)\b|^(?:so |therefore )?\S+ .{0,40}?\b(?:stays?|remains?) (?:in|as|an?|with|
		\w+-\w+|\w+ed|the)\b`))
	weighed = lazyregexp.New(flat(`
		(?i)\b(?:I|we) (?:considered|thought about|looked at|weighed|evaluated) .{2,80}? (?:but|and) (?:rejected|
		decided against|dismissed|ruled|discarded|chose not)|^after (?:weighing|comparing|considering|evaluating)\b`))
	refused = lazyregexp.New(`(?i)\b(?:I|we) (?:deliberately|intentionally|purposely|consciously) (?:did not|didn't|do not|don't|left|kept|\w+ed)\b|\bon purpose\b`)
	// small changes are explained by their neighbours, not by a choice.
	small = lazyregexp.New(flat(`
		(?i)\b(?:renamed|named|called|typo|lint\w*|comment|message|indentation|wording|title|commits?|
		(?:in|at) (?:two|three|four|five|\d+) places|script|temp(?:orary)? file|grep)\b`))
	// wouldBe begins the reason that stands in a sentence of its own.
	wouldBe = lazyregexp.New(flat(`
		(?i)\b(?:would|otherwise|because|since|the point|that way|this way|avoids?|keeps?|needs?|only|must|can't|cannot|
		doesn't|don't|never|already|no longer|any more|anyway|then|nobody|nothing|also|worse|better|cheaper|faster|simpler|
		takes?|works?)\b`))
)

// contrast finds a choice by what it was made against, and why.
func contrast(m *message, i int, text string) (claim, bool) {
	versus, stays := against.MatchString(text), remains.MatchString(text)
	outweighed := made.MatchString(text) && rejected.MatchString(m.after(i).plain)
	if !versus && !stays && !outweighed && !m.told && !weighed.MatchString(text) && !refused.MatchString(text) {
		return claim{}, false
	}
	if tentative(text) || toReader.MatchString(text) || small.MatchString(text) || aboutSelf.MatchString(text) || underWay(text) || describes.MatchString(text) {
		return claim{}, false
	}
	next := m.after(i)
	future := underWay(next.plain)
	because := explains.MatchString(text)
	behind := next.plain != "" && !next.question && !future && wouldBe.MatchString(next.plain) && words(next.plain) >= minWords
	reasoned := because || behind
	telling := specific(text) || words(text) >= 8
	at := made.FindStringIndex(text)
	byMe := at != nil && !errandDone.MatchString(text[at[0]:]) && !byHand.MatchString(text[at[1]:])

	switch {
	case versus && m.all[i].begins && because && verbless.MatchString(text):
	case weighed.MatchString(text) && reasoned:
	case m.told && i <= 1 && telling && !future && !met.MatchString(text) && (stays || stands.MatchString(text)):
	case stays && (reasoned || versus || specific(text)):
	case refused.MatchString(text) && reasoned && words(text) >= 8:
	case byMe && outweighed:
	case versus && byMe && (reasoned || next.plain != "" && !future && !next.question && !mine.MatchString(next.plain)):
	case versus && at == nil && purpose.MatchString(text) && telling && !future:
	case versus && stands.MatchString(text) && reasoned && telling && !future && !proposed.MatchString(text) && !met.MatchString(text):
	default:
		return claim{}, false
	}
	c := claim{rule: Decided, confidence: 0.65}
	if !because && behind {
		c.text, c.last = text+" "+next.plain, i+1
	}
	return c, true
}

// tentative sentences begin as a guess, a plan or a denial; to leave something out on
// purpose is no denial.
func tentative(text string) bool {
	return hedge.MatchString(firstWords(text, 6)) && !refused.MatchString(text) || guess.MatchString(firstWords(text, 12))
}

// mine begins what the agent did next, which is no reason.
var mine = lazyregexp.New(`(?i)^(?:I|we)\b|\btests?\b`)

// verbless choices name what was taken and what was not.
var verbless = lazyregexp.New(`(?i)^(?:an?|one|the|plain|simple) [^.:;,]{3,80}? (?:instead of|rather than|over) [^.:;]{2,60}[:;]`)

// rejected is another way that would have had its merits.
var rejected = lazyregexp.New(`(?i)^(?:an?|the|another|using|\w+ing) .{3,60}? would (?:have been |be |have )?.{3,60}?\bbut\b`)

// proposed things are not there yet.
var proposed = lazyregexp.New(`(?i)^(?:the|a|one|my|another)? ?(?:\w+ ){0,2}(?:solution|approach|option|alternative|way|fix|idea|proposal|suggestion)\b`)

// describes is what one finds, not what one makes.
var describes = lazyregexp.New(flat(`
		(?i)^[^.;:]{0,80}? (?:is|are) (?:\w+ly )?(?:defined|used|called|located|documented|supposed|needed|required|expected|
		declared|imported|exported|shown|listed|meant|mentioned|missing|looked up)\b|^[^.;:]{0,80}? (?:has|have|
		needs?) to be \w+`))

// met is behaviour that nobody chose.
var met = lazyregexp.New(`(?i)\b(?:silently|surpris\w+|unexpected\w*|turns out|bug|fails?|breaks?|crash\w*|wrong\w*|lost|missing)\b`)
