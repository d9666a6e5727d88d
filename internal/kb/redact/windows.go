package redact

import "unicode/utf8"

// target is a text with the places in it where a secret may be, found when a
// rule first asks.
type target struct {
	text     string
	assigned []span
	long     []span
	solid    []span
	have     struct{ assigned, long bool }
}

// span is a part of a text, end not included.
type span struct{ start, end int }

// What the rules of gitleaks have in common sets these, in bytes.
const (
	before      = 110 // a name, 50 characters around its keyword at most, and an operator
	after       = 8   // what ends a value
	minAssigned = 8   // a value that is assigned to a name
	minLong     = 16  // a value that is known by its own form
)

// assignments are the places where something follows an operator that has a
// digit or a sign in it, and ends as values do: what is letters only, or a call,
// is no value to those rules.
func (t *target) assignments() []span {
	if t.have.assigned {
		return t.assigned
	}
	t.have.assigned = true
	for i := 0; i < len(t.text); i++ {
		if !is(t.text[i], operator) {
			continue
		}
		from := i
		for i++; i < len(t.text) && i < from+12 && is(t.text[i], operator|quote|space); i++ {
		}
		value, letters := i, true
		for ; i < len(t.text) && is(t.text[i], token); i++ {
			letters = letters && is(t.text[i], letter)
		}
		ends := i == len(t.text) || is(t.text[i], operator|quote|space|closing)
		if i-value >= minAssigned && !letters && ends {
			t.assigned = t.window(t.assigned, from, i)
		}
		i--
	}
	return t.assigned
}

// runs are the places of at least minLong characters without a space.
func (t *target) runs() []span {
	t.findRuns()
	return t.solid
}

// around are the windows of the runs.
func (t *target) around() []span {
	t.findRuns()
	return t.long
}

func (t *target) findRuns() {
	if t.have.long {
		return
	}
	t.have.long = true
	from := -1
	for i := 0; i <= len(t.text); i++ {
		if i < len(t.text) && is(t.text[i], token|operator) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 && i-from >= minLong {
			t.solid = append(t.solid, span{from, i})
			t.long = t.window(t.long, from, i)
		}
		from = -1
	}
}

// window adds what a rule has to see of the text to match at from to end.
func (t *target) window(all []span, from, end int) []span {
	start, end := max(0, from-before), min(len(t.text), end+after)
	for start > 0 && !utf8.RuneStart(t.text[start]) {
		start--
	}
	for end < len(t.text) && !utf8.RuneStart(t.text[end]) {
		end++
	}
	if n := len(all); n > 0 && start <= all[n-1].end {
		all[n-1].end = end
		return all
	}
	return append(all, span{start, end})
}

// Classes of bytes.
const (
	letter   = 1 << iota // ASCII letters, _ . -
	token                // what values are written with, letter included
	operator             // = : > | ? ,
	quote                // ' " `
	space
	closing // ; ) ] }
)

func is(c byte, class uint8) bool { return classOf[c]&class != 0 }

var classOf = func() (of [256]uint8) {
	set := func(chars string, class uint8) {
		for i := range len(chars) {
			of[chars[i]] |= class
		}
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-"
	set(letters, letter|token)
	set("0123456789+/=~%@", token)
	set("=:>|?,", operator)
	set("'\"`", quote)
	set(" \t\r\n\f\v\\", space)
	set(";)]}", closing)
	return of
}()
