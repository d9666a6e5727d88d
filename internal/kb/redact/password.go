package redact

import "strings"

const (
	shortestPassword = 4
	longestPassword  = 128
)

// passwords finds values that are assigned to a name for a password, in the ways
// of programs, settings, JSON, shells and notes. It is written out, because the
// word is in much prose and an expression for all that is slow.
func passwords(text string, found func(start, end int)) {
	for at := 0; at < len(text); {
		name, ok := passwordName(text, at)
		if !ok {
			return
		}
		at = name.end
		value, how, ok := assignedValue(text, name)
		if !ok {
			continue
		}
		word := text[value.start:value.end]
		if realPassword(word, how == inQuotes) && (how != inProse || !plainWord(word)) ||
			inEnvironment(text, name, value) && !template(word) && !isFiller(word) && isWord(word) {
			found(value.start, value.end)
			at = value.end
		}
	}
}

// passwordName finds the next name for a password from at on: the word itself
// and what belongs to the name after it.
func passwordName(text string, at int) (name span, ok bool) {
	for ; at < len(text); at++ {
		if text[at]|0x20 != 'p' {
			continue
		}
		n := passwordWord(text, at)
		if n == 0 {
			continue
		}
		end := at + n
		for end < len(text) && end < at+n+20 && nameByte(text[end]) {
			end++
		}
		return span{at, end}, true
	}
	return span{}, false
}

// passwordWord gives the length of the word for a password at at, 0 for none.
func passwordWord(text string, at int) int {
	rest := text[at:min(len(text), at+10)]
	for _, word := range []string{"password", "passwort", "passwd", "passphrase", "pwd"} {
		if len(rest) >= len(word) && strings.EqualFold(rest[:len(word)], word) {
			return len(word)
		}
	}
	// The short form is a common word. It counts in DB_PASS and in pass=.
	if len(rest) < 4 || !strings.EqualFold(rest[:4], "pass") {
		return 0
	}
	if before := text[max(0, at-6):at]; len(rest) == 4 || !nameByte(rest[4]) {
		before = strings.TrimSuffix(strings.ToLower(before), "_")
		for _, owner := range []string{"db", "user", "smtp", "admin", "root"} {
			if strings.HasSuffix(before, owner) {
				return 4
			}
		}
	}
	if len(rest) > 4 && rest[4] == '=' && (at == 0 || caseOf(text[at-1]) == 0) {
		return 4
	}
	return 0
}

// form is how a value is given to a name.
type form uint8

const (
	bare     form = iota // password=VALUE
	inQuotes             // password = "VALUE"
	inProse              // the password is VALUE
)

// assignedValue gives what is assigned to name.
func assignedValue(text string, name span) (value span, how form, ok bool) {
	at, _ := quoteAt(text, name.end)
	op := blanks(text, at)
	switch {
	case strings.HasPrefix(text[op:], ":="), strings.HasPrefix(text[op:], "=>"), strings.HasPrefix(text[op:], "=="):
		at = op + 2
	case op < len(text) && (text[op] == '=' || text[op] == ':'):
		at = op + 1
	case op > name.end && flagged(text, name.start): // --password VALUE
		at = op
	case op > name.end && strings.HasPrefix(text[op:], "is "):
		at, how = op+len("is "), inProse
	default:
		return span{}, bare, false
	}
	start := blanks(text, at)
	from, mark := quoteAt(text, start)
	var end int
	if mark != 0 {
		n := strings.IndexAny(text[from:], string(mark)+"\n")
		if n < 0 || text[from+n] == '\n' {
			return span{}, bare, false
		}
		if how == bare {
			how = inQuotes
		}
		end = from + len(strings.TrimSuffix(text[from:from+n], `\`))
	} else {
		n := strings.IndexAny(text[from:], " \t\r\n\f\v\"'`,;")
		if n < 0 {
			n = len(text) - from
		}
		end = from + len(strings.TrimRight(text[from:from+n], ".)"))
	}
	length := end - from
	return span{from, end}, how, length >= shortestPassword && length <= longestPassword
}

// plainWord reports whether s could be a word of a sentence about passwords.
func plainWord(s string) bool { return wordlike(s) && !strings.ContainsAny(s, "!@#$%^&*+?~") }

// inEnvironment reports whether the value is that of an environment variable, as
// DB_PASSWORD=value: a word stands there only to be used.
func inEnvironment(text string, name, value span) bool {
	written := text[name.start:name.end]
	return written == strings.ToUpper(written) && strings.Trim(text[name.end:value.start], `"'`) == "="
}

// isWord reports whether s is letters only, and enough of them.
func isWord(s string) bool {
	for i := range len(s) {
		if class := caseOf(s[i]); class != 'a' && class != 'A' {
			return false
		}
	}
	return len(s) >= 6
}

// quoteAt passes a quotation mark at at, which may be escaped, and says which; 0
// for none.
func quoteAt(text string, at int) (after int, mark byte) {
	if at+1 < len(text) && text[at] == '\\' && is(text[at+1], quote) {
		at++
	}
	if at < len(text) && is(text[at], quote) {
		return at + 1, text[at]
	}
	return at, 0
}

// blanks passes up to three blanks.
func blanks(text string, at int) int {
	for n := 0; n < 3 && at < len(text) && (text[at] == ' ' || text[at] == '\t'); n++ {
		at++
	}
	return at
}

// flagged reports whether the name that has its word at at is that of a flag.
func flagged(text string, at int) bool {
	for at > 0 && nameByte(text[at-1]) {
		at--
	}
	return strings.HasPrefix(text[at:], "--")
}

func nameByte(c byte) bool { return caseOf(c) != 0 || c == '_' || c == '-' }
