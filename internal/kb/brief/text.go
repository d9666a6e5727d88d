package brief

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

const (
	lineWidth    = 100 // characters of an entry on one line
	compactWidth = 60
	topicsShown  = 8
)

// Text is the briefing as a person reads it.
func (r Result) Text() string {
	var b strings.Builder
	switch {
	case r.Overview != nil:
		r.Overview.write(&b, r)
	case r.Entries == 0:
		r.writeNothing(&b)
	default:
		r.write(&b)
	}
	return b.String()
}

func (r Result) writeNothing(w io.Writer) {
	fmt.Fprintf(w, "nothing to brief on for '%s'\n", printable(r.Query))
	fmt.Fprintln(w, "next: ask for other words, list the topics, or store what you find out")
}

func (r Result) write(w io.Writer) {
	name := printable(r.Query)
	if name == "" {
		name = "memory"
	}
	fmt.Fprintf(w, "=== %s === %s → %d compressed, %s\n", name, count(r.Entries, "entry", "entries"), r.Kept, count(len(r.Topics), "topic", "topics"))
	if !r.compact {
		r.writeTopics(w)
	}
	switch {
	case len(r.Sections) == 0:
		fmt.Fprintln(w, "nothing in these categories; leave out the focus to see all")
	case r.Detail == Summary:
		r.writeSummary(w)
	default:
		for _, s := range r.Sections {
			r.writeSection(w, s)
		}
	}
	r.writeStats(w)
}

func (r Result) writeTopics(w io.Writer) {
	var parts []string
	for _, t := range r.Topics[:min(topicsShown, len(r.Topics))] {
		parts = append(parts, fmt.Sprintf("%s (%d)", printable(t.Topic), t.Entries))
	}
	if more := len(r.Topics) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	fmt.Fprintf(w, "TOPICS: %s\n", strings.Join(parts, ", "))
}

func (r Result) writeSummary(w io.Writer) {
	var parts []string
	for _, s := range r.Sections {
		parts = append(parts, fmt.Sprintf("%s (%d)", s.Category, s.Entries))
	}
	fmt.Fprintf(w, "CATEGORIES: %s\n", strings.Join(parts, ", "))
	fmt.Fprintln(w, "HOT:")
	for _, it := range r.Hot {
		fmt.Fprintf(w, "  %s: %s\n", it.Category, r.line(it))
	}
}

func (r Result) writeSection(w io.Writer, s Section) {
	fmt.Fprintf(w, "%s (%d)\n", s.Category, s.Entries)
	for _, it := range s.Items {
		if it.Body == nil {
			fmt.Fprintf(w, "  %s\n", r.line(it))
			continue
		}
		r.writeBody(w, it)
	}
	if more := s.Entries - len(s.Items); more > 0 {
		fmt.Fprintf(w, "  … %d more\n", more)
	}
}

func (r Result) writeBody(w io.Writer, it Item) {
	fmt.Fprintf(w, "  --- [%s] %s %s%s\n", printable(it.Topic), it.Written.In(r.now.Location()).Format(time.DateOnly), it.ID, r.marks(it))
	for _, line := range it.Body {
		fmt.Fprintln(w, strings.TrimRight("    "+line, " "))
	}
	if it.More > 0 {
		fmt.Fprintf(w, "    … %s, read %s\n", count(it.More, "more line", "more lines"), it.ID)
	}
	for _, m := range it.Cluster {
		fmt.Fprintf(w, "    + %s (%s)\n", Preview(m.Line, r.width()), m.ID)
	}
}

// line is an item on one line.
func (r Result) line(it Item) string {
	return fmt.Sprintf("[%s] %s%s", printable(it.Topic), Preview(it.Line, r.width()), r.marks(it))
}

func (r Result) width() int {
	if r.compact {
		return compactWidth
	}
	return lineWidth
}

// marks say how fresh an item is and what it stands for.
func (r Result) marks(it Item) string {
	var b strings.Builder
	if mark := freshMark(it.Written, r.now); mark != "" {
		fmt.Fprintf(&b, " [%s]", mark)
	}
	if it.Other {
		b.WriteString(" @" + printable(filepath.Base(it.Project)))
	}
	if it.Stale {
		b.WriteString(" [stale]")
	}
	if n := len(it.Supersedes); n > 0 {
		fmt.Fprintf(&b, " (supersedes %d)", n)
	}
	if n := len(it.Cluster); n > 0 {
		fmt.Fprintf(&b, " (+%d of these days)", n)
	}
	if len(it.AlsoIn) > 0 {
		fmt.Fprintf(&b, " (also in %s)", printable(strings.Join(it.AlsoIn, ", ")))
	}
	return b.String()
}

// freshMark tells how many calendar days ago something was written, for a week.
func freshMark(t, now time.Time) string {
	switch d := daysAgo(t, now); {
	case d <= 0:
		return "TODAY"
	case d == 1:
		return "1d"
	case d <= 7:
		return "week"
	}
	return ""
}

// daysAgo counts calendar days where now is.
func daysAgo(t, now time.Time) int {
	return int(midnight(now).Sub(midnight(t.In(now.Location()))).Hours() / 24)
}

// midnight gives the day of t without the hours that a zone's clock skips.
func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

func (r Result) writeStats(w io.Writer) {
	saved := 100 * (r.Entries - r.Kept) / r.Entries
	var folded []string
	for _, f := range []struct {
		n    int
		what string
	}{{r.Replaced, "superseded"}, {r.Grouped, "in clusters"}, {r.Copies, "told twice"}} {
		if f.n > 0 {
			folded = append(folded, fmt.Sprintf("%d %s", f.n, f.what))
		}
	}
	tail := ""
	if len(folded) > 0 {
		tail = ": " + strings.Join(folded, ", ")
	}
	if r.More {
		tail += "; more entries fit, ask more narrowly to see them"
	}
	fmt.Fprintf(w, "STATS: %d compressed (%d%% reduction)%s\n", r.Kept, saved, tail)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
