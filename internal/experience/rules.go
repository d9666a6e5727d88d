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
	text       string // "" is the sentence itself
	last       int    // the last sentence that is part of text, if it goes on
}

// Rule names what found an experience.
type Rule string

const (
	Trailer  Rule = "findings" // the agent's own list
	Decided  Rule = "decision"
	Cause    Rule = "root-cause"
	Gotcha   Rule = "gotcha"
	Worked   Rule = "how-to"  // a command that worked after others had failed
	Stated   Rule = "steps"   // how something is done, in words
	Tried    Rule = "attempt" // what was tried in vain
	Happened Rule = "episode" // what came of the whole
	Asserted Rule = "agent"   // an agent that was asked to read the transcript
)

// kind of the entries that a rule makes.
func (r Rule) kind() entry.Kind {
	switch r {
	case Decided:
		return entry.Decision
	case Worked, Stated:
		return entry.Procedure
	case Tried, Happened:
		return entry.Episode
	}
	return entry.Finding
}

// Sizes of sentences that say something and can stand alone.
const (
	minWords = 5
	maxWords = 80
)

// judge applies the rules to a sentence of a message. A rule has a pattern that must
// be there, and then everything speaks against it that makes the sentence a plan, a
// guess, a question, somebody else's words, or a remark about the session rather than
// the project.
func judge(m *message, i int) (claim, bool) {
	s := m.all[i]
	text := s.plain
	n := words(text)
	if s.question || n < minWords || n > maxWords || s.frame == planned || s.frame == retold ||
		passedOn.MatchString(text) || unsettled.MatchString(text) || circumstance.MatchString(text) {
		return claim{}, false
	}
	for _, rule := range []func(*message, int, string) (claim, bool){attempt, led, cause, decision, gotcha, steps, below, fact} {
		if c, ok := rule(m, i, text); ok {
			return c, true
		}
	}
	return claim{}, false
}

// below is what the heading above makes of a sentence that begins a paragraph or an
// item of a list.
func below(m *message, i int, text string) (claim, bool) {
	s := m.all[i]
	if !s.begins || ofSession.MatchString(text) || aboutSelf.MatchString(text) || hedge.MatchString(firstWords(text, 4)) {
		return claim{}, false
	}
	switch {
	case s.frame == explained && s.first && !underWay(text):
		return claim{rule: Cause, confidence: 0.7}, true
	case s.frame == deciding && !m.awaits && !errand.MatchString(text) && (m.after(i).plain != "" || words(text) >= 10 || explains.MatchString(text) || against.MatchString(text)):
		return claim{rule: Decided, confidence: 0.7}, true
	case s.frame == warned && !passing.MatchString(text):
		return claim{rule: Gotcha, confidence: 0.65}, true
	case s.frame == remarked && trap.MatchString(text) && specific(text) && !passing.MatchString(text):
		return claim{rule: Gotcha, confidence: 0.6}, true
	}
	return claim{}, false
}

func firstWords(text string, n int) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(n, len(words))], " ")
}

var (
	// hedge before a pattern makes it a guess, a plan, a condition or a denial.
	hedge = lazyregexp.New(flat(`
		(?i)\b(?:if|whether|could|would|might|may|should|can|maybe|perhaps|probably|possibly|likely|unless|
		suspect|suspected|think|thought|guess|assume|seems?|appears?|(?:looks?|sounds?|feels?) (?:like|as)|
		hypothes\w+|when|whenever|once|in case|need to|want to|wanted to|going to|plan to|let me|let's|I'll|
		we'll|I'd|we'd|will|to find|to see|not|never|unclear|unknown|suggest|recommend|propose|what|why|
		usually|often|sometimes|typically|generally|normally)\b|n't\b`))
	// unsettled behind a pattern does the same.
	unsettled = lazyregexp.New(flat(`
		(?i)\b(?:probably|likely|perhaps|maybe|possibly|unclear|(?:is|are|still|remains) unknown|
		not (?:yet )?(?:clear|known)|might|pending|tbd|to be (?:done|decided|determined)|to do|todo|
		I (?:think|guess|suspect|believe))\b`))
	// reported words are somebody else's.
	reported = lazyregexp.New(flat(`
		(?i)\b(?:says?|said|states?|stated|reads|wrote|writes|asked|told|tells|claims?|claimed|according to|
		mentions?|quot(?:e|es|ed|ing)|the user|you)\b`))
	// toReader speaks to or of the person who reads along.
	toReader = lazyregexp.New(`(?i)\b(?:the user|you|your|yours)\b`)
	// aboutSelf is about what the agent did in this session.
	aboutSelf = lazyregexp.New(flat(`
		(?i)\bmy\b|\b(?:because|that|since) (?:I|you|the user)\b|\bI (?:ran|forgot|made (?:a|an|the|some) (?:\w+ )?(?:mistake|error|typo|slip)|mis\w+|had|do not|
		don't|cannot|can't)\b|\bin the wrong (?:directory|folder|branch)\b|\b(?:so|and|but) (?:I'll|I will|
		I'm|let me|I am)\b|\b(?:the|this|that) (?:command|grep|edit)\b|\b(?:this|that|my) search\b|\bI (?:freed|retried|reran|
		restarted|cleared|killed)\b|\bprevious commit\b|\bas (?:intended|expected)\b|\b(?:sandbox|
		permission mode)\b`))
)

// flat takes the line breaks out of a long pattern.
func flat(pattern string) string { return strings.NewReplacer("\n", "", "\t", "").Replace(pattern) }

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
