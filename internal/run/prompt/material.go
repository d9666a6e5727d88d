package prompt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"helix/internal/tracker"
)

// mark begins every line of material, as a quotation does. A text cannot get out
// of it, whatever it says, and a marked line repeated in an answer is no trailer.
const mark = "> "

// What one text may take of a prompt, in bytes. What is left out is said.
const (
	maxField   = 24_000 // a field of a bead, a request
	maxTail    = 4_000  // the end of a failed gate's output
	maxEarlier = 8      // attempts, the latest
)

// section sets material apart under a title. Empty material has none.
func section(w *strings.Builder, title, material string) {
	material = strings.Trim(printable(material), "\n")
	if strings.TrimSpace(material) == "" {
		return
	}
	fmt.Fprintf(w, "\n=== %s ===\n", title)
	for line := range strings.SplitSeq(material, "\n") {
		w.WriteString(strings.TrimRight(mark+line, " \t"))
		w.WriteByte('\n')
	}
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// printable is text with "\n" as its only line break and without control
// characters: nothing in it moves a cursor or hides what follows.
func printable(text string) string {
	text = lineBreaks.Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text)
}

// oneLine is text on a single line.
func oneLine(text string) string { return strings.Join(strings.Fields(printable(text)), " ") }

// describe is a bead as an agent needs it.
func describe(b *tracker.Bead) string {
	var w strings.Builder
	waits := make([]string, len(b.Dependencies))
	for i, d := range b.Dependencies {
		waits[i] = d.DependsOnID
	}
	for _, f := range []struct{ name, value string }{
		{"Id", b.ID}, {"Title", b.Title}, {"Type", b.Type}, {"Priority", fmt.Sprint(b.Priority)},
		{"Parent", b.Parent}, {"Spec", b.SpecID()}, {"Labels", strings.Join(b.Labels, ", ")},
		{"Depends on", strings.Join(waits, ", ")}, {"Replaces", b.Replaces()},
	} {
		if value := oneLine(f.value); value != "" {
			fmt.Fprintf(&w, "%s: %s\n", f.name, cut(value, maxTail))
		}
	}
	rest := "read all of it with: helix bead show " + b.ID
	for _, f := range []struct{ name, value string }{
		{"Description", b.Description}, {"Design", b.Str("design")}, {"Acceptance", b.Acceptance}, {"Notes", b.Notes},
	} {
		if value := strings.TrimSpace(f.value); value != "" {
			fmt.Fprintf(&w, "\n%s:\n%s\n", f.name, head(value, maxField, rest))
		}
	}
	return w.String()
}

// describeEarlier is the memory of the attempts at a bead that did not land.
func describeEarlier(earlier []Earlier) string {
	var w strings.Builder
	if left := len(earlier) - maxEarlier; left > 0 {
		fmt.Fprintf(&w, "(%d older attempts are left out)\n", left)
		earlier = earlier[left:]
	}
	for _, e := range earlier {
		if e.Attempt > 0 {
			fmt.Fprintf(&w, "\nAttempt %d ended %s: %s\n", e.Attempt, oneLine(e.Outcome), oneLine(e.Reason))
		} else {
			fmt.Fprintf(&w, "\n%s: %s\n", oneLine(e.Outcome), oneLine(e.Reason))
		}
		if account := strings.TrimSpace(e.Tried); account != "" {
			fmt.Fprintf(&w, "Its agent's account of it:\n%s\n", head(account, maxTail, "see the evidence"))
		}
		if found := strings.TrimSpace(e.Review); found != "" {
			fmt.Fprintf(&w, "The review says:\n%s\n", head(found, maxTail, "see the session log"))
		}
		if e.Ref != "" {
			fmt.Fprintf(&w, "Its work is kept at %s; look at it with: git diff HEAD...%s\n", e.Ref, e.Ref)
		}
		if e.Gate != "" {
			fmt.Fprintf(&w, "This failed: %s\n", oneLine(e.Gate))
		}
		if out := strings.TrimSpace(e.Tail); out != "" {
			fmt.Fprintf(&w, "Its output says:\n%s\n", tail(out, maxTail))
		}
	}
	return w.String()
}

// head is the beginning of a text and a word on what is missing.
func head(text string, most int, rest string) string {
	if len(text) <= most {
		return text
	}
	kept := cut(text, most)
	return fmt.Sprintf("%s\n[%d bytes are left out; %s]", kept, len(text)-len(kept), rest)
}

// tail is the end of a text.
func tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	from := len(text) - most
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return fmt.Sprintf("[%d bytes are left out]\n%s", from, text[from:])
}
