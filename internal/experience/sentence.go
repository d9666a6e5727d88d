package experience

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"helix/internal/lazyregexp"
)

// sentence is one sentence of prose, without markup around it.
type sentence struct {
	text      string
	plain     string // without the marks of emphasis
	heading   string // above it
	frame     frame  // of the heading, or of the words before the list
	paragraph int    // its number; each item of a list is one
	begins    bool   // a paragraph or an item of a list
	item      bool   // of a list
	first     bool   // below its heading
	question  bool
}

var (
	listMark = lazyregexp.New(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)
	heading  = lazyregexp.New(`^\s{0,3}(?:#{1,6}\s+(.*?)\s*#*|\*\*([^*]+)\*\*:?)\s*$`)
	fence    = lazyregexp.New("^\\s*(?:```|~~~)")
)

// sentences takes prose apart. Code blocks, quotations, tables and headings are no
// prose.
func sentences(text string) []sentence {
	var out []sentence
	var paragraph []string
	var head string
	var ofHead, ofList frame
	item := false // the paragraph is one
	below := 0    // sentences below it so far
	number := 0
	flush := func() {
		if len(paragraph) == 0 {
			return
		}
		whole := strings.Join(paragraph, " ")
		one := sentence{heading: head, frame: ofHead, paragraph: number, item: item}
		if item && ofList != unframed {
			one.frame = ofList
		}
		for i, s := range splitSentences(whole) {
			one.text, one.plain, one.question = s, bare(s), strings.HasSuffix(strings.TrimRight(s, `"'*_)”`), "?")
			one.begins, one.first = i == 0, below == 0
			below++
			out = append(out, one)
		}
		if !item {
			ofList = ofLeadIn(whole, out)
		}
		paragraph, item = nil, false
		number++
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		body := strings.TrimSpace(line)
		switch h := heading.FindStringSubmatch(line); {
		case fence.MatchString(line):
			flush()
			fenced = !fenced
		case fenced:
		case body == "":
			flush()
		case strings.HasPrefix(body, ">") || strings.HasPrefix(body, "|") || indentedCode(line, paragraph):
			flush()
		case h != nil:
			flush()
			head, below = strings.Trim(h[1]+h[2], "*_: "), 0
			ofHead, ofList = framed(head), unframed
		case listMark.MatchString(line):
			flush()
			paragraph, item = []string{strings.TrimSpace(listMark.ReplaceAllString(line, ""))}, true
		default:
			paragraph = append(paragraph, body)
		}
	}
	flush()
	return out
}

// ofLeadIn is what the words before a list make of its items: those of the last
// sentence, or of all the paragraph where it tells of something that was read.
func ofLeadIn(paragraph string, so []sentence) frame {
	if !strings.HasSuffix(strings.TrimRight(paragraph, "*_ "), ":") || len(so) == 0 {
		return unframed
	}
	if wasRead.MatchString(paragraph) {
		return retold
	}
	return framed(strings.TrimRight(so[len(so)-1].plain, ": "))
}

var wasRead = lazyregexp.New(`(?i)\bI(?:'ve| have)? read\b|\b(?:says|according to|states)\b`)

// indentedCode tells a code block that is marked by four spaces only; behind text
// the spaces go on with a list.
func indentedCode(line string, paragraph []string) bool {
	return len(paragraph) == 0 && (strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")) && !listMark.MatchString(line)
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = []string{"e.g.", "i.e.", "vs.", "cf.", "approx.", "resp.", "incl.", "no."}

// splitSentences splits at a full stop, a question or an exclamation mark with a
// space behind it, outside of code, quotations and brackets.
func splitSentences(s string) []string {
	var out []string
	start, code, quote, open := 0, false, false, 0
	terse := startsSmall(s) // then a small letter begins a sentence as well
	cutAt := func(end int) {
		if one := strings.TrimSpace(s[start:end]); one != "" {
			out = append(out, one)
		}
		start = end
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '`':
			code = !code && strings.IndexByte(s[i+1:], '`') >= 0
		case code:
		case c == '"':
			quote = !quote && strings.IndexByte(s[i+1:], '"') >= 0
		case quote:
		case c == '(':
			open++
		case c == ')':
			open = max(0, open-1)
		case c == '.' || c == '?' || c == '!':
			end := i + 1
			for end < len(s) && strings.IndexByte(`"'*_)`, s[end]) >= 0 {
				end++
			}
			if end < len(s) && s[end] != ' ' || open > 0 && end == i+1 || abbreviated(s[start:i+1]) {
				continue
			}
			if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[end:], " ")); end < len(s) && unicode.IsLower(r) && !terse {
				continue
			}
			cutAt(end)
			open = 0
		}
	}
	cutAt(len(s))
	return out
}

func startsSmall(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

func abbreviated(s string) bool {
	s = strings.ToLower(s[max(0, len(s)-8):])
	for _, a := range abbreviations {
		if strings.HasSuffix(s, " "+a) || strings.HasSuffix(s, "("+a) {
			return true
		}
	}
	return false
}

// quoted tells whether the place at is inside of a quotation or of code.
func quoted(s string, at int) bool {
	before := s[:at]
	return strings.Count(before, "`")%2 == 1 || strings.Count(before, `"`)%2 == 1 ||
		strings.Count(before, "“") > strings.Count(before, "”")
}

// bare is a sentence without the marks of emphasis.
func bare(s string) string {
	s = strings.ReplaceAll(s, "**", "")
	s = strings.ReplaceAll(s, "__", "")
	return strings.Join(strings.Fields(s), " ")
}
