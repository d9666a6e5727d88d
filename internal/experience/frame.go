package experience

import (
	"slices"
	"strings"

	"helix/internal/lazyregexp"
)

// frame is what a heading, a label or the words before a list make of what stands
// below or behind them.
type frame int

const (
	unframed  frame = iota
	planned         // what may be done: plans, options, lists of work
	retold          // what somebody else wrote: documents, tickets, a review
	deciding        // decisions
	explained       // causes
	warned          // what would surprise the next one
	remarked        // remarks, of which few last
)

// frames are told by words, in this order: "open decisions" are plans. A heading is
// matched as a whole, a label up to its colon.
var frames = []struct {
	frame frame
	words *lazyregexp.Regexp
}{
	{planned, lazyregexp.New(flat(`
		(?i)\b(?:plan(?:ned)?|options?|proposals?|proposed|possib\w+|potential(?:ly)?|alternatives?|to-?dos?|next|
		remaining|steps|approach(?:es)?|open|pending|outstanding|hypothes[ie]s|suspects?|suspicions?|questions?|
		suggest\w+|recommend\w+|ideas?|candidates?|follow-?ups?|could|might|may be|should|would|will|going to|
		comparison|trade-?offs|status|progress|risks?|considerations?|guess)\b`))},
	{retold, lazyregexp.New(flat(`
		(?i)\b(?:docs?|documentation|manual|guide(?:lines)?|readme|changelog|release notes|claude\.md|agents\.md|
		rfc|spec(?:ification)?|adr|tickets?|issue \S*\d|reads|says?|states?|relevant (?:points|lines|parts)|review|
		requirements?|conventions|you (?:said|want|asked)|your|logs?|output|excerpt|quot\w+|commit message|
		description)\b`))},
	{deciding, lazyregexp.New(flat(`
		(?i)^(?:\w+ ){0,3}(?:decisions?|choices?)\b|\bdesign notes?\b|\babout (?:the|my) (?:design|choices?|decisions?)\b|
		\bwhat (?:I|we) (?:decided|chose)\b|\b(?:decided|chose|built) (?:it|this|things)\b`))},
	{explained, lazyregexp.New(flat(`
		(?i)^(?:the )?(?:root |actual |real |underlying )?causes?\b|\b(?:root|actual|real|underlying) (?:cause|bug|
		problem|issue|reason)\b|\bwhat (?:went wrong|happened|was wrong)\b|\bwhy (?:it|this) (?:failed|broke|happened)\b`))},
	{warned, lazyregexp.New(flat(`
		(?i)\b(?:gotchas?|caveats?|pitfalls?|traps?|footguns?|surpris\w+|learn(?:ed|t|ings?)|lessons?|bite|bit me|tripped|
		quirks?|non-?obvious|counter-?intuitive|unexpected|beware|careful|watch out|heads[- ]up|(?:good|worth|useful|
		important) (?:\w+ )?(?:to know|knowing|noting|recording|writing down|remembering|to remember)|cost me|did(?:n't|
		 not) expect|(?:for|to) (?:the next|whoever|future|later|anyone)|keep in mind|to be aware of|mind the|hidden|
		undocumented)\b`))},
	{remarked, lazyregexp.New(flat(`
		(?i)^(?:(?:side|important|one|another|other|please|a|few|some|two|more) )*(?:notes?|remarks?|important|observations?|
		fyi|nb|n\.b|info|warning|attention|caution)(?: (?:on|about|for|regarding) .+)?$|^\w+ notes?$`))},
}

// framed classifies the words of a heading or of a label.
func framed(words string) frame {
	for _, f := range frames {
		if f.words.MatchString(words) {
			return f.frame
		}
	}
	return unframed
}

const maxLabel = 12 // words; what is longer before a colon is a sentence

// labelled splits "Label: rest"; the colon may be a dash with spaces.
func labelled(text string) (label, rest string) {
	at, width := len(text), 0
	for _, mark := range []string{": ", " — ", " – ", " - "} {
		if i := strings.Index(text, mark); i >= 0 && i < at {
			at, width = i, len(mark)
		}
	}
	if width == 0 || words(text[:at]) > maxLabel || quoted(text, at) {
		return "", text
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+width:])
}

// awaitsAnswer tells of a message that lays a choice before its reader.
var awaitsAnswer = lazyregexp.New(flat(`
	(?i)\b(?:prefer|which (?:one|option|of|approach)|proceed|go ahead|approv\w+|your (?:input|call|decision|
	go-ahead|thoughts)|sounds? good|is that (?:ok|right|correct|what)|correct\?|(?:should|shall) (?:I|we)|
	what do you think)\b`))

// asking is what asks without a question mark.
var asking = lazyregexp.New(`(?i)\b(?:waiting (?:for|on)|need your)\b`)

// message is what the rules know beside a sentence.
type message struct {
	all    []sentence
	awaits bool // it ends with a choice for its reader
	asks   bool // it asks anything
	// ongoing tells that it ends with the next step: what is said while looking is not
	// yet a result.
	ongoing bool
	told    bool // the person has just objected: what it says is so by their word

	caused  int // the last sentence that is a cause, from 1; 0 for none
	claimed int // the last sentence that a rule took, -1 for none

	settlesKnown, settles bool // of settled
}

func messageOf(text string) *message {
	m := &message{all: sentences(text), claimed: -1}
	for i, s := range m.all {
		m.asks = m.asks || s.question
		if i >= len(m.all)-2 && (s.question || asking.MatchString(s.plain)) {
			m.awaits = m.awaits || awaitsAnswer.MatchString(s.plain)
		}
	}
	if last := len(m.all) - 1; last >= 0 {
		m.ongoing = underWay(m.all[last].plain)
	}
	return m
}

// settled tells that something in it was changed, or shown to work.
func (m *message) settled() bool {
	if !m.settlesKnown {
		m.settlesKnown = true
		m.settles = slices.ContainsFunc(m.all, func(s sentence) bool { return settles(s.plain) })
	}
	return m.settles
}

// before and after are the neighbours of a sentence in its paragraph, empty for none.
func (m *message) before(i int) sentence {
	if i > 0 && m.all[i].paragraph == m.all[i-1].paragraph {
		return m.all[i-1]
	}
	return sentence{}
}

func (m *message) after(i int) sentence {
	if i+1 < len(m.all) && m.all[i].paragraph == m.all[i+1].paragraph {
		return m.all[i+1]
	}
	return sentence{}
}
