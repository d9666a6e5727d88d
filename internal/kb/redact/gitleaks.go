package redact

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed rules/gitleaks.toml
var gitleaksFile []byte

// ruleSet is rules with the search for their keywords.
type ruleSet struct {
	rules    []*rule
	keywords *matcher
}

// standard is the set that Text uses. Only a rule file that the tests would have
// refused makes it panic.
var standard = sync.OnceValue(func() *ruleSet {
	theirs, err := gitleaks(gitleaksFile)
	if err != nil {
		panic(fmt.Sprintf("redact: rules/gitleaks.toml: %v", err))
	}
	set, err := newRuleSet(slices.Concat(ownRules(), theirs))
	if err != nil {
		panic(fmt.Sprintf("redact: %v", err))
	}
	return set
})

func newRuleSet(rules []*rule) (*ruleSet, error) {
	if len(rules) > maxRules {
		return nil, fmt.Errorf("%d rules are more than %d", len(rules), maxRules)
	}
	var words []keyword
	for i, r := range rules {
		if len(r.keywords) == 0 {
			return nil, fmt.Errorf("rule %s has no keyword: every text would have to be searched for it", r.id)
		}
		for _, w := range r.keywords {
			words = append(words, keyword{strings.ToLower(w), i})
		}
	}
	return &ruleSet{rules: rules, keywords: newMatcher(words)}, nil
}

// The parts of the rule file that are used.
type gitleaksConfig struct {
	Allowlist gitleaksAllowlist
	Rules     []struct {
		ID          string
		Regex       string
		Path        string
		SecretGroup int
		Entropy     float64
		Keywords    []string
		Allowlists  []gitleaksAllowlist
	}
}

type gitleaksAllowlist struct {
	Condition   string
	Paths       []string
	RegexTarget string
	Regexes     []string
	Stopwords   []string
}

const (
	generic = "generic-api-key"
	// assignment is in the expression of each rule that gitleaks generates for a
	// value that is assigned to a name.
	assignment = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`
)

// spread has the rules whose match may have spaces in it at any place.
var spread = []string{"curl-auth-header", "curl-auth-user"}

// whollySolid has the rules with keywords that are in much prose, whose match is without
// spaces and has the keyword in it.
var whollySolid = []string{"vault-service-token", "jwt", "twilio-api-key"}

// gitleaks reads a rule file. Rules about the path of a file are left out, since
// a text has none. The rule for any key at all comes last: where another one
// finds the same, that one knows more.
func gitleaks(file []byte) ([]*rule, error) {
	var config gitleaksConfig
	if err := toml.Unmarshal(file, &config); err != nil {
		return nil, err
	}
	var rules, last []*rule
	for _, c := range config.Rules {
		if c.Regex == "" || c.Path != "" || c.ID == "private-key" { // pem.go knows more of those
			continue
		}
		r := &rule{id: c.ID, keywords: c.Keywords, pattern: c.Regex, group: c.SecretGroup, entropy: c.Entropy, where: long, real: notHash}
		switch {
		case strings.Contains(c.Regex, assignment):
			r.where = assigned
		case slices.Contains(spread, c.ID):
			r.where = whole
		case slices.Contains(whollySolid, c.ID):
			r.where = solid
		}
		r.allow = allowlists(append(c.Allowlists, config.Allowlist))
		if c.ID == generic {
			r.real = realKey
			last = append(last, r)
			continue
		}
		rules = append(rules, r)
	}
	return append(rules, last...), nil
}

func allowlists(from []gitleaksAllowlist) []allowlist {
	var out []allowlist
	for _, a := range from {
		if a.Condition == "AND" && len(a.Paths) > 0 {
			continue // a text has no path, so not all conditions can hold
		}
		out = append(out, allowlist{target: a.RegexTarget, patterns: a.Regexes, stopwords: a.Stopwords})
	}
	return out
}
