package entry

import (
	"strconv"
	"strings"
	"time"
)

// A metadata line is "[key: value]" and fills its line. The key is made of small
// letters, '-' and ' '. The value is everything up to the last ']', so it may
// contain brackets; a backslash and line ends in it are escaped.

// splitMeta takes a metadata line apart. The value is still escaped.
func splitMeta(line string) (key, value string, ok bool) {
	if len(line) < 4 || line[0] != '[' || line[len(line)-1] != ']' {
		return "", "", false
	}
	colon := strings.IndexByte(line, ':')
	if colon < 2 || line[colon+1] != ' ' {
		return "", "", false
	}
	for i := 1; i < colon; i++ {
		if c := line[i]; (c < 'a' || c > 'z') && c != '-' && c != ' ' {
			return "", "", false
		}
	}
	return line[1:colon], line[colon+2 : len(line)-1], true
}

// cutLine returns the first line of s without its line end, and what follows.
func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return line, rest
}

var escaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

func escape(s string) string {
	if !strings.ContainsAny(s, "\\\n\r") {
		return s
	}
	return escaper.Replace(s)
}

func unescape(s string) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		switch s[i] {
		case '\\':
			b.WriteByte('\\')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// writer builds a block of metadata lines. Every method leaves out a value that
// is the default.
type writer struct{ strings.Builder }

func (w *writer) line(key, value string) {
	w.WriteByte('[')
	w.WriteString(key)
	w.WriteString(": ")
	w.WriteString(value)
	w.WriteString("]\n")
}

func (w *writer) text(key, value string) {
	if value != "" {
		w.line(key, escape(value))
	}
}

func (w *writer) list(key, sep string, values []string) {
	if len(values) > 0 {
		w.line(key, escape(strings.Join(values, sep)))
	}
}

func (w *writer) time(key string, t time.Time) {
	if t = clean(t); !t.IsZero() {
		w.line(key, formatTime(t))
	}
}

// span writes two times as "from..to", either of which may be missing.
func (w *writer) span(key string, from, to time.Time) {
	from, to = clean(from), clean(to)
	if !from.IsZero() || !to.IsZero() {
		w.line(key, formatTime(from)+".."+formatTime(to))
	}
}

func (w *writer) number(key string, f, unset float64) {
	if f != unset {
		w.line(key, strconv.FormatFloat(f, 'g', -1, 64))
	}
}

const timeLayout = "2006-01-02T15:04:05.999Z07:00"

// formatTime gives "" for a zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

func parseTime(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return clean(t), true
}

// parseSpan reads "from..to"; a side that is empty gives a zero time.
func parseSpan(s string) (from, to time.Time, ok bool) {
	a, b, found := strings.Cut(s, "..")
	if !found || a == "" && b == "" {
		return from, to, false
	}
	okA, okB := true, true
	if a != "" {
		from, okA = parseTime(a)
	}
	if b != "" {
		to, okB = parseTime(b)
	}
	return from, to, okA && okB
}

// parseShare reads a number from 0 to 1.
func parseShare(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, false
	}
	return f + 0, true
}

// parseCount reads a number that is not negative and has no sign or padding.
func parseCount(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || strconv.Itoa(n) != s {
		return 0, false
	}
	return n, true
}
