package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Finding is a secret in a text: the bytes Start to End, End not included.
type Finding struct {
	Rule  string
	Start int
	End   int
}

// marker is what Text writes; what stands there already is left alone.
var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[redacted: [a-z0-9-]+\]`) })

const markerStart = "[redacted: "

// Text replaces each secret in s by "[redacted: RULE]" and says how many it
// replaced. A text without secrets is returned as it is. Text of its own result
// changes nothing.
func Text(s string) (out string, found int) {
	// A secret can hide another one from its rule, so that the result has to be
	// looked at again. This ends: no finding touches a marker, so each turn
	// leaves less text outside of markers.
	for {
		findings := Find(s)
		if len(findings) == 0 {
			return s, found
		}
		found += len(findings)
		s = replace(s, findings)
	}
}

func replace(s string, findings []Finding) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, f := range findings {
		b.WriteString(s[at:f.Start])
		b.WriteString(markerStart)
		b.WriteString(f.Rule)
		b.WriteByte(']')
		at = f.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// Find gives the secrets in s, in their order, none overlapping another.
func Find(s string) []Finding {
	set := standard()
	if !strings.Contains(s, markerStart) {
		return set.find(s)
	}
	var all []Finding
	at := 0
	part := func(end int) {
		for _, f := range set.find(s[at:end]) {
			all = append(all, Finding{f.Rule, f.Start + at, f.End + at})
		}
	}
	for _, m := range marker().FindAllStringIndex(s, -1) {
		part(m[0])
		at = m[1]
	}
	part(len(s))
	return all
}

// find looks for secrets in a text without markers.
func (s *ruleSet) find(text string) []Finding {
	hit, any := s.keywords.scan(text)
	if !any {
		return nil
	}
	t := target{text: text}
	var all []ranked
	for rank := range hit.rules() {
		r := s.rules[rank]
		r.find(&t, func(start, end int) {
			all = append(all, ranked{Finding{r.id, start, end}, rank})
		})
	}
	return merge(all)
}

// ranked is a finding with the place of its rule in the set: of two rules that
// find the same, the earlier one gives the name.
type ranked struct {
	Finding
	rank int
}

func merge(all []ranked) []Finding {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.rank, b.rank), cmp.Compare(b.End, a.End))
	})
	out := []Finding{all[0].Finding}
	rank := all[0].rank
	for _, f := range all[1:] {
		last := &out[len(out)-1]
		if f.Start >= last.End {
			out, rank = append(out, f.Finding), f.rank
			continue
		}
		last.End = max(last.End, f.End)
		if f.rank < rank {
			last.Rule, rank = f.Rule, f.rank
		}
	}
	return out
}
