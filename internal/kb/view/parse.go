package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/text"
)

// ErrQuery is wrapped by every error about a query that cannot be understood.
var ErrQuery = errors.New("cannot search for that")

// filterNames are the words before a colon that have a meaning.
var filterNames = []string{"topic", "tag", "source", "kind", "project", "since", "until", "after", "before"}

// parsed is a query taken apart.
type parsed struct {
	words      []string // folded, without stop words unless there is nothing else
	wholes     []string // identifiers whose parts are among the words
	phrases    []text.Phrase
	not        []string
	notPhrases []text.Phrase
	filters    []Filter // all of them must pass
	exclude    []Filter // of each only Topic, Tag, Source, Project
	names      []string
	shown      []string // for Result.Words

	first [1]Filter // room for filters
}

// several reports whether asking for any word instead of all makes a difference.
func (p *parsed) several() bool { return len(p.words) > 1 && len(p.phrases) == 0 }

func (v *View) parse(q Query) (*parsed, error) {
	p := &parsed{exclude: slices.Clone(q.Exclude), first: [1]Filter{q.Filter}}
	p.filters = p.first[:]
	if k := entry.Kind(q.Filter.Kind); k != "" && !k.Known() {
		return nil, unknownKind(q.Filter.Kind)
	}
	var plain strings.Builder
	rest := q.Text
	if q.Plain {
		plain.WriteString(rest)
		rest = ""
	}
	for rest != "" {
		var tok token
		tok, rest = nextToken(rest)
		if tok.key == "project" && v.opts.named != nil {
			named, err := v.opts.named(tok.value)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrQuery, err)
			}
			tok.value = named
		}
		if err := p.add(tok, &plain, v.opts.now()); err != nil {
			return nil, err
		}
	}
	p.addWords(plain.String())
	p.addNames(q.Names)
	if !q.Plain && strings.TrimSpace(q.Text) != "" && p.unasked() && q.Filter.any() {
		return nil, fmt.Errorf("%w: nothing in %.100q can be looked for: give words, or a filter: topic, tag, source, kind, project, since or until, each with : and a value", ErrQuery, q.Text)
	}
	return p, nil
}

// unasked reports whether p says nothing of its own about what is looked for.
func (p *parsed) unasked() bool {
	return len(p.words)+len(p.wholes)+len(p.names)+len(p.phrases)+len(p.not)+len(p.notPhrases)+len(p.exclude) == 0 && len(p.filters) == 1
}

// any reports whether f asks for no topic, tag, source, kind, project or time.
func (f *Filter) any() bool {
	return f.Topic+f.Tag+f.Source+f.Kind+f.Project == "" && f.Since.IsZero() && f.Until.IsZero()
}

// token is one piece of a query: -key:"value".
type token struct {
	not    bool
	key    string // with a colon behind it, "" for none
	value  string
	quoted bool
}

// nextToken cuts the next piece off. A quote that is not closed ends at the end.
func nextToken(s string) (token, string) {
	s = strings.TrimLeft(s, " \t\r\n")
	var t token
	if len(s) > 1 && s[0] == '-' && s[1] != ' ' && s[1] != '-' {
		t.not, s = true, s[1:]
	}
	if colon := strings.IndexByte(s, ':'); colon > 0 && colon+1 < len(s) && isFilter(s[:colon], s[colon+1]) {
		t.key, s = s[:colon], s[colon+1:]
	}
	if strings.HasPrefix(s, `"`) {
		t.quoted = true
		t.value, s, _ = strings.Cut(s[1:], `"`)
		return t, s
	}
	end := strings.IndexAny(s, " \t\r\n")
	if end < 0 {
		end = len(s)
	}
	t.value = s[:end]
	return t, s[end:]
}

