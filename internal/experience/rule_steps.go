package experience

import (
	"strings"

	"helix/internal/lazyregexp"
)

var (
	// task begins a statement of how something is done here.
	task = lazyregexp.New(flat(`
		(?i)^(?:(?:for next time|for the record|fyi|next time)[,:] )?(?:how to\b|how .{3,40}? (?:is|are|gets?) \w+(?: here)?:|steps (?:for|to)\b|
		(?:in order )?to (?:\w+ ){0,2}?(?:re)?\w+ (?:the|a|an|all|one|this|that|single|new|existing|another)?\b|for (?:the |
		a |an )?.{3,60}? to (?:work|run|pass|build|start)\b|(?:when|after|before) (?:the|a|an|you|adding|chang\w+|renam\w+|
		updat\w+|\w+ing)\b|\w+ing (?:a|an|the|this|new|here)?\b[^.:]{3,80}?(?:goes (?:like this|as follows)|works like this|is done|
		takes (?:\w+ )?(?:steps|deploys|commands|parts)|needs (?:\w+ )?steps)|\w+ing [^.,:\x60]{3,60}: |
		(?:\w+ ){0,3}(?:procedure|recipe|workflow|runbook|checklist)\b)`))
	// inOrder words make more than one step of it.
	inOrder = lazyregexp.New(flat(`
		(?i)\b(?:then|first|afterwards|finally|only then|and only|before|after|otherwise|followed by|together with|review|
		restart|again|until)\b`))
	// strictOrder tells what happens otherwise.
	strictOrder = lazyregexp.New(`(?i)\b(?:otherwise|only then|without (?:it|that|the|this)|or else)\b`)
	// bidden is a form that tells somebody to do something.
	bidden = lazyregexp.New(flat(`
		(?i)(?:^|[:;,(.] |\band |\bthen |\bfirst,? |\bto )(?:run|set|change|replace|attach|add|remove|delete|call|start|stop|
		restart|create|bump|tag|push|commit|edit|copy|wipe|apply|export|install|upload|download|regenerate|rebuild|review|
		check out|cherry-pick|branch|use|put|write|update|open|wait|do|execute|seed|migrate)\b`))
	// visit is for whoever looks at what was just made.
	visit = lazyregexp.New(flat(`
		(?i)^(?:how )?to (?:use|try|verify|test|check|see|confirm|find|view|enable|get started|reproduce|fix|solve|
		do (?:this|that|so)|make (?:this|it)|address|implement|achieve|avoid|summari[sz]e|recap)\b|^.{0,40}\bthe new\b|
		\bmy (?:change|fix)\b`))
	code = lazyregexp.New("`[^`]+`")
	// notHow is a step of this session, or advice to its reader.
	notHow = lazyregexp.New(flat(`
		(?i)\b(?:I|I'll|I'm|I've|we'll|let me|let's|me|you can|we (?:need|should|have to|can|could)|you could|you may|
		you might|try it|if you|for you|your)\b`))
)

// steps finds a procedure that is told in words: what it is for, and commands in
// their order. One command alone is what the project's own documents say.
func steps(m *message, i int, text string) (claim, bool) {
	if !m.all[i].begins && i > 0 && m.all[i-1].paragraph != m.all[i].paragraph || !task.MatchString(text) || visit.MatchString(text) {
		return claim{}, false
	}
	if head := strings.TrimPrefix(strings.TrimPrefix(text, "When "), "when "); hedge.MatchString(firstWords(head, 4)) {
		return claim{}, false
	}
	whole, last := text, i
	said, items := text, 0 // said must have the form of a procedure
	if strings.HasSuffix(text, ":") {
		for j := i + 1; j < len(m.all) && m.all[j].item && len(whole) < maxText/2; j++ {
			if m.all[j].begins {
				items++
			}
			whole, last = whole+"; "+m.all[j].plain, j
		}
		said = whole
	} else if next := m.after(i).plain; next != "" && !notHow.MatchString(next) && !underWay(next) {
		whole, last = whole+" "+next, i+1
	}
	if label, rest := labelled(said); label != "" && !bidden.MatchString(label) {
		said = rest // "…, as I did it for 1.2: …" is still a procedure
	}
	if notHow.MatchString(said) || !ordered(whole, items) {
		return claim{}, false
	}
	return claim{rule: Stated, confidence: 0.65, text: whole, last: last}, true
}

// ordered tells of commands in their order: a list of them, two or more in a row, or
// one with what happens without it.
func ordered(text string, items int) bool {
	commands := len(code.FindAllStringSubmatch(text, -1))
	bids := len(bidden.FindAllStringSubmatch(text, -1))
	inRow := inOrder.MatchString(text)
	if commands == 0 || bids == 0 && !inRow {
		return false
	}
	return items >= 2 || strictOrder.MatchString(text) || commands >= 2 && (inRow || bids >= 3)
}
