package redact

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
	// pemLeast is how many characters of base64 in a row make a body: less is a
	// sketch of the format.
	pemLeast = 24
)

// privateKeys finds PEM and OpenPGP private keys, also those that lost their
// beginning or their end.
func privateKeys(text string, found func(start, end int)) {
	for at := 0; at < len(text); {
		begin := label(text, at, pemBegin)
		if begin.start < 0 {
			footer(text, at, found)
			return
		}
		footer(text[:begin.start], at, found)
		end := pemBody(text, begin.end)
		if end > begin.end {
			found(begin.start, end)
		}
		at = max(end, begin.end)
	}
}

// label finds the next line like -----BEGIN RSA PRIVATE KEY----- from at on.
// Its start is -1 when there is none.
func label(text string, at int, prefix string) span {
	for at < len(text) {
		i := strings.Index(text[at:], prefix)
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(prefix)
		rest := text[at:min(len(text), at+60)]
		name, _, ok := strings.Cut(rest, pemDash)
		if ok && strings.Contains(name, "PRIVATE KEY") && !strings.ContainsAny(name, "\n\\") {
			return span{start, at + len(name) + len(pemDash)}
		}
	}
	return span{-1, -1}
}

// pemBody gives where the body that starts at from ends, its last line included
// if there is one. It is from where there is no body.
func pemBody(text string, from int) int {
	end := from
	for at := from; at < len(text); {
		line := at
		at = skip(text, at)
		if strings.HasPrefix(text[at:], pemEnd) {
			if last := label(text, at, pemEnd); last.start == at && end > from {
				return last.end
			}
			break
		}
		word := at
		for at < len(text) && base64Byte(text[at]) {
			at++
		}
		switch {
		case at-word >= pemLeast, end > from && at > word && at-word < 80 && lastWord(text, at):
			end = at
		case header(text, word):
			for at < len(text) && text[at] != '\n' && !strings.HasPrefix(text[at:], `\n`) {
				at++
			}
		default:
			return end
		}
		if at == line {
			break
		}
	}
	return end
}

// skip passes line ends, also escaped ones as in JSON, and what quotes lines.
func skip(text string, at int) int {
	for at < len(text) {
		switch {
		case strings.HasPrefix(text[at:], `\n`), strings.HasPrefix(text[at:], `\r`):
			at += 2
		case strings.IndexByte(" \t\r\n\"'+,>|#", text[at]) >= 0:
			at++
		default:
			return at
		}
	}
	return at
}

// lastWord reports whether the base64 that ends at at ends its line too.
func lastWord(text string, at int) bool {
	return at == len(text) || text[at] != ' ' && (text[at] < 'A' || text[at] == '\\')
}

// header reports whether a line like Proc-Type: 4,ENCRYPTED starts at at.
func header(text string, at int) bool {
	line := text[at:min(len(text), at+100)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	for _, name := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"} {
		if strings.HasPrefix(line, name) {
			return true
		}
	}
	return false
}

// footer finds keys that lost their beginning: base64 right before their last line.
func footer(text string, from int, found func(start, end int)) {
	for {
		last := label(text, from, pemEnd)
		if last.start < 0 {
			return
		}
		start := last.start
		for i := last.start; i > from; {
			line := strings.TrimRight(text[from:i], " \t\r\n\"'+,")
			line = strings.TrimSuffix(line, `\n`)
			word := len(line)
			for word > 0 && base64Byte(line[word-1]) {
				word--
			}
			if word == len(line) || len(line)-word < pemLeast && start < last.start {
				break
			}
			start = from + word
			i = start
		}
		if last.start-start >= pemLeast {
			found(start, last.end)
		}
		from = last.end
	}
}

func base64Byte(c byte) bool { return caseOf(c) != 0 || c == '+' || c == '/' || c == '=' }