// isFilter reports whether s and a colon before next look like a filter: not as in
// "error: text", std::vector and http://.
func isFilter(s string, next byte) bool {
	if strings.IndexByte(" \t\r\n:", next) >= 0 {
		return false
	}
	if slices.Contains(filterNames, s) {
		return true
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return next != '/'
}

func (p *parsed) add(t token, plain *strings.Builder, now time.Time) error {
	if t.key != "" {
		if !slices.Contains(filterNames, t.key) {
			if t.value != "" && t.value[0] >= '0' && t.value[0] <= '9' {
				plain.WriteString(t.key + " " + t.value + " ") // as in localhost:8080
				return nil
			}
			return fmt.Errorf("%w: unknown filter %q: there are topic: tag: source: kind: project: since: until:; to search for the text, put it in quotes", ErrQuery, t.key+":")
		}
		return p.addFilter(t, now)
	}
	switch phrase := text.NewPhrase(t.value); {
	case t.not && (t.quoted || len(phrase.Words()) > 1):
		p.notPhrases = append(p.notPhrases, phrase)
	case t.not:
		p.not = append(p.not, phrase.Words()...)
	case t.quoted:
		if len(phrase.Words()) > 0 {
			p.phrases = append(p.phrases, phrase)
		}
	default:
		plain.WriteString(t.value + " ")
	}
	return nil
}

func (p *parsed) addFilter(t token, now time.Time) error {
	var f Filter
	var err error
	switch t.key {
	case "topic":
		f.Topic = t.value
	case "tag":
		f.Tag = t.value
	case "source":
		f.Source = t.value
	case "project":
		f.Project = t.value
	case "kind":
		f.Kind = t.value
		if !entry.Kind(t.value).Known() {
			err = unknownKind(t.value)
		}
	case "since", "after":
		f.Since, err = ParseTime(t.value, now)
	case "until", "before":
		f.Until, err = ParseTime(t.value, now)
	}
	if err != nil {
		return err
	}
	if !t.not {
		p.filters = append(p.filters, f)
		return nil
	}
	if f.Topic == "" && f.Tag == "" && f.Source == "" && (f.Project == "" || f.Project == NoProject) {
		return fmt.Errorf("%w: -%s: cannot be excluded; topic: tag: source: project: and words can", ErrQuery, t.key)
	}
	p.exclude = append(p.exclude, f)
	return nil
}

func unknownKind(k string) error {
	var names []string
	for _, k := range entry.Kinds() {
		names = append(names, string(k))
	}
	return fmt.Errorf("%w: unknown kind %q: there are %s", ErrQuery, k, strings.Join(names, " "))
}

// addWords takes the words that are not in quotes, then those of the phrases.
func (p *parsed) addWords(plain string) {
	var stops []string
	var scan text.Scanner
	take := func(s string) {
		scan.Scan(s, func(w []byte, role text.Role, _, _ int) bool {
			list := &p.words
			switch {
			case role == text.Single:
				return true // its pairs say more
			case role == text.Whole:
				list = &p.wholes
			case text.Stop(string(w)):
				list = &stops
			}
			if !slices.Contains(*list, string(w)) {
				*list = append(*list, string(w))
			}
			return true
		})
	}
	take(plain)
	for _, ph := range p.phrases {
		take(strings.Join(ph.Words(), " "))
	}
	if len(p.words) == 0 {
		p.words = stops
	}
	p.shown = append(append(make([]string, 0, len(p.words)+len(p.wholes)), p.words...), p.wholes...)
}

// addNames takes each identifier as one word: the whole where it has parts.
func (p *parsed) addNames(names []string) {
	if len(names) == 0 {
		return
	}
	p.names = make([]string, 0, len(names))
	var scan text.Scanner
	for _, name := range names {
		last := ""
		scan.Scan(name, func(w []byte, _ text.Role, _, _ int) bool {
			last = string(w)
			return true
		})
		if last != "" && !slices.Contains(p.names, last) {
			p.names = append(p.names, last)
		}
	}
	p.shown = append(p.shown, p.names...)
}

// ParseTime reads the times that filters take: 2026-06-18, 2026-06-18T10:00:00Z,
// today, yesterday, week or month (that long ago), 12h, 7d, 2w. Days begin at
// midnight in the zone of now.
func ParseTime(s string, now time.Time) (time.Time, error) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ReplaceAll(s, "_", "-") {
	case "today":
		return day, nil
	case "yesterday":
		return day.AddDate(0, 0, -1), nil
	case "week", "this-week":
		return day.AddDate(0, 0, -7), nil
	case "month", "this-month":
		return day.AddDate(0, 0, -30), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	units := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if n := len(s); n > 1 && units[s[n-1]] != 0 {
		count := 0
		for _, c := range s[:n-1] {
			if c < '0' || c > '9' || count > 100_000 {
				count = -1
				break
			}
			count = count*10 + int(c-'0')
		}
		if count >= 0 {
			return now.Add(-time.Duration(count) * units[s[n-1]]), nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: %q is no time: write 2026-06-18, 2026-06-18T10:00:00Z, today, yesterday, week, month, 12h or 7d", ErrQuery, s)
}
