package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// place says what of a text a rule looks at.
type place uint8

const (
	whole    place = iota // all of it
	long                  // around values that are known by their form
	solid                 // as long, where the whole match, keyword included, is without spaces
	assigned              // around values that follow an operator
)

// rule finds one kind of secret.
type rule struct {
	id       string
	keywords []string // lower case; the rule is asked only about a text with one of them
	needs    string   // is in each text that pattern matches; "": nothing is known
	where    place
	pattern  string
	group    int     // of pattern that is the secret; 0: the first one that matched, or all
	entropy  float64 // bits a character that the secret must have more than; 0: any
	allow    []allowlist
	// real judges what was found; nil accepts all. match is the whole match.
	real func(match, secret string) bool
	// search, where there is one, is used instead of pattern.
	search func(text string, found func(start, end int))

	once    sync.Once
	re      *regexp.Regexp
	words   sync.Once
	matcher *matcher
}

// allowlist tells what a rule finds and is no secret.
type allowlist struct {
	target    string // what the expressions look at: "" is the secret, match, line
	patterns  []string
	stopwords []string // in the secret, without regard to case

	once sync.Once
	res  []*regexp.Regexp
	stop *matcher
}

func (r *rule) find(t *target, found func(start, end int)) {
	switch {
	case r.needs != "" && !strings.Contains(t.text, r.needs):
	case r.search != nil:
		r.search(t.text, found)
	case r.where == solid && !slices.ContainsFunc(t.runs(), func(run span) bool { return r.near(t.text[run.start:run.end]) }):
	case r.where == long, r.where == solid:
		for _, w := range t.around() {
			r.match(t.text, w, found)
		}
	case r.where == assigned:
		for _, w := range t.assignments() {
			if r.near(t.text[w.start:w.end]) {
				r.match(t.text, w, found)
			}
		}
	default:
		r.match(t.text, span{0, len(t.text)}, found)
	}
}

// near reports whether a part of a text has a keyword of the rule.
func (r *rule) near(part string) bool {
	r.words.Do(func() {
		var words []keyword
		for _, w := range r.keywords {
			words = append(words, keyword{word: strings.ToLower(w)})
		}
		r.matcher = newMatcher(words)
	})
	_, any := r.matcher.scan(part)
	return any
}

func (r *rule) match(text string, in span, found func(start, end int)) {
	r.once.Do(func() { r.re = regexp.MustCompile(r.pattern) })
	part := text[in.start:in.end]
	for _, m := range r.re.FindAllStringSubmatchIndex(part, -1) {
		start, end := r.secret(m)
		if start == end {
			continue
		}
		match, secret := part[m[0]:m[1]], part[start:end]
		switch {
		case r.entropy > 0 && entropy(secret) <= r.entropy,
			r.real != nil && !r.real(match, secret),
			r.allowed(text, match, secret, in.start+m[0]):
		default:
			found(in.start+start, in.start+end)
		}
	}
}

// secret chooses the group of a match that is the secret, as gitleaks does.
func (r *rule) secret(m []int) (start, end int) {
	if r.group > 0 {
		return max(0, m[2*r.group]), max(0, m[2*r.group+1])
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 && m[g] < m[g+1] {
			return m[g], m[g+1]
		}
	}
	return m[0], m[1]
}

func (r *rule) allowed(text, match, secret string, at int) bool {
	for i := range r.allow {
		a := &r.allow[i]
		subject := secret
		switch a.target {
		case "match":
			subject = strings.Trim(match, "\n")
		case "line":
			start := strings.LastIndexByte(text[:at], '\n') + 1
			end := strings.IndexByte(text[at+len(match):], '\n')
			if end < 0 {
				end = len(text) - at - len(match)
			}
			subject = text[start : at+len(match)+end]
		}
		if a.allows(subject, secret) {
			return true
		}
	}
	return false
}

func (a *allowlist) allows(subject, secret string) bool {
	a.once.Do(func() {
		for _, p := range a.patterns {
			a.res = append(a.res, regexp.MustCompile(p))
		}
		var words []keyword
		for _, w := range a.stopwords {
			words = append(words, keyword{word: strings.ToLower(w)})
		}
		a.stop = newMatcher(words)
	})
	for _, re := range a.res {
		if re.MatchString(subject) {
			return true
		}
	}
	_, any := a.stop.scan(secret)
	return any
}

// entropy is the Shannon entropy of s in bits a character.
func entropy(s string) float64 {
	counts := map[rune]int{}
	n := 0
	for _, c := range s {
		counts[c]++
		n++
	}
	bits := 0.0
	for _, k := range counts {
		p := float64(k) / float64(n)
		bits -= p * math.Log2(p)
	}
	return bits
}
