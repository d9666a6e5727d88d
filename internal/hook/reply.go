package hook

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	// maxContext bytes of context are given at most. Claude Code puts what has
	// more than about 10 KB into a file and shows the model 2 KB of it.
	maxContext = 8 << 10
	// maxAmbient is the same for what comes with every file that is touched.
	maxAmbient = 2 << 10
)

// reply is what the client is told. The zero reply is silence.
type reply struct {
	context string // for the model
	message string // for the person
	allow   bool   // the permission that was asked for
}

// write gives the form of https://code.claude.com/docs/en/hooks.
func (r reply) write(b *bytes.Buffer, event string) {
	switch {
	case r.allow:
		b.WriteString(`{"hookSpecificOutput":{"hookEventName":`)
		quote(b, event)
		b.WriteString(`,"decision":{"behavior":"allow"}}}` + "\n")
	case r.context != "":
		b.WriteString(`{"hookSpecificOutput":{"hookEventName":`)
		quote(b, event)
		b.WriteString(`,"additionalContext":`)
		quote(b, cut(r.context, maxContext))
		b.WriteString("}}\n")
	case r.message != "":
		b.WriteString(`{"systemMessage":`)
		quote(b, cut(r.message, maxContext))
		b.WriteString("}\n")
	}
}

// quote writes s as a JSON string.
func quote(b *bytes.Buffer, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	from := 0 // what stands there as it is
	for i, r := range s {
		if r >= ' ' && r != '"' && r != '\\' && r != utf8.RuneError {
			continue
		}
		b.WriteString(s[from:i])
		from = i + 1
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ':
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		case strings.HasPrefix(s[i:], "\uFFFD"):
			from = i
		default: // a byte that is no UTF-8
			b.WriteRune(utf8.RuneError)
		}
	}
	b.WriteString(s[from:])
	b.WriteByte('"')
}

// cut shortens s to at most n bytes, at the end of a word if one is near, and
// marks that it did.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return string(cutFrom([]byte(s), 0, n))
}

// cutFrom is cut of what b has from from on.
func cutFrom(b []byte, from, n int) []byte {
	const mark = "…"
	if len(b)-from <= n {
		return b
	}
	if n < len(mark) {
		return b[:from]
	}
	end := from + n - len(mark)
	for end > from && !utf8.RuneStart(b[end]) {
		end--
	}
	if space := bytes.LastIndexByte(b[from:end], ' '); space > max(0, end-from-24) {
		end = from + space
	}
	for end > from && b[end-1] == ' ' {
		end--
	}
	return append(b[:end], mark...)
}

// oneLine makes text of the memory into one line without control characters.
func oneLine(s string, n int) string {
	if len(s) <= n && isPlain(s) {
		return s
	}
	return string(appendOneLine(make([]byte, 0, min(len(s), n)+2*utf8.UTFMax), s, n))
}

// appendOneLine is oneLine that adds to b: many small texts of all sizes would cost
// a process of one answer pages for each size.
func appendOneLine(b []byte, s string, n int) []byte {
	if len(s) > 4*n { // enough to fill the line, whatever is taken away
		s = s[:4*n]
	}
	from := len(b)
	space := false
	for _, r := range s {
		if len(b)-from > n {
			break // cut looks no further
		}
		if r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			space = len(b) > from
			continue
		}
		if space {
			b = append(b, ' ')
			space = false
		}
		b = utf8.AppendRune(b, r)
	}
	return cutFrom(b, from, n)
}

// isPlain tells that s is one word of ASCII.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
