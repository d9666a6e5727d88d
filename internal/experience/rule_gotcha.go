package experience

import "helix/internal/lazyregexp"

const lead = `^(?:(?:but|however|also|and|so|hm+|ok|ah|interesting|interestingly|one more thing)[,:]? )?`

var (
	strongNote = lazyregexp.New(`(?i)` + lead + flat(`
		(?:(?:one |another |a |the )?(?:gotcha|caveat|pitfall|caution|footgun)s?(?: here| for later|
		 to remember)?(?:\s*[:—–]| is that| -)|careful\s*[:—–,]|be careful(?:\s*[:—–]| when| with| not to)|
		beware(?: that| of|\s*:)|watch out\s*[:—–,]|watch out (?:for|that)|(?:as )?(?:it )?turn(?:s|
		ed) out(?:,| that|\s*:)?|surprisingly,?|counter-?intuitively,?|keep in mind(?: that|\s*:)|
		be aware(?: that|\s*:))\s+`))
	weakNote = lazyregexp.New(`(?i)` + lead + flat(`
		(?:(?:please |do )?note(?: here)?(?: that|\s*:| the| how)|nb\s*:|n\.b\.:?|important\s*:|
		importantly,?|warning\s*:|heads[- ]up\s*:|remember that|don't forget(?: that|\s*:)|(?:worth noting|
		worth knowing|good to know|(?:one )?thing to (?:know|note|remember|watch)|interesting)\s*:)\s+`))
	// lasting words are those of a rule or an exception.
	lasting = lazyregexp.New(flat(`
		(?i)\b(?:must|otherwise|before|after|because|since|only|never|always|cannot|ignores?|unless|so|
		does not|do not|did not|is not|are not|instead|without|until|even|which|requires?|needs?|has to|
		have to|rejects?|refuses|also|by default|silently|returns?|treats?|still|first)\b|n't\b|\x60`))
	// passing is about the session, its change or its reader.
	passing = lazyregexp.New(flat(`
		(?i)^(?:that )?(?:(?:was|is|wasn't|isn't|to be)\b|to work|that\b|this\b|it (?:was|is just|did|does not matter)\b|I\b|
		I'|we\b|we'|you\b|your\b|the user|this (?:change|commit|patch|pr|session|fix|is|was|only|does|has|also|update|edit|
		refactor)|these (?:changes|are)|all (?:the |of )?(?:\w+ )?tests|(?:the )?(?:\w+ )?tests? (?:all |now |
		still )?(?:pass|fail)|there(?:'s| is| are) (?:no|already)|lines? \d|\d|please|see\b|nothing|none|
		\S+ (?:\S+ ){0,3}(?:was|were|is|are) (?:fine|ok|okay|correct|right|good)\b|no \w+ (?:change|test)|it (?:works|worked|
		passes|compiles|builds)\b|everything|the (?:build|test suite|suite|task|change|fix|file) (?:now |is |was |already |
		has )|my\b)|\btests? (?:all |now )*pass|\bthe changes\b|\b(?:needs?|has|have) to be (?:updated|regenerated|reviewed|
		changed|adapted|rerun|removed|recorded|merged|done)\b|\bshould\b|\bthis file\b|\bas requested\b|\bfor you\b|
		\byou (?:asked|want|may|can|might)\b`))
)

func gotcha(_ *message, _ int, text string) (claim, bool) {
	if rest, ok := place(strongNote, text); ok && words(rest) >= 4 && !passing.MatchString(rest) {
		return claim{rule: Gotcha, confidence: 0.7}, true
	}
	if rest, ok := place(weakNote, text); ok && words(rest) >= minWords && lasting.MatchString(rest) && !passing.MatchString(rest) {
		return claim{rule: Gotcha, confidence: 0.6}, true
	}
	return claim{}, false
}
