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
	const mark = "…"
	if len(s) <= n {
		return s
	}
	if n < len(mark) {
		return ""
	}
	end := n - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if space := strings.LastIndexByte(s[:end], ' '); space > max(0, end-24) {
		end = space
	}
	return strings.TrimRight(s[:end], " ") + mark
}

// oneLine makes text of the memory into one line without control characters.
func oneLine(s string, n int) string {
	if len(s) > 4*n { // enough to fill the line, whatever is taken away
		s = s[:4*n]
	}
	if len(s) <= n && isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), n) + 2*utf8.UTFMax)
	space := false
	for _, r := range s {
		if b.Len() > n {
			break // cut looks no further
		}
		if r <= ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return cut(b.String(), n)
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
