package experience

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Format is how a transcript is written.
type Format string

const (
	Auto   Format = "auto"   // told by its first line that is known
	Claude Format = "claude" // a session file of Claude Code, or its stream-json output
	Codex  Format = "codex"  // a session file of Codex, or what codex exec --json prints
	Plain  Format = "plain"  // text
)

// ParseFormat reads the name of a format as users write it.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case Auto, Claude, Codex, Plain:
		return f, nil
	}
	return "", fmt.Errorf("the format %q is not known: use auto, claude, codex or plain", name)
}

// Bounds of what is read. Beyond them a transcript is cut, and says so.
const (
	MaxBytes  = 64 << 20 // of a transcript; the rest is not read
	maxLine   = 4 << 20  // of a line; a longer one is skipped
	maxSteps  = 50_000
	maxSaid   = 64 << 10 // of a message
	maxOutput = 16 << 10 // of a result: its beginning and its end
	maxPlain  = 1 << 20  // of plain output: its end
	maxDepth  = 200      // of JSON, which is checked by recursion
)

// Kind of a step.
type Kind int

const (
	Said   Kind = iota // words of the agent
	Asked              // words of the person or of a program that stands for one
	Call               // the use of a tool
	Result             // what a tool gave
)

// Step is one thing that happened.
type Step struct {
	Kind    Kind
	Time    time.Time // zero: not known
	Text    string    // of Said, Asked and Result
	ID      string    // joins a Call with its Result; "" is joined with nothing
	Tool    string    // of a Call
	Command string    // of a Call that runs a shell command
	Files   []File    // of a Call: what it reads or changes. Of a Result: what the call is then known to have changed
	Failed  bool      // of a Result
}

// File is a file that a tool was used on.
type File struct {
	Path    string // as the agent wrote it
	Line    int    // first line that changed, from 1; 0 is not known
	Changed bool   // false: read
}

// End is how the work ended, as far as the client says so.
type End string

const (
	Open        End = ""            // nothing is known
	Interrupted End = "interrupted" // by the person
	Failed      End = "error"       // of the client or the provider
)

// Transcript is what an agent did, in its order.
type Transcript struct {
	Format  Format
	Session string
	Agent   string // id of a subagent, "" for the main conversation
	Dir     string // working folder at the beginning; "" is not known
	Steps   []Step
	End     End
	Broken  int  // lines that could not be read
	Cut     bool // there was more than is read
}

// Read reads a transcript. Lines that cannot be read are counted and skipped; the
// error is that of r, and what was read until then is in the transcript.
func Read(r io.Reader, format Format) (Transcript, error) {
	p := &parser{t: Transcript{Format: format}}
	limited := &io.LimitedReader{R: r, N: MaxBytes}
	in := bufio.NewReaderSize(limited, 64<<10)
	for {
		line, tooLong, err := readLine(in)
		if len(line) > 0 || tooLong {
			p.line(line, tooLong)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p.done(), fmt.Errorf("the transcript cannot be read: %w", err)
		}
	}
	p.t.Cut = p.t.Cut || limited.N == 0
	return p.done(), nil
}

// readLine reads a line with its end. Of one that is too long nothing is kept.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

type parser struct {
	t     Transcript
	plain []byte // lines of no known format
}

func (p *parser) line(b []byte, tooLong bool) {
	if tooLong {
		p.t.Broken++
		return
	}
	if p.t.Format == Plain {
		p.keepPlain(b)
		return
	}
	trimmed := bytes.TrimSpace(b)
	if len(trimmed) == 0 || trimmed[0] != '{' || depth(trimmed) > maxDepth || !gjson.ValidBytes(trimmed) {
		p.odd(b)
		return
	}
	v := gjson.ParseBytes(trimmed)
	if p.t.Format == Auto {
		p.t.Format = formatOf(v)
		if p.t.Format == Auto {
			p.odd(b)
			return
		}
	}
	switch p.t.Format {
	case Claude:
		p.claude(v)
	case Codex:
		p.codex(v)
	}
}

// odd is a line of no client.
func (p *parser) odd(b []byte) {
	if p.t.Format == Auto {
		p.keepPlain(b)
	} else if len(bytes.TrimSpace(b)) > 0 {
		p.t.Broken++
	}
}

func (p *parser) keepPlain(b []byte) {
	p.plain = append(p.plain, b...)
	if over := len(p.plain) - maxPlain; over > maxPlain {
		p.plain, p.t.Cut = append(p.plain[:0], p.plain[over:]...), true
	}
}

func (p *parser) done() Transcript {
	if p.t.Format == Auto || p.t.Format == Plain {
		p.t.Format = Plain
		if over := len(p.plain) - maxPlain; over > 0 {
			p.plain, p.t.Cut = p.plain[over:], true
		}
		if text := strings.TrimSpace(strings.ToValidUTF8(string(p.plain), "\uFFFD")); text != "" {
			p.t.Steps = append(p.t.Steps, Step{Kind: Said, Text: text})
		}
	}
	return p.t
}

func (p *parser) add(s Step) {
	if len(p.t.Steps) >= maxSteps {
		p.t.Cut = true
		return
	}
	switch s.Kind {
	case Result:
		s.Text = middleOut(s.Text, maxOutput)
	default:
		s.Text = middleOut(s.Text, maxSaid)
	}
	s.Text = strings.ToValidUTF8(s.Text, "\uFFFD")
	p.t.Steps = append(p.t.Steps, s)
}

// formatOf tells whose line it is, Auto for nobody's.
func formatOf(v gjson.Result) Format {
	typ := v.Get("type").String()
	switch {
	case strings.HasPrefix(typ, "thread."), strings.HasPrefix(typ, "turn."), strings.HasPrefix(typ, "item."):
		return Codex
	}
	switch typ {
	case "session_meta", "response_item", "event_msg", "turn_context", "compacted":
		if v.Get("payload").IsObject() {
			return Codex
		}
	case "user", "assistant", "system", "summary", "attachment", "progress", "file-history-snapshot", "queue-operation", "result":
		if v.Get("sessionId").Exists() || v.Get("session_id").Exists() || v.Get("leafUuid").Exists() || v.Get("message.role").Exists() {
			return Claude
		}
	}
	return Auto
}

// middleOut leaves the middle of a long text out.
func middleOut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := most/2, len(s)-most/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "\n[…]\n" + s[tail:]
}

// depth is how deep objects and arrays lie in each other at most.
func depth(text []byte) int {
	now, most, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

// str is the string at path; anything else there is none.
func str(v gjson.Result, path string) string {
	if s := v.Get(path); s.Type == gjson.String {
		return s.Str
	}
	return ""
}

func timeOf(v gjson.Result) time.Time {
	t, err := time.Parse(time.RFC3339, str(v, "timestamp"))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
